package fhir

import (
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/sharedtest"
)

// TestSharedFolder loads the whole folder, which also has files that are not resources.
func TestSharedFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds more than a thousand indexes")
	}
	c := &counts{indexes: map[string]*codesystem.Index{}}
	var last Progress
	if err := Load(t.Context(), sharedtest.Path(t, "data"), Options{Progress: func(p Progress) { last = p }}, c); err != nil {
		t.Fatal(err)
	}
	if c.systems < 1062+8 || c.valueSets < 1316 || c.conceptMaps < 80+2 {
		t.Errorf("%d code systems, %d value sets, %d concept maps", c.systems, c.valueSets, c.conceptMaps)
	}
	for url, concepts := range map[string]int{
		"http://hl7.org/fhir/sid/icd-10-cm":                95_676,
		"http://purl.obolibrary.org/obo/chebi.owl":         41_136,
		"http://human-phenotype-ontology.org":              18_961,
		"http://purl.obolibrary.org/obo/so.owl":            2_151,
		"http://hl7.org/fhir/sid/icd-9-cm":                 14_567,
		"http://hl7.org/fhir/administrative-gender":        4,
		"http://terminology.hl7.org/CodeSystem/v3-ActCode": 0,
	} {
		x := c.indexes[url]
		if x == nil {
			t.Errorf("%s is missing", url)
		} else if concepts > 0 && x.Len() != concepts {
			t.Errorf("%s has %d concepts, want %d", url, x.Len(), concepts)
		}
	}
	if last.Concepts != c.concepts || last.Resources != c.systems+c.valueSets+c.conceptMaps || last.BytesRead != last.BytesTotal {
		t.Errorf("last progress %+v, sink %+v", last, c)
	}
	t.Logf("%+v", last)
}

// TestSharedFiles loads single files and compares with the count in the header.
func TestSharedFiles(t *testing.T) {
	for _, name := range []string{
		"so/CodeSystem-so.json.gz", "iso-codes/CodeSystem-iso-3166-1.json.gz", "iso-codes/CodeSystem-iso-3166-2.json.gz",
		"iso-codes/CodeSystem-iso-639-3.json.gz", "icd-gem/CodeSystem-icd-9-cm.json.gz",
	} {
		c := &counts{indexes: map[string]*codesystem.Index{}}
		if err := Load(t.Context(), sharedtest.Path(t, "data/"+name), Options{}, c); err != nil {
			t.Fatal(err)
		}
		for url, x := range c.indexes {
			if count := x.Header().Count; count != nil && *count != x.Len() {
				t.Errorf("%s: %d concepts, its count is %d", url, x.Len(), *count)
			}
		}
	}
}
