package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/resources/sharedtest"
)

// A kept place is where a server keeps resources: arguments of its command line.
type keptPlace struct {
	name string
	args func(t *testing.T) []string
}

// keptPlaces are a new and empty place of each kind.
var keptPlaces = []keptPlace{
	{"memory", func(t *testing.T) []string { return []string{"--data", t.TempDir(), "--store", "memory:"} }},
	{"sqlite", func(t *testing.T) []string { return []string{"--data", t.TempDir()} }},
	{"postgres", func(t *testing.T) []string {
		return []string{"--data", t.TempDir(), "--store", postgresServer.Schema(t)}
	}},
}

// withoutNarrative are the examples whose narrative has no text, which R4 refuses (txt-2).
var withoutNarrative = map[string]bool{
	"ActivityDefinition/blood-tubes-supply": true, "ActivityDefinition/heart-valve-replacement": true, "EventDefinition/example": true, "Questionnaire/zika-virus-exposure-assessment": true,
}

// TestExamples puts the examples of R4 and reads them back: members, their order, values and the
// digits of numbers are the same, except for the version and its time. Putting them again changes
// nothing.
func TestExamples(t *testing.T) {
	examples := sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz"))
	for _, place := range keptPlaces {
		t.Run(place.name, func(t *testing.T) {
			handler := backendtest.Handler(t, append(place.args(t), "--no-samples", "--subscription-hosts", "biliwatch.com")...)
			count, types := 0, map[string]bool{}
			for body := range examples {
				want := parsed(t, body).apart()
				key := want.first("resourceType") + "/" + want.first("id")
				types[want.first("resourceType")] = true
				count++
				a := answered(handler, request(http.MethodPut, "/"+key, "application/fhir+json", string(body)))
				if withoutNarrative[key] {
					if a.Code != http.StatusUnprocessableEntity || !strings.Contains(a.Body.String(), "txt-2") {
						t.Errorf("%s: status %d: %s", key, a.Code, short(a.Body.String()))
					}
					continue
				}
				if a.Code != http.StatusCreated {
					t.Errorf("%s: put: status %d: %s", key, a.Code, short(a.Body.String()))
					continue
				}
				read := request(http.MethodGet, "/"+key, "", "")
				read.Header.Set("Accept", "application/fhir+json")
				a = answered(handler, read)
				if a.Code != http.StatusOK {
					t.Errorf("%s: read: status %d: %s", key, a.Code, short(a.Body.String()))
					continue
				}
				got := parsed(t, a.Body.Bytes())
				if version, at := got.first("meta.versionId"), got.first("meta.lastUpdated"); version != "1" || at == "" {
					t.Errorf("%s: version %q, updated %q", key, version, at)
				}
				if got := got.apart().String(); got != want.String() {
					t.Errorf("%s: read\n%s\nput\n%s", key, got, want)
				}
				again := answered(handler, request(http.MethodPut, "/"+key, "application/fhir+json", string(body)))
				if again.Code != http.StatusOK || again.Header().Get("ETag") != `W/"1"` {
					t.Errorf("%s: put again: status %d, ETag %s", key, again.Code, again.Header().Get("ETag"))
				}
			}
			if count != 712 || len(types) != 130 {
				t.Errorf("%d examples of %d types were read", count, len(types))
			}
		})
	}
}
