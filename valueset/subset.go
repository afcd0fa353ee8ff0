package valueset

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// Selectable returns the set without abstract codes, which only group other codes and cannot be
// selected. It returns s itself if there are none.
func (s *Set) Selectable() *Set {
	return s.without((*codesystem.Index).AbstractSet, func(c *looseCode) bool { return c.abstract })
}

// Active returns the set without inactive codes. It is computed once, on the first call.
func (s *Set) Active() *Set {
	s.activeOnce.Do(func() {
		s.active = s.without((*codesystem.Index).InactiveSet, func(c *looseCode) bool { return c.inactive })
	})
	return s.active
}

// without returns the set without some concepts of each index and some loose codes. It returns s
// itself if it contains none of them.
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
	var a algebra
	a.parts = s.parts()
	a.drop(concepts, loose)
	return a.build(s.provenance)
}

// parts returns the set as parts for further algebra. They do not overlap.
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
		out = append(out, part{index: g.index, members: r.members, ownership: own, list: r.list, labels: g.labels})
	}
	return out
}
