package r5

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// datatypeURL is the extension that names the type of a value that the version does not have.
const datatypeURL = "http://hl7.org/fhir/StructureDefinition/_datatype"

// pathOf returns the path of an element as urls of extensions have it, without [x].
func pathOf(e *definitions.Element) string { return strings.TrimSuffix(e.Path, "[x]") }

// stemOf returns the name of an element without [x].
func stemOf(e *definitions.Element) string { return strings.TrimSuffix(e.Name, "[x]") }

// valueName returns the name of value[x] for a type: valueCode.
func valueName(typeCode string) string { return "value" + strings.ToUpper(typeCode[:1]) + typeCode[1:] }

// carryAll adds an extension for each value of an element that the new version lacks.
func (c *conversion) carryAll(f *frame, e *definitions.Element, list []document.Value, companion document.Value) {
	companions := items(companion)
	for i := range max(len(list), len(companions)) {
		var v, beside document.Value
		if i < len(list) {
			v = list[i]
		}
		if i < len(companions) {
			beside = companions[i]
		}
		f.extensions = append(f.extensions, c.carry(e, v, beside))
	}
}

// carry returns the extension that holds a value of an element.
func (c *conversion) carry(e *definitions.Element, v, companion document.Value) []byte {
	if r := c.from.Type(strings.SplitN(e.Path, ".", 2)[0]); r != nil && c.from.Type(e.Path[:strings.LastIndexByte(e.Path, '.')]).Element("extension") == nil {
		c.fail(ErrNoPlace, v, "%s, because R%d lacks it and %s has no extensions", e.Path, 9-c.version(), r.Name)
		return nil
	}
	return c.encode(c.own+pathOf(e), e, v, companion)
}

// encode returns an extension with a value of the element e: as value[x] if extensions of the new
// version have one of its type, else with an extension for each of its elements.
func (c *conversion) encode(url string, e *definitions.Element, v, companion document.Value) []byte {
	var m members
	m.set("url", quoted(url))
	c.encodeValue(&m, e, v, companion)
	return m.append(nil)
}

func (c *conversion) encodeValue(m *members, e *definitions.Element, v, companion document.Value) {
	name := valueName(e.TypeCode)
	to := c.to.Type("Extension").Element(name)
	switch {
	case e.TypeCode == integer64 && to == nil:
		p := c.primitive(e, c.to.Type("Extension").Element("valueString"), v, companion)
		m.set("valueString", compact(v))
		m.set("_valueString", marked(p.beside))
	case isPrimitive(e) && to != nil:
		p := c.primitive(e, to, v, companion)
		m.set(name, p.value)
		m.set("_"+name, p.beside)
	case isPrimitive(e), e.TypeCode == "Resource":
		c.fail(ErrNoPlace, v, "%s", e.Path)
	case v.Kind() != document.Object:
		c.fail(ErrStructure, v, "%s is an object", e.Path)
	case to != nil && e.Type.Kind != definitions.BackboneType:
		m.set(name, c.object(nil, v, e.Type, to.Type))
	default:
		c.encodeParts(m, e, v)
	}
}

// marked adds the mark of an integer64 to what is beside a string.
func marked(beside []byte) []byte {
	mark := extensionWith(datatypeURL, "valueString", quoted(integer64))
	const opening = `"extension":[`
	if i := strings.Index(string(beside), opening); i >= 0 {
		return []byte(string(beside[:i]) + opening + string(mark) + "," + string(beside[i+len(opening):]))
	}
	if beside == nil {
		return []byte(`{"extension":[` + string(mark) + `]}`)
	}
	return []byte(strings.TrimSuffix(string(beside), "}") + `,"extension":[` + string(mark) + `]}`)
}

// encodeParts adds an extension for each element of an object, named without a path.
func (c *conversion) encodeParts(m *members, e *definitions.Element, v document.Value) {
	var parts [][]byte
	if e.Type.Kind != definitions.BackboneType {
		parts = append(parts, extensionWith(datatypeURL, "valueString", quoted(e.TypeCode)))
	}
	done := map[*definitions.Element]bool{}
	for member := range v.Members() {
		base := strings.TrimPrefix(member.Name(), "_")
		part := e.Type.Element(base)
		switch {
		case part == nil || base != member.Name() && !isPrimitive(part):
			c.fail(ErrUnknownElement, member, "%s has no element %q in R%d", e.Type.Name, cut(member.Name()), c.version())
		case done[part]:
		case base == "id" && e.Type.Kind == definitions.BackboneType:
			m.set("id", compact(member)) // the extension is the element
		case base == "id":
			parts = append(parts, extensionWith(base, "valueString", compact(member)))
		case base == "extension", base == "modifierExtension":
			for x := range member.Items() {
				x := c.extension(x)
				if base == "modifierExtension" {
					x = extensionWith(base, "extension", array([][]byte{x}))
				}
				parts = append(parts, x)
			}
		default:
			done[part] = true
			list, companions := items(v.Get(base)), items(v.Get("_"+base))
			for i := range max(len(list), len(companions)) {
				var value, companion document.Value
				if i < len(list) {
					value = list[i]
				}
				if i < len(companions) && isPrimitive(part) {
					companion = companions[i]
				}
				parts = append(parts, c.encode(stemOf(part), part, value, companion))
			}
		}
	}
	m.set("extension", array(parts))
}
