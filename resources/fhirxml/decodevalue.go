package fhirxml

import (
	"encoding/xml"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/r4"
)

// primitive writes the members of an element of a primitive type whose start tag was read.
func (d *decoder) primitive(of *definitions.Element, start xml.StartElement) {
	value, hasValue := d.valueOf(of, start)
	if hasValue {
		d.name("", of)
		d.dst = d.appendValue(d.dst, of.Type, value)
	}
	hasSibling := d.sibling(of.Type, start, func() { d.name("_", of) })
	if !hasValue && !hasSibling {
		d.fail("the element has neither a value nor an extension")
	}
}

// sibling writes the object with the id and extensions of a primitive element, up to its end tag. It
// reports whether there are any; if not, it writes nothing. Otherwise it calls before first.
func (d *decoder) sibling(t *definitions.Type, start xml.StartElement, before func()) bool {
	d.enter()
	defer func() { d.depth-- }()
	attributes := slices.ContainsFunc(start.Attr, func(a xml.Attr) bool { return !valueAttribute(a.Name) && !isHint(a.Name) })
	if attributes {
		before()
		d.dst = append(d.dst, '{')
		d.attributes(t, start, valueAttribute)
	}
	child, more := d.nextChild()
	if !attributes {
		if !more {
			return false
		}
		before()
		d.dst = append(d.dst, '{')
	}
	d.children(t, child, more)
	d.dst = append(d.dst, '}')
	return true
}

// valueOf returns the value of a primitive element, if it has one.
func (d *decoder) valueOf(of *definitions.Element, start xml.StartElement) (string, bool) {
	for i := range start.Attr {
		if a := &start.Attr[i]; valueAttribute(a.Name) {
			if a.Value == "" {
				d.fail("the attribute value must not be empty")
			}
			return a.Value, true
		}
	}
	return "", false
}

func valueAttribute(name xml.Name) bool { return name.Local == "value" && name.Space == "" }

// appendValue appends a value of a primitive type.
func (d *decoder) appendValue(dst []byte, t *definitions.Type, text string) []byte {
	switch t.Value {
	case r4.KindNumber:
		if t.Name != "decimal" {
			text = strings.TrimPrefix(text, "+") // JSON has no such sign
		}
		if !r4.IsNumber([]byte(text)) {
			d.failAs("value", "%.60q is not a number", text)
		}
		return append(dst, text...)
	case r4.KindBoolean:
		if text != "true" && text != "false" {
			d.failAs("value", "%.60q is neither true nor false", text)
		}
		return append(dst, text...)
	}
	return r4.AppendString(dst, text)
}

// attributes writes the attributes of a start tag that are elements of type t. It refuses others,
// except those that skipped reports, declarations of namespaces, and hints for validators. A nil t
// has no attributes.
func (d *decoder) attributes(t *definitions.Type, start xml.StartElement, skipped func(xml.Name) bool) {
	for i := range start.Attr {
		a := &start.Attr[i]
		switch {
		case isHint(a.Name), skipped != nil && skipped(a.Name):
			continue
		}
		var of *definitions.Element
		if t != nil && a.Name.Space == "" {
			of = t.Element(a.Name.Local)
		}
		switch {
		case of == nil || !of.Attribute:
			d.fail("unknown attribute %.60q", a.Name.Local)
		case a.Value == "":
			d.fail("the attribute %.60q must not be empty", a.Name.Local)
		default:
			d.name("", of)
			d.dst = d.appendValue(d.dst, of.Type, a.Value)
		}
	}
}

// isHint reports whether an attribute declares a namespace, or is for validators of XML.
func isHint(name xml.Name) bool {
	return name.Space == "xmlns" || name.Space == "" && name.Local == "xmlns" || name.Space == schemaNamespace
}

// repeated returns the name of an attribute that a start tag has twice, "" if there is none.
func repeated(start xml.StartElement) string {
	for i := range start.Attr {
		for j := range i {
			if start.Attr[j].Name == start.Attr[i].Name {
				return start.Attr[i].Name.Local
			}
		}
	}
	return ""
}
