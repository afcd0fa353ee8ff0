package valueset

import (
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// Codes iterates over system and code of the members, grouped by system. A code may occur more
// than once if the set contains several versions of its system.
func (s *Set) Codes() iter.Seq2[string, string] {
	return func(yield func(system, code string) bool) {
		for i := range s.groups {
			g := &s.groups[i]
			for it := g.members.Iterator(); it.HasNext(); {
				if !yield(g.system, g.index.Code(it.Next())) {
					return
				}
			}
		}
		for i := range s.loose {
			if !yield(s.loose[i].system, s.loose[i].code) {
				return
			}
		}
	}
}

// Whole returns the members from a system as concepts of one index. ok is false if the set has no
// codes of the system, uses several versions of it, or lists codes of it that no index contains.
func (s *Set) Whole(system string) (x *codesystem.Index, members *roaring.Bitmap, ok bool) {
	for i := range s.groups {
		g := &s.groups[i]
		if g.system != system {
			continue
		}
		if ok {
			return nil, nil, false
		}
		x, members, ok = g.index, g.members, true
	}
	for i := range s.loose {
		if s.loose[i].system == system {
			return nil, nil, false
		}
	}
	return x, members, ok
}
