package r5

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// holds reports whether an extension holds an element that the new version has and the old one
// lacks, and returns the JSON name of that element.
func (c *conversion) holds(f *frame, x document.Value) (name string, ok bool) {
	path, found := strings.CutPrefix(x.Get("url").Text(), c.other)
	if !found {
		return "", false
	}
	rest, found := strings.CutPrefix(path, f.to.Name+".")
	if !found && f.to.Kind == definitions.ResourceType {
		rest, found = strings.CutPrefix(path, "CanonicalResource.")
	}
	if !found {
		return "", false
	}
	for _, e := range variants(f.to, strings.TrimSuffix(rest, "[x]")) {
		if !c.decodable(x, e) {
			continue
		}
		old := f.from.Element(c.renamedFrom(e))
		switch {
		case old == nil && !e.Repeats() && !f.has(e), old == nil && e.Repeats():
		case old != nil && e.Repeats() && !old.Repeats() && !isPrimitive(e):
		case old != nil && old.TypeCode != e.TypeCode && isPrimitive(e) && !f.v.Get(old.JSON).Exists() && !f.v.Get("_"+old.JSON).Exists() && (old.TypeCode == integer64 || e.TypeCode == integer64):
		default:
			continue
		}
		return e.JSON, true
	}
	return "", false
}

// has reports whether an extension that was seen before holds an element, or another variant of a
// choice.
func (f *frame) has(e *definitions.Element) bool {
	for _, variant := range variants(f.to, stemOf(e)) {
		if len(f.restored[variant.JSON]) > 0 {
			return true
		}
	}
	return len(f.restored[e.JSON]) > 0
}

// variants returns the element with a name, or the variants of a choice.
func variants(t *definitions.Type, name string) []*definitions.Element {
	if e := t.Element(name); e != nil && !e.Choice {
		return []*definitions.Element{e}
	}
	return t.Choices(name + "[x]")
}

// decodable reports whether an extension has the form that encode gives a value of an element.
func (c *conversion) decodable(x document.Value, e *definitions.Element) bool {
	if x.Get("id").Exists() && e.Type.Kind != definitions.BackboneType {
		return false // the element cannot hold the id
	}
	return c.hasForm(x, e)
}

// hasForm is decodable for an extension that keeps its own id.
func (c *conversion) hasForm(x document.Value, e *definitions.Element) bool {
	value, n := "", 0
	nested := false
	for member := range x.Members() {
		switch name := member.Name(); name {
		case "url", "id":
		case "extension":
			nested = true
		default:
			if base := strings.TrimPrefix(name, "_"); base != value {
				value, n = base, n+1
			}
		}
	}
	switch {
	case n > 1 || n == 1 && nested || n == 1 && c.from.Type("Extension").Element(value) == nil:
		return false
	case nested:
		return !isPrimitive(e) && e.TypeCode != "Resource" && (e.Type.Kind == definitions.BackboneType || c.datatype(x, e.TypeCode))
	case e.TypeCode == integer64:
		return value == "valueString" && c.datatype(x.Get("_valueString"), integer64) || value == valueName(integer64)
	}
	return value == valueName(e.TypeCode) && (isPrimitive(e) || x.Get(value).Kind() == document.Object)
}

// datatype reports whether an object has the extension that names a type.
func (c *conversion) datatype(v document.Value, typeCode string) bool {
	for x := range v.Get("extension").Items() {
		if x.Get("url").Is(datatypeURL) && x.Get("valueString").Is(typeCode) {
			return true
		}
	}
	return false
}

// decoded is a value of an element and what is beside it.
type decoded struct{ value, beside []byte }

// decode returns the value that an extension holds.
func (c *conversion) decode(x document.Value, e *definitions.Element) (decoded, bool) {
	if !c.hasForm(x, e) {
		return decoded{}, false
	}
	name := valueName(e.TypeCode)
	if e.TypeCode == integer64 && !x.Get(name).Exists() && !x.Get("_"+name).Exists() {
		name = "valueString"
	}
	v := x.Get(name)
	from := c.from.Type("Extension").Element(name)
	switch {
	case isPrimitive(e):
		free := *e
		free.Binding = nil // the code was as it is
		p := c.primitive(from, &free, v, x.Get("_"+name))
		if e.TypeCode == integer64 || from.TypeCode == integer64 {
			p.value = compact(v)
		}
		if name == "valueString" && e.TypeCode == integer64 {
			p.beside = unmarked(p.beside)
		}
		return decoded{p.value, p.beside}, true
	case v.Exists():
		return decoded{value: c.object(nil, v, from.Type, e.Type)}, true
	}
	return decoded{value: c.decodeParts(x, e.Type)}, true
}

