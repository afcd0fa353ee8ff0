package valueset

import (
	"cmp"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// conceptsSelected returns the concepts of an index that pass all filters, or all concepts
// without filters. inner is the element of the include that err refers to.
func (c *compiler) conceptsSelected(ctx context.Context, x *codesystem.Index, filters []r4.Filter) (p part, inner string, err error) {
	if len(filters) == 0 {
		return conceptsSelected(ctx, x, nil)
	}
	supplements, err := supplementsFor(c.src, c.root, x)
	if err != nil {
		return p, "system", err
	}
	return conceptsSelected(ctx, x, filters, supplements...)
}

func conceptsSelected(ctx context.Context, x *codesystem.Index, filters []r4.Filter, supplements ...*codesystem.Index) (p part, inner string, err error) {
	p.index = x
	if len(filters) == 0 {
		p.members = x.All()
		return p, "", nil
	}
	sets := make([]*roaring.Bitmap, len(filters))
	for i, f := range filters {
		if sets[i], err = conceptsPassing(ctx, x, f, supplements); err != nil {
			return part{}, elementOf("filter", i, ""), &FilterError{x.URL(), x.Version(), f, err}
		}
	}
	if len(sets) == 1 {
		p.members, p.ownership = sets[0], ownerOf(x, sets[0])
		return p, "", nil
	}
	p.members, p.ownership = intersection(sets), fresh
	return p, "", nil
}

// conceptsPassing returns the concepts that pass one filter.
func conceptsPassing(ctx context.Context, x *codesystem.Index, f r4.Filter, supplements []*codesystem.Index) (*roaring.Bitmap, error) {
	c, err := CompileFilter(x, f, supplements...)
	if err != nil {
		return nil, err
	}
	return c.Set(ctx)
}

// ownerOf recognises sets that belong to an index: the whole set, and views of its snapshot,
// which share their containers until written to.
func ownerOf(x *codesystem.Index, set *roaring.Bitmap) ownership {
	if set == x.All() || set.GetCopyOnWrite() {
		return ofIndex
	}
	return shared
}

// intersection returns the intersection of at least two sets as a new bitmap. It starts with the
// smallest ones.
func intersection(sets []*roaring.Bitmap) *roaring.Bitmap {
	slices.SortStableFunc(sets, func(a, b *roaring.Bitmap) int {
		return cmp.Compare(a.GetCardinality(), b.GetCardinality())
	})
	out := roaring.And(sets[0], sets[1])
	for _, s := range sets[2:] {
		if out.IsEmpty() {
			break
		}
		out.And(s)
	}
	return out
}
