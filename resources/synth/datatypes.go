package synth

import "cmp"

// The datatypes of FHIR (https://hl7.org/fhir/R4/datatypes.html) that the resources here use.

// Coding is a code of a code system, with its display. System is "" for a code that belongs to no
// known code system.
type Coding struct{ System, Code, Display string }

// words returns the display of a code, or the code itself if it has none.
func (c Coding) words() string { return cmp.Or(c.Display, c.Code) }

// coding writes a Coding.
func (w *writer) coding(name string, c Coding) {
	w.object(name)
	w.text("system", c.System)
	w.text("code", c.Code)
	w.text("display", c.Display)
	w.end()
}

// concept writes a CodeableConcept with one coding, whose display is also the text. A zero coding
// is omitted.
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

// concepts writes a list of CodeableConcepts with one coding each. An empty list is omitted.
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

// reference writes a Reference of the form "Type/id". "" is omitted.
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

// references writes a list of References. An empty list is omitted.
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

// period writes a Period. An end of 0 leaves it open.
func (w *writer) period(name string, start, end moment) {
	w.object(name)
	w.moment("start", start)
	w.moment("end", end)
	w.end()
}

// days writes a Period of whole days. An end of 0 leaves it open.
func (w *writer) days(name string, start, end day) {
	w.object(name)
	w.date("start", start)
	w.date("end", end)
	w.end()
}

const ucum = "http://unitsofmeasure.org"

// A unit is a unit of measure: its display and its UCUM code.
type unit struct{ text, code string }

// quantity writes a Quantity. The value is units times 10 to the power of -scale.
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

// rangeOf writes a Range. Its bounds are multiples of 10 to the power of -scale.
func (w *writer) rangeOf(name string, low, high, scale int, in unit) {
	w.object(name)
	w.quantity("low", low, scale, in)
	w.quantity("high", high, scale, in)
	w.end()
}

// notes writes a list of Annotations made at one moment, one text each.
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

// telecom writes a ContactPoint.
func (w *writer) telecom(system, value, use string) {
	w.object("")
	w.text("system", system)
	w.text("value", value)
	w.text("use", use)
	w.end()
}

// Pictures: a grey pixel, and a drawing of a head with shoulders.
const (
	pointPNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOo6pkJAAMjAaBImqDNAAAAAElFTkSuQmCC"
	headSVG  = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxjaXJjbGUgY3g9IjQiIGN5PSIzIiByPSIyIi8+PHBhdGggZD0iTTAgOGE0IDMgMCAwIDEgOCAweiIvPjwvc3ZnPg=="
)

// photo writes a list with one Attachment that contains a picture.
func (w *writer) photo(name string, drawn bool) {
	w.list(name)
	w.picture("", drawn)
	w.end()
}

// picture writes an Attachment with a picture: the drawing or the pixel.
func (w *writer) picture(name string, drawn bool) {
	w.object(name)
	if drawn {
		w.text("contentType", "image/svg+xml")
		w.text("data", headSVG)
	} else {
		w.text("contentType", "image/png")
		w.text("data", pointPNG)
	}
	w.end()
}
