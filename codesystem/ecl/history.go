package ecl

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// targetField is the field of an association that names the replacing concept.
const targetField = "targetComponentId"

// historyNode is the inner concepts, and the concepts that associations replace by them.
type historyNode struct {
	x       *codesystem.Index
	inner   node
	refsets codeTest
}

// history binds a history supplement.
func (b *binder) history(h *history, inner node) (node, error) {
	n := &historyNode{x: b.x, inner: inner}
	var err error
	switch h.profile {
	case historyMin:
		n.refsets = codesNamed(historyMinSets)
	case historyMod:
		n.refsets = codesNamed(historyModSets)
	case historySets:
		if n.refsets, err = b.codes(h.sets); err != nil {
			return nil, err
		}
		if _, ok := n.refsets.(anyCode); ok {
			n.refsets = b.historical()
		}
	default:
		n.refsets = b.historical()
	}
	return n, nil
}

func codesNamed(codes []string) codeList {
	list := codeList{}
	for _, code := range codes {
		list[code] = true
	}
	return list
}

// historical returns all historical associations: the known ones, and whatever is below their
// common concept.
func (b *binder) historical() codeTest {
	list := codesNamed(historyMaxSets)
	root, ok := b.x.Find(historicalAssociations)
	if !ok {
		return list
	}
	for _, code := range b.x.Refsets() {
		if o, ok := b.x.Find(code); ok && b.x.IsAncestor(root, o) {
			list[code] = true
		}
	}
	return list
}

// associations calls visit for each reference set with the column of its targets.
func (n *historyNode) associations(ctx context.Context, visit func(r *codesystem.Refset, column int) error) error {
	for _, code := range n.x.Refsets() {
		in, err := n.refsets.accepts(ctx, code)
		if err != nil {
			return err
		}
		if !in {
			continue
		}
		r, _ := n.x.Refset(code)
		if column := columnOf(r, targetField); column >= 0 {
			if err := visit(r, column); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *historyNode) set(ctx context.Context) (*roaring.Bitmap, error) {
	inner, err := n.inner.set(ctx)
	if err != nil || inner.IsEmpty() {
		return inner, err
	}
	var found []uint32
	err = n.associations(ctx, func(r *codesystem.Refset, column int) error {
		for row := range r.Len() {
			if row%pollEvery == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			if o, ok := r.Target(row, column); ok && r.Active(row) && inner.Contains(o) {
				found = append(found, r.Component(row))
			}
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return inner, err
	}
	return roaring.Or(inner, roaring.BitmapOf(found...)), nil
}

func (n *historyNode) has(ctx context.Context, o codesystem.Ord) (bool, error) {
	in, err := n.inner.has(ctx, o)
	if err != nil || in {
		return in, err
	}
	err = n.associations(ctx, func(r *codesystem.Refset, column int) error {
		first, end := r.RowsOf(o)
		for row := first; row < end && !in; row++ {
			target, ok := r.Target(row, column)
			if !ok || !r.Active(row) {
				continue
			}
			if in, err = n.inner.has(ctx, target); err != nil {
				return err
			}
		}
		return nil
	})
	return in, err
}
