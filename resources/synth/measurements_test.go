package synth

import "testing"

// Measurements and panels are of Clinic, and the bounds of a measurement are in order.
func TestMeasurements(t *testing.T) {
	c := newClinic()
	for _, m := range measurements {
		if c.codes[m.code].Code == "" || m.least > m.low || m.low >= m.high || m.high > m.most {
			t.Errorf("measurement %s: not of Clinic, or bounds out of order", m.code)
		}
	}
	for _, p := range panels {
		if c.codes[p.code].Code == "" {
			t.Errorf("panel %s is not of Clinic", p.code)
		}
		for _, code := range p.tests {
			if c.codes[code].Code == "" {
				t.Errorf("%s of %s is not of Clinic", code, p.code)
			}
		}
	}
}
