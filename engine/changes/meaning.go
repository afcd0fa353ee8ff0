package changes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
)

// A side is a version of a code system, and which of its properties and designations state what a
// concept means.
type side struct {
	*codesystem.Index
	props []bool // by number
	kinds []bool // of designations, by number
}

// Uses of designations that define: the fully specified name and the text definition of SNOMED CT.
const (
	usageFSN        = "900000000000003001"
	usageDefinition = "900000000000550004"
)

func newSide(x *codesystem.Index) *side {
	s := &side{Index: x}
	for _, code := range x.PropertyNames() {
		s.props = append(s.props, !slices.Contains(administrative(), code) && Relation(code) == "")
	}
	for _, k := range x.DesignationKinds() {
		s.kinds = append(s.kinds, !k.Inactive && k.Use != nil && (k.Use.Code == usageFSN || k.Use.Code == usageDefinition))
	}
	return s
}

// administrative returns the properties that say nothing about what a concept means, or are compared
// as the hierarchy and the status.
func administrative() []string {
	return []string{
		"parent", "child", "subsumedBy", "status", "inactive", "deprecated", "deprecationDate", "retired", "retirementDate",
		"notSelectable", "not-selectable", "abstract", "effectiveTime", "moduleId",
	}
}

// meaning returns the definition of a concept, with the designations that define it.
func (s *side) meaning(o codesystem.Ord) string {
	texts := []string{}
	for i, end := s.DesignationRange(o); i < end; i++ {
		if s.kinds[s.DesignationKindNumber(i)] {
			texts = append(texts, s.Designation(i).Value)
		}
	}
	if d := s.Definition(o); d != "" {
		texts = append(texts, d)
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), " | ")
}

// properties returns the properties of a concept that state what it means, in order.
func (s *side) properties(o codesystem.Ord) []string {
	var plain []string
	groups := map[int][]string(nil)
	for a := range s.Attributes(o) {
		if !s.props[a.Property] {
			continue
		}
		v := s.PairValue(a.Pair)
		text := s.PropertyCode(a.Property) + "=" + v.Text + string(v.Raw)
		if v.Coding != nil {
			text += cmp.Or(v.Coding.Code, v.Coding.Display)
		}
		if a.Group == 0 {
			plain = append(plain, text)
			continue
		}
		if groups == nil {
			groups = map[int][]string{}
		}
		groups[a.Group] = append(groups[a.Group], text)
	}
	for _, g := range groups {
		slices.Sort(g)
		plain = append(plain, "{"+strings.Join(g, ", ")+"}")
	}
	slices.Sort(plain)
	return plain
}
