package expression

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// place finds what subsumes an expression. A concept that its attributes define subsumes it if its
// parents do and each of its groups is implied by one of the expression; the children of each one
// found are candidates too.
func (m *Model) place(n *Meaning) {
	n.above = map[codesystem.Ord]bool{}
	n.groups = slices.Clone(n.written)
	for _, f := range n.focus {
		n.above[f] = true
		for _, a := range m.x.Ancestors(f) {
			n.above[a] = true
		}
		n.groups = m.groupsOf(n.groups, f)
	}
	n.groups = m.withoutImplied(n.groups)
	queue := slices.Collect(maps.Keys(n.above))
	given := len(queue)
	var buffer []Group
	for i := 0; i < len(queue); i++ {
		for _, d := range m.x.Children(queue[i]) {
			if !m.defined.Contains(d) || n.above[d] {
				continue
			}
			parents := m.x.Parents(d)
			if i < given && parents[0] != queue[i] || slices.ContainsFunc(parents, func(p codesystem.Ord) bool { return !n.above[p] }) {
				continue
			}
			buffer = m.groupsOf(buffer[:0], d)
			if len(buffer) == 0 && len(parents) < 2 {
				continue // it has no definition in these relationships
			}
			if m.implies(n.groups, buffer) {
				n.above[d] = true
				queue = append(queue, d)
			}
		}
	}
	n.parents = m.lowest(n.above)
	n.same = noConcept
	for i := 0; i < len(n.parents) && n.same == noConcept && !n.primitive; i++ { // one, in a classified edition
		if n.Subsumes(m.Of(n.parents[i])) {
			n.same = n.parents[i]
		}
	}
	n.text = n.NormalForm(false)
}

// lowest returns the concepts of an upward closed set that are above no other of it, ascending.
func (m *Model) lowest(set map[codesystem.Ord]bool) (low []codesystem.Ord) {
	upper := map[codesystem.Ord]bool{}
	for o := range set {
		for _, p := range m.x.Parents(o) {
			upper[p] = true
		}
	}
	for o := range set {
		if !upper[o] {
			low = append(low, o)
		}
	}
	slices.Sort(low)
	return low
}

// withoutImplied returns the groups that no other one implies, and within them the attributes.
func (m *Model) withoutImplied(all []Group) []Group {
	kept := make([]Group, 0, len(all))
	for i, g := range all {
		for j := 0; j < len(g); j++ {
			if slices.ContainsFunc(without(g, j), func(a Attribute) bool { return m.attributeAbove(&g[j], &a) }) {
				g = without(g, j)
				j--
			}
		}
		all[i] = g
	}
	for i, g := range all {
		implied := slices.ContainsFunc(kept, func(k Group) bool { return m.groupAbove(g, k) }) ||
			slices.ContainsFunc(all[i+1:], func(k Group) bool { return m.groupAbove(g, k) && !m.groupAbove(k, g) })
		if !implied {
			kept = append(kept, g)
		}
	}
	return kept
}

func without(g Group, i int) Group { return append(slices.Clone(g[:i]), g[i+1:]...) }

// implies reports whether each of some groups is implied by one of given.
func (m *Model) implies(given, groups []Group) bool {
	for _, g := range groups {
		if !slices.ContainsFunc(given, func(k Group) bool { return m.groupAbove(g, k) }) {
			return false
		}
	}
	return true
}

// groupAbove reports whether group b implies group a.
func (m *Model) groupAbove(a, b Group) bool {
	for i := range a {
		if !slices.ContainsFunc(b, func(in Attribute) bool { return m.attributeAbove(&a[i], &in) }) {
			return false
		}
	}
	return true
}

func (m *Model) attributeAbove(a, b *Attribute) bool {
	return (a.Name == b.Name || m.x.IsAncestor(a.Name, b.Name)) && m.valueAbove(&a.Value, &b.Value)
}

func (m *Model) valueAbove(a, b *Value) bool {
	switch {
	case a.Literal != nil || b.Literal != nil:
		return a.Literal != nil && b.Literal != nil && sameLiteral(a.Literal, b.Literal)
	case a.Nested == nil && b.Nested == nil:
		return a.Concept == b.Concept || m.x.IsAncestor(a.Concept, b.Concept)
	case a.Nested == nil:
		return b.Nested.above[a.Concept]
	case b.Nested == nil:
		return a.Nested.Subsumes(m.Of(b.Concept))
	}
	return a.Nested.Subsumes(b.Nested)
}

// sameLiteral compares literals, numbers by their value.
func sameLiteral(a, b *r4.Value) bool {
	numeric := func(v *r4.Value) bool { return v.Type == "Decimal" || v.Type == "Integer" }
	if numeric(a) && numeric(b) {
		return plain(a.Text) == plain(b.Text)
	}
	return a.Type == b.Type && a.Text == b.Text
}

// plain returns a number without a sign of plus and zeros that say nothing.
func plain(number string) string {
	number = strings.TrimPrefix(number, "+")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	if number == "-0" {
		return "0"
	}
	return number
}

// Subsumes reports whether a meaning is the same as another one or above it. An expression after
// <<< is above itself only: more than its text defines it.
func (n *Meaning) Subsumes(other *Meaning) bool {
	switch {
	case n == other || n.text != "" && n.text == other.text:
		return true
	case n.same != noConcept:
		return other.above[n.same]
	case n.primitive:
		return false
	}
	for _, f := range n.focus {
		if !other.above[f] {
			return false
		}
	}
	return n.model.implies(other.groups, n.written)
}

// Covers returns the concepts of the edition that an expression subsumes. Errors: that of ctx.
func (n *Meaning) Covers(ctx context.Context) (*roaring.Bitmap, error) {
	set := roaring.New()
	if n.primitive {
		return set, nil
	}
	among := n.model.x.Descendants(n.focus[0]).Iterator()
	for i := 1; among.HasNext(); i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if o := among.Next(); n.Subsumes(n.model.Of(o)) {
			set.Add(o)
		}
	}
	if n.same != noConcept {
		set.Add(n.same)
	}
	return set, nil
}

// Parents returns the most specific concepts that subsume the expression, ascending: the equivalent
// one if there is one.
func (n *Meaning) Parents() []codesystem.Ord { return n.parents }

// Above returns all concepts that subsume the expression, ascending, with the equivalent one.
func (n *Meaning) Above() []codesystem.Ord { return slices.Sorted(maps.Keys(n.above)) }

// Below reports whether a concept subsumes the expression.
func (n *Meaning) Below(o codesystem.Ord) bool { return n.above[o] }

// Same returns the concept of the edition that means the same, if there is one.
func (n *Meaning) Same() (codesystem.Ord, bool) { return n.same, n.same != noConcept }

// Focus returns the focus concepts as written.
func (n *Meaning) Focus() []codesystem.Ord { return n.focus }

// Groups returns the groups of attributes, with those of the focus concepts.
func (n *Meaning) Groups() []Group { return n.groups }

// Primitive reports whether more than its text defines the expression: it begins with <<<.
func (n *Meaning) Primitive() bool { return n.primitive }

// Model returns the model that the meaning belongs to.
func (n *Meaning) Model() *Model { return n.model }

// Edition returns the index of the edition.
func (m *Model) Edition() *codesystem.Index { return m.x }
