package bcp47

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/roget-health/roget/codesystem/packed"
)

//go:embed registry.tsv.lzma
var registryFile string

// registry holds the names of subtags by type and subtag in lower case.
type registry struct {
	subtags [kinds]map[string][]string
	// ranges are subtags for private use, such as qaa..qtz.
	ranges [kinds][]subtagRange
}

type subtagRange struct {
	first, last string
	names       []string
}

// kind is a type of subtag.
type kind int

const (
	language kind = iota
	extlang
	script
	region
	variant
	grandfathered // a whole tag
	kinds
)

var kindNames = [kinds]string{"language", "extlang", "script", "region", "variant", "grandfathered"}

// load reads the registry, once.
var load = sync.OnceValues(func() (*registry, error) { return read(registryFile) })

func read(file string) (*registry, error) {
	text, err := packed.Table(file)
	if err != nil {
		return nil, fmt.Errorf("language subtag registry: %w", err)
	}
	var r registry
	for k := range r.subtags {
		r.subtags[k] = map[string][]string{}
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		k, ok := kindNamed(fields[0])
		if !ok || len(fields) < 3 {
			return nil, fmt.Errorf("language subtag registry: line %q", lines.Text())
		}
		if first, last, isRange := strings.Cut(fields[1], ".."); isRange {
			r.ranges[k] = append(r.ranges[k], subtagRange{first, last, fields[2:]})
		} else {
			r.subtags[k][fields[1]] = fields[2:]
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("language subtag registry: %w", err)
	}
	return &r, nil
}

func kindNamed(name string) (kind, bool) {
	for k, n := range kindNames {
		if n == name {
			return kind(k), true
		}
	}
	return 0, false
}

// names returns the names of a subtag in lower case, or nil when it is not registered.
func (r *registry) names(k kind, subtag string) []string {
	if names := r.subtags[k][subtag]; names != nil {
		return names
	}
	for _, x := range r.ranges[k] {
		if len(subtag) == len(x.first) && x.first <= subtag && subtag <= x.last {
			return x.names
		}
	}
	return nil
}
