package synth_test

import (
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem/grammar/ucum"
	"github.com/roget-health/roget/resources/synth"
)

// A measured is an observation or one of its components.
type measured struct {
	Code                 concept
	ValueQuantity        *quantity
	ValueCodeableConcept *concept
	Interpretation       []concept
	ReferenceRange       []struct{ Low, High *quantity }
}

// check reports whether a value, its unit, its interpretation and its reference range agree.
func (m *measured) check(t *testing.T) {
	t.Helper()
	if m.ValueQuantity == nil {
		return
	}
	q := m.ValueQuantity
	if _, err := ucum.Parse(q.Code); err != nil || q.System != "http://unitsofmeasure.org" {
		t.Errorf("%s: unit %q of %s: %v", m.Code.code(), q.Code, q.System, err)
	}
	if len(m.ReferenceRange) == 0 {
		if len(m.Interpretation) > 0 {
			t.Errorf("%s: interpreted without bounds", m.Code.code())
		}
		return
	}
	want := ""
	switch r := m.ReferenceRange[0]; {
	case r.Low != nil && q.Value < r.Low.Value:
		want = "L"
	case r.High != nil && q.Value > r.High.Value:
		want = "H"
	default:
		want = "N"
	}
	if got := m.Interpretation[0].code(); got[:1] != want {
		t.Errorf("%s: %v is %s, should be %s", m.Code.code(), q.Value, got, want)
	}
}

// Values have UCUM units and are interpreted by their reference range. Blood pressures have two
// component values and no value of their own (obs-7).
func TestObservations(t *testing.T) {
	t.Parallel()
	pressures, found := 0, map[string]int{}
	each(t, "Observation", synth.Options{Seed: 3}, many(10_000), func(n int, body []byte) {
		var o struct {
			measured
			Status                    string
			Category                  []concept
			EffectiveDateTime, Issued time.Time
			DataAbsentReason          *concept
			Component                 []measured
		}
		decode(t, body, &o)
		valued := o.ValueQuantity != nil || o.ValueCodeableConcept != nil
		if o.DataAbsentReason != nil && (valued || len(o.Component) > 0 || len(o.Interpretation) > 0) { // obs-6
			t.Errorf("%d: a value, and a reason why there is none", n)
		}
		if !o.Issued.IsZero() && (o.Issued.Before(o.EffectiveDateTime) || o.Issued.After(asOf)) {
			t.Errorf("%d: effective %v, issued %v", n, o.EffectiveDateTime, o.Issued)
		}
		if nothing := o.Status == "registered" || o.Status == "cancelled"; nothing && (valued || len(o.Component) > 0) {
			t.Errorf("%d: %s with a value", n, o.Status)
		}
		o.check(t)
		found[o.Category[0].code()]++
		if len(o.Component) == 0 {
			return
		}
		pressures++
		if valued || o.Code.code() != "blood-pressure" || len(o.Component) != 2 || o.Component[1].ValueQuantity.Value > o.Component[0].ValueQuantity.Value-20 {
			t.Errorf("%d: %+v", n, o)
		}
		for i := range o.Component {
			o.Component[i].check(t)
		}
	})
	if pressures == 0 || found["vital-signs"] == 0 || found["laboratory"] == 0 {
		t.Errorf("%d blood pressures, %v", pressures, found)
	}
}
