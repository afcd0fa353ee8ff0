package synth

// bloodPressure is the vital sign with two values.
const bloodPressure = "blood-pressure"

// A measurement describes the values of a vital sign or laboratory test, in units of 10 to the
// power of -scale.
type measurement struct {
	code  string
	unit  unit
	scale int
	// Values range from min to max. Those from low to high are normal. A bound that equals the
	// extreme does not exist.
	min, low, high, max int
}

var (
	percent      = unit{"%", "%"}
	perMinute    = unit{"per minute", "/min"}
	kilograms    = unit{"kg", "kg"}
	centimetres  = unit{"cm", "cm"}
	mmHg         = unit{"mmHg", "mm[Hg]"}
	gramsPerL    = unit{"g/L", "g/L"}
	mgPerL       = unit{"mg/L", "mg/L"}
	ugPerL       = unit{"µg/L", "ug/L"}
	ngPerL       = unit{"ng/L", "ng/L"}
	mmolPerL     = unit{"mmol/L", "mmol/L"}
	umolPerL     = unit{"µmol/L", "umol/L"}
	nmolPerL     = unit{"nmol/L", "nmol/L"}
	pmolPerL     = unit{"pmol/L", "pmol/L"}
	unitsPerL    = unit{"U/L", "U/L"}
	billionsPerL = unit{"10⁹/L", "10*9/L"}
)

// measurements are the vital signs and laboratory tests of Clinic with numeric values.
var measurements = []measurement{
	{"body-temperature", unit{"°C", "Cel"}, 1, 345, 361, 375, 408},
	{"heart-rate", perMinute, 0, 40, 60, 100, 160},
	{"respiratory-rate", perMinute, 0, 8, 12, 20, 35},
	{"oxygen-saturation", percent, 0, 84, 94, 100, 100},
	{"body-height", centimetres, 1, 1500, 1500, 1980, 1980},
	{"body-weight", kilograms, 1, 450, 450, 1300, 1300},
	{"body-mass-index", unit{"kg/m²", "kg/m2"}, 1, 160, 185, 249, 420},
	{"systolic-blood-pressure", mmHg, 0, 80, 100, 139, 200},
	{"diastolic-blood-pressure", mmHg, 0, 45, 60, 89, 120},
	{"haemoglobin", gramsPerL, 0, 70, 120, 175, 200},
	{"haematocrit", percent, 0, 22, 36, 50, 60},
	{"erythrocyte-count", unit{"10¹²/L", "10*12/L"}, 2, 250, 400, 590, 680},
	{"leukocyte-count", billionsPerL, 1, 15, 40, 110, 280},
	{"platelet-count", billionsPerL, 0, 40, 150, 400, 800},
	{"mean-cell-volume", unit{"fL", "fL"}, 0, 65, 80, 100, 120},
	{"prothrombin-ratio", unit{"INR", "{INR}"}, 1, 8, 8, 12, 45},
	{"glucose", mmolPerL, 1, 25, 39, 56, 220},
	{"glycated-haemoglobin", percent, 1, 40, 40, 56, 130},
	{"creatinine", umolPerL, 0, 30, 50, 110, 600},
	{"urea", mmolPerL, 1, 12, 25, 78, 350},
	{"filtration-rate", unit{"mL/min/1.73m²", "mL/min/{1.73_m2}"}, 0, 8, 60, 120, 120},
	{"sodium", mmolPerL, 0, 118, 135, 145, 160},
	{"potassium", mmolPerL, 1, 24, 35, 51, 68},
	{"chloride", mmolPerL, 0, 85, 98, 107, 120},
	{"calcium", mmolPerL, 2, 170, 215, 255, 330},
	{"bilirubin", umolPerL, 0, 3, 3, 21, 200},
	{"alanine-aminotransferase", unitsPerL, 0, 7, 7, 45, 600},
	{"aspartate-aminotransferase", unitsPerL, 0, 8, 8, 40, 600},
	{"alkaline-phosphatase", unitsPerL, 0, 20, 40, 130, 500},
	{"albumin", gramsPerL, 0, 18, 35, 50, 56},
	{"total-cholesterol", mmolPerL, 1, 25, 25, 50, 95},
	{"ldl-cholesterol", mmolPerL, 1, 8, 8, 30, 70},
	{"hdl-cholesterol", mmolPerL, 1, 5, 10, 25, 25},
	{"triglycerides", mmolPerL, 1, 4, 4, 17, 90},
	{"c-reactive-protein", mgPerL, 0, 0, 0, 5, 250},
	{"ferritin", ugPerL, 0, 4, 30, 300, 1500},
	{"troponin", ngPerL, 0, 0, 0, 14, 2000},
	{"thyrotropin", unit{"mU/L", "m[IU]/L"}, 2, 1, 40, 400, 3000},
	{"free-thyroxine", pmolPerL, 1, 30, 90, 190, 600},
	{"vitamin-d", nmolPerL, 0, 10, 50, 125, 250},
	{"vitamin-b12", pmolPerL, 0, 60, 140, 600, 1200},
	{"urine-ph", unit{"pH", "[pH]"}, 1, 45, 50, 80, 90},
	{"urine-protein", mgPerL, 0, 0, 0, 140, 3000},
}

