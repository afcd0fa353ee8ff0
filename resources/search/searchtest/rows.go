package searchtest

import (
	"context"
	_ "embed"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// A Row is a search over the resources of this package with its expected results.
type Row struct {
	Text        string              // the row as it is written
	Type        string              // the resource type searched
	Compartment *search.Compartment // nil: none
	Params      []search.Param
	Want        []string // ids of the matches, in their order if Ordered
	Ordered     bool
	Included    []string // type/id of what is included
}

//go:embed rows.txt
var rowsText string

//go:embed resources.ndjson
var resourcesText string

// Rows returns the searches: at least one for each parameter that the server documents for its
// types, with resources that match and resources that do not.
func Rows() []Row {
	var rows []Row
	for line := range strings.Lines(rowsText) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			rows = append(rows, parseRow(line))
		}
	}
	return rows
}

func parseRow(line string) Row {
	row := Row{Text: line}
	asked, want, _ := strings.Cut(line, " =>")
	want, row.Ordered = strings.CutPrefix(want, ">")
	path, query, _ := strings.Cut(asked, "?")
	if parts := strings.Split(path, "/"); len(parts) == 3 {
		row.Compartment = &search.Compartment{Type: parts[0], ID: parts[1]}
		path = parts[2]
	}
	row.Type = path
	for pair := range strings.SplitSeq(query, "&") {
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			row.Params = append(row.Params, search.Param{Name: name, Value: value})
		}
	}
	matches, included, _ := strings.Cut(want, "+")
	row.Want, row.Included = strings.Fields(matches), strings.Fields(included)
	return row
}

// Resources returns the documents that Rows search, each with its id, in an order in which they can
// be stored.
func Resources() [][]byte {
	var out [][]byte
	for line := range strings.Lines(resourcesText) {
		out = append(out, []byte(strings.TrimSpace(line)))
	}
	return out
}

// A Listener compiles the terminology among documents. engine.Engine implements it.
type Listener interface {
	Prepare(ctx context.Context, typ, id string, body []byte) (publish func(), err error)
}

// Publish passes the code systems and value sets of Resources, which some Rows need, to a listener.
func Publish(ctx context.Context, l Listener) error {
	for _, body := range Resources() {
		d, err := document.Parse(body, r4.Limits{})
		if err != nil {
			return err
		}
		publish, err := l.Prepare(ctx, d.ResourceType(), d.Root().Get("id").Text(), body)
		if err != nil {
			return err
		}
		publish()
	}
	return nil
}
