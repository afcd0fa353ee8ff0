package synth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/synth"
)

// Ordered codes fit the category of the order.
func TestServiceRequests(t *testing.T) {
	of := map[string]string{} // category by code
	for _, category := range []string{"laboratory", "imaging", "referral", "rehabilitation"} {
		each(t, "ServiceRequest", synth.Options{Seed: 3, Values: map[string]string{"category": category}}, 1000, func(n int, body []byte) {
			var r struct {
				Category []concept
				Code     concept
			}
			decode(t, body, &r)
			code := r.Code.code()
			if r.Category[0].code() != category || r.Category[0].Coding[0].System != "" || of[code] != "" && of[code] != category {
				t.Errorf("%d: %s is of %s, and of %q", n, code, r.Category[0].code(), of[code])
			}
			of[code] = category
		})
	}
	each(t, "ServiceRequest", synth.Options{Seed: 4}, 3000, func(n int, body []byte) {
		root := parse(t, body)
		codesOf(root, "code", func(code string) {
			codesOf(root, "category", func(category string) {
				if of[code] != category {
					t.Errorf("%d: %s is of %s", n, code, category)
				}
			})
		})
	})
}

// Prescriptions contain the dosage and a matching quantity, unless they forbid the medication.
// Statuses that need a reason have one.
func TestMedicationRequests(t *testing.T) {
	t.Parallel()
	steps := 0
	each(t, "MedicationRequest", synth.Options{Seed: 3}, 5000, func(n int, body []byte) {
		var r struct {
			Status            string
			StatusReason      *concept
			DoNotPerform      bool
			AuthoredOn        time.Time
			DosageInstruction []struct {
				Sequence int
				Text     string
				Timing   struct {
					Repeat struct {
						BoundsPeriod      period
						Frequency, Period float64
						PeriodUnit        string
					}
				}
				DoseAndRate []struct{ DoseQuantity quantity }
			}
			DispenseRequest *struct {
				Quantity, ExpectedSupplyDuration quantity
			}
		}
		decode(t, body, &r)
		if stopped := strings.Contains("on-hold cancelled stopped", r.Status); stopped != (r.StatusReason != nil) {
			t.Errorf("%d: %s with reason %v", n, r.Status, r.StatusReason)
		}
		if r.DoNotPerform {
			if len(r.DosageInstruction) > 0 || r.DispenseRequest != nil {
				t.Errorf("%d: not to be taken, and how", n)
			}
			return
		}
		for i, d := range r.DosageInstruction {
			if d.Sequence != i+1 || d.Text == "" {
				t.Errorf("%d: dosage %d is %d, %q", n, i, d.Sequence, d.Text)
			}
		}
		if len(r.DosageInstruction) == 2 {
			first, then := r.DosageInstruction[0].Timing.Repeat.BoundsPeriod, r.DosageInstruction[1].Timing.Repeat.BoundsPeriod
			if steps++; first.Start != r.AuthoredOn || !first.End.After(first.Start) || then.Start != first.End {
				t.Errorf("%d: %v", n, r.DosageInstruction)
			}
		}
		last := r.DosageInstruction[len(r.DosageInstruction)-1]
		repeat, dose := last.Timing.Repeat, last.DoseAndRate[0].DoseQuantity
		taken := dose.Value * repeat.Frequency / repeat.Period * map[string]float64{"h": 24, "d": 1, "wk": 1. / 7}[repeat.PeriodUnit]
		if need, have := taken*r.DispenseRequest.ExpectedSupplyDuration.Value, r.DispenseRequest.Quantity; need > have.Value*1.0001 || dose.Code != have.Code {
			t.Errorf("%d: %v %s are dispensed, %v %s are taken", n, have.Value, have.Code, need, dose.Code)
		}
	})
	if steps == 0 {
		t.Error("none is taken in two steps")
	}
}

// Immunizations that were not done have a reason and no dose. The others have a route that fits
// the vaccine, with a system only if R4 has the code.
func TestImmunizations(t *testing.T) {
	each(t, "Immunization", synth.Options{Seed: 3}, 5000, func(n int, body []byte) {
		var i struct {
			Status, LotNumber         string
			StatusReason, Site, Route *concept
			VaccineCode               concept
			OccurrenceDateTime        time.Time
			ExpirationDate            string
			DoseQuantity              *quantity
		}
		decode(t, body, &i)
		done := i.Status != "not-done"
		if done != (i.StatusReason == nil) || done != (i.Route != nil) || done != (i.LotNumber != "") || done != (i.DoseQuantity != nil) {
			t.Errorf("%d: %s: %s", n, i.Status, body)
		}
		if !done {
			return
		}
		route := i.Route.Coding[0]
		if known := route.Code == "IM" || route.Code == "NASINHL"; known != (route.System != "") {
			t.Errorf("%d: route %s of %q", n, route.Code, route.System)
		}
		if nasal := route.Code == "NASINHL"; nasal != (i.VaccineCode.code() == "influenza-spray") || nasal == (i.Site != nil) {
			t.Errorf("%d: %s is given %s", n, i.VaccineCode.code(), route.Code)
		}
		if i.ExpirationDate <= i.OccurrenceDateTime.Format(time.DateOnly) {
			t.Errorf("%d: given on %v, expires on %s", n, i.OccurrenceDateTime, i.ExpirationDate)
		}
	})
}
