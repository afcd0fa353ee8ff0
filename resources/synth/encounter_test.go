package synth_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/synth"
)

// decode decodes a resource.
func decode(t *testing.T, body []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
}

type period struct{ Start, End time.Time }

// holds reports whether another period lies within this one. A missing end means the present.
func (p period) holds(other period) bool {
	end := func(p period) time.Time {
		if p.End.IsZero() {
			return asOf
		}
		return p.End
	}
	return !other.Start.Before(p.Start) && !end(other).After(end(p))
}

type encounter struct {
	ID, Status    string
	Class         struct{ Code string }
	StatusHistory []struct {
		Status string
		Period period
	}
	ClassHistory []struct {
		Class  struct{ Code string }
		Period period
	}
	Type            []concept
	Subject, PartOf struct{ Reference string }
	Period          *period
	Length          *struct {
		Value float64
		Code  string
	}
	Hospitalization *struct {
		DischargeDisposition *concept
	}
}

type concept struct {
	Coding []struct{ System, Code, Display string }
}

func (c *concept) code() string {
	if len(c.Coding) == 0 {
		return ""
	}
	return c.Coding[0].Code
}

// Periods and histories of encounters fit their statuses. A part lies within its whole.
func TestEncounters(t *testing.T) {
	t.Parallel()
	var all []encounter
	each(t, "Encounter", synth.Options{Seed: 3}, 3000, func(_ int, body []byte) {
		var e encounter
		decode(t, body, &e)
		all = append(all, e)
	})
	minutes := map[string]float64{"min": 1, "h": 60, "d": 24 * 60}
	parts := 0
	for n, e := range all {
		begun := e.Status != "planned" && e.Status != "cancelled"
		ended := begun && !slices.Contains([]string{"arrived", "triaged", "in-progress", "onleave"}, e.Status)
		if (e.Period != nil) != begun || (e.Length != nil) != ended {
			t.Fatalf("%d: %s with period %v and length %v", n, e.Status, e.Period, e.Length)
		}
		if begun && (e.Period.Start.After(asOf) || e.Period.End.IsZero() == ended) {
			t.Errorf("%d: %s from %v to %v", n, e.Status, e.Period.Start, e.Period.End)
		}
		if ended {
			took, unit := e.Period.End.Sub(e.Period.Start).Minutes(), minutes[e.Length.Code]
			if length := e.Length.Value * unit; took <= 0 || length > took || length <= took-unit {
				t.Errorf("%d: length %v %s, %v minutes", n, e.Length.Value, e.Length.Code, took)
			}
		}
		last := time.Time{}
		for _, h := range e.StatusHistory {
			if h.Period.Start.Before(last) || h.Period.End.Before(h.Period.Start) || h.Status == e.Status {
				t.Errorf("%d: %s after %v", n, e.Status, e.StatusHistory)
			}
			if last = h.Period.End; begun && h.Status != "planned" && !e.Period.holds(h.Period) {
				t.Errorf("%d: %s is not within the encounter", n, h.Status)
			}
		}
		for _, h := range e.ClassHistory {
			if !e.Period.holds(h.Period) {
				t.Errorf("%d: class %s is not within the encounter", n, h.Class.Code)
			}
		}
		if h := e.Hospitalization; h != nil && (h.DischargeDisposition != nil) != (e.Status == "finished") {
			t.Errorf("%d: %s and discharged %v", n, e.Status, h.DischargeDisposition != nil)
		}
		if (e.Hospitalization != nil) != (begun && slices.Contains([]string{"IMP", "ACUTE", "NONAC", "OBSENC", "SS"}, e.Class.Code)) {
			t.Errorf("%d: %s %s in hospital: %v", n, e.Status, e.Class.Code, e.Hospitalization != nil)
		}
		if e.PartOf.Reference == "" {
			continue
		}
		parts++
		whole := all[n-1]
		if e.PartOf.Reference != "Encounter/"+whole.ID || e.Subject != whole.Subject || whole.PartOf.Reference != "" ||
			begun && !whole.Period.holds(*e.Period) {
			t.Errorf("%d: %+v is part of %+v", n, e, whole)
		}
	}
	if parts < 100 {
		t.Errorf("%d parts", parts)
	}
}

// Resources that belong to a partial encounter have the same patient as the encounter.
func TestPatientsOfParts(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{"Condition", "Observation", "DiagnosticReport", "MedicationRequest", "ServiceRequest", "ImagingStudy"} {
		each(t, typ, synth.Options{Seed: 3}, 64, func(n int, body []byte) {
			root := parse(t, body)
			encounter, subject := root.Get("encounter").Get("reference").Text(), root.Get("subject").Get("reference").Text()
			var e struct {
				ID      string
				Subject struct{ Reference string }
			}
			decode(t, numbered(t, "Encounter", 3, n), &e)
			if encounter != "Encounter/"+e.ID || subject != e.Subject.Reference {
				t.Errorf("%s %d: %s of %s, which is of %s", typ, n, subject, encounter, e.Subject.Reference)
			}
		})
	}
}

// numbered generates resource n of a type.
func numbered(t *testing.T, typ string, seed uint64, n int) []byte {
	t.Helper()
	g, err := synth.New(typ, synth.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return g.Append(nil, uint64(n))
}

// All encounters have the requested class, and types that fit it.
func TestEncounterClass(t *testing.T) {
	for class, types := range map[string][]string{"HH": {"home-visit"}, "SS": {"day-surgery"}, "VR": {"telephone-consultation", "online-consultation"}} {
		each(t, "Encounter", synth.Options{Values: map[string]string{"class": class}}, 200, func(n int, body []byte) {
			var e encounter
			decode(t, body, &e)
			if e.Class.Code != class || !slices.Contains(types, e.Type[0].code()) || e.Status == "triaged" {
				t.Errorf("%s %d: %s %s %s", class, n, e.Class.Code, e.Type[0].code(), e.Status)
			}
		})
	}
}
