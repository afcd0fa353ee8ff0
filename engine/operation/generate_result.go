package operation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
	"github.com/roget-health/roget/resources/validate"
)

// generated is the answer of $generate: a Bundle.
type generated struct {
	base    string // absolute url of the server, "" for none
	bodies  [][]byte
	bytes   int
	results []resources.LoadResult // of what is stored; nil when nothing is
}

// add adds resources. It fails if there are too many.
func (g *generated) add(c synth.Chunk) error {
	for line := range bytes.Lines(bytes.Clone(c.Bytes)) {
		g.bodies = append(g.bodies, bytes.TrimSuffix(line, []byte("\n")))
	}
	if g.bytes += len(c.Bytes); g.bytes > maxGeneratedBytes {
		return &Problem{
			Class: unprocessable, Exit: ExitFailure, Code: "too-costly",
			Text: fmt.Sprintf("the resources have more than %s bytes; request fewer or smaller resources, or use the command roget generate", engine.Thousands(maxGeneratedBytes)),
		}
	}
	return nil
}

// stored stores the resources if the request asks for it.
func (g *generated) stored(ctx context.Context, env Env, in *Input) (Result, error) {
	if !isTrue(in, paramStore) {
		return g, nil
	}
	if env.Resources == nil {
		return nil, &engine.ParameterError{Name: paramStore, Problem: engine.ErrNotSupported, Detail: "this server stores no resources"}
	}
	items := make([]resources.LoadItem, len(g.bodies))
	for i, body := range g.bodies {
		items[i].Body = body
	}
	results, err := env.Resources.Load(ctx, items)
	if err != nil {
		return nil, err
	}
	g.results = results
	return g, nil
}

// AppendJSON appends a Bundle: a collection of the resources, or a batch-response with their
// locations.
func (g *generated) AppendJSON(dst []byte) []byte {
	kind := "collection"
	if g.results != nil {
		kind = "batch-response"
	}
	dst = slices.Grow(dst, g.bytes+len(g.bodies)*128)
	dst = append(dst, `{"resourceType":"Bundle","type":"`+kind+`","entry":[`...)
	for i, body := range g.bodies {
		if i > 0 {
			dst = append(dst, ',')
		}
		if g.results != nil {
			dst = g.appendResponse(dst, &g.results[i])
			continue
		}
		dst = append(dst, '{')
		if g.base != "" {
			dst = append(dst, `"fullUrl":`...)
			dst = r4.AppendString(dst, g.base+"/"+nameOf(body))
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `"resource":`...), body...), '}')
	}
	return append(dst, "]}"...)
}

// nameOf returns Type/id of a resource.
func nameOf(body []byte) string {
	h, err := r4.DecodeHeader(body)
	if err != nil {
		return "" // cannot happen: this program wrote it
	}
	return h.ResourceType + "/" + h.ID
}

// appendResponse appends the result of storing a resource.
func (g *generated) appendResponse(dst []byte, r *resources.LoadResult) []byte {
	if r.Err != nil {
		class, outcome := refusal(r.Err)
		dst = append(append(dst, `{"response":{"status":`...), refused[class]...)
		return append(outcome.AppendJSON(append(dst, `,"outcome":`...)), "}}"...)
	}
	status := `"200 OK"`
	if r.Created {
		status = `"201 Created"`
	}
	version := strconv.FormatInt(r.VersionID, 10)
	place := r.Type + "/" + r.ID + "/_history/" + version
	if g.base != "" {
		place = g.base + "/" + place
	}
	dst = append(append(dst, `{"response":{"status":`...), status...)
	dst = r4.AppendString(append(dst, `,"location":`...), place)
	dst = r4.AppendString(append(dst, `,"etag":`...), `W/"`+version+`"`)
	dst = r4.AppendString(append(dst, `,"lastModified":`...), r.LastUpdated.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	return append(dst, "}}"...)
}

// refused has the text of Bundle.entry.response.status for each class of failures, as JSON
// (R4 bundle-definitions.html).
var refused = [...]string{
	issue.ClassInternal:      `"500 Internal Server Error"`,
	issue.ClassInvalid:       `"400 Bad Request"`,
	issue.ClassNotFound:      `"404 Not Found"`,
	issue.ClassUnprocessable: `"422 Unprocessable Entity"`,
	issue.ClassTooLarge:      `"413 Request Entity Too Large"`,
	issue.ClassUnavailable:   `"503 Service Unavailable"`,
}

// refusal returns the reason why a resource was not stored.
func refusal(err error) (issue.Class, *r4.OperationOutcome) {
	invalid, ok := errors.AsType[*validate.Invalid](err)
	if !ok {
		return Outcome(err)
	}
	outcome := new(r4.OperationOutcome)
	for _, i := range invalid.Issues {
		outcome.Issue = append(outcome.Issue, i.R4())
	}
	return unprocessable, outcome
}

// Yes reports whether all resources were stored, if they were to be.
func (g *generated) Yes() bool {
	return !slices.ContainsFunc(g.results, func(r resources.LoadResult) bool { return r.Err != nil })
}

// Table lists the resources.
func (g *generated) Table() *Table {
	t := &Table{Header: []string{"RESOURCE", "STORED"}}
	for i, body := range g.bodies {
		row := []string{nameOf(body), ""}
		if g.results != nil {
			row[1] = strconv.FormatBool(g.results[i].Err == nil)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
