package valueset

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// Selectable is the set without abstract codes, those that are there to group others
// and not to be picked. It is the set itself when there are none.
func (s *Set) Selectable() *Set {
	return s.without((*codesystem.Index).AbstractSet, func(c *looseCode) bool { return c.abstract })
}

// activeSet is the set without what is inactive: made once, when first asked for.
func (s *Set) activeSet() *Set {
	s.activeOnce.Do(func() {
		s.active = s.without((*codesystem.Index).InactiveSet, func(c *looseCode) bool { return c.inactive })
	})
	return s.active
}

// without is the set less some concepts of each index and some loose codes; the set
// itself when it has none of them.
func (s *Set) without(concepts func(*codesystem.Index) *roaring.Bitmap, loose func(*looseCode) bool) *Set {
	found := false
	for i := range s.groups {
		g := &s.groups[i]
		found = found || g.members.Intersects(concepts(g.index))
	}
	for i := range s.loose {
		found = found || loose(&s.loose[i])
	}
	if !found {
		return s
	}
	a := newAlgebra()
	a.parts = s.parts()
	a.drop(concepts, loose)
	return a.finish(s.about)
}

// parts returns the set back as parts, for further algebra. They overlap nowhere.
func (s *Set) parts() []part {
	out := make([]part, 0, len(s.runs))
	for i := range s.runs {
		r := &s.runs[i]
		if r.group < 0 {
			out = append(out, part{loose: s.loose[r.lo:r.hi:r.hi]})
			continue
		}
		g := &s.groups[r.group]
		own := shared
		if r.members == g.index.All() {
			own = ofIndex
		}
		out = append(out, part{index: g.index, members: r.members, own: own, list: r.list, labels: g.labels})
	}
	return out
}
