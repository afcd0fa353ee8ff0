package fhirxml

import (
	"encoding/xml"

	"github.com/roget-health/roget/resources/definitions"
)

// A list writes the member of an element, which may repeat. The values of a repeating primitive
// element are collected, because they and their extensions are two members in JSON, and are written
// after the latter.
type list struct {
	of       *definitions.Element
	count    int
	base     int  // where the values begin in decoder.values
	values   bool // there is a value
	siblings bool // there is a sibling, so that the member with the underscore is open
}

// begin begins the member of an element.
func (l *list) begin(d *decoder, of *definitions.Element) {
	*l = list{of: of, base: len(d.values)}
	if of.Repeats() && of.Type.Kind != definitions.PrimitiveType {
		d.name("", of)
		d.dst = append(d.dst, '[')
	}
}

// add writes the element whose start tag was read.
func (l *list) add(d *decoder, start xml.StartElement) {
	of := l.of
	switch kind := of.Type.Kind; {
	case of.Type.Name == "xhtml":
		d.name("", of)
		d.narrative(start)
	case kind == definitions.PrimitiveType && of.Repeats():
		l.addPrimitive(d, start)
	case kind == definitions.PrimitiveType:
		d.primitive(of, start)
	default:
		if !of.Repeats() {
			d.name("", of)
		} else if l.count > 0 {
			d.dst = append(d.dst, ',')
		}
		if kind == definitions.ResourceType {
			d.container(start)
		} else {
			d.object(of.Type, start)
		}
	}
	l.count++
}

// addPrimitive writes the element of a primitive type that repeats.
func (l *list) addPrimitive(d *decoder, start xml.StartElement) {
	value, hasValue := d.valueOf(l.of, start)
	if len(d.values) > l.base {
		d.values = append(d.values, ',')
	}
	if hasValue {
		d.values = d.appendValue(d.values, l.of.Type, value)
		l.values = true
	} else {
		d.values = append(d.values, "null"...)
	}
	hasSibling := d.sibling(l.of.Type, start, func() {
		if l.siblings {
			d.dst = append(d.dst, ',')
			return
		}
		l.siblings = true
		d.name("_", l.of)
		d.dst = append(d.dst, '[')
		for range l.count {
			d.dst = append(d.dst, "null,"...)
		}
	})
	switch {
	case hasSibling:
	case !hasValue:
		d.fail("the element has neither a value nor an extension")
	case l.siblings:
		d.dst = append(d.dst, ",null"...)
	}
}

// end ends the member.
func (l *list) end(d *decoder) {
	if l.of == nil || !l.of.Repeats() || d.err != nil {
		return
	}
	if l.of.Type.Kind != definitions.PrimitiveType {
		d.dst = append(d.dst, ']')
		return
	}
	if l.siblings {
		d.dst = append(d.dst, ']')
	}
	if l.values {
		d.name("", l.of)
		d.dst = append(d.dst, '[')
		d.dst = append(append(d.dst, d.values[l.base:]...), ']')
	}
	d.values = d.values[:l.base]
}

// name begins a member, with a prefix of its name.
func (d *decoder) name(prefix string, of *definitions.Element) {
	if d.dst[len(d.dst)-1] != '{' {
		d.dst = append(d.dst, ',')
	}
	d.dst = append(append(append(d.dst, '"'), prefix...), of.JSON...)
	d.dst = append(d.dst, '"', ':')
}
