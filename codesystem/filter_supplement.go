package codesystem

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// declaredBy reports whether the property of a filter, which the index lacks, is one of a supplement.
func (c *CompiledFilter) declaredBy(supplements []*Index, property string) bool {
	c.target, c.prop = targetProperty, -1
	return slices.ContainsFunc(supplements, func(s *Index) bool {
		t, _, err := s.targetOf(property)
		return err == nil && t == targetProperty
	})
}

// supplement adds the filter on the supplements, by the rules of the index.
func (c *CompiledFilter) supplement(supplements []*Index, property string) {
	if c.op.hierarchical() || c.target != targetProperty && c.target != targetDisplay {
		return
	}
	for _, s := range supplements {
		if t, prop, err := s.targetOf(property); err == nil && t == c.target {
			own := *c
			own.x, own.prop, own.added = s, prop, nil
			c.added = append(c.added, own)
		}
	}
}

// withAdded adds the concepts that have a value, or an accepted one, in a supplement.
func (c *CompiledFilter) withAdded(ctx context.Context, set *roaring.Bitmap, err error) (*roaring.Bitmap, error) {
	for i := range c.added {
		if err != nil {
			return nil, err
		}
		var more *roaring.Bitmap
		if more, err = c.added[i].positive(ctx); err == nil {
			set = roaring.Or(set, c.added[i].x.ConceptsIn(c.x, more, nil))
		}
	}
	return set, err
}

// inAdded is withAdded for one concept.
func (c *CompiledFilter) inAdded(o Ord) bool {
	for i := range c.added {
		s := &c.added[i]
		if own, ok := s.x.Find(c.x.Code(o)); ok && (c.op == opExists && s.has(own) || c.op != opExists && s.anyAccepted(own)) {
			return true
		}
	}
	return false
}
