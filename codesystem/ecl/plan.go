package ecl

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// A Plan is an expression bound to an index: names are resolved, and evaluation does not parse
// text. It is safe for concurrent use.
type Plan struct {
	x    *codesystem.Index
	root node
}

// Evaluate returns the concepts of an expression as a frozen set. It returns the errors of Compile
// and of Plan.Set.
func Evaluate(ctx context.Context, x *codesystem.Index, e *Expression) (*roaring.Bitmap, error) {
	p, err := Compile(x, e)
	if err != nil {
		return nil, err
	}
	return p.Set(ctx)
}

// Set returns the concepts of the expression. The set is frozen: it may belong to the index and
// must not be modified. Errors: the error of ctx, *EvaluationError, and codesystem.ErrDamaged.
func (p *Plan) Set(ctx context.Context) (*roaring.Bitmap, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p.root.set(ctx)
}

// Contains reports whether one concept is in Set, usually without computing Set. It returns the
// same errors, except those of parts that it need not evaluate.
func (p *Plan) Contains(ctx context.Context, o codesystem.Ord) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return p.root.has(ctx, o)
}

// node is a part of a plan that stands for concepts. set and has agree.
type node interface {
	set(ctx context.Context) (*roaring.Bitmap, error) // frozen
	has(ctx context.Context, o codesystem.Ord) (bool, error)
}

// lazySet computes a set of concepts when it is first needed. Errors are not stored.
type lazySet struct {
	mu   sync.Mutex
	made *roaring.Bitmap
}

func (k *lazySet) get(ctx context.Context, make func(context.Context) (*roaring.Bitmap, error)) (*roaring.Bitmap, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made != nil {
		return k.made, nil
	}
	set, err := make(ctx)
	if err == nil {
		k.made = set
	}
	return set, err
}

// oneNode is a single concept.
type oneNode struct{ o codesystem.Ord }

func (n oneNode) set(context.Context) (*roaring.Bitmap, error) { return roaring.BitmapOf(n.o), nil }
func (n oneNode) has(_ context.Context, o codesystem.Ord) (bool, error) {
	return o == n.o, nil
}

// listNode is a list of concepts.
type listNode struct{ list *roaring.Bitmap }

func (n listNode) set(context.Context) (*roaring.Bitmap, error) { return n.list, nil }
func (n listNode) has(_ context.Context, o codesystem.Ord) (bool, error) {
	return n.list.Contains(o), nil
}

// anyNode is every concept, or every active one.
type anyNode struct {
	x    *codesystem.Index
	wide bool // includes inactive concepts
}

func (n anyNode) set(context.Context) (*roaring.Bitmap, error) {
	if n.wide || n.x.InactiveSet().IsEmpty() {
		return n.x.All(), nil
	}
	return roaring.AndNot(n.x.All(), n.x.InactiveSet()), nil
}

func (n anyNode) has(_ context.Context, o codesystem.Ord) (bool, error) {
	return n.wide || !n.x.Inactive(o), nil
}

// compoundNode joins parts by an operator.
type compoundNode struct {
	op    compoundOp
	parts []node
}

func (n *compoundNode) set(ctx context.Context) (*roaring.Bitmap, error) {
	sets := make([]*roaring.Bitmap, len(n.parts))
	for i, part := range n.parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		set, err := part.set(ctx)
		if err != nil {
			return nil, err
		}
		if sets[i] = set; set.IsEmpty() && (n.op == opAnd || n.op == opMinus && i == 0) {
			return set, nil
		}
	}
	switch n.op {
	case opOr:
		return roaring.FastOr(sets...), nil
	case opMinus:
		return roaring.AndNot(sets[0], sets[1]), nil
	}
	return intersection(sets), nil
}

// intersection intersects sets, smallest first.
func intersection(sets []*roaring.Bitmap) *roaring.Bitmap {
	slices.SortFunc(sets, func(a, b *roaring.Bitmap) int {
		return cmp.Compare(a.GetCardinality(), b.GetCardinality())
	})
	out := sets[0]
	for _, set := range sets[1:] {
		out = roaring.And(out, set)
	}
	return out
}

func (n *compoundNode) has(ctx context.Context, o codesystem.Ord) (bool, error) {
	for i, part := range n.parts {
		in, err := part.has(ctx, o)
		if err != nil {
			return false, err
		}
		if n.op == opMinus && i > 0 {
			in = !in
		}
		if in == (n.op == opOr) {
			return in, nil
		}
	}
	return n.op != opOr, nil
}
