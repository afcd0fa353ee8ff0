package r4

import (
	"encoding/json"
	"strconv"
)

// An object appends the members of a JSON object, separated by commas.
type object struct {
	dst   []byte
	comma bool
}

func beginObject(dst []byte) object { return object{dst: append(dst, '{')} }

func (o *object) end() []byte { return append(o.dst, '}') }

// name appends the name of the next member, which must be plain ASCII.
func (o *object) name(name string) {
	if o.comma {
		o.dst = append(o.dst, ',')
	}
	o.comma = true
	o.dst = append(o.dst, '"')
	o.dst = append(o.dst, name...)
	o.dst = append(o.dst, '"', ':')
}

// text appends a string member unless it is empty.
func (o *object) text(name, s string) {
	if s != "" {
		o.name(name)
		o.dst = AppendString(o.dst, s)
	}
}

// boolean appends a boolean member unless it is nil.
func (o *object) boolean(name string, b *bool) {
	if b != nil {
		o.name(name)
		o.dst = strconv.AppendBool(o.dst, *b)
	}
}

// truth appends a boolean member if it is true.
func (o *object) truth(name string, b bool) {
	if b {
		o.name(name)
		o.dst = append(o.dst, "true"...)
	}
}

// integer appends an integer member unless it is nil.
func (o *object) integer(name string, n *int) {
	if n != nil {
		o.name(name)
		o.dst = strconv.AppendInt(o.dst, int64(*n), 10)
	}
}

// texts appends an array of strings unless it is empty.
func (o *object) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	o.name(name)
	o.dst = append(o.dst, '[')
	for i, s := range list {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = AppendString(o.dst, s)
	}
	o.dst = append(o.dst, ']')
}

// raw appends a member that is already JSON, unless it is empty.
func (o *object) raw(name string, data json.RawMessage) {
	if len(data) > 0 {
		o.name(name)
		o.dst = append(o.dst, data...)
	}
}

// appendEach appends an array member, with fn appending each element, unless it is empty.
func appendEach[T any](o *object, name string, list []T, fn func(dst []byte, v *T) []byte) {
	if len(list) == 0 {
		return
	}
	o.name(name)
	o.dst = append(o.dst, '[')
	for i := range list {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = fn(o.dst, &list[i])
	}
	o.dst = append(o.dst, ']')
}

// AppendCoding appends a Coding as a JSON object without empty elements.
func AppendCoding(dst []byte, c *Coding) []byte {
	o := beginObject(dst)
	o.text("system", c.System)
	o.text("version", c.Version)
	o.text("code", c.Code)
	o.text("display", c.Display)
	o.boolean("userSelected", c.UserSelected)
	return o.end()
}

// AppendCodeableConcept appends a CodeableConcept as a JSON object.
func AppendCodeableConcept(dst []byte, c *CodeableConcept) []byte {
	o := beginObject(dst)
	appendEach(&o, "coding", c.Coding, AppendCoding)
	o.text("text", c.Text)
	return o.end()
}

// AppendDesignation appends a designation as a JSON object.
func AppendDesignation(dst []byte, d *Designation) []byte {
	o := beginObject(dst)
	o.extensions(d.Extension)
	o.text("language", d.Language)
	if d.Use != nil {
		o.name("use")
		o.dst = AppendCoding(o.dst, d.Use)
	}
	o.text("value", d.Value)
	return o.end()
}

func appendIdentifier(dst []byte, i *Identifier) []byte {
	o := beginObject(dst)
	o.text("use", i.Use)
	o.text("system", i.System)
	o.text("value", i.Value)
	return o.end()
}

func appendMeta(dst []byte, m *Meta) []byte {
	o := beginObject(dst)
	o.text("versionId", m.VersionID)
	o.text("lastUpdated", m.LastUpdated)
	o.texts("profile", m.Profile)
	appendEach(&o, "tag", m.Tag, AppendCoding)
	return o.end()
}

// AppendValue appends a choice element as a member: `"valueCode":"x"` for prefix "value" and a
// Code. A zero Value appends nothing. Booleans and numbers are written as their Text, other
// primitives as strings. If the Text of a boolean or number is malformed, it is written as a
// string, so that the JSON is always well-formed.
func AppendValue(dst []byte, prefix string, v Value) []byte {
	if v.Type == "" {
		return dst
	}
	dst = append(dst, '"')
	dst = append(dst, prefix...)
	dst = append(dst, v.Type...)
	dst = append(dst, '"', ':')
	switch {
	case v.Coding != nil:
		return AppendCoding(dst, v.Coding)
	case v.Concept != nil:
		return AppendCodeableConcept(dst, v.Concept)
	case len(v.Raw) > 0:
		return append(dst, v.Raw...)
	}
	switch v.Type {
	case "Boolean":
		if v.Text == "true" || v.Text == "false" {
			return append(dst, v.Text...)
		}
	case "Integer", "Decimal", "PositiveInt", "UnsignedInt":
		if isNumber(v.Text) {
			return append(dst, v.Text...)
		}
	case "Coding", "CodeableConcept":
		return append(dst, "{}"...)
	}
	return AppendString(dst, v.Text)
}
