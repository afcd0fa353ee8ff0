package synth

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// Codes fit the sex and age of the patient: no antenatal visits for men, no vaccines for old
// people given to children, no tablets for small children.
func TestSuited(t *testing.T) {
	c := newClinic()
	for _, s := range restrictions {
		if c.codes[s.code].Code == "" || s.minAge > s.maxAge {
			t.Errorf("%s: not of Clinic, or for nobody", s.code)
		}
	}
	type concept struct{ Coding []Coding }
	for _, typ := range []string{"Condition", "Encounter", "DiagnosticReport", "ServiceRequest", "Immunization", "MedicationRequest"} {
		g, err := New(typ, Options{Seed: 6})
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(5000) {
			var r struct {
				Code, VaccineCode, MedicationCodeableConcept                    concept
				Type                                                            []concept
				RecordedDate, EffectiveDateTime, AuthoredOn, OccurrenceDateTime time.Time
				Period                                                          struct{ Start time.Time }
			}
			if err := json.Unmarshal(g.Append(nil, n), &r); err != nil {
				t.Fatal(err)
			}
			patient := n
			if isPart(n) {
				patient--
			}
			l := g.lifeOf(patient)
			for _, when := range []time.Time{r.RecordedDate, r.EffectiveDateTime, r.AuthoredOn, r.OccurrenceDateTime, r.Period.Start} {
				for _, what := range append(r.Type, r.Code, r.VaccineCode, r.MedicationCodeableConcept) {
					for _, code := range what.Coding {
						if !when.IsZero() && !l.suits(code.Code, moment(when.Unix())) {
							t.Errorf("%s %d: %s at %v, born %v", typ, n, code.Code, when, l.born)
						}
					}
				}
			}
		}
	}
}

// Each code of a list belongs to the code system of the list and has the display defined there,
// as far as the R4 definitions contain the code system. The others are listed here.
func TestListsAreOfTheirSystems(t *testing.T) {
	elsewhere := map[string]bool{"http://dicom.nema.org/resources/ontology/DCM": true, "urn:iso:std:iso:3166": true}
	displays := map[string]map[string]string{}
	defs := definitions.All()
	for i := range defs {
		def := &defs[i]
		if def.Header.ResourceType != "CodeSystem" {
			continue
		}
		body, err := def.Document()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := document.Parse(body, r4.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		codes := map[string]string{}
		var walk func(list document.Value)
		walk = func(list document.Value) {
			for c := range list.Items() {
				codes[c.Get("code").Text()] = c.Get("display").Text()
				walk(c.Get("concept"))
			}
		}
		walk(doc.Root().Get("concept"))
		displays[def.Header.URL] = codes
	}
	if len(allLists()) == 0 {
		t.Fatal("there are no lists")
	}
	for _, l := range allLists() {
		seen := map[string]bool{}
		for n := range l.codes {
			c := &l.codes[n]
			if c.weight <= 0 || c.code == "" || seen[c.code] {
				t.Errorf("%s: code %q: twice, empty, or never drawn", l.path, c.code)
			}
			seen[c.code] = true
			if l.system == "" || elsewhere[l.system] {
				continue
			}
			codes := displays[l.system]
			if codes == nil {
				t.Errorf("%s: the definitions have no code system %s", l.path, l.system)
				break
			}
			display, there := codes[c.code]
			switch {
			case there == c.noSystem:
				t.Errorf("%s: %s of %s: found %v, without system %v", l.path, c.code, l.system, there, c.noSystem)
			case there && display != c.display:
				t.Errorf("%s: %s is called %q, not %q", l.path, c.code, display, c.display)
			}
		}
	}
}
