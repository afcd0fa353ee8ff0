package ecl

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
)

// A composed is an expression of the compositional grammar, which the index does not list, with its
// relationships as those of a listed concept.
type composed struct {
	*expression.Meaning
	parents []codesystem.Ord
	all     []relationship
}

// Admits reports whether the set has an expression, which must be bound to the index of the plan. An
// expression that means the same as a listed concept is where that concept is. Any other one is
// judged by its place and its relationships; as it is in no reference set, member-of never has it.
// Errors: those of Set, and ErrUndecided.
func (p *Plan) Admits(ctx context.Context, m *expression.Meaning) (bool, error) {
	if same, ok := m.Same(); ok {
		return p.Contains(ctx, same)
	}
	return admits(ctx, p.root, pose(p.x, m))
}

// pose lists the relationships of an expression.
func pose(x *codesystem.Index, m *expression.Meaning) *composed {
	c := &composed{Meaning: m, parents: m.Parents()}
	for i, g := range m.Groups() {
		for j := range g {
			prop, ok := x.PropertyNumber(x.Code(g[j].Name))
			if !ok {
				prop = -1
			}
			c.all = append(c.all, relationship{Attribute: codesystem.Attribute{Property: prop, Pair: noPair, Group: i + 1}, made: &g[j]})
		}
	}
	return c
}

func undecided(part string) error { return &EvaluationError{Part: part, Err: ErrUndecided} }

// admits is node.has for an expression that no listed concept is equivalent to.
func admits(ctx context.Context, n node, c *composed) (in bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	switch n := n.(type) {
	case anyNode:
		return true, nil
	case *compoundNode:
		for i, part := range n.parts {
			if in, err = admits(ctx, part, c); err != nil {
				return false, err
			}
			if in != (n.op == opMinus && i > 0) == (n.op == opOr) {
				return n.op == opOr, nil
			}
		}
		return n.op != opOr, nil
	case *hierarchyNode:
		return n.admits(ctx, c)
	case *refinedNode:
		if in, err = admits(ctx, n.focus, c); err != nil || !in {
			return false, err
		}
		return passes(ctx, n.test, c)
	case *historyNode: // adds inactive concepts only
		return admits(ctx, n.inner, c)
	case *conceptNode:
		in, err = admits(ctx, n.inner, c)
		for i := 0; i < len(n.tests) && err == nil && in; i++ {
			in, err = n.tests[i].admits(ctx, n.x, c)
		}
		return in, err
	case *descriptionNode:
		if in, err = admits(ctx, n.inner, c); err == nil && in {
			err = undecided("description filter")
		}
		return false, err
	}
	return false, nil // lists, members, and values of attributes are of listed concepts
}

// admits tests what is known of an expression: whether it is active, and whether it is defined.
func (t *conceptTest) admits(ctx context.Context, x *codesystem.Index, c *composed) (bool, error) {
	switch {
	case t.activity.used:
		return t.activity.accepts(false), nil
	case t.prop >= 0 && x.PropertyCode(t.prop) == propertyDefined:
		return t.accepts(ctx, map[bool]string{false: "true", true: "false"}[c.Primitive()])
	}
	return false, undecided("concept filter by module or time")
}

func (n *hierarchyNode) admits(ctx context.Context, c *composed) (bool, error) {
	inner, err := admits(ctx, n.inner, c)
	if err != nil || inner && n.op.withSelf() {
		return inner, err
	}
	switch n.op {
	case descendantOf, descendantOrSelfOf:
		return n.anyOf(ctx, c.Above())
	case childOf, childOrSelfOf:
		return n.anyOf(ctx, c.parents)
	case ancestorOf, ancestorOrSelfOf:
		return n.covers(ctx, c)
	case top, bottom:
		if !inner {
			return false, nil
		}
		related := n.covers
		if n.op == top {
			related = func(ctx context.Context, c *composed) (bool, error) { return n.anyOf(ctx, c.Above()) }
		}
		in, err := related(ctx, c)
		return !in && err == nil, err
	}
	if in, err := n.covers(ctx, c); err != nil || !in {
		return false, err
	}
	return false, undecided("parent of a concept that the expression subsumes")
}

// covers reports whether an expression subsumes one of the inner concepts.
func (n *hierarchyNode) covers(ctx context.Context, c *composed) (in bool, err error) {
	inner, err := n.lazy.get(ctx, n.inner.set)
	if err != nil || inner.IsEmpty() {
		return false, err
	}
	covered, err := c.Covers(ctx)
	return err == nil && covered.Intersects(inner), err
}

// passes is refinementTest.holds for an expression.
func passes(ctx context.Context, t refinementTest, c *composed) (in bool, err error) {
	switch t := t.(type) {
	case *junctionTest:
		for _, part := range t.parts {
			if in, err = passes(ctx, part, c); err != nil || in == t.or {
				return in, err
			}
		}
		return !t.or, nil
	case *attributeTest:
		if t.reverse { // an expression is the value of no attribute
			return t.count.holds(0), nil
		}
		n, err := t.within(ctx, append(parentsOf(c), c.all...))
		return t.count.holds(n), err
	}
	g := t.(*groupTest)
	if g.reversed {
		in, err = passes(ctx, g.body, c)
		return g.count.holds(map[bool]int{true: 1}[in]), err
	}
	var all []relationship
	for _, r := range c.all {
		if r.Property < 0 || g.is[r.Property] {
			all = append(all, r)
		}
	}
	if g.isA {
		all = append(parentsOf(c), all...)
	}
	return g.enough(ctx, all, func(t *attributeTest) (bool, error) { return passes(ctx, t, c) })
}

// parentsOf returns the relationships of an expression to its parents.
func parentsOf(c *composed) (all []relationship) {
	for _, p := range c.parents {
		all = append(all, relationship{Attribute: codesystem.Attribute{Pair: noPair}, parent: p})
	}
	return all
}

// matchesMade is matches for a relationship of an expression.
func (t *attributeTest) matchesMade(ctx context.Context, r *relationship) (in bool, err error) {
	if r.Property >= 0 {
		in = t.names.has(r.Property)
	} else if t.names.of != nil {
		in, err = t.names.of.has(ctx, r.made.Name)
	}
	if err != nil || !in || t.value.none || t.value.any {
		return in && !t.value.none, err
	}
	v := &r.made.Value
	if t.value.pairs != nil {
		return v.Literal != nil && t.value.pairs.accepts(v.Literal), nil
	}
	switch {
	case v.Literal != nil || t.value.node == nil:
		return false, nil
	case v.Nested != nil:
		in, err = admits(ctx, t.value.node, pose(t.x, v.Nested))
	default:
		in, err = t.value.node.has(ctx, v.Concept)
	}
	return in != t.value.negate && err == nil, err
}
