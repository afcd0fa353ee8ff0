package r5

import (
	"bytes"
	"strconv"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// primitives converts the values of a primitive element and the objects beside them, which hold ids
// and extensions.
func (c *conversion) primitives(f *frame, e, to *definitions.Element, list, companions []document.Value) {
	n := max(len(list), len(companions))
	values, beside := make([][]byte, n), make([][]byte, n)
	some, someBeside := false, false
	for i := range n {
		var v, companion document.Value
		if i < len(list) {
			v = list[i]
		}
		if i < len(companions) {
			companion = companions[i]
		}
		p := c.primitive(e, to, v, companion)
		if p.carry {
			f.extensions = append(f.extensions, c.carry(e, v, companion))
			return
		}
		values[i], beside[i] = p.value, p.beside
		some, someBeside = some || p.value != nil, someBeside || p.beside != nil
	}
	if !to.Repeats() {
		if n > 0 {
			f.out.set(to.JSON, values[0])
			f.out.set("_"+to.JSON, beside[0])
		}
		if n > 1 {
			c.fail(ErrNoPlace, f.v, "%s has several values", e.Path)
		}
		return
	}
	if some {
		f.out.set(to.JSON, array(orNull(values)))
	}
	if someBeside {
		f.out.set("_"+to.JSON, array(orNull(beside)))
	}
}

func orNull(values [][]byte) [][]byte {
	for i := range values {
		if values[i] == nil {
			values[i] = []byte("null")
		}
	}
	return values
}

// A primitive is a converted value and the object beside it; either may be nil. With carry, the new
// version cannot hold the value.
type primitive struct {
	value, beside []byte
	carry         bool
}

func (c *conversion) primitive(e, to *definitions.Element, v, companion document.Value) primitive {
	var p primitive
	switch v.Kind() {
	case document.Absent, document.Null:
	case document.Object, document.Array:
		c.fail(ErrStructure, v, "%s is a primitive", e.Path)
	default:
		p.value = v.Raw()
	}
	var extensions [][]byte
	var id []byte
	equivalence := "" // of R4, for a relationship
	switch companion.Kind() {
	case document.Absent, document.Null:
	case document.Object:
		for member := range companion.Members() {
			switch member.Name() {
			case "id":
				id = member.Raw()
			case "extension":
				for _, x := range items(member) {
					if code, ok := c.codeOf(to, x); ok && p.value == nil {
						p.value = code
						continue
					}
					if code, ok := former(e, v, x); ok && equivalence == "" {
						equivalence = code
						continue
					}
					extensions = append(extensions, c.extension(x))
				}
			default:
				c.fail(ErrUnknownElement, member, "a primitive has id and extension only")
			}
		}
	default:
		c.fail(ErrStructure, companion, "what is beside %s is an object", e.Path)
	}
	if v.Kind() == document.String || v.Kind() == document.Number {
		switch {
		case equivalence != "":
			p.value = quoted(equivalence)
		case c.mapped(e, to, v, &p, &extensions):
		case e.TypeCode != to.TypeCode && (e.TypeCode == integer64 || to.TypeCode == integer64):
			p.value, p.carry = resized(v)
		case to.Binding != nil && e.TypeCode == "code" && v.Kind() == document.String && !to.Binding.Contains(v.Text()) && (e.Binding == nil || e.Binding.Contains(v.Text())):
			p.value = nil
			extensions = append([][]byte{extensionWith(c.own+pathOf(e), "valueCode", v.Raw())}, extensions...)
		}
	}
	var beside members
	beside.set("id", id)
	beside.set("extension", array(extensions))
	if len(beside.names) > 0 {
		p.beside = beside.append(nil)
	}
	return p
}

// codeOf returns the code that an extension of a primitive holds, if the element has it in the new
// version.
func (c *conversion) codeOf(to *definitions.Element, x document.Value) (code []byte, ok bool) {
	v := x.Get("valueCode")
	if to.TypeCode != "code" || !x.Get("url").Is(c.other+pathOf(to)) || v.Kind() != document.String || x.Len() != 2 {
		return nil, false
	}
	return v.Raw(), to.Binding == nil || to.Binding.Contains(v.Text())
}

// extensionWith returns an extension with a value in JSON.
func extensionWith(url, name string, value []byte) []byte {
	var m members
	m.set("url", quoted(url))
	m.set(name, value)
	return m.append(nil)
}

// integer64 is the primitive type of R5 that is a string in JSON.
const integer64 = "integer64"

// resized converts the size of an Attachment: a number in R4, a string in R5. The R4 type has 31
// bits; carry reports that the value needs more, or is not written as R4 would write it.
func resized(v document.Value) (value []byte, carry bool) {
	if v.Kind() == document.Number {
		return quoted(v.Text()), false
	}
	if n, err := strconv.ParseInt(v.Text(), 10, 32); err == nil && n >= 0 && strconv.FormatInt(n, 10) == v.Text() {
		return []byte(v.Text()), false
	}
	return nil, true
}

// compact returns the raw text of a value, nil if it is absent.
func compact(v document.Value) []byte {
	if !v.Exists() {
		return nil
	}
	return bytes.TrimSpace(v.Raw())
}