// presences are the laboratory tests of Clinic with a positive or negative result.
var presences = []string{"urine-nitrite", "urine-leukocytes", "influenza-antigen", "coronavirus-rna", "streptococcus-antigen", "hepatitis-b-antigen"}

// panels are the laboratory panels of Clinic with their tests.
var panels = []struct {
	code  string
	tests []string
}{
	{"blood-count", []string{"haemoglobin", "haematocrit", "erythrocyte-count", "leukocyte-count", "platelet-count", "mean-cell-volume"}},
	{"coagulation-panel", []string{"prothrombin-ratio", "platelet-count"}},
	{"glucose-panel", []string{"glucose", "glycated-haemoglobin"}},
	{"kidney-panel", []string{"creatinine", "urea", "filtration-rate"}},
	{"electrolyte-panel", []string{"sodium", "potassium", "chloride", "calcium"}},
	{"liver-panel", []string{"bilirubin", "alanine-aminotransferase", "aspartate-aminotransferase", "alkaline-phosphatase", "albumin"}},
	{"lipid-panel", []string{"total-cholesterol", "ldl-cholesterol", "hdl-cholesterol", "triglycerides"}},
	{"inflammation-panel", []string{"c-reactive-protein", "leukocyte-count"}},
	{"thyroid-panel", []string{"thyrotropin", "free-thyroxine"}},
	{"deficiency-panel", []string{"ferritin", "vitamin-d", "vitamin-b12"}},
	{"urine-panel", []string{"urine-ph", "urine-nitrite", "urine-leukocytes", "urine-protein"}},
	{"respiratory-pathogen-panel", []string{"influenza-antigen", "coronavirus-rna", "streptococcus-antigen"}},
}

// panelTests returns the tests of a panel, or nil for a code that is not a panel.
func panelTests(code string) []string {
	for i := range panels {
		if panels[i].code == code {
			return panels[i].tests
		}
	}
	return nil
}

// measurementOf returns the measurement for a code, or nil.
func measurementOf(code string) *measurement {
	for i := range measurements {
		if measurements[i].code == code {
			return &measurements[i]
		}
	}
	return nil
}

// value draws a value: normal in three of four cases, or according to the level set by the story.
func (d *draft) value(m *measurement) int {
	level := d.facts.level
	if level == 0 {
		level = [...]int{0, 0, 0, 0, 0, 0, 1, -1}[d.below(8)]
	}
	switch {
	case level < 0 && m.min < m.low:
		return m.low - 1 - d.mostlySmall(m.low-1-m.min)
	case level > 0 && m.high < m.max:
		return m.high + 1 + d.mostlySmall(m.max-m.high-1)
	}
	return d.around(m.low, m.high)
}

// mostlySmall draws a number from 0 to limit, with a preference for small ones.
func (d *draft) mostlySmall(limit int) int {
	return min(d.below(limit+1), d.below(limit+1), d.below(limit+1))
}

// reading returns the interpretation code of a value.
func (m *measurement) reading(value int) string {
	switch {
	case value < m.low-(m.low-m.min)*2/3:
		return "LL"
	case value < m.low:
		return "L"
	case value > m.high+(m.max-m.high)*2/3:
		return "HH"
	case value > m.high:
		return "H"
	}
	return "N"
}
