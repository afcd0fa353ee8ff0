package expression

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// NormalForm returns the expression with the most specific primitive concepts above it as focus, and
// all attributes that it and they state, in an order that does not depend on how it was written.
// Attributes that are alone in a group are written without braces. terms adds the terms of concepts.
func (n *Meaning) NormalForm(terms bool) string {
	status := "=== "
	if n.primitive {
		status = "<<< "
	}
	return status + n.normal(terms)
}

func (n *Meaning) normal(terms bool) string {
	m := n.model
	var primitives []codesystem.Ord
	for o := range n.above {
		if !m.defined.Contains(o) {
			primitives = append(primitives, o)
		}
	}
	var focus, single, groups []string
	for _, o := range primitives {
		if !slices.ContainsFunc(primitives, func(p codesystem.Ord) bool { return m.x.IsAncestor(o, p) }) {
			focus = append(focus, m.name(o, terms))
		}
	}
	for _, g := range n.groups {
		var list []string
		for _, a := range g {
			list = append(list, m.name(a.Name, terms)+" = "+m.value(&a.Value, terms))
		}
		slices.Sort(list)
		if len(list) == 1 {
			single = append(single, list[0])
			continue
		}
		groups = append(groups, "{ "+strings.Join(list, ", ")+" }")
	}
	for _, list := range [][]string{focus, single, groups} {
		slices.Sort(list)
	}
	out := strings.Join(focus, " + ")
	if len(n.groups) > 0 {
		out += " : " + strings.Join(slices.Concat(single, groups), ", ")
	}
	return out
}

// name returns the code of a concept, with its term if there are terms.
func (m *Model) name(o codesystem.Ord, terms bool) string {
	if term := strings.ReplaceAll(m.x.Display(o), "|", " "); terms && term != "" {
		return m.x.Code(o) + " |" + term + "|"
	}
	return m.x.Code(o)
}

func (m *Model) value(v *Value, terms bool) string {
	switch {
	case v.Literal != nil:
		return literal(v.Literal)
	case v.Nested != nil:
		return "( " + v.Nested.normal(terms) + " )"
	}
	return m.name(v.Concept, terms)
}

// literal writes a literal as the grammar does, equal ones alike.
func literal(v *r4.Value) string {
	switch v.Type {
	case "Decimal", "Integer":
		return "#" + plain(v.Text)
	case "Boolean":
		return v.Text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.Text) + `"`
}

// Display composes a display of the terms of concepts, in the order in which the expression was
// written: those of the expression if own, or else those that term returns.
func (e *Expression) Display(own bool, term func(code string) string) string {
	w := writer{own: own, term: term}
	w.sub(&e.sub)
	return w.String()
}

type writer struct {
	strings.Builder
	own  bool
	term func(code string) string
}

func (w *writer) name(r *Reference) {
	text := r.Term
	if !w.own || text == "" {
		text = w.term(r.Code)
	}
	if text == "" {
		text = r.Code
	}
	w.WriteString(text)
}

func (w *writer) sub(s *sub) {
	for i := range s.focus {
		if i > 0 {
			w.WriteString(" + ")
		}
		w.name(&s.focus[i])
	}
	for i := range s.groups {
		w.WriteString([]string{" : ", ", "}[min(i, 1)])
		if s.groups[i].braced {
			w.WriteString("{ ")
		}
		for j := range s.groups[i].attributes {
			if j > 0 {
				w.WriteString(", ")
			}
			a := &s.groups[i].attributes[j]
			w.name(&a.name)
			w.WriteString(" = ")
			switch {
			case a.value.concept != nil:
				w.name(a.value.concept)
			case a.value.nested != nil:
				w.WriteString("( ")
				w.sub(a.value.nested)
				w.WriteString(" )")
			default:
				w.WriteString(strings.TrimPrefix(literal(a.value.literal), "#"))
			}
		}
		if s.groups[i].braced {
			w.WriteString(" }")
		}
	}
}
