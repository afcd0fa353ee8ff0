package synth_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

// referencesOf collects the references in a value, and the canonical URLs of generated resources
// without their versions.
func referencesOf(v document.Value, list []string) []string {
	for child := range v.Children() {
		text := child.Text()
		if child.Name() == "reference" {
			list = append(list, text)
		} else if path, ok := strings.CutPrefix(text, canonicals); ok && child.Name() != "url" {
			if typ, _, _ := strings.Cut(path, "/"); made(typ) {
				text, _, _ = strings.Cut(text, "|")
				list = append(list, text)
			}
		}
		list = referencesOf(child, list)
	}
	return list
}

// made reports whether resources of a type are generated.
func made(typ string) bool { return slices.Contains(synth.TypeNames(), typ) }

// canonicals is the prefix of the canonical URLs of generated resources.
const canonicals = "https://roget.health/fhir/synthetic/"

// names returns the names that others use to refer to a resource: Type/id, or a canonical URL.
func names(root document.Value) (name, canonical string) {
	return root.Get("resourceType").Text() + "/" + root.Get("id").Text(), root.Get("url").Text()
}

// closureOf generates 50 resources of a type with everything they refer to. It returns the
// references of each, and the names in the order of generation. No name occurs twice.
func closureOf(t *testing.T, typ string, o synth.Options) (refs map[string][]string, order []string) {
	t.Helper()
	g, err := synth.New(typ, o)
	if err != nil {
		t.Fatal(err)
	}
	byCanonical := map[string]string{}
	refs = map[string][]string{}
	err = g.Each(t.Context(), synth.Selection{Count: 50, References: true}, func(c synth.Chunk) error {
		for line := range bytes.Lines(c.Bytes) {
			root := parse(t, line)
			name, canonical := names(root)
			if strings.HasPrefix(canonical, canonicals) {
				byCanonical[canonical] = name
			}
			if _, twice := refs[name]; twice {
				t.Errorf("%s: %s comes twice", typ, name)
			}
			refs[name] = referencesOf(root, nil)
			order = append(order, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range refs {
		for i, to := range list {
			if name, ok := byCanonical[to]; ok {
				list[i] = name
			}
		}
	}
	for n := range 50 {
		if name := fmt.Sprintf("%s/%d-%d", typ, o.Seed, n); !slices.Contains(order, name) {
			t.Errorf("%s is not there", name)
		}
	}
	return refs, order
}

// Every referenced resource is present, and precedes the resource that refers to it unless both
// refer to each other.
func TestClosure(t *testing.T) {
	for _, typ := range synth.TypeNames() {
		refs, order := closureOf(t, typ, synth.Options{Seed: 3})
		// reaches reports whether a resource refers to another one, directly or indirectly.
		reaches := func(from, to string) bool {
			seen, next := map[string]bool{}, []string{from}
			for len(next) > 0 {
				name := next[len(next)-1]
				next = next[:len(next)-1]
				if name == to {
					return true
				}
				if !seen[name] {
					seen[name] = true
					next = append(next, refs[name]...)
				}
			}
			return false
		}
		at := map[string]int{}
		for i, name := range order {
			at[name] = i
		}
		for i, name := range order {
			for _, to := range refs[name] {
				j, ok := at[to]
				switch {
				case !ok:
					t.Errorf("%s: %s refers to %s, which is not there", typ, name, to)
				case j >= i && !reaches(to, name):
					t.Errorf("%s: %s refers to %s, which comes later", typ, name, to)
				}
			}
		}
	}
}

// References set by options are not followed.
func TestClosureOutside(t *testing.T) {
	refs, _ := closureOf(t, "Condition", synth.Options{Seed: 3, Values: map[string]string{"patient_ref": "Patient/3-1", "practitioner_ref": "https://example.org/Practitioner/1"}})
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		if strings.HasPrefix(name, "Condition/") && !slices.Contains(refs[name], "Patient/3-1") {
			t.Errorf("%s does not refer to the patient", name)
		}
	}
	_, order := closureOf(t, "RelatedPerson", synth.Options{Values: map[string]string{"patient_ref": "Patient/0-7"}})
	if len(order) != 50 {
		t.Errorf("%d resources, not 50: %v", len(order), order)
	}
}
