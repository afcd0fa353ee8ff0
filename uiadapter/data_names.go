package uiadapter

import (
	"cmp"
	"strings"
)

// A namer names what resources refer to. It belongs to one page.
type namer struct {
	p       *Page
	systems map[string]*System // nil for those that are not loaded
}

func (p *Page) namer() *namer { return &namer{p: p, systems: map[string]*System{}} }

// system returns a code system, nil if it is not loaded or the request may not use it.
func (n *namer) system(url string) *System {
	s, known := n.systems[url]
	if !known {
		if url != "" && n.p.may("CodeSystem") {
			s, _ = n.p.system(url, "")
		}
		n.systems[url] = s
	}
	return s
}

// A Coded is a concept as a resource has it.
type Coded struct {
	Term
	System, Code string
	// Where is the name of its code system, and Link the address of its page, "" if that is not loaded.
	Where, Link string
}

// concept returns a concept of a resource. display is what the resource calls it.
func (n *namer) concept(system, code, display string) Coded {
	c := Coded{Term: Term{Text: cmp.Or(display, code)}, System: system, Code: code, Where: system}
	s := n.system(system)
	if s == nil {
		return c
	}
	c.Where = s.Name
	if o, found := s.x.Find(code); found {
		ref := s.ref(o)
		c.Term = ref.Term
		c.Link, _ = ref.Link() // it fails for an odd number of arguments only
	}
	return c
}

// coding returns the concept of a Coding.
func (n *namer) coding(o object) Coded {
	return n.concept(o.text("system"), o.text("code"), o.text("display"))
}

// named returns what an element is called: a CodeableConcept by its first concept that is known, else
// by its text; a Coding; a Reference by its display.
func (n *namer) named(o object) Coded {
	if o["coding"] == nil && o["code"] != nil {
		return n.coding(o)
	}
	best := Coded{Term: Term{Text: cmp.Or(o.text("text"), o.text("display"))}}
	for _, coding := range o.all("coding") {
		c := n.coding(coding)
		if c.Link != "" {
			return c
		}
		if best.Text == "" {
			best = c
		}
	}
	return best
}

// An Outline is a resource in a line.
type Outline struct {
	Type, ID, Link string
	// Title is what it is about, and Value its result.
	Title  Coded
	Value  string
	Status string
	// When is its date, as the resource has it, and Until the end.
	When, Until string
	// Subject is whom it is about.
	Subject, SubjectLink string
	Encounter            string // reference
}

// titles are the elements that tell what a resource is about, in this order.
var titles = [...]string{
	"code", "vaccineCode", "medicationCodeableConcept", "medicationReference", "itemCodeableConcept", "productCodeableConcept", "type", "class", "serviceType", "category", "title", "name", "deviceName", "questionnaire", "description", "instantiatesCanonical", "procedureCode", "relationship", "specialty", "study",
}

// dates are the elements that tell when it was, in this order.
var dates = [...]string{
	"effectiveDateTime", "effectivePeriod", "effectiveInstant", "onsetDateTime", "onsetPeriod", "occurrenceDateTime", "occurrencePeriod", "performedDateTime", "performedPeriod", "started", "period", "authoredOn", "authored", "whenHandedOver", "birthDate", "recordedDate", "recorded", "issued", "date", "created", "sent", "start",
}

// outline returns a resource in a line.
func (n *namer) outline(o object) Outline {
	d := Outline{Type: o.text("resourceType"), ID: o.text("id")}
	d.Link, _ = link("resource", "type", d.Type, "id", d.ID)
	d.Title = n.titleOf(o)
	d.Status = cmp.Or(o.text("status"), n.named(o.first("clinicalStatus")).Text, o.text("gender"))
	d.Value = n.valueOf(o)
	for _, name := range dates {
		if d.When = cmp.Or(o.text(name), o.text(name, "start"), o.text(name, "end")); d.When != "" {
			d.Until = o.text(name, "end")
			break
		}
	}
	d.Until = cmp.Or(d.Until, o.text("abatementDateTime"), o.text("abatementPeriod", "end"))
	for _, name := range [...]string{"subject", "patient", "individual", "beneficiary"} {
		if r := o.first(name); r != nil {
			d.Subject, d.SubjectLink = cmp.Or(r.text("display"), r.text("reference")), n.p.referenceLink(r.text("reference"))
			break
		}
	}
	d.Encounter = cmp.Or(o.text("encounter", "reference"), o.text("context", "reference"), o.text("context", "encounter", "reference"), o.text("item", "encounter", "reference"))
	return d
}

// titleOf returns what a resource is about.
func (n *namer) titleOf(o object) Coded {
	for _, name := range titles {
		if text, is := firstOf(o[name]).(string); is && text != "" {
			return Coded{Term: Term{Text: text}}
		}
		e := o.first(name)
		if e == nil {
			continue
		}
		if text := personName(e); name == "name" && text != "" {
			return Coded{Term: Term{Text: text}}
		}
		if c := n.named(e); c.Text != "" {
			return c
		}
	}
	return Coded{Term: Term{Text: cmp.Or(o.text("identifier", "value"), o.text("id"))}}
}

// personName returns a HumanName as text.
func personName(o object) string {
	if text := o.text("text"); text != "" {
		return text
	}
	var words []string
	given, _ := o["given"].([]any)
	for _, g := range given {
		if s, is := g.(string); is {
			words = append(words, s)
		}
	}
	return strings.TrimSpace(strings.Join(append(words, o.text("family")), " "))
}

// valueOf returns the result that a resource has, with those of its components.
func (n *namer) valueOf(o object) string {
	if v := n.plainValue(o); v != "" {
		return v
	}
	var parts []string
	for _, part := range o.all("component") {
		if v := n.plainValue(part); v != "" && len(parts) < 6 {
			parts = append(parts, n.named(part.first("code")).Text+" "+v)
		}
	}
	return strings.Join(parts, ", ")
}

func (n *namer) plainValue(o object) string {
	for _, name := range [...]string{"valueQuantity", "valueString", "valueInteger", "valueBoolean", "valueDateTime", "valueTime"} {
		if q := o.first(name); q != nil {
			return quantity(q)
		}
		if v := o.text(name); v != "" {
			return v
		}
	}
	if c := o.first("valueCodeableConcept"); c != nil {
		return n.named(c).Text
	}
	return ""
}

// quantity returns a Quantity as text.
func quantity(q object) string {
	return strings.TrimSpace(q.text("comparator") + q.text("value") + " " + cmp.Or(q.text("unit"), q.text("code")))
}

// referenceLink returns the address of the page of a resource of this server, "" for other references.
func (p *Page) referenceLink(reference string) string {
	reference = strings.TrimPrefix(reference, p.h.Address(p.r)+"/")
	parts := strings.Split(reference, "/")
	version := ""
	if len(parts) == 4 && parts[2] == "_history" {
		version = parts[3]
	} else if len(parts) != 2 {
		return ""
	}
	if !p.h.tables.IsResource(parts[0]) || parts[1] == "" {
		return ""
	}
	address, _ := link("resource", "type", parts[0], "id", parts[1], "version", version)
	return address
}

// day returns a date of FHIR as people read it: to the minute, in the time zone that it has.
func day(s string) string {
	if date, clock, found := strings.Cut(s, "T"); found && len(clock) >= 5 {
		return date + " " + clock[:5]
	}
	return cut(s, 40)
}
