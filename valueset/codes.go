package valueset

import (
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// Codes lists the members as system and code, by system. A set with several
// versions of a system may give a code more than once.
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

// Whole returns what the set takes from a system as concepts of one index. ok is false
// when it has none of its codes, draws it from several versions, or lists codes of it that
// no index has.
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
