package synth_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
)

// documented returns the 21 types of the specification.
func documented() []string { return slices.Sorted(maps.Keys(fields)) }

// parse parses a generated resource.
func parse(t *testing.T, body []byte) document.Value {
	t.Helper()
	doc, err := document.Parse(body, r4.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return doc.Root()
}

// at calls fn with the values at a path of names. It descends into all elements of lists.
func at(v document.Value, path string, fn func(document.Value)) {
	if v.Kind() == document.Array {
		for item := range v.Items() {
			at(item, path, fn)
		}
		return
	}
	if path == "" {
		fn(v)
		return
	}
	name, rest, _ := strings.Cut(path, ".")
	if v = v.Get(name); v.Exists() {
		at(v, rest, fn)
	}
}

// paths collects the paths of all members of a value. Items of a questionnaire have the path
// "item" at any depth.
func paths(v document.Value, path string, seen map[string]bool) {
	switch v.Kind() {
	case document.Array:
		for item := range v.Items() {
			paths(item, path, seen)
		}
	case document.Object:
		for m := range v.Members() {
			member := strings.TrimPrefix(path+"."+m.Name(), ".")
			seen[member] = true
			if member == "item.item" || member == "item.answer.item" {
				member = "item"
			}
			paths(m, member, seen)
		}
	}
}

// Each documented element occurs in some of 1,000 resources of its type. References to types that
// are not generated occur if an option sets them.
func TestFields(t *testing.T) {
	for _, typ := range documented() {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			seen := map[string]bool{}
			each(t, typ, synth.Options{Seed: 1}, 1000, func(_ int, body []byte) { paths(parse(t, body), "", seen) })
			for _, path := range strings.Fields(fields[typ]) {
				if !seen[path] {
					t.Errorf("no %s in 1,000", path)
				}
			}
			for _, row := range given {
				if row.typ == typ && seen[row.path] {
					t.Errorf("%s without %s", row.path, row.option)
				}
			}
		})
	}
	for _, row := range slices.Concat(given, givenInstead) {
		t.Run(row.typ+"/"+row.option, func(t *testing.T) {
			t.Parallel()
			there := 0
			each(t, row.typ, synth.Options{Seed: 1, Values: map[string]string{row.option: row.value}}, 1000, func(_ int, body []byte) {
				at(parse(t, body), row.path+".reference", func(to document.Value) {
					if to.Is(row.value) {
						there++
					}
				})
			})
			if there == 0 {
				t.Errorf("%s is given and no %s has it", row.value, row.path)
			}
		})
	}
}

// Value sets include a whole system, or list codes. Both occur.
func TestIncludes(t *testing.T) {
	whole, listing := 0, 0
	each(t, "ValueSet", synth.Options{Seed: 1}, 1000, func(_ int, body []byte) {
		at(parse(t, body), "compose.include", func(include document.Value) {
			switch {
			case include.Get("concept").Exists():
				listing++
			case include.Get("system").Exists() && !include.Get("filter").Exists():
				whole++
			}
		})
	})
	if whole == 0 || listing == 0 {
		t.Errorf("%d includes of a whole system, %d that list their codes", whole, listing)
	}
}
