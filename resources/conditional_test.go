package resources_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

func patient(id, identifier, family string) []byte {
	withID := ""
	if id != "" {
		withID = `"id":"` + id + `",`
	}
	return []byte(`{"resourceType":"Patient",` + withID + `"identifier":[{"system":"http://example.org/mrn","value":"` + identifier + `"}],"name":[{"family":"` + family + `"}]}`)
}

// TestConditionalCreateRace checks that of many creates of the same resource one succeeds, and all
// return that resource.
func TestConditionalCreateRace(t *testing.T) {
	const rounds, writers = 5, 16
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		for round := range rounds {
			identifier := fmt.Sprint("r", round)
			opts := resources.CreateOptions{IfNoneExist: "identifier=http://example.org/mrn|" + identifier}
			var created atomic.Int32
			var ids sync.Map
			var group sync.WaitGroup
			for range writers {
				group.Go(func() {
					o, err := service.Create(t.Context(), "Patient", patient("", identifier, "Chalmers"), opts)
					if err != nil {
						t.Error(err)
						return
					}
					if o.Created {
						created.Add(1)
					}
					ids.Store(o.ID, true)
				})
			}
			group.Wait()
			n := 0
			ids.Range(func(any, any) bool { n++; return true })
			if created.Load() != 1 || n != 1 {
				t.Errorf("round %d: %d were created, and %d told of", round, created.Load(), n)
			}
			if got := found(t, service, "Patient", opts.IfNoneExist); len(got) != 1 {
				t.Errorf("round %d: stored are %v", round, got)
			}
		}
	})
}

// TestParseCondition parses conditions of creates, which many clients begin with the type.
func TestParseCondition(t *testing.T) {
	for condition, want := range map[string][]search.Param{
		"identifier=1&active=true":  {{Name: "identifier", Value: "1"}, {Name: "active", Value: "true"}},
		"?identifier=1":             {{Name: "identifier", Value: "1"}},
		"Patient?identifier=1":      {{Name: "identifier", Value: "1"}},
		"/Patient?identifier=1":     {{Name: "identifier", Value: "1"}},
		"identifier=http://a?b|1":   {{Name: "identifier", Value: "http://a?b|1"}},
		"Observation?identifier=1":  nil,
		"http://x/Patient?family=1": nil,
		"identifier=%ff":            nil,
		"%ff=1":                     nil,
	} {
		got, err := resources.ParseCondition("Patient", condition)
		if want == nil && !errors.Is(err, search.ErrParameter) || want != nil && err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", condition, got, err)
		}
	}
}

// TestUpdateWhere covers the table of R4 http.html#cond-update.
func TestUpdateWhere(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		for _, p := range [][3]string{{"one", "1", "One"}, {"two", "2", "Same"}, {"three", "3", "Same"}} {
			if _, err := service.Update(t.Context(), "Patient", p[0], patient(p[0], p[1], p[2]), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		seven := int64(7)
		for _, tt := range []struct {
			name, query string
			body        []byte
			opts        resources.UpdateOptions
			id          string // "*": any
			created     bool
			err         error
		}{
			{"one match, no id", "identifier=1", patient("", "1", "Changed"), resources.UpdateOptions{}, "one", false, nil},
			{"one match, its id", "identifier=1", patient("one", "1", "Changed again"), resources.UpdateOptions{}, "one", false, nil},
			{"one match, other id", "identifier=1", patient("two", "1", "One"), resources.UpdateOptions{}, "", false, resources.ErrIDMismatch},
			{"one match, other version", "identifier=1", patient("", "1", "x"), resources.UpdateOptions{IfMatch: &seven}, "", false, resources.ErrConflict},
			{"several", "family=Same&active:missing=true", patient("", "4", "Same"), resources.UpdateOptions{}, "", false, resources.ErrMultipleMatches},
			{"none, no id", "identifier=5", patient("", "5", "Five"), resources.UpdateOptions{}, "*", true, nil},
			{"none, new id", "identifier=6", patient("six", "6", "Six"), resources.UpdateOptions{}, "six", true, nil},
			{"none, id in use", "identifier=8", patient("two", "8", "Eight"), resources.UpdateOptions{}, "", false, resources.ErrInUse},
			{"nothing asked", "", patient("", "9", "Nine"), resources.UpdateOptions{}, "", false, search.ErrParameter},
			{"only how many", "_count=1", patient("", "9", "Nine"), resources.UpdateOptions{}, "", false, search.ErrParameter},
			{"unknown parameter", "colour=red", patient("", "9", "Nine"), resources.UpdateOptions{}, "", false, search.ErrParameter},
		} {
			o, err := service.UpdateWhere(t.Context(), "Patient", query(t, tt.query), tt.body, tt.opts)
			if !errors.Is(err, tt.err) || tt.err == nil && err != nil || errors.Is(tt.err, resources.ErrMultipleMatches) && !strings.HasSuffix(err.Error(), " match "+tt.query) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
				continue
			}
			if o.Created != tt.created || tt.id != "*" && o.ID != tt.id {
				t.Errorf("%s: %s, created %v", tt.name, o.Key, o.Created)
			}
		}
	})
}

// TestPatchWhere covers one match, none, and several, also for deletions.
func TestPatchWhere(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		for _, id := range []string{"a", "b", "c"} {
			family := "Same"
			if id == "c" {
				family = "Other"
			}
			if _, err := service.Update(t.Context(), "Patient", id, patient(id, id, family), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		o, err := service.PatchWhere(t.Context(), "Patient", query(t, "family=other"), replaced(patient("c", "c", "New")), resources.UpdateOptions{})
		if err != nil || o.VersionID != 2 {
			t.Errorf("%+v, %v", o, err)
		}
		if _, err := service.PatchWhere(t.Context(), "Patient", query(t, "family=other"), replaced(nil), resources.UpdateOptions{}); !errors.Is(err, resources.ErrNoMatch) {
			t.Errorf("no match: %v", err)
		}
		if _, err := service.PatchWhere(t.Context(), "Patient", query(t, "family=same"), replaced(nil), resources.UpdateOptions{}); !errors.Is(err, resources.ErrMultipleMatches) {
			t.Errorf("several: %v", err)
		}

		if _, err := service.DeleteWhere(t.Context(), "Patient", query(t, "family=same"), false, resources.UpdateOptions{}); !errors.Is(err, resources.ErrMultipleMatches) {
			t.Errorf("delete several: %v", err)
		}
		if all, err := service.DeleteWhere(t.Context(), "Patient", query(t, "family=nobody"), false, resources.UpdateOptions{}); err != nil || len(all) != 0 {
			t.Errorf("delete none: %v, %v", all, err)
		}
		all, err := service.DeleteWhere(t.Context(), "Patient", query(t, "family=same"), true, resources.UpdateOptions{})
		if err != nil || len(all) != 2 || !all[0].Changed {
			t.Errorf("delete all: %v, %v", all, err)
		}
		if diff := cmp.Diff([]string{"Patient/c"}, found(t, service, "Patient", "identifier:missing=false")); diff != "" {
			t.Error(diff)
		}
		for name, params := range map[string]string{"nothing asked": "", "how many": "_count=5"} {
			if _, err := service.DeleteWhere(t.Context(), "Patient", query(t, params), true, resources.UpdateOptions{}); !errors.Is(err, search.ErrParameter) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
