package valueset

import (
	"sync"
	"sync/atomic"
)

// fewInfers is the number of calls of Infer that read all loose codes. An index is made for more.
const fewInfers = 3

// looseByCode finds loose codes without their system. It is safe for concurrent use.
type looseByCode struct {
	asked atomic.Int32
	once  sync.Once
	first map[string]int32
	next  []int32 // index of the next loose code with the same code, or -1
}

// Infer returns the members with a code in any system, one entry per system and version.
func (s *Set) Infer(code string) []Entry {
	var out []Entry
	for i := range s.groups {
		g := &s.groups[i]
		if o, ok := g.index.Find(code); ok && g.members.Contains(o) {
			out = append(out, Entry{})
			g.fill(&out[len(out)-1], o)
		}
	}
	add := func(c *looseCode) {
		out = append(out, Entry{})
		c.fill(&out[len(out)-1])
	}
	if s.byCode.asked.Load() < fewInfers {
		s.byCode.asked.Add(1)
		for i := range s.loose {
			if s.loose[i].code == code {
				add(&s.loose[i])
			}
		}
		return out
	}
	s.byCode.once.Do(func() { s.byCode.build(s.loose) })
	i, ok := s.byCode.first[code]
	for ok && i >= 0 {
		add(&s.loose[i])
		i = s.byCode.next[i]
	}
	return out
}

func (x *looseByCode) build(loose []looseCode) {
	x.first = make(map[string]int32, len(loose))
	x.next = make([]int32, len(loose))
	for i := len(loose) - 1; i >= 0; i-- {
		x.next[i] = -1
		if next, ok := x.first[loose[i].code]; ok {
			x.next[i] = next
		}
		x.first[loose[i].code] = int32(i)
	}
}
