package ecl

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// hierarchyNode applies a hierarchy operator. It adds only active concepts to its inner concepts,
// unless wide.
type hierarchyNode struct {
	x     *codesystem.Index
	op    hierarchyOp
	inner node
	all   bool    // no inactive concept needs to be left out
	lazy  lazySet // inner, for tests of one concept
}

func (b *binder) hierarchy(op hierarchyOp, inner node, wide bool) node {
	return &hierarchyNode{x: b.x, op: op, inner: inner, all: wide || b.treeActive}
}

// withSelf reports whether an operator includes the concepts it is applied to.
func (op hierarchyOp) withSelf() bool {
	switch op {
	case descendantOrSelfOf, childOrSelfOf, ancestorOrSelfOf, parentOrSelfOf:
		return true
	}
	return false
}

func (n *hierarchyNode) set(ctx context.Context) (*roaring.Bitmap, error) {
	inner, err := n.inner.set(ctx)
	if err != nil {
		return nil, err
	}
	related, err := n.related(ctx, inner)
	if err != nil {
		return nil, err
	}
	switch {
	case n.op == top || n.op == bottom:
		return roaring.AndNot(inner, related), nil
	case !n.all:
		related = roaring.AndNot(related, n.x.InactiveSet())
	}
	if n.op.withSelf() {
		if one, ok := n.inner.(oneNode); ok {
			related = related.Clone()
			related.Add(one.o)
			return related, nil
		}
		return roaring.Or(related, inner), nil
	}
	return related, nil
}

// related returns the descendants, children, ancestors or parents of the inner concepts; for top
// their descendants, for bottom their ancestors.
func (n *hierarchyNode) related(ctx context.Context, inner *roaring.Bitmap) (*roaring.Bitmap, error) {
	x := n.x
	if one, ok := n.inner.(oneNode); ok {
		switch n.op {
		case descendantOf, descendantOrSelfOf, top:
			return x.Descendants(one.o), nil
		case ancestorOf, ancestorOrSelfOf, bottom:
			return roaring.BitmapOf(x.Ancestors(one.o)...), nil
		}
	}
	if all, ok := n.inner.(anyNode); ok && (all.wide || n.all) {
		switch n.op {
		case descendantOf, descendantOrSelfOf, childOf, childOrSelfOf, top:
			return roaring.AndNot(x.All(), x.Roots()), nil
		}
		return roaring.AndNot(x.All(), x.Leaves()), nil
	}
	switch n.op {
	case descendantOf, descendantOrSelfOf, top:
		return descendantsOf(ctx, x, inner)
	case ancestorOf, ancestorOrSelfOf, bottom:
		return ancestorsOf(ctx, x, inner)
	case childOf, childOrSelfOf:
		return neighbours(ctx, inner, x.Children)
	}
	return neighbours(ctx, inner, x.Parents)
}

// pollEvery is the number of concepts after which the context is checked again.
const pollEvery = 1 << 12

// each calls visit for every concept of a set, until the context is done or visit returns an
// error.
func each(ctx context.Context, set *roaring.Bitmap, visit func(o codesystem.Ord) error) error {
	var it roaring.IntIterator
	it.Initialize(set)
	for i := 1; it.HasNext(); i++ {
		if i%pollEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := visit(it.Next()); err != nil {
			return err
		}
	}
	return nil
}

// descendantsOf returns the proper descendants of any concept of a set.
func descendantsOf(ctx context.Context, x *codesystem.Index, set *roaring.Bitmap) (*roaring.Bitmap, error) {
	below := roaring.New()
	err := each(ctx, set, func(o codesystem.Ord) error {
		// The descendants of a descendant are already included.
		if x.Leaf(o) || below.Contains(o) {
			return nil
		}
		if end, all := x.Interval(o); all {
			below.AddRange(uint64(o)+1, uint64(end))
			return nil
		}
		below.Or(x.Descendants(o))
		return nil
	})
	return below, err
}

// ancestorsOf returns the proper ancestors of any concept of a set, by walking up once.
func ancestorsOf(ctx context.Context, x *codesystem.Index, set *roaring.Bitmap) (*roaring.Bitmap, error) {
	seen := make([]uint64, (x.Len()+63)/64)
	var stack []codesystem.Ord
	err := each(ctx, set, func(o codesystem.Ord) error {
		stack = append(stack[:0], o)
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, p := range x.Parents(at) {
				if bit := uint64(1) << (p % 64); seen[p/64]&bit == 0 {
					seen[p/64] |= bit
					stack = append(stack, p)
				}
			}
		}
		return nil
	})
	return roaring.FromDense(seen, true), err
}

// neighbours returns the children or the parents of the concepts of a set.
func neighbours(ctx context.Context, set *roaring.Bitmap, of func(codesystem.Ord) []codesystem.Ord) (*roaring.Bitmap, error) {
	near := roaring.New()
	err := each(ctx, set, func(o codesystem.Ord) error {
		near.AddMany(of(o))
		return nil
	})
	return near, err
}

func (n *hierarchyNode) has(ctx context.Context, o codesystem.Ord) (bool, error) {
	if n.op.withSelf() || n.op == top || n.op == bottom {
		in, err := n.inner.has(ctx, o)
		if err != nil || in && n.op.withSelf() {
			return in, err
		}
		if !in && !n.op.withSelf() {
			return false, nil
		}
	}
	in, err := n.relates(ctx, o)
	if err != nil {
		return false, err
	}
	if n.op == top || n.op == bottom {
		return !in, nil
	}
	return in && (n.all || !n.x.Inactive(o)), nil
}

// relates is related for one concept.
func (n *hierarchyNode) relates(ctx context.Context, o codesystem.Ord) (bool, error) {
	x := n.x
	if one, ok := n.inner.(oneNode); ok {
		switch n.op {
		case descendantOf, descendantOrSelfOf, top:
			return x.IsAncestor(one.o, o), nil
		case ancestorOf, ancestorOrSelfOf, bottom:
			return x.IsAncestor(o, one.o), nil
		}
	}
	switch n.op {
	case descendantOf, descendantOrSelfOf, top:
		return n.anyOf(ctx, x.Ancestors(o))
	case childOf, childOrSelfOf:
		return n.anyOf(ctx, x.Parents(o))
	case parentOf, parentOrSelfOf:
		return n.anyOf(ctx, x.Children(o))
	}
	inner, err := n.lazy.get(ctx, n.inner.set)
	if err != nil {
		return false, err
	}
	return inner.Intersects(x.Descendants(o)), nil
}

// anyOf reports whether any of the concepts is an inner concept.
func (n *hierarchyNode) anyOf(ctx context.Context, all []codesystem.Ord) (bool, error) {
	for _, o := range all {
		if in, err := n.inner.has(ctx, o); err != nil || in {
			return in, err
		}
	}
	return false, nil
}
