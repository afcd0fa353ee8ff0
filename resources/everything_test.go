package resources_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// TestEverything checks the members, the filters, and that all pages show the same state.
func TestEverything(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		now := start
		service := resources.NewService(store, nil, resources.WithClock(func() time.Time { return now }))
		put := func(typ, id, rest string) {
			t.Helper()
			body := `{"resourceType":"` + typ + `","id":"` + id + `",` + rest + `}`
			if _, err := service.Update(t.Context(), typ, id, []byte(body), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			now = now.Add(time.Hour)
		}
		put("Patient", "p", `"active":true`) // 0 h
		put("Patient", "other", `"generalPractitioner":[{"reference":"Practitioner/of-other"}]`)
		put("Observation", "old", `"status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p"},"effectiveDateTime":"2019-05"`)
		put("Observation", "new", `"status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p"},"effectiveDateTime":"2021-01-02","performer":[{"reference":"PractitionerRole/role"},{"reference":"Practitioner/nobody"}]`)
		put("Observation", "performed", `"status":"final","code":{"text":"x"},"subject":{"reference":"Patient/other"},"performer":[{"reference":"Patient/p"}]`)
		put("Observation", "of-another", `"status":"final","code":{"text":"x"},"subject":{"reference":"Patient/other"}`)
		put("Condition", "asserted", `"subject":{"reference":"Patient/other"},"asserter":{"reference":"Patient/p"},"onsetDateTime":"2020"`)
		put("Device", "d", `"patient":{"reference":"Patient/p"}`)
		put("Patient", "linked", `"link":[{"other":{"reference":"Patient/p"},"type":"seealso"}]`)
		given := `"status":"completed","vaccineCode":{"text":"x"},"occurrenceString":"once","patient":{"reference":"`
		put("Immunization", "absolute", given+`http://here.example/fhir/Patient/p"}`)
		put("Immunization", "versioned", given+`http://here.example/Patient/p/_history/1"}`)
		put("Immunization", "elsewhere", given+`http://there.example/fhir/Patient/p"}`)
		put("Organization", "org", `"name":"of the doctor"`)
		put("Organization", "unrelated", `"name":"x"`)
		put("PractitionerRole", "role", `"practitioner":{"reference":"Practitioner/dr"},"organization":{"reference":"Organization/org"}`)
		put("Practitioner", "dr", `"active":true`)
		put("Practitioner", "of-other", `"active":true`)
		put("Device", "extended", `"extension":[{"url":"http://x.example","valueReference":{"reference":"Organization/unrelated"}}]`)

		get := func(r resources.EverythingRequest) []string {
			t.Helper()
			if r.Type == "" {
				r.Type, r.ID = "Patient", "p"
			}
			keys := []string{}
			for {
				page, err := service.Everything(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range page.Versions {
					keys = append(keys, v.String())
				}
				if r.Cursor = page.Next; r.Cursor == "" {
					if r.ID != "" && *page.Total != len(keys) {
						t.Errorf("total %d of %v", *page.Total, keys)
					}
					return keys
				}
			}
		}
		all := []string{"Patient/p", "Practitioner/dr", "PractitionerRole/role", "Organization/org", "Patient/linked", "Device/d", "Condition/asserted", "Observation/performed", "Observation/new", "Observation/old", "Patient/other"}
		for _, tt := range []struct {
			name string
			r    resources.EverythingRequest
			want []string
		}{
			{"all", resources.EverythingRequest{}, all},
			{"pages of one", resources.EverythingRequest{Count: 1}, all},
			{"pages of three", resources.EverythingRequest{Count: 3}, all},
			{"types", resources.EverythingRequest{Types: []string{"Observation", "Device"}, Count: 2}, []string{"Device/d", "Observation/performed", "Observation/new", "Observation/old"}},
			{"by absolute urls", resources.EverythingRequest{Types: []string{"Immunization"}, Bases: []string{"http://here.example/fhir", "http://here.example"}}, []string{"Immunization/versioned", "Immunization/absolute"}},
			{"type that is no member", resources.EverythingRequest{Types: []string{"Organization"}}, []string{"Organization/org"}},
			{"type that nothing refers to", resources.EverythingRequest{Types: []string{"Location"}}, []string{}},
			{"since", resources.EverythingRequest{Since: start.Add(7 * time.Hour), Types: []string{"Patient", "Device", "PractitionerRole"}}, []string{"PractitionerRole/role", "Patient/linked", "Device/d"}},
			{"care from", resources.EverythingRequest{Start: "2020"}, slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "Observation/old" })},
			{"care until", resources.EverythingRequest{End: "2020-06-01"}, []string{"Patient/p", "Patient/linked", "Device/d", "Condition/asserted", "Observation/performed", "Observation/old", "Patient/other"}},
			{"care of a day", resources.EverythingRequest{Start: "2021-01-02", End: "2021-01-02"}, slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "Observation/old" || s == "Condition/asserted" })},
			{"of a practitioner", resources.EverythingRequest{Type: "Practitioner", ID: "of-other"}, []string{"Practitioner/of-other", "Patient/other"}},
			{"of all patients", resources.EverythingRequest{Type: "Patient", Types: []string{"Patient", "Practitioner", "Device"}}, []string{
				"Patient/linked", "Patient/p", "Patient/other", "Practitioner/of-other", "Practitioner/dr", "Device/d",
			}},
			{"of all patients in pages", resources.EverythingRequest{Type: "Patient", Types: []string{"Observation"}, Count: 2}, []string{
				"Observation/of-another", "Observation/performed", "Observation/performed", "Observation/new", "Observation/old", // one belongs to two
			}},
			{"of all devices", resources.EverythingRequest{Type: "Device"}, []string{"Device/extended", "Organization/unrelated", "Device/d", "Patient/p"}},
		} {
			if diff := cmp.Diff(tt.want, get(tt.r)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}

		first, err := service.Everything(t.Context(), resources.EverythingRequest{Type: "Patient", ID: "p", Count: 2})
		if err != nil {
			t.Fatal(err)
		}
		put("Observation", "later", `"status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p"}`)
		put("Observation", "old", `"status":"amended","code":{"text":"x"},"subject":{"reference":"Patient/other"}`)
		if _, err := service.Delete(t.Context(), "Condition", "asserted", resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		rest, err := service.Everything(t.Context(), resources.EverythingRequest{Type: "Patient", ID: "p", Cursor: first.Next})
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, v := range append(first.Versions, rest.Versions...) {
			keys = append(keys, v.String())
		}
		if !slices.Equal(keys, all) || *rest.Total != len(all) {
			t.Errorf("pages of a state before: %v of %d", keys, *rest.Total)
		}

		for _, tt := range []struct {
			r   resources.EverythingRequest
			err error
		}{
			{resources.EverythingRequest{Type: "Patient", ID: "nobody"}, resources.ErrNotFound},
			{resources.EverythingRequest{Type: "Observation", ID: "old"}, resources.ErrUnknownType},
			{resources.EverythingRequest{Type: "Patient", ID: "p", Start: "yesterday"}, search.ErrParameter},
			{resources.EverythingRequest{Type: "Patient", ID: "p", Types: []string{"Cow"}}, search.ErrParameter},
			{resources.EverythingRequest{Type: "Patient", ID: "p", Cursor: "x"}, resources.ErrBadCursor},
			{resources.EverythingRequest{Type: "Patient", ID: "p", Cursor: "1.zzz"}, resources.ErrBadCursor},
			{resources.EverythingRequest{Type: "Patient", ID: "p", Cursor: first.Next[:len(first.Next)-1]}, resources.ErrBadCursor},
			{resources.EverythingRequest{Type: "Patient", ID: "p", Cursor: "zzzzzzzzzzzz.0"}, resources.ErrBadCursor},
			{resources.EverythingRequest{Type: "Patient", ID: "a_b"}, resources.ErrBadID},
		} {
			if _, err := service.Everything(t.Context(), tt.r); !errors.Is(err, tt.err) {
				t.Errorf("%+v: %v, want %v", tt.r, err, tt.err)
			}
		}
		if _, err := service.Delete(t.Context(), "Patient", "p", resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := service.Everything(t.Context(), resources.EverythingRequest{Type: "Patient", ID: "p"}); !errors.Is(err, resources.ErrGone) {
			t.Errorf("of a deleted patient: %v", err)
		}
	})
}
