package synth_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

// codesOf calls fn with the codes of an element of type code, Coding or CodeableConcept.
func codesOf(root document.Value, path string, fn func(code string)) {
	at(root, path, func(v document.Value) {
		switch {
		case v.Kind() == document.String:
			fn(v.Text())
		case v.Get("coding").Exists():
			for coding := range v.Get("coding").Items() {
				fn(coding.Get("code").Text())
			}
		default:
			fn(v.Get("code").Text())
		}
	})
}

// byType returns lists of codes by type and element.
func byType(lists map[string][]string) map[string]map[string][]string {
	types := map[string]map[string][]string{}
	for path, list := range lists {
		typ, element, _ := strings.Cut(path, ".")
		if types[typ] == nil {
			types[typ] = map[string][]string{}
		}
		types[typ][element] = list
	}
	return types
}

// 10,000 resources of a type contain each code of each list, and no other. The shorter tests
// generate fewer resources and may miss some.
func TestCodes(t *testing.T) {
	lists := synth.ListedCodes()
	maps.Copy(lists, documentedCodes())
	maps.DeleteFunc(lists, func(path string, _ []string) bool {
		typ, _, _ := strings.Cut(path, ".")
		return !made(typ) // a list of a datatype
	})
	for typ, elements := range byType(lists) {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			counts := map[string]map[string]int{}
			for element := range elements {
				counts[element] = map[string]int{}
			}
			each(t, typ, synth.Options{Seed: 1}, many(10_000), func(_ int, body []byte) {
				root := parse(t, body)
				for element, seen := range counts {
					codesOf(root, element, func(code string) { seen[code]++ })
				}
			})
			for element, list := range elements {
				for _, code := range list {
					if counts[element][code] == 0 && !testing.Short() {
						t.Errorf("%s: %s is never drawn", element, code)
					}
				}
				for code, n := range counts[element] {
					if !slices.Contains(list, code) {
						t.Errorf("%s: %q, %d times, is not of %v", element, code, n, list)
					}
				}
			}
		})
	}
}

// A population has no codes outside the lists.
func TestPopulationCodes(t *testing.T) {
	t.Parallel()
	types := byType(documentedCodes())
	p, err := synth.NewPopulation(synth.PopulationOptions{Seed: 1, Patients: uint64(many(500))})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	err = p.Each(t.Context(), synth.NDJSON, func(c synth.Chunk) error {
		for line := range bytes.Lines(c.Bytes) {
			root := parse(t, line)
			typ := root.Get("resourceType").Text()
			for element, list := range types[typ] {
				codesOf(root, element, func(code string) {
					if counts[typ]++; !slices.Contains(list, code) {
						t.Errorf("%s.%s: %q is not of %v", typ, element, code, list)
					}
				})
			}
		}
		return nil
	})
	if err != nil || len(counts) != len(types) {
		t.Errorf("codes of %d types, not %d: %v", len(counts), len(types), err)
	}
}

// Report statuses without a weight are generated on request.
func TestOtherStatuses(t *testing.T) {
	for _, status := range []string{"registered", "partial", "preliminary", "final", "amended", "corrected", "appended", "cancelled", "entered-in-error"} {
		each(t, "DiagnosticReport", synth.Options{Seed: 1, Values: map[string]string{"status": status}}, 20, func(n int, body []byte) {
			if got := parse(t, body).Get("status").Text(); got != status {
				t.Errorf("%d: %s, not %s", n, got, status)
			}
		})
	}
}

// Responses answer the requested questionnaire, and any of the five without the option.
func TestTemplates(t *testing.T) {
	seen := map[string]int{}
	questionnaires := func(o synth.Options, count int) map[string]int {
		counts := map[string]int{}
		each(t, "QuestionnaireResponse", o, count, func(_ int, body []byte) { counts[parse(t, body).Get("questionnaire").Text()]++ })
		return counts
	}
	for _, template := range []string{"phq-9", "gad-7", "pain-assessment", "covid-screening", "health-intake"} {
		of := questionnaires(synth.Options{Seed: 1, Values: map[string]string{"questionnaire_template": template}}, 100)
		if len(of) != 1 {
			t.Errorf("%s: %v", template, of)
		}
		maps.Copy(seen, of)
	}
	all := questionnaires(synth.Options{Seed: 1}, 1000)
	if len(seen) != 5 || !slices.Equal(slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(all))) {
		t.Errorf("without the option %v, with it %v", all, seen)
	}
}
