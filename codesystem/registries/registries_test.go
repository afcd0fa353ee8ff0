package registries_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/registries"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

// indexes returns the indexes of all code systems by url.
func indexes(t *testing.T) map[string]*codesystem.Index {
	t.Helper()
	all := map[string]*codesystem.Index{}
	for _, s := range registries.All() {
		x, err := s.Index(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if x.Len() != s.Len() {
			t.Errorf("%s: %d codes, %d announced", x.Header().URL, x.Len(), s.Len())
		}
		for o := range codesystem.Ord(x.Len()) {
			if x.Display(o) == "" || strings.ContainsAny(x.Display(o), "\t\n") {
				t.Errorf("%s: display of %s: %q", x.Header().URL, x.Code(o), x.Display(o))
			}
		}
		all[x.Header().URL] = x
	}
	return all
}

// TestCodes looks for codes and names as FHIR's pages on these systems write them.
func TestCodes(t *testing.T) {
	all := indexes(t)
	for _, c := range []struct{ system, code, display string }{
		{"urn:iso:std:iso:4217", "EUR", "Euro"},
		{"urn:iso:std:iso:4217", "USD", "US Dollar"},
		{"urn:iso:std:iso:4217", "XXX", "No currency"},
		{"urn:iso:std:iso:4217", "HRK", "Croatian Kuna"},
		{"urn:iso:std:iso:3166", "US", "United States of America"},
		{"urn:iso:std:iso:3166", "USA", "United States of America"},
		{"urn:iso:std:iso:3166", "840", "United States of America"},
		{"urn:iso:std:iso:3166", "004", "Afghanistan"},
		{"urn:iso:std:iso:3166", "TR", "Türkiye"},
		{"urn:iso:std:iso:3166:-2", "US-CA", "California"},
		{"urn:iso:std:iso:3166:-2", "US-PR", "Puerto Rico"},
		{"urn:iso:std:iso:3166:-2", "GB-ENG", "England"},
		{"https://www.iana.org/time-zones", "America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"},
		{"https://www.iana.org/time-zones", "Asia/Calcutta", "Asia/Calcutta"},
		{"http://unstats.un.org/unsd/methods/m49/m49.htm", "001", "World"},
		{"http://unstats.un.org/unsd/methods/m49/m49.htm", "840", "United States of America"},
	} {
		x := all[c.system]
		if o, ok := x.Find(c.code); !ok || x.Display(o) != c.display {
			t.Errorf("%s#%s: %t, not %q", c.system, c.code, ok, c.display)
		}
	}
	for _, c := range [][2]string{
		{"urn:iso:std:iso:4217", "CNH"},
		{"urn:iso:std:iso:4217", "usd"},
		{"urn:iso:std:iso:4217", "978"},
		{"urn:iso:std:iso:3166", "EU"},
		{"urn:iso:std:iso:3166", "us"},
		{"urn:iso:std:iso:3166", "XK"},
		{"urn:iso:std:iso:3166", "US-CA"},
		{"urn:iso:std:iso:3166:-2", "US"},
		{"https://www.iana.org/time-zones", "Europe/Bern"},
		{"urn:iso:std:iso:3166:-2", "US-ZZ"},
	} {
		if _, ok := all[c[0]].Find(c[1]); ok {
			t.Errorf("%s has %q", c[0], c[1])
		}
	}
}

// TestCurrencies counts the currencies in use: ISO 4217 lists 178.
func TestCurrencies(t *testing.T) {
	x := indexes(t)["urn:iso:std:iso:4217"]
	past, err := x.Filter(t.Context(), r4.Filter{Property: "inactive", Op: "=", Value: "true"})
	if err != nil {
		t.Fatal(err)
	}
	if n := x.Len() - int(past.GetCardinality()); n != 178 {
		t.Errorf("%d currencies are in use", n)
	}
}

// TestCountries compares codes with a list that was compiled by others.
func TestCountries(t *testing.T) {
	all := indexes(t)
	x := all["urn:iso:std:iso:3166"]
	var list map[string][]map[string]string
	load(t, "data/iso-codes/iso_3166-1.json.gz", &list)
	codes := 0
	for _, c := range list["3166-1"] {
		for _, key := range []string{"alpha_2", "alpha_3", "numeric"} {
			codes++
			o, ok := x.Find(c[key])
			if !ok {
				t.Errorf("%s of %s: %q is not there", key, c["name"], c[key])
				continue
			}
			got := map[string]string{}
			for p := range x.Properties(o) {
				got[p.Code] = p.Value.Text
			}
			if got["alpha-2"] != c["alpha_2"] || got["alpha-3"] != c["alpha_3"] || got["numeric"] != c["numeric"] {
				t.Errorf("%s: %v", c[key], got)
			}
		}
	}
	if codes != x.Len() {
		t.Errorf("%d codes, want %d", x.Len(), codes)
	}

	load(t, "data/iso-codes/iso_3166-2.json.gz", &list)
	parts := all["urn:iso:std:iso:3166:-2"]
	missing := 0
	for _, c := range list["3166-2"] {
		if _, ok := parts.Find(c["code"]); !ok {
			missing++
		}
	}
	// The list is of 2023: codes of Guatemala, Kazakhstan and some others have changed since.
	if n := len(list["3166-2"]); n < 5000 || missing > 40 {
		t.Errorf("%d of %d subdivisions are missing", missing, n)
	}
}

// load decodes a compressed file of the shared data.
func load(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(sharedtest.Unzipped(t, sharedtest.Path(t, name)), into); err != nil {
		t.Fatal(err)
	}
}
