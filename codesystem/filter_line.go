package codesystem

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// inLine returns the concepts that have one of the roots as an ancestor, or as a descendant.
func (c *CompiledFilter) inLine() *roaring.Bitmap {
	sets := make([]*roaring.Bitmap, len(c.roots))
	for i, root := range c.roots {
		if c.target == targetAncestor {
			sets[i] = c.x.Descendants(root)
		} else {
			sets[i] = bitmapOf(slices.Clone(c.x.Ancestors(root)), c.x.Len())
		}
	}
	if len(sets) == 1 {
		return sets[0]
	}
	return roaring.FastOr(sets...)
}

// isInLine is inLine for one concept.
func (c *CompiledFilter) isInLine(o Ord) bool {
	return slices.ContainsFunc(c.roots, func(root Ord) bool {
		if c.target == targetAncestor {
			return c.x.IsAncestor(root, o)
		}
		return c.x.IsAncestor(o, root)
	})
}

// members returns the members of the reference sets.
func (c *CompiledFilter) members() *roaring.Bitmap {
	if len(c.refsets) == 1 {
		return c.refsets[0].Members()
	}
	sets := make([]*roaring.Bitmap, len(c.refsets))
	for i, r := range c.refsets {
		sets[i] = r.Members()
	}
	return roaring.FastOr(sets...)
}

// isMember is members for one concept.
func (c *CompiledFilter) isMember(o Ord) bool {
	return slices.ContainsFunc(c.refsets, func(r *Refset) bool { return r.Members().Contains(o) })
}
