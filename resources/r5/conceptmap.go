package r5

import (
	"net/url"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// renames are elements that have another name in R4, by type: R5, then R4.
var renames = map[string][][2]string{
	"ConceptMap": {
		{"sourceScopeUri", "sourceUri"},
		{"sourceScopeCanonical", "sourceCanonical"},
		{"targetScopeUri", "targetUri"},
		{"targetScopeCanonical", "targetCanonical"},
	},
	"ConceptMap.group.element.target": {{"relationship", "equivalence"}},
	"ConceptMap.group.unmapped":       {{"otherMap", "url"}},
}

// renamed returns the JSON name of an element of the old version in the new one.
func (c *conversion) renamed(e *definitions.Element) string { return rename(e, c.toR4) }

// renamedFrom returns the JSON name of an element of the new version in the old one.
func (c *conversion) renamedFrom(e *definitions.Element) string { return rename(e, !c.toR4) }

func rename(e *definitions.Element, toR4 bool) string {
	for _, pair := range renames[e.Path[:strings.LastIndexByte(e.Path, '.')]] {
		from, to := pair[0], pair[1]
		if !toR4 {
			from, to = to, from
		}
		if e.JSON == from {
			return to
		}
	}
	return e.JSON
}

// codes are codes that have another name in R4, by path: R5, then R4.
var codes = map[string][][2]string{
	"ConceptMap.group.unmapped.mode":     {{"use-source-code", "provided"}},
	"TerminologyCapabilities.codeSearch": {{"in-compose", "explicit"}, {"in-compose-or-expansion", "all"}},
}

// relationships are the relationships of R5 by the equivalence of R4, which is seen from the target.
// The first equivalence of a relationship is the one that it becomes in R4.
var relationships = [...]struct{ equivalence, relationship string }{
	{"relatedto", "related-to"},
	{"equivalent", "equivalent"},
	{"wider", "source-is-narrower-than-target"},
	{"narrower", "source-is-broader-than-target"},
	{"disjoint", "not-related-to"},
	{"equal", "equivalent"},
	{"subsumes", "source-is-narrower-than-target"},
	{"specializes", "source-is-broader-than-target"},
	{"inexact", "related-to"},
	{"unmatched", "not-related-to"},
}

// Relationship returns the relationship of R5 for an equivalence of R4, or "" for an unknown one.
// Several equivalences have the same relationship.
func Relationship(equivalence string) string {
	for _, r := range relationships {
		if r.equivalence == equivalence {
			return r.relationship
		}
	}
	return ""
}

// Equivalence returns the equivalence of R4 for a relationship of R5, or "" for an unknown one.
func Equivalence(relationship string) string {
	for _, r := range relationships {
		if r.relationship == relationship {
			return r.equivalence
		}
	}
	return ""
}

// equivalenceURL is the extension of a relationship with the equivalence that it came from. HL7's
// converter writes it too.
const equivalenceURL = "http://hl7.org/fhir/1.0/StructureDefinition/extension-ConceptMap.element.target.equivalence"

// mapped converts codes that have another name in the new version.
func (c *conversion) mapped(e, to *definitions.Element, v document.Value, p *primitive, extensions *[][]byte) bool {
	code := v.Text()
	switch {
	case e.JSON == "relationship" && to.JSON == "equivalence":
		if text := Equivalence(code); text != "" {
			p.value = quoted(text)
		}
		return true
	case e.JSON == "equivalence" && to.JSON == "relationship":
		text := Relationship(code)
		if text == "" {
			return true
		}
		p.value = quoted(text)
		if Equivalence(text) != code {
			*extensions = append(*extensions, extensionWith(equivalenceURL, "valueCode", v.Raw()))
		}
		return true
	}
	for _, pair := range codes[e.Path] {
		from, other := pair[0], pair[1]
		if !c.toR4 {
			from, other = other, from
		}
		if code == from {
			p.value = quoted(other)
			return true
		}
	}
	return false
}

// former returns the equivalence that an extension of a relationship holds, if it says more than the
// relationship.
func former(e *definitions.Element, v, x document.Value) (equivalence string, ok bool) {
	code := x.Get("valueCode").Text()
	if e.JSON != "relationship" || !x.Get("url").Is(equivalenceURL) || x.Len() != 2 {
		return "", false
	}
	relationship := Relationship(code)
	return code, relationship != "" && relationship == v.Text() && Equivalence(relationship) != code
}

// special converts the elements of ConceptMap that have no counterpart of their own.
func (c *conversion) special(f *frame) {
	switch f.from.Name {
	case "ConceptMap.group":
		c.groupSystem(f, "source")
		c.groupSystem(f, "target")
	case "ConceptMap.group.element":
		c.noMap(f)
	case "ConceptMap.group.element.target.dependsOn":
		if c.toR4 {
			c.dependsOnToR4(f)
		} else {
			c.dependsOnFromR4(f)
		}
	}
}

// groupSystem converts source or target of a group: a canonical in R5, a uri and a version in R4.
func (c *conversion) groupSystem(f *frame, side string) {
	system, version := f.v.Get(side), f.v.Get(side+"Version")
	if system.Kind() != document.String {
		return
	}
	e, to := f.from.Element(side), f.to.Element(side)
	text := system.Text()
	if c.toR4 {
		i := strings.IndexByte(text, '|')
		if i <= 0 || i == len(text)-1 {
			return
		}
		f.out.set(side, quoted(text[:i]))
		f.out.set(side+"Version", quoted(text[i+1:]))
	} else {
		if version.Kind() != document.String || version.Text() == "" || text == "" || hasSpace(version.Text()) || f.v.Get("_"+side+"Version").Exists() {
			return
		}
		f.out.set(side, quoted(text+"|"+version.Text()))
		f.done[f.from.Element(side+"Version")] = true
	}
	f.done[e] = true
	p := c.primitive(e, to, document.Value{}, f.v.Get("_"+side))
	f.out.set("_"+side, p.beside)
}

// noMapComment is the extension of an element without a mapping with the comment that its target has
// in R4. HL7's converter writes it too.
const noMapComment = prefixR4 + "ConceptMap.group.element.target.comment"

// noMap converts an element without a mapping: noMap in R5, a target with the equivalence unmatched
// in R4.
func (c *conversion) noMap(f *frame) {
	target := f.v.Get("target")
	if c.toR4 {
		if f.v.Get("noMap").Text() != "true" || f.v.Get("noMap").Kind() != document.Bool || f.v.Get("_noMap").Exists() || target.Exists() {
			return
		}
		f.done[f.from.Element("noMap")] = true
		var only members
		only.set("equivalence", []byte(`"unmatched"`))
		if i, comment := c.commentAt(f); comment.Exists() {
			only.set("comment", compact(comment))
			f.extensions = append(f.extensions[:i:i], f.extensions[i+1:]...)
		}
		f.out.set("target", array([][]byte{only.append(nil)}))
		return
	}
	only := target.Index(0)
	comment := only.Get("comment")
	want := 1
	if comment.Kind() == document.String {
		want = 2
	}
	if target.Len() != 1 || only.Len() != want || !only.Get("equivalence").Is("unmatched") || f.restored["noMap"] != nil {
		return
	}
	f.done[f.from.Element("target")] = true
	f.out.set("noMap", []byte("true"))
	if want == 2 {
		f.extensions = append(f.extensions, extensionWith(noMapComment, "valueString", compact(comment)))
	}
}

// commentAt returns the comment in the extensions of an element and its index, if there is exactly
// one and nothing but a comment. It must be called before other extensions are added.
func (c *conversion) commentAt(f *frame) (index int, comment document.Value) {
	i := 0
	for x := range f.v.Get("extension").Items() {
		if x.Get("url").Is(noMapComment) && x.Len() == 2 && x.Get("valueString").Kind() == document.String {
			if comment.Exists() {
				return 0, document.Value{}
			}
			index, comment = i, x.Get("valueString")
		}
		if _, held := c.holds(&frame{v: f.v, from: f.from, to: f.to}, x); !held {
			i++
		}
	}
	if index != len(f.extensions)-1 { // it would be the last after a conversion back
		return 0, document.Value{}
	}
	return index, comment
}

// notApplicable is what is beside a required value of R4 that R5 does not have.
const notApplicable = `{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"not-applicable"}]}`

// dependsOnToR4 converts a dependency or product. Its attribute is a code in R5 and a uri in R4. Its
// value is a choice in R5, and a string with an optional system and display in R4.
func (c *conversion) dependsOnToR4(f *frame) {
	e := f.from.Element("attribute")
	if attribute := f.v.Get("attribute"); attribute.Kind() == document.String {
		code := attribute.Text()
		property := c.attributes.uri(code)
		if hasSpace(property) {
			property = url.PathEscape(property)
		}
		f.out.set("property", quoted(property))
		if c.attributes.code(property) == code && !f.v.Get("_attribute").Exists() {
			f.done[e] = true
		}
	}
	for _, variant := range f.from.Choices("value[x]") {
		v := f.v.Get(variant.JSON)
		if !v.Exists() {
			continue
		}
		beside := f.v.Get("_" + variant.JSON).Exists()
		switch {
		case variant.TypeCode == "string" && !beside:
			f.done[variant] = true
			f.out.set("value", compact(v))
		case variant.TypeCode == "Coding" && isPlainCoding(v):
			f.done[variant] = true
			f.out.set("system", compact(v.Get("system")))
			f.out.set("value", compact(v.Get("code")))
			f.out.set("display", compact(v.Get("display")))
		case v.Kind() == document.Object && v.Get("code").Kind() == document.String:
			f.out.set("value", compact(v.Get("code")))
		case v.Text() != "":
			f.out.set("value", quoted(v.Text()))
		}
		break
	}
	if !f.out.has("value") {
		f.out.set("_value", []byte(notApplicable))
	}
}

// hasSpace reports whether a text has white space, which a uri and a canonical must not have.
func hasSpace(s string) bool { return strings.ContainsAny(s, " \t\r\n") }

// isPlainCoding reports whether a Coding has a system and a code and nothing else but a display.
func isPlainCoding(v document.Value) bool {
	n := 2
	if v.Get("display").Kind() == document.String {
		n = 3
	}
	return v.Len() == n && v.Get("system").Kind() == document.String && v.Get("code").Kind() == document.String
}

// dependsOnFromR4 is the inverse of dependsOnToR4.
func (c *conversion) dependsOnFromR4(f *frame) {
	property := f.from.Element("property")
	f.done[property] = true
	if f.restored["attribute"] == nil {
		p := c.primitive(property, f.to.Element("attribute"), f.v.Get("property"), f.v.Get("_property"))
		if v := f.v.Get("property"); v.Kind() == document.String {
			p.value = quoted(c.attributes.code(v.Text()))
		}
		f.out.set("attribute", p.value)
		f.out.set("_attribute", p.beside)
	}
	value := f.from.Element("value")
	for _, variant := range f.to.Choices("value[x]") {
		if f.restored[variant.JSON] != nil {
			f.done[value], f.done[f.from.Element("system")], f.done[f.from.Element("display")] = true, true, true
			return
		}
	}
	if !f.v.Get("value").Exists() && string(f.v.Get("_value").Raw()) == notApplicable {
		f.done[value] = true
		return
	}
	f.done[value] = true
	if !f.v.Get("system").Exists() {
		p := c.primitive(value, f.to.Element("valueString"), f.v.Get("value"), f.v.Get("_value"))
		f.out.set("valueString", p.value)
		f.out.set("_valueString", p.beside)
		return
	}
	f.done[f.from.Element("system")], f.done[f.from.Element("display")] = true, true
	coding := c.to.Type("Coding")
	var m members
	for _, pair := range [...][2]string{{"system", "system"}, {"value", "code"}, {"display", "display"}} {
		p := c.primitive(f.from.Element(pair[0]), coding.Element(pair[1]), f.v.Get(pair[0]), f.v.Get("_"+pair[0]))
		m.set(pair[1], p.value)
		m.set("_"+pair[1], p.beside)
	}
	f.out.set("valueCoding", m.append(nil))
}
