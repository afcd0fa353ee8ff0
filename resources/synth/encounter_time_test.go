package synth_test

import (
	"testing"
	"time"

	"github.com/roget-health/roget/resources/synth"
)

// What a resource tells of is in the time of the encounter that it refers to; medications are
// asked for after conditions are found.
func TestTimesOfEncounters(t *testing.T) {
	type period struct {
		Period *struct{ Start, End time.Time }
	}
	times := map[string]map[int]time.Time{}
	for typ, element := range whens {
		if typ == "Encounter" || typ == "ResearchSubject" || typ == "SupplyRequest" {
			continue
		}
		if typ == "Condition" {
			element = "recordedDate"
		}
		times[typ] = map[int]time.Time{}
		told := 0
		each(t, typ, synth.Options{Seed: 8}, 500, func(n int, body []byte) {
			root := parse(t, body)
			at, err := time.Parse(time.RFC3339, textAt(root, element))
			if err != nil {
				t.Fatal(err)
			}
			times[typ][n] = at
			var e period
			decode(t, numbered(t, "Encounter", 8, n), &e)
			if e.Period == nil {
				return // it did not take place
			}
			told++
			if e.Period.End.IsZero() {
				e.Period.End = asOf
			}
			if at.Before(e.Period.Start) || at.After(e.Period.End) {
				t.Errorf("%s %d: %v, the encounter is from %v to %v", typ, n, at, e.Period.Start, e.Period.End)
			}
		})
		if told < 400 {
			t.Errorf("%s: %d are of encounters that took place", typ, told)
		}
	}
	for n, at := range times["MedicationRequest"] {
		var e period
		decode(t, numbered(t, "Encounter", 8, n), &e)
		if found := times["Condition"][n]; e.Period != nil && found.After(at) {
			t.Errorf("%d: the condition is recorded %v, the medication asked for %v", n, found, at)
		}
	}
}
