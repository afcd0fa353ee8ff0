package registries

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/roget-health/roget/codesystem/packed"
)

//go:embed registries.tsv.lzma
var file string

// table is the content of registries.tsv.lzma.
type table struct {
	currencies, countries, areas, subdivisions []row
	zones                                      []row // one, whose names are the codes
}

// row is a code with at least one name.
type row struct {
	code, alpha3, numeric string // the latter of countries
	names                 []string
	past                  bool // a currency that is no longer in use
}

// load unpacks the table, once.
var load = sync.OnceValues(func() (*table, error) { return read(file) })

// read reads the file that gen writes.
func read(file string) (*table, error) {
	text, err := packed.Table(file)
	if err != nil {
		return nil, fmt.Errorf("registries: %w", err)
	}
	var t table
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if !t.add(strings.Split(lines.Text(), "\t")) {
			return nil, fmt.Errorf("registries: line %q", lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("registries: %w", err)
	}
	return &t, nil
}

// add adds a line, and reports whether it is well-formed.
func (t *table) add(fields []string) bool {
	kind, rest := fields[0], fields[1:]
	list := t.list(kind)
	r := row{past: kind == "past"}
	if kind == "country" {
		if len(rest) < 4 {
			return false
		}
		r.code, r.alpha3, r.numeric, r.names = rest[0], rest[1], rest[2], rest[3:]
	} else {
		if list == nil || len(rest) < 2 || len(rest[0]) < 3 {
			return false
		}
		r.code, r.names = rest[0], rest[1:]
	}
	*list = append(*list, r)
	return true
}

func (t *table) list(kind string) *[]row {
	switch kind {
	case "currency", "past":
		return &t.currencies
	case "country":
		return &t.countries
	case "area":
		return &t.areas
	case "subdivision":
		return &t.subdivisions
	case "zones":
		return &t.zones
	default:
		return nil
	}
}
