package synth

import "slices"

// observation writes an Observation: a vital sign or a laboratory test. It reads the facts at,
// until (issued), status, kind (category), code and level.
func observation(d *draft) {
	category := d.kind("category", &observationCategory)
	at := d.when()
	issued := d.facts.until
	branch := branchVital
	if category == "laboratory" {
		branch = branchLaboratory
		if issued == 0 {
			issued = min(at+moment(d.between(30, 1_440)*minute), asOf-minute)
		}
	} else if issued == 0 {
		issued = at + moment(d.between(1, 10)*minute)
	}
	status := d.status(&observationStatus)
	code := d.about("Observation.code", branch)
	if status != "registered" && status != "cancelled" && status != "entered-in-error" {
		d.observedCode = code
	}
	d.identifier("observation")
	d.references("basedOn", d.given(roleServiceRequest))
	d.text("status", status)
	d.concepts("category", observationCategory.find(category))
	d.concept("code", code)
	d.refer("subject", rolePatient)
	d.refer("encounter", roleEncounter)
	d.moment("effectiveDateTime", at)
	if status != "registered" && status != "cancelled" {
		d.moment("issued", issued)
	}
	d.refers("performer", rolePractitioner)
	switch {
	case status == "registered":
	case status == "cancelled":
		d.concept("dataAbsentReason", dataAbsentReason.find("not-performed"))
	case code.Code != bloodPressure && d.facts.level == 0 && d.percent(2):
		d.concept("dataAbsentReason", d.draw(&dataAbsentReason))
	default:
		d.finding(code, category, at)
	}
}

// finding writes the result: value, interpretation, note, bodySite, device, referenceRange and
// component. The moment is the time of the observation.
func (d *draft) finding(code Coding, category string, at moment) {
	own := code.System == ClinicURL
	m := d.measurement(code.Code, at)
	presence := own && slices.Contains(presences, code.Code)
	pressure := own && code.Code == bloodPressure
	switch {
	case pressure:
	case presence:
		result := "NEG"
		if d.facts.level > 0 || d.facts.level == 0 && d.percent(20) {
			result = "POS"
		}
		d.concept("valueCodeableConcept", interpretation.find(result))
		d.interpreted(result)
	case own && m != nil:
		value, sized := d.sized(m, at)
		if !sized {
			value = d.value(m)
		}
		d.quantity("valueQuantity", value, m.scale, m.unit)
		if m.judged() {
			d.interpreted(m.reading(value))
		}
	default: // a chosen code: its measurement is unknown
		d.quantity("valueQuantity", d.between(1, 1000), 1, unit{})
	}
	if d.percent(4) {
		d.notes("note", at, d.one(measurementNotes))
	}
	if pressure {
		d.concept("bodySite", d.g.clinic.codes[d.one([]string{"left-upper-arm", "right-upper-arm"})])
	}
	if to := d.given(roleDevice); to != "" || category == "vital-signs" && d.percent(10) {
		d.refer("device", roleDevice)
	}
	if pressure {
		d.pressures(at)
	} else if own && m != nil && m.judged() {
		d.referenceRange(m)
	}
}

// interpreted writes interpretation.
func (d *draft) interpreted(reading string) {
	d.judge(reading)
	d.concepts("interpretation", interpretation.find(reading))
}

var measurementNotes = []string{"Repeated and confirmed.", "The patient had not eaten.", "Measured after rest."}

// judged reports whether a measurement has any reference bounds.
func (m *measurement) judged() bool { return m.min < m.low || m.high < m.max }

// referenceRange writes the reference bounds of a measurement.
func (d *draft) referenceRange(m *measurement) {
	d.list("referenceRange")
	d.object("")
	if m.min < m.low {
		d.quantity("low", m.low, m.scale, m.unit)
	}
	if m.high < m.max {
		d.quantity("high", m.high, m.scale, m.unit)
	}
	d.concept("type", Coding{"http://terminology.hl7.org/CodeSystem/referencerange-meaning", "normal", "Normal Range"})
	d.ends(2)
}

// pressures writes systolic and diastolic blood pressure. The diastolic one is lower.
func (d *draft) pressures(at moment) {
	systolic, diastolic := d.measurement("systolic-blood-pressure", at), d.measurement("diastolic-blood-pressure", at)
	high := d.value(systolic)
	low := min(d.value(diastolic), high-20)
	d.list("component")
	d.component(systolic, high)
	d.component(diastolic, low)
	d.end()
}

// component writes a component of an observation.
func (d *draft) component(m *measurement, value int) {
	d.object("")
	d.concept("code", d.g.clinic.codes[m.code])
	d.quantity("valueQuantity", value, m.scale, m.unit)
	d.interpreted(m.reading(value))
	d.referenceRange(m)
	d.end()
}
