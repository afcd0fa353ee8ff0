package synth

// A regimen describes how a medication of Clinic is taken: a dose in units of 10 to the power of
// -scale, and how often.
type regimen struct {
	code, route string
	form        unit
	dose, scale int
	frequency   int
	period      int
	periodUnit  string
	size        int // package size, in the unit of the dose
}

var (
	tablet  = unit{"tablet", "{tablet}"}
	capsule = unit{"capsule", "{capsule}"}
	puff    = unit{"puff", "{puff}"}
	gram    = unit{"g", "g"}
)

// regimens are the regimens of Clinic's medications. The first applies to all others.
var regimens = []regimen{
	{"", "oral-route", tablet, 1, 0, 1, 1, "d", 30},
	{"amoxicillin-500", "oral-route", capsule, 1, 0, 3, 1, "d", 21},
	{"nitrofurantoin-100", "oral-route", capsule, 1, 0, 2, 1, "d", 14},
	{"doxycycline-100", "oral-route", tablet, 1, 0, 2, 1, "d", 14},
	{"metformin-500", "oral-route", tablet, 1, 0, 2, 1, "d", 180},
	{"insulin-glargine", "subcutaneous-route", unit{"units", "[iU]"}, 14, 0, 1, 1, "d", 1500},
	{"furosemide-40", "oral-route", tablet, 5, 1, 1, 1, "d", 50},
	{"apixaban-5", "oral-route", tablet, 1, 0, 2, 1, "d", 60},
	{"paracetamol-500", "oral-route", tablet, 2, 0, 1, 6, "h", 20},
	{"ibuprofen-400", "oral-route", tablet, 1, 0, 1, 8, "h", 30},
	{"sumatriptan-50", "oral-route", tablet, 1, 0, 1, 1, "d", 6},
	{"diclofenac-gel", "skin-route", gram, 4, 0, 3, 1, "d", 100},
	{"salbutamol-inhaler", "inhaled-route", puff, 2, 0, 1, 4, "h", 200},
	{"budesonide-inhaler", "inhaled-route", puff, 1, 0, 2, 1, "d", 100},
	{"mometasone-spray", "nasal-route", unit{"spray", "{spray}"}, 2, 0, 1, 1, "d", 140},
	{"omeprazole-20", "oral-route", capsule, 1, 0, 1, 1, "d", 28},
	{"methotrexate-2-5", "oral-route", tablet, 6, 0, 1, 1, "wk", 30},
	{"iron-syrup", "oral-route", unit{"mL", "mL"}, 75, 1, 2, 1, "d", 200},
	{"alendronate-70", "oral-route", tablet, 1, 0, 1, 1, "wk", 4},
	{"vitamin-d-20000", "oral-route", capsule, 1, 0, 1, 1, "wk", 7},
	{"hydrocortisone-cream", "skin-route", gram, 5, 1, 2, 1, "d", 30},
}

// regimenOf returns the regimen of a medication.
func regimenOf(code string) *regimen {
	for i := range regimens {
		if regimens[i].code == code {
			return &regimens[i]
		}
	}
	return &regimens[0]
}

// solid reports whether the medication is a tablet or capsule, which small children do not take.
func (r *regimen) solid() bool { return r.form == tablet || r.form == capsule }

// daysOf returns how many days a quantity lasts, at least 1.
func (r *regimen) daysOf(quantity int) int {
	for range r.scale {
		quantity *= 10
	}
	hours := 24 * r.period
	switch r.periodUnit {
	case "h":
		hours = r.period
	case "wk":
		hours = 7 * 24 * r.period
	}
	return max(1, quantity*hours/(r.dose*r.frequency*24))
}

// dosages writes dosageInstruction. Some dosages have two steps and start with one dose a day in
// the first week.
func (d *draft) dosages(r *regimen, at moment) {
	d.list("dosageInstruction")
	turn := moment(0)
	if r.periodUnit == "d" && r.frequency > 1 && d.percent(12) {
		turn = at + 7*oneDay
		first := *r
		first.frequency = 1
		d.dosage(1, &first, at, turn)
	}
	if turn != 0 {
		d.dosage(2, r, turn, 0)
	} else {
		d.dosage(1, r, at, 0)
	}
	d.end()
}

// dosage writes a Dosage for a period. A zero end leaves it open.
func (d *draft) dosage(sequence int, r *regimen, from, to moment) {
	d.object("")
	d.integer("sequence", sequence)
	var number [12]byte
	dose := string(appendDecimal(number[:0], r.dose, r.scale))
	d.join("text", dose, " ", r.form.text, r.plural(), " ", r.frequencyText())
	d.object("timing")
	d.object("repeat")
	if to != 0 || sequence > 1 {
		d.period("boundsPeriod", from, to)
	}
	d.integer("frequency", r.frequency)
	d.integer("period", r.period)
	d.text("periodUnit", r.periodUnit)
	d.ends(2)
	if r.periodUnit == "h" {
		d.boolean("asNeededBoolean", true)
	}
	d.concept("route", d.route(r))
	d.list("doseAndRate")
	d.object("")
	d.concept("type", Coding{"http://terminology.hl7.org/CodeSystem/dose-rate-type", "ordered", "Ordered"})
	d.quantity("doseQuantity", r.dose, r.scale, r.form)
	d.ends(3)
}

// route returns the route of a regimen, or one chosen by the options.
func (d *draft) route(r *regimen) Coding {
	const path = "MedicationRequest.dosageInstruction.route"
	if len(d.g.codes[path]) > 0 {
		return d.drawn(path, branchRoute)
	}
	return d.g.clinic.codes[r.route]
}

// plural returns the plural ending of the unit of the dose.
func (r *regimen) plural() string {
	if r.scale == 0 && r.dose > 1 && r.form.code[0] == '{' {
		return "s"
	}
	return ""
}

// frequencyText returns the frequency in words.
func (r *regimen) frequencyText() string {
	switch {
	case r.periodUnit == "wk":
		return "once a week"
	case r.periodUnit == "h" && r.period == 4:
		return "every 4 hours, as needed"
	case r.periodUnit == "h" && r.period == 6:
		return "every 6 hours, as needed"
	case r.periodUnit == "h":
		return "every 8 hours, as needed"
	case r.frequency == 1:
		return "once a day"
	case r.frequency == 2:
		return "twice a day"
	}
	return "three times a day"
}
