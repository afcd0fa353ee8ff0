package index_test

import (
	"slices"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// TestOwners checks which patients a document names as its owners, and which it only mentions.
func TestOwners(t *testing.T) {
	owners := index.NewOwners(definitions.R4(), "Patient")
	bases := []string{"https://own.example/fhir"}
	for _, tt := range []struct {
		name, typ, id, body string
		want                []string
	}{
		{"itself", "Patient", "a", `{"resourceType":"Patient"}`, []string{"a"}},
		{"itself, deleted", "Patient", "a", ``, []string{"a"}},
		{"linked", "Patient", "a", `{"resourceType":"Patient","link":[{"other":{"reference":"Patient/b"}},{"other":{"reference":"Patient/a"}}]}`, []string{"a", "b"}},
		{"subject", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Patient/a"}}`, []string{"a"}},
		{"each once", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Patient/a"},"performer":[{"reference":"Patient/a"},{"reference":"Patient/b"}]}`, []string{"a", "b"}},
		{"version", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Patient/a/_history/3"}}`, []string{"a"}},
		{"own address", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"https://own.example/fhir/Patient/a"}}`, []string{"a"}},
		{"foreign address", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"https://other.example/fhir/Patient/a"}}`, nil},
		{"escaped", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Patient\/a"}}`, []string{"a"}},
		{"another type", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Group/a"}}`, nil},
		{"logical", "Observation", "o", `{"resourceType":"Observation","subject":{"type":"Patient","identifier":{"value":"a"}}}`, nil},
		{"mentioned in text", "Observation", "o", `{"resourceType":"Observation","note":[{"text":"Patient/a"}]}`, nil},
		{"not in the compartment", "Organization", "g", `{"resourceType":"Organization","partOf":{"reference":"Patient/a"}}`, nil},
		{"several parameters", "Appointment", "x", `{"resourceType":"Appointment","participant":[{"actor":{"reference":"Patient/b"}},{"actor":{"reference":"Practitioner/a"}},{"actor":{"reference":"Patient/a"}}]}`, []string{"a", "b"}},
		{"group", "Group", "g", `{"resourceType":"Group","member":[{"entity":{"reference":"Patient/a"}},{"entity":{"reference":"Patient/b"}}]}`, []string{"a", "b"}},
		{"audit event", "AuditEvent", "e", `{"resourceType":"AuditEvent","entity":[{"what":{"reference":"Patient/a"}}],"agent":[{"who":{"reference":"Patient/b"}}]}`, []string{"a", "b"}},
	} {
		dst := []string{"kept"}
		got, err := owners.Of(dst, tt.typ, tt.id, []byte(tt.body), bases)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if len(got) == 0 || got[0] != "kept" {
			t.Fatalf("%s: %v lacks what was there", tt.name, got)
		}
		got = slices.Sorted(slices.Values(got[1:]))
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if _, err := owners.Of(nil, "Observation", "o", []byte(`{"subject":"Patient`), nil); err == nil {
		t.Error("a document that is cut off is no error")
	}
	if index.NewOwners(definitions.R4(), "Observation") != nil {
		t.Error("Observation has no compartment")
	}
}
