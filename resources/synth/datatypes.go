package synth

import "cmp"

// The datatypes of FHIR (https://hl7.org/fhir/R4/datatypes.html), as far as resources here
// have them.

// Coding is a code of a code system with its display. System may be "": a code that no
// code system that is known has.
type Coding struct{ System, Code, Display string }

// words returns what a code is called: its display, or itself for want of one.
func (c Coding) words() string { return cmp.Or(c.Display, c.Code) }

// coding writes a Coding.
func (w *writer) coding(name string, c Coding) {
	w.object(name)
	w.text("system", c.System)
	w.text("code", c.Code)
	w.text("display", c.Display)
	w.end()
}

// concept writes a CodeableConcept of one coding, its display being the text too. A zero
// coding is left out.
func (w *writer) concept(name string, c Coding) {
	if c.Code == "" {
		return
	}
	w.object(name)
	w.list("coding")
	w.coding("", c)
	w.end()
	w.text("text", c.Display)
	w.end()
}

// concepts writes a list of CodeableConcepts of one coding each; none when there are none.
func (w *writer) concepts(name string, list ...Coding) {
	if len(list) == 0 || list[0].Code == "" {
		return
	}
	w.list(name)
	for _, c := range list {
		w.concept("", c)
	}
	w.end()
}

// reference writes a Reference, "Type/id"; "" is left out.
func (w *writer) reference(name, to string) {
	if to == "" {
		return
	}
	if w.follow {
		w.refs = append(w.refs, to)
	}
	w.object(name)
	w.text("reference", to)
	w.end()
}

// references writes a list of References; none when there are none.
func (w *writer) references(name string, list ...string) {
	if len(list) == 0 || list[0] == "" {
		return
	}
	w.list(name)
	for _, to := range list {
		w.reference("", to)
	}
	w.end()
}

// period writes a Period; an end of 0 is open.
func (w *writer) period(name string, start, end moment) {
	w.object(name)
	w.moment("start", start)
	w.moment("end", end)
	w.end()
}

// days writes a Period of whole days; an end of 0 is open.
func (w *writer) days(name string, start, end day) {
	w.object(name)
	w.date("start", start)
	w.date("end", end)
	w.end()
}

const ucum = "http://unitsofmeasure.org"

// A unit is a unit of measure: as people write it, and its UCUM code.
type unit struct{ text, code string }

// quantity writes a Quantity of units of 10 to the power of -scale.
func (w *writer) quantity(name string, units, scale int, in unit) {
	w.object(name)
	w.decimal("value", units, scale)
	w.text("unit", in.text)
	if in.code != "" {
		w.text("system", ucum)
		w.text("code", in.code)
	}
	w.end()
}

// rangeOf writes a Range from low to high, of units of 10 to the power of -scale.
func (w *writer) rangeOf(name string, low, high, scale int, in unit) {
	w.object(name)
	w.quantity("low", low, scale, in)
	w.quantity("high", high, scale, in)
	w.end()
}

// notes writes a list of Annotations of one text each, made at a moment.
func (w *writer) notes(name string, at moment, texts ...string) {
	w.list(name)
	for _, text := range texts {
		w.object("")
		w.moment("time", at)
		w.text("text", text)
		w.end()
	}
	w.end()
}

// telecom writes one ContactPoint.
func (w *writer) telecom(system, value, use string) {
	w.object("")
	w.text("system", system)
	w.text("value", value)
	w.text("use", use)
	w.end()
}
