package synth

// childRanges are the ranges that differ in children below an age in years, the youngest first.
// Unit and scale are those in measurements.
var childRanges = []struct {
	code                string
	belowAge            int
	min, low, high, max int
}{
	{"heart-rate", 1, 70, 100, 160, 210},
	{"heart-rate", 3, 65, 90, 150, 190},
	{"heart-rate", 6, 60, 80, 130, 180},
	{"heart-rate", 12, 50, 70, 115, 170},
	{"respiratory-rate", 1, 15, 30, 55, 75},
	{"respiratory-rate", 3, 14, 22, 38, 60},
	{"respiratory-rate", 6, 12, 20, 30, 50},
	{"respiratory-rate", 12, 10, 16, 25, 40},
	{"systolic-blood-pressure", 1, 50, 70, 100, 125},
	{"systolic-blood-pressure", 6, 60, 80, 112, 140},
	{"systolic-blood-pressure", 12, 65, 85, 120, 150},
	{"diastolic-blood-pressure", 1, 25, 35, 60, 80},
	{"diastolic-blood-pressure", 6, 30, 42, 72, 95},
	{"diastolic-blood-pressure", 12, 35, 50, 80, 105},
	{"body-mass-index", 2, 100, 130, 195, 250},
	{"body-mass-index", 10, 100, 132, 190, 300},
	{"body-mass-index", 18, 120, 148, 245, 380},
	{"haemoglobin", 1, 60, 95, 140, 200},
	{"haemoglobin", 12, 65, 110, 155, 190},
	{"creatinine", 12, 8, 15, 60, 500},
	{"alkaline-phosphatase", 16, 30, 100, 400, 900},
}

// measurement returns the measurement for a code, with the ranges for the age of the patient, or
// nil.
func (d *draft) measurement(code string, at moment) *measurement {
	m := measurementOf(code)
	age := 18
	for i := range childRanges {
		if childRanges[i].code != code {
			continue
		}
		if age == 18 {
			l := d.life()
			if l.born == 0 {
				return m
			}
			age = min(18, l.born.years(at.day()))
		}
		if y := &childRanges[i]; age < y.belowAge {
			return &measurement{code, m.unit, m.scale, y.min, y.low, y.high, y.max}
		}
		if age == 18 {
			return m
		}
	}
	return m
}
