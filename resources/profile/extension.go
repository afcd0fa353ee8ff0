package profile

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/validate"
)

// extension checks an extension whose definition is known: what it contains, and where it is used.
func (w *walk) extension(p *place) {
	url := p.value.Get("url").Text()
	if !strings.Contains(url, ":") || p.up == nil {
		return // a part of another extension
	}
	d, err := w.lookup(url)
	if err != nil {
		return // extensions need no definition
	}
	if d.typ.Name != "Extension" {
		w.report(validate.Error, validate.CodeStructure, p, "", nil, "the url %.300s is not that of an extension, but of a profile of %s", url, d.typ.Name)
		return
	}
	w.conform(p, d)
	modifies := p.element.Name == "modifierExtension"
	switch {
	case modifies && !d.root.modifier:
		w.report(validate.Error, validate.CodeStructure, p, "", nil, "the extension %.300s does not modify the meaning of others: it belongs into extension", url)
	case !modifies && d.root.modifier:
		w.report(validate.Error, validate.CodeStructure, p, "", nil, "the extension %.300s modifies the meaning of others: it belongs into modifierExtension", url)
	}
	if len(d.context) == 0 {
		return
	}
	var allowed []string
	for _, c := range d.context {
		yes, err := w.allows(c, p)
		if err != nil {
			w.report(validate.Warning, codeUnable, p, "", nil, "where the extension %.300s may be used is not checked: %v", url, err)
			return
		}
		if yes {
			return
		}
		allowed = append(allowed, c.expression)
	}
	w.report(validate.Error, validate.CodeStructure, p, "", nil, "the extension %.300s may not be used here, only in %s", url, strings.Join(allowed, ", "))
}

// allows reports whether an extension may be used at a place.
func (w *walk) allows(c extensionContext, p *place) (bool, error) {
	switch c.kind {
	case "element":
		return w.isElement(p.up, c.expression), nil
	case "extension":
		return p.up.typ.Name == "Extension" && p.up.value.Get("url").Is(c.expression), nil
	case "fhirpath":
		return w.selects(c.expression, p)
	}
	return false, fmt.Errorf("the kind of context %.50q is not known", c.kind)
}

// isElement reports whether a place is the element with an id such as Patient.contact,
// HumanName.family or Observation.value[x]: the path from a type around it. Everything is an
// Element, as the definitions of HL7 mean it: also a resource.
func (w *walk) isElement(p *place, id string) bool {
	if id == "Element" {
		return true
	}
	path := ""
	for at := p; at != nil; at = at.up {
		for t := at.typ; t != nil; t = w.c.tables.Type(t.Base) {
			if t.Name+path == id {
				return true
			}
		}
		if at.element == nil || len(path) > len(id) {
			return false
		}
		path = "." + at.element.Name + path
	}
	return false
}

// selects reports whether an expression on the resource selects the element with an extension.
func (w *walk) selects(text string, p *place) (bool, error) {
	e, err := fhirpath.Compile(text)
	if err != nil {
		return false, err
	}
	w.enter(p)
	w.items, err = w.scope.Evaluate(w.items[:0], e, w.scope.Root())
	for _, item := range w.items {
		if item.Value == p.up.value {
			return true, err
		}
	}
	return false, err
}
