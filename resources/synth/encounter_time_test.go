package synth_test

import (
	"testing"
	"time"

	"github.com/roget-health/roget/resources/synth"
)

// Times of resources lie within the encounter that they refer to, and consequences do not precede
// their causes.
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
				return // the encounter did not take place
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
	order := []string{"Observation", "Condition", "ServiceRequest", "ImagingStudy", "MedicationRequest"}
	for i, typ := range order[1:] {
		for n, at := range times[typ] {
			if before := times[order[i]][n]; before.After(at) {
				t.Errorf("%d: %s is of %v, %s of %v", n, typ, at, order[i], before)
			}
		}
	}
}

// Old requests are not active, and active ones are still valid.
func TestSettled(t *testing.T) {
	for _, typ := range []string{"MedicationRequest", "ServiceRequest", "SupplyRequest"} {
		active := 0
		each(t, typ, synth.Options{Seed: 8}, 2000, func(n int, body []byte) {
			root := parse(t, body)
			if textAt(root, "status") != "active" {
				return
			}
			active++
			if at := textAt(root, "authoredOn"); at < "2023-11" {
				t.Errorf("%s %d: active since %s", typ, n, at)
			}
			if end := textAt(root, "dispenseRequest.validityPeriod.end"); end != "" && end < present[:10] {
				t.Errorf("%s %d: active and not valid after %s", typ, n, end)
			}
		})
		if active < 20 {
			t.Errorf("%s: %d are active", typ, active)
		}
	}
}

// An encounter is based on a request written before it began.
func TestEncountersOfRequests(t *testing.T) {
	based := 0
	each(t, "Encounter", synth.Options{Seed: 8}, 500, func(n int, body []byte) {
		root := parse(t, body)
		if root.Get("basedOn").Index(0).Exists() {
			based++
			request := parse(t, numbered(t, "ServiceRequest", 8, n-1))
			if got, want := textAt(root.Get("basedOn").Index(0), "reference"), "ServiceRequest/"+textAt(request, "id"); got != want {
				t.Errorf("%d is based on %s, not %s", n, got, want)
			}
			if made, begun := textAt(request, "authoredOn"), textAt(root, "period.start"); made > begun || textAt(request, "subject.reference") != textAt(root, "subject.reference") {
				t.Errorf("%d begins %s, asked for %s", n, begun, made)
			}
		}
	})
	if based < 20 {
		t.Errorf("%d are based on requests", based)
	}
}
