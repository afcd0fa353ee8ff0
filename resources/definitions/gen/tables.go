package main

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem/packed/pack"
)

// writer writes the tables of types, search parameters and compartments: lines of columns, in
// sections that package definitions reads.
type writer struct {
	text           strings.Builder
	valueSets      map[string]*resource
	codeSystems    map[string]*resource
	lists          map[string][]group // by url; nil for those that are not fully known
	elementTargets map[string][]string
	resources      int
}

func (w *writer) line(columns ...string) {
	w.text.WriteString(strings.TrimRight(strings.Join(columns, "\t"), "\t"))
	w.text.WriteByte('\n')
}

// tables returns the packed tables of the definitions in a folder.
func tables(folder string, terminology []*resource) ([]byte, error) {
	structures, err := readFile[structure](filepath.Join(folder, "structuredefinitions.ndjson.gz"))
	if err != nil {
		return nil, err
	}
	parameters, err := readFile[parameter](filepath.Join(folder, "searchparameters.ndjson.gz"))
	if err != nil {
		return nil, err
	}
	compartments, err := readFile[compartment](filepath.Join(folder, "other-definitions.ndjson.gz"))
	if err != nil {
		return nil, err
	}
	structures = slices.DeleteFunc(structures, func(s *structure) bool { return !s.isType() })
	parameters = slices.DeleteFunc(parameters, func(p *parameter) bool { return !p.isStandard() })
	compartments = slices.DeleteFunc(compartments, func(c *compartment) bool { return !c.isStandard() })
	slices.SortFunc(structures, func(a, b *structure) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	slices.SortFunc(compartments, func(a, b *compartment) int { return strings.Compare(a.Code, b.Code) })

	w := &writer{
		valueSets: map[string]*resource{}, codeSystems: map[string]*resource{}, lists: map[string][]group{},
		elementTargets: map[string][]string{},
	}
	for _, r := range terminology {
		if r.ResourceType == "ValueSet" {
			w.valueSets[r.URL] = r
		} else {
			w.codeSystems[r.URL] = r
		}
	}
	for _, s := range structures {
		if s.Kind == "resource" && !s.Abstract {
			w.resources++
		}
		w.collectTargets(s)
	}
	if err := w.writeTypes(structures); err != nil {
		return nil, err
	}
	for _, url := range sortedKeys(w.lists) {
		if w.lists[url] == nil {
			continue
		}
		id := strings.TrimPrefix(url, valueSetURL)
		w.line("L", id)
		for _, g := range w.lists[url] {
			if g.system == "http://hl7.org/fhir/"+id {
				g.system = ""
			}
			w.line(append([]string{g.system}, g.codes...)...)
		}
	}
	w.writeConstraints(structures)
	if err := w.writeParameters(parameters); err != nil {
		return nil, err
	}
	if err := w.writeCompartments(compartments); err != nil {
		return nil, err
	}
	return pack.Text([]byte(w.text.String()))
}

// collectTargets records what the references of a type's elements may refer to; nil means anything.
func (w *writer) collectTargets(s *structure) {
	for _, e := range s.Snapshot.Element {
		for _, t := range e.Type {
			if t.Code != "Reference" && t.Code != "canonical" {
				continue
			}
			var names []string
			for _, target := range t.Target {
				names = append(names, strings.TrimPrefix(target, structureURL))
			}
			if !slices.Contains(names, "Resource") {
				w.elementTargets[strings.TrimSuffix(e.Path, "[x]")] = names
			}
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
