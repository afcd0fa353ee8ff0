package main

import (
	"fmt"
	"slices"
	"strings"
)

// structure is the part of a StructureDefinition that is read.
type structure struct {
	Name       string `json:"type"`
	Kind       string `json:"kind"`
	Derivation string `json:"derivation"`
	Base       string `json:"baseDefinition"`
	Abstract   bool   `json:"abstract"`
	Snapshot   struct {
		Element []element `json:"element"`
	} `json:"snapshot"`
	Differential struct {
		Element []struct {
			Path       string       `json:"path"`
			Constraint []constraint `json:"constraint"`
		} `json:"element"`
	} `json:"differential"`
}

// constraint is a rule that R4 writes as FHIRPath.
type constraint struct {
	Key        string `json:"key"`
	Severity   string `json:"severity"`
	Human      string `json:"human"`
	Expression string `json:"expression"`
}

type element struct {
	Path     string `json:"path"`
	Min      int    `json:"min"`
	Max      string `json:"max"`
	Base     struct{ Path string }
	Type     []elementType `json:"type"`
	Content  string        `json:"contentReference"`
	Summary  bool          `json:"isSummary"`
	Modifier bool          `json:"isModifier"`
	Binding  struct {
		Strength string `json:"strength"`
		ValueSet string `json:"valueSet"`
	} `json:"binding"`
}

type elementType struct {
	Code   string   `json:"code"`
	Target []string `json:"targetProfile"`
}

const structureURL = "http://hl7.org/fhir/StructureDefinition/"

// kinds are the letters that package definitions reads.
var kinds = map[string]string{"primitive-type": "P", "complex-type": "C", "resource": "R"}

// isType reports whether a definition is one of a type rather than of a profile or logical model.
func (s *structure) isType() bool { return s.Derivation != "constraint" && kinds[s.Kind] != "" }

// writeTypes writes the types: a line for the type, followed by one for each element that it does
// not inherit. Elements with nested elements are types named by their path, which follow. Values of
// primitive types are omitted.
func (w *writer) writeTypes(all []*structure) error {
	var open string // the types of an open choice
	for _, s := range all {
		for _, e := range s.Snapshot.Element {
			if e.Path == "Extension.value[x]" {
				open = typeCodes(&e)
			}
		}
	}
	for _, s := range all {
		own := map[string][]*element{}
		var names []string
		base := map[string]string{}
		for i := range s.Snapshot.Element {
			e := &s.Snapshot.Element[i]
			parent, _, isElement := cutLast(e.Path)
			if !isElement {
				continue
			}
			if own[parent] == nil && !slices.Contains(names, parent) {
				names = append(names, parent)
			}
			if s.Kind == "primitive-type" && strings.HasSuffix(e.Path, ".value") {
				continue
			}
			if e.Base.Path == e.Path || e.Max == "0" { // 0 prohibits an element of the base
				own[parent] = append(own[parent], e)
			}
			if len(e.Type) == 1 {
				base[e.Path] = e.Type[0].Code
			}
		}
		for _, name := range names {
			kind, from := "B", base[name]
			if name == s.Name {
				kind, from = kinds[s.Kind], strings.TrimPrefix(s.Base, structureURL)
			}
			if s.Abstract && name == s.Name {
				kind = strings.ToLower(kind)
			}
			w.line("T"+kind, name, from)
			for _, e := range own[name] {
				types := typeCodes(e)
				if types == open && e.Path != "Extension.value[x]" {
					types = "*"
				}
				if slices.Contains(names, e.Path) {
					types = "@" + types
				}
				card, err := cardinality(e)
				if err != nil {
					return err
				}
				_, last, _ := cutLast(e.Path)
				w.line(last, types, card, w.binding(e))
			}
		}
	}
	return nil
}

// writeConstraints writes the constraints that types add to those of their bases: key, severity, path,
// expression and text.
func (w *writer) writeConstraints(all []*structure) {
	w.line("I")
	for _, s := range all {
		for _, e := range s.Differential.Element {
			for _, c := range e.Constraint {
				w.line(c.Key, c.Severity[:1], e.Path, strings.Join(strings.Fields(c.Expression), " "), strings.Join(strings.Fields(c.Human), " "))
			}
		}
	}
}

// cardinality returns ? 1 * + 0, with letters for other facts of the element, or an error for other
// bounds.
func cardinality(e *element) (string, error) {
	signs := map[string]string{"0..1": "?", "1..1": "1", "0..*": "*", "1..*": "+", "0..0": "0"}
	sign := signs[fmt.Sprintf("%d..%s", e.Min, e.Max)]
	if sign == "" {
		return "", fmt.Errorf("%s: cardinality %d..%s", e.Path, e.Min, e.Max)
	}
	if e.Summary {
		sign += "s"
	}
	if e.Modifier {
		sign += "m"
	}
	return sign, nil
}

// typeCodes returns the types of an element: "string", "Reference(Group|Patient),uri", or
// "#Questionnaire.item" for content defined elsewhere.
func typeCodes(e *element) string {
	if e.Content != "" {
		return e.Content
	}
	var list []string
	for _, t := range e.Type {
		code := t.Code
		switch {
		case e.Path == "Resource.id":
			code = "id"
		case code == "http://hl7.org/fhirpath/System.String":
			code = "string"
		}
		var targets []string
		for _, target := range t.Target {
			if name := strings.TrimPrefix(target, structureURL); name != "Resource" {
				targets = append(targets, name)
			}
		}
		if targets != nil {
			code += "(" + strings.Join(targets, "|") + ")"
		}
		list = append(list, code)
	}
	return strings.Join(list, ",")
}

// cutLast cuts a path at its last full stop.
func cutLast(path string) (parent, name string, found bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}
