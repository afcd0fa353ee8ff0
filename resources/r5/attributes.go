package r5

import (
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// attributes are the attributes that the mappings of a ConceptMap depend on or produce. R5 declares
// them with a code and a uri (ConceptMap.additionalAttribute); R4 has only the uri.
type attributes struct {
	uris, codes map[string]string // by code, by uri
	fresh       [][]byte          // declarations for properties of R4 that have none
}

const attributeURL = prefixR5 + "ConceptMap.additionalAttribute"

// read reads the declarations of a ConceptMap. For R4, it also declares the properties without one.
func (a *attributes) read(c *conversion, v document.Value) {
	a.uris, a.codes = map[string]string{}, map[string]string{}
	if c.toR4 {
		for declared := range v.Get("additionalAttribute").Items() {
			a.declare(declared.Get("code").Text(), declared.Get("uri").Text())
		}
		return
	}
	for x := range v.Get("extension").Items() {
		if !x.Get("url").Is(attributeURL) {
			continue
		}
		var code, uri string
		for part := range x.Get("extension").Items() {
			switch {
			case part.Get("url").Is("code"):
				code = part.Get("valueCode").Text()
			case part.Get("url").Is("uri"):
				uri = part.Get("valueUri").Text()
			}
		}
		a.declare(code, uri)
	}
	for group := range v.Get("group").Items() {
		for element := range group.Get("element").Items() {
			for target := range element.Get("target").Items() {
				for _, list := range [...]string{"dependsOn", "product"} {
					for d := range target.Get(list).Items() {
						a.invent(d)
					}
				}
			}
		}
	}
}

// declare adds an attribute. Without a uri, the code stands for it.
func (a *attributes) declare(code, uri string) {
	if code == "" {
		return
	}
	if uri == "" {
		uri = code
	}
	if _, found := a.uris[code]; !found {
		a.uris[code] = uri
	}
	if _, found := a.codes[uri]; !found {
		a.codes[uri] = code
	}
}

// invent declares the property of a dependency of R4 under a code made from the end of its uri.
func (a *attributes) invent(d document.Value) {
	uri := d.Get("property").Text()
	for x := range d.Get("extension").Items() {
		if x.Get("url").Is(prefixR5 + "ConceptMap.group.element.target.dependsOn.attribute") {
			return
		}
	}
	if uri == "" || a.codes[uri] != "" {
		return
	}
	code := strings.TrimRight(uri, "/#:")
	if i := strings.LastIndexAny(code, "/#:"); i >= 0 {
		code = code[i+1:]
	}
	if code == "" {
		code = "attribute"
	}
	base := code
	for n := 2; a.uris[code] != ""; n++ {
		code = base + "-" + strconv.Itoa(n)
	}
	a.declare(code, uri)
	typ := "string"
	if d.Get("system").Exists() {
		typ = "Coding"
	}
	var m members
	m.set("code", quoted(code))
	m.set("uri", quoted(uri))
	m.set("type", quoted(typ))
	a.fresh = append(a.fresh, m.append(nil))
}

// made returns the declarations to add to an element.
func (a *attributes) made(c *conversion, f *frame, e *definitions.Element) [][]byte {
	if c.toR4 || f.to.Name != "ConceptMap" || e.JSON != "additionalAttribute" {
		return nil
	}
	return a.fresh
}

// uri returns the uri of a code, which is the code itself if it is not declared.
func (a *attributes) uri(code string) string {
	if uri := a.uris[code]; uri != "" {
		return uri
	}
	return code
}

// code returns the code of a uri, "" if it is not declared.
func (a *attributes) code(uri string) string { return a.codes[uri] }
