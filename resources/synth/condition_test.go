package synth_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/document"
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

// worstOf returns the worst interpretation of an observation and its components: 1 within the
// range, 2 outside, 3 critical, 0 none.
func worstOf(o document.Value) int {
	worst := 0
	judge := func(code string) {
		found := 2
		switch code {
		case "N", "NEG":
			found = 1
		case "LL", "HH":
			found = 3
		}
		worst = max(worst, found)
	}
	codesOf(o, "interpretation", judge)
	codesOf(o, "component.interpretation", judge)
	return worst
}

// fitting are the conclusions that fit the worst result.
var fitting = map[string]string{
	"LAB 0": "results-to-be-repeated",
	"LAB 1": "results-within-limits",
	"LAB 2": "results-slightly-abnormal results-abnormal results-to-be-repeated",
	"LAB 3": "results-critical results-abnormal",
	"NRS 0": "patient-stable more-support-needed close-observation-needed",
	"NRS 1": "patient-stable more-support-needed",
	"NRS 2": "more-support-needed close-observation-needed",
	"NRS 3": "close-observation-needed",
}

// concludes checks the conclusion of a report against its results, and counts.
func concludes(t *testing.T, report document.Value, result func(reference string) document.Value, seen map[string]int) {
	t.Helper()
	worst := 0
	for to := range report.Get("result").Items() {
		o := result(textAt(to, "reference"))
		worst = max(worst, worstOf(o))
		if status := textAt(o, "status"); status == "registered" || status == "cancelled" || status == "entered-in-error" {
			t.Errorf("%s: a result is %s", textAt(report, "id"), status)
		}
		if issued := textAt(o, "issued"); issued > textAt(report, "issued") {
			t.Errorf("%s: a result is issued %s, later", textAt(report, "id"), issued)
		}
	}
	if !report.Get("result").Index(0).Exists() {
		return
	}
	codesOf(report, "category", func(category string) {
		key := category + " " + string(rune('0'+worst))
		codesOf(report, "conclusionCode", func(code string) {
			if seen[key]++; !strings.Contains(" "+fitting[key]+" ", " "+code+" ") {
				t.Errorf("%s: %s with results of %d", textAt(report, "id"), code, worst)
			}
		})
	})
}

// Conclusions of reports fit their results, and no result is issued later than its report.
func TestConclusions(t *testing.T) {
	seen := map[string]int{}
	each(t, "DiagnosticReport", synth.Options{Seed: 3}, 3000, func(n int, body []byte) {
		concludes(t, parse(t, body), func(string) document.Value { return parse(t, numbered(t, "Observation", 3, n)) }, seen)
	})
	if len(seen) < 6 {
		t.Errorf("seen: %v", seen)
	}
	p := population(t, synth.PopulationOptions{Seed: 3, Patients: 200})
	for n := range uint64(200) {
		text, _ := p.Append(nil, synth.NDJSON, n)
		results := map[string]document.Value{}
		for line := range bytes.Lines(text) {
			root := parse(t, line)
			switch root.Get("resourceType").Text() {
			case "Observation":
				results["Observation/"+textAt(root, "id")] = root
			case "DiagnosticReport":
				concludes(t, root, func(to string) document.Value { return results[to] }, seen)
			}
		}
	}
}