// unmarked removes the mark of an integer64.
func unmarked(beside []byte) []byte {
	mark := string(extensionWith(datatypeURL, "valueString", quoted(integer64)))
	text := strings.Replace(string(beside), mark, "", 1)
	text = strings.Replace(text, `"extension":[,`, `"extension":[`, 1)
	text = strings.Replace(text, `,"extension":[]`, "", 1)
	text = strings.Replace(text, `"extension":[]`, "", 1)
	if text == "{}" || text == "" {
		return nil
	}
	return []byte(text)
}

// decodeParts returns the object whose elements are the extensions of an extension.
func (c *conversion) decodeParts(x document.Value, t *definitions.Type) []byte {
	var out members
	backbone := t.Kind == definitions.BackboneType
	if backbone {
		out.set("id", compact(x.Get("id")))
	}
	f := &frame{v: x, from: c.from.Type("Extension"), to: t, restored: map[string][]document.Value{}}
	var modifiers [][]byte
	for part := range x.Get("extension").Items() {
		url := part.Get("url").Text()
		switch {
		case url == datatypeURL && !backbone:
			continue
		case url == "id" && !backbone && part.Get("valueString").Exists():
			out.set(url, compact(part.Get("valueString")))
			continue
		}
		if inner := part.Get("extension"); url == "modifierExtension" && inner.Len() == 1 {
			modifiers = append(modifiers, c.extension(inner.Index(0)))
			continue
		}
		name := ""
		for _, e := range variants(t, url) {
			if c.decodable(part, e) && (e.Repeats() || !f.has(e)) {
				name = e.JSON
				break
			}
		}
		if name == "" {
			f.extensions = append(f.extensions, c.extension(part))
			continue
		}
		f.restored[name] = append(f.restored[name], part)
	}
	f.out = out
	c.restore(f)
	f.out.set("modifierExtension", array(modifiers))
	f.out.set("extension", array(f.extensions))
	return f.out.append(nil)
}

// restore sets the elements that extensions hold, in the order of the definition.
func (c *conversion) restore(f *frame) {
	for _, e := range f.to.Elements {
		list := f.restored[e.JSON]
		made := c.attributes.made(c, f, e)
		if len(list) == 0 && made == nil {
			continue
		}
		if f.out.has(e.JSON) || f.out.has("_"+e.JSON) {
			for _, x := range list {
				f.extensions = append(f.extensions, c.extension(x))
			}
			continue
		}
		values, beside, some, someBeside := make([][]byte, 0, len(list)), make([][]byte, 0, len(list)), false, false
		for _, x := range list {
			d, _ := c.decode(x, e)
			values, beside = append(values, d.value), append(beside, d.beside)
			some, someBeside = some || d.value != nil, someBeside || d.beside != nil
		}
		values = append(values, made...)
		switch {
		case !e.Repeats():
			f.out.set(e.JSON, values[0])
			f.out.set("_"+e.JSON, beside[0])
		default:
			if some || made != nil {
				f.out.set(e.JSON, array(orNull(values)))
			}
			if someBeside {
				f.out.set("_"+e.JSON, array(orNull(beside)))
			}
		}
	}
}

// alternative converts an extension whose value has a type that only one of the versions has, and
// reports whether it is one.
func (c *conversion) alternative(f *frame) bool {
	if f.from.Name != "Extension" {
		return false
	}
	for _, e := range f.from.Choices("value[x]") {
		if f.to.Element(e.JSON) != nil {
			continue
		}
		v, companion := f.v.Get(e.JSON), f.v.Get("_"+e.JSON)
		if !v.Exists() && !companion.Exists() {
			continue
		}
		if f.v.Get("extension").Exists() {
			c.fail(ErrStructure, f.v, "an extension has a value or extensions")
		}
		f.out.set("id", compact(f.v.Get("id")))
		f.out.set("url", compact(f.v.Get("url")))
		c.encodeValue(&f.out, e, v, companion)
		return true
	}
	for _, e := range f.to.Choices("value[x]") {
		if f.from.Element(e.JSON) != nil || !c.named(f.v, e.TypeCode) || !c.hasForm(f.v, e) {
			continue
		}
		d, _ := c.decode(f.v, e)
		f.out.set("id", compact(f.v.Get("id")))
		f.out.set("url", compact(f.v.Get("url")))
		f.out.set(e.JSON, d.value)
		f.out.set("_"+e.JSON, d.beside)
		return true
	}
	return false
}

// named reports whether an extension names the type of its value.
func (c *conversion) named(x document.Value, typeCode string) bool {
	return c.datatype(x, typeCode) || c.datatype(x.Get("_valueString"), typeCode)
}
