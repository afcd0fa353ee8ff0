package loader

import (
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

func TestNameOf(t *testing.T) {
	for title, want := range map[string]string{
		"Human Phenotype Ontology":     "HumanPhenotypeOntology",
		"10 things, and one (of them)": "N10ThingsAndOneOfThem",
		"":                             "",
		"Größe x":                      "GrEX",
		"--":                           "",
	} {
		if got := NameOf(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

func TestIdentity(t *testing.T) {
	h := Header()
	h.URL, h.Version, h.Title = "http://example.org/things_a.owl", "1", "All things"
	Identity{Version: "2", Publisher: "us"}.Apply(h)
	want := r4.Header{ResourceType: "CodeSystem", ID: "things-a.owl", URL: h.URL, Version: "2", Name: "AllThings", Title: "All things", Status: "active", Publisher: "us"}
	if h.ID != want.ID || h.Version != want.Version || h.Name != want.Name || h.Publisher != want.Publisher || h.Title != want.Title || h.Status != want.Status {
		t.Errorf("got %+v", h.Header)
	}
	h = Header()
	Identity{URL: "urn:oid:1.2.3"}.Apply(h)
	if h.Name != "N123" || h.ID != "1.2.3" {
		t.Errorf("got name %q, id %q", h.Name, h.ID)
	}
}
