package synth_test

import (
	"testing"
	"time"

	"github.com/roget-health/roget/resources/synth"
)

type quantity struct {
	Value        float64
	System, Code string
}

// Conditions obey con-3, con-4 and con-5, and end after they began.
func TestConditions(t *testing.T) {
	t.Parallel()
	ages := 0
	each(t, "Condition", synth.Options{Seed: 3}, many(10_000), func(n int, body []byte) {
		var c struct {
			ClinicalStatus, VerificationStatus concept
			OnsetDateTime, AbatementDateTime   time.Time
			RecordedDate                       time.Time
			OnsetAge, AbatementAge             *quantity
			OnsetPeriod, AbatementPeriod       *period
			OnsetRange, AbatementRange         *struct{ Low, High quantity }
			AbatementString                    string
		}
		decode(t, body, &c)
		clinical, wrong := c.ClinicalStatus.code(), c.VerificationStatus.code() == "entered-in-error"
		over := clinical == "inactive" || clinical == "remission" || clinical == "resolved"
		abated := !c.AbatementDateTime.IsZero() || c.AbatementAge != nil || c.AbatementPeriod != nil || c.AbatementRange != nil || c.AbatementString != ""
		if (clinical == "") != wrong || abated != over {
			t.Errorf("%d: %q, abated %v, entered in error %v", n, clinical, abated, wrong)
		}
		if !c.OnsetDateTime.IsZero() && (c.RecordedDate.Before(c.OnsetDateTime) || !c.AbatementDateTime.IsZero() && !c.AbatementDateTime.After(c.OnsetDateTime)) {
			t.Errorf("%d: from %v to %v, recorded %v", n, c.OnsetDateTime, c.AbatementDateTime, c.RecordedDate)
		}
		for _, p := range []*period{c.OnsetPeriod, c.AbatementPeriod} {
			if p != nil && p.End.Before(p.Start) {
				t.Errorf("%d: period %v", n, p)
			}
		}
		if a, b := c.OnsetAge, c.AbatementAge; a != nil && b != nil {
			if ages++; a.Value < 1 || a.Value > b.Value || a.Code != "a" {
				t.Errorf("%d: from the age of %v to %v", n, a, b)
			}
		}
		if r := c.OnsetRange; r != nil && r.Low.Value > r.High.Value {
			t.Errorf("%d: range %v", n, r)
		}
	})
	if ages == 0 {
		t.Error("none has two ages")
	}
}
