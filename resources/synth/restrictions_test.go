package synth

import (
	"encoding/json"
	"testing"
	"time"
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
