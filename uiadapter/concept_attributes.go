package uiadapter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/changes"
	"github.com/roget-health/roget/resources/r4"
)

// A Property is a property of a concept that names no concept, with its values.
type Property struct {
	Attribute
	Values []Attribute
}

// An AttributeGroup has attributes that belong together (the relationship groups of SNOMED CT). The
// attributes of group 0 belong to none.
type AttributeGroup struct {
	Number     int
	Attributes []Attribute
}

// An Attribute is a property of a concept with a value.
type Attribute struct {
	Code string
	// Name is what people call the property, and NameLink the address of its concept, if it is one.
	Name     Term
	NameLink string
	About    string // its description
	// Target is the concept that the value names, nil for others; Value is the text of those.
	Target *Ref
	Value  string
	// Link is an address that is the value.
	Link string
}

// attributes returns the properties of a concept: those that name concepts, by group, and others.
func (s *System) attributes(o codesystem.Ord) (groups []AttributeGroup, facts []Property) {
	add := func(group int, a Attribute) {
		if group == 0 && (a.Target == nil || s.URL == snomed && a.NameLink == "") { // attributes of SNOMED CT are concepts
			at := slices.IndexFunc(facts, func(p Property) bool { return p.Code == a.Code })
			if at < 0 {
				at = len(facts)
				facts = append(facts, Property{Attribute: a})
			}
			facts[at].Values = append(facts[at].Values, a)
			return
		}
		at := slices.IndexFunc(groups, func(g AttributeGroup) bool { return g.Number == group })
		if at < 0 {
			at = len(groups)
			groups = append(groups, AttributeGroup{Number: group})
		}
		if !slices.ContainsFunc(groups[at].Attributes, func(b Attribute) bool {
			return a.Code == b.Code && a.Value == b.Value && a.Target != nil && b.Target != nil && a.Target.Code == b.Target.Code
		}) {
			groups[at].Attributes = append(groups[at].Attributes, a)
		}
	}
	for a := range s.x.Attributes(o) {
		code := s.x.PropertyCode(a.Property)
		if changes.Relation(code) != "" {
			continue // they are told apart
		}
		value := s.x.PairValue(a.Pair)
		attribute := s.attribute(code, value)
		if value.Type != "String" {
			if target, ok := changes.Target(s.x, a.Pair); ok {
				ref := s.ref(target)
				attribute.Target = &ref
			}
		}
		add(a.Group, attribute)
	}
	for _, pack := range s.packs {
		if own, found := pack.Find(s.x.Code(o)); found {
			for p := range pack.Properties(own) {
				add(0, s.attribute(p.Code, p.Value))
			}
		}
	}
	sortBy(groups, func(a, b AttributeGroup) int { return cmp.Compare(a.Number, b.Number) })
	sortBy(facts, func(a, b Property) int { return cmp.Compare(s.place(a.Code), s.place(b.Code)) })
	return groups, facts
}

// place returns the place of a property among those that the code system declares.
func (s *System) place(code string) int {
	declared := s.x.Header().Property
	if i := slices.IndexFunc(declared, func(p r4.CodeSystemProperty) bool { return p.Code == code }); i >= 0 {
		return i
	}
	return len(declared)
}

// attribute returns a property with its name.
func (s *System) attribute(code string, value r4.Value) Attribute {
	a := Attribute{Code: code, Name: Term{Text: code}, Value: valueText(value)}
	if o, found := s.x.Find(code); found { // attributes of SNOMED CT are concepts
		ref := s.ref(o)
		a.Name = ref.Term
		a.NameLink, _ = ref.Link()
	} else if i := s.place(code); i < len(s.x.Header().Property) {
		a.About = s.x.Header().Property[i].Description
	}
	if strings.HasPrefix(a.Value, "https://") || strings.HasPrefix(a.Value, "http://") {
		a.Link = a.Value
	}
	return a
}

// valueText returns a value as people read it.
func valueText(v r4.Value) string {
	switch {
	case v.Coding != nil:
		return codingText(v.Coding)
	case v.Concept != nil:
		texts := []string{v.Concept.Text}
		for i := range v.Concept.Coding {
			texts = append(texts, codingText(&v.Concept.Coding[i]))
		}
		return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), ", ")
	case v.Text != "":
		return v.Text
	}
	return string(v.Raw)
}

func codingText(c *r4.Coding) string {
	if c.Display == "" {
		return c.Code
	}
	return c.Display + " (" + c.Code + ")"
}
