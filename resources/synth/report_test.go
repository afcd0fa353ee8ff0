package synth_test

import (
	"slices"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/synth"
)

type report struct {
	Status                    string
	Category, ConclusionCode  []concept
	Code                      concept
	EffectiveDateTime, Issued time.Time
	Result                    []struct{ Reference string }
	Conclusion                string
}

// Each variant of reports has its category and codes, and occurs with its weight: chi-square over
// 10,000 reports with 4 degrees of freedom (1 in 10,000 seeds exceeds 23.5 by chance).
func TestReportVariants(t *testing.T) {
	t.Parallel()
	categories := []string{"LAB", "RAD", "PAT", "CUS", "NRS"}
	variants := []string{"lab-panel", "radiology", "pathology", "cardiac-ultrasound", "nursing"}
	of := map[string]string{} // category by code
	for n, variant := range variants {
		each(t, "DiagnosticReport", synth.Options{Seed: 3, Values: map[string]string{"variant": variant}}, 500, func(_ int, body []byte) {
			var r report
			decode(t, body, &r)
			code, category := r.Code.code(), r.Category[0].code()
			if category != categories[n] || of[code] != "" && of[code] != category {
				t.Errorf("%s: %s of %s, and of %q", variant, code, category, of[code])
			}
			of[code] = category
		})
	}
	counts := make([]int, len(categories))
	each(t, "DiagnosticReport", synth.Options{Seed: 3}, 10_000, func(n int, body []byte) {
		var r report
		decode(t, body, &r)
		category := r.Category[0].code()
		if category != of[r.Code.code()] {
			t.Errorf("%d: %s of %s", n, r.Code.code(), category)
		}
		counts[slices.Index(categories, category)]++
	})
	if x := synth.ChiSquare(counts, []int{50, 25, 13, 7, 5}); x > 23.5 {
		t.Errorf("chi-square %.1f: %v", x, counts)
	}
}

// Reports are issued after the examination. Registered ones have no conclusion yet. Results are
// observations of the report's category.
func TestReports(t *testing.T) {
	t.Parallel()
	categories := map[string]string{"LAB": "laboratory", "NRS": "vital-signs"}
	results := 0
	each(t, "DiagnosticReport", synth.Options{Seed: 3}, 3000, func(n int, body []byte) {
		var r report
		decode(t, body, &r)
		if !r.Issued.After(r.EffectiveDateTime) || r.Issued.After(asOf) {
			t.Errorf("%d: effective %v, issued %v", n, r.EffectiveDateTime, r.Issued)
		}
		if r.Status == "registered" && (r.Conclusion != "" || len(r.ConclusionCode)+len(r.Result) > 0) {
			t.Errorf("%d: registered, and concludes %q", n, r.Conclusion)
		}
		if (r.Status == "final" || r.Status == "amended") && (r.Conclusion == "" || len(r.ConclusionCode) != 1) {
			t.Errorf("%d: %s without a conclusion", n, r.Status)
		}
		for range r.Result {
			var o struct{ Category []concept }
			decode(t, numbered(t, "Observation", 3, n), &o)
			if results++; o.Category[0].code() != categories[r.Category[0].code()] {
				t.Errorf("%d: %s with a result of %s", n, r.Category[0].code(), o.Category[0].code())
			}
		}
	})
	if results == 0 {
		t.Error("there are no results")
	}
}
