package synth

import (
	"slices"
	"testing"
)

// Codes in tables belong to Clinic, and the bounds of measurements are in order.
func TestTablesAreOfClinic(t *testing.T) {
	c := loadClinic()
	there := func(what string, list ...string) {
		for _, code := range list {
			if code != "" && c.codes[code].Code == "" {
				t.Errorf("%s: %s is not of Clinic", what, code)
			}
		}
	}
	for _, m := range measurements {
		if m.min > m.low || m.low >= m.high || m.high > m.max {
			t.Errorf("%s: bounds out of order", m.code)
		}
		there("measurement", m.code)
	}
	for _, p := range panels {
		there("panel", p.code)
		there(p.code, p.tests...)
	}
	for _, r := range regimens {
		there("regimen", r.code, r.route)
	}
	for _, v := range vaccinations {
		there("vaccination", v.code)
	}
	for n, m := range modalities {
		there(m.code, m.procedures...)
		there(m.code, m.sites...)
		if len(m.sites) != len(m.procedures) || m.code != imagingModality.codes[n].code || len(m.titles) < m.maxSeries {
			t.Errorf("%s: sites, titles or order", m.code)
		}
	}
	for n, s := range stays {
		there(s.class, s.types...)
		if s.class != encounterClass.codes[n].code || s.shortest >= s.longest {
			t.Errorf("%s: order or length", s.class)
		}
	}
	for _, s := range signs {
		there("sign", s.disease, s.symptom)
		if s.site != anywhere {
			there(s.disease, s.site)
		}
	}
	for _, r := range treatments {
		there("treatment", r.medication, r.disease)
	}
	there("presences", presences...)
	there("staged", staged...)
}

// Every vital sign, laboratory test, panel and imaging procedure that can be drawn from Clinic
// has a row in its table.
func TestClinicIsInTables(t *testing.T) {
	c := loadClinic()
	for _, b := range []branch{branchVital, branchLaboratory} {
		for _, code := range c.leaves[b] {
			if code.Code != bloodPressure && measurementOf(code.Code) == nil && !slices.Contains(presences, code.Code) {
				t.Errorf("%s is not measured", code.Code)
			}
		}
	}
	for _, code := range c.leaves[branchLabPanel] {
		if len(panelTests(code.Code)) == 0 {
			t.Errorf("panel %s has no tests", code.Code)
		}
	}
	for _, code := range c.leaves[branchImaging] {
		if m, _ := examined(code); m == nil {
			t.Errorf("%s has no modality", code.Code)
		}
	}
	for _, code := range c.leaves[branchMedication] {
		if r := regimenOf(code.Code); r.code == "" && code.Display[max(0, len(code.Display)-6):] != "tablet" {
			t.Errorf("%s has no regimen", code.Code)
		}
		if treated(code.Code) == "" {
			t.Errorf("%s is for nothing", code.Code)
		}
	}
}

// Values follow the level, where possible, and stay within the extremes.
func TestLevels(t *testing.T) {
	d := draft{stream: newStream(1)}
	for i := range measurements {
		m := &measurements[i]
		for d.facts.level = -1; d.facts.level <= 1; d.facts.level++ {
			seen := map[string]bool{}
			for range 500 {
				value := d.value(m)
				reading := m.reading(value)
				seen[reading[:1]] = true
				if value < m.min || value > m.max {
					t.Errorf("%s: %d", m.code, value)
				}
			}
			want := "N"
			switch {
			case d.facts.level < 0 && m.min < m.low:
				want = "L"
			case d.facts.level > 0 && m.high < m.max:
				want = "H"
			}
			if !seen[want] || d.facts.level != 0 && len(seen) != 1 {
				t.Errorf("%s, level %d: %v", m.code, d.facts.level, seen)
			}
		}
	}
}
