package valueset

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// Costs of the pieces of a Set in memory, in bytes, rounded up.
const (
	costSet    = 512
	costGroup  = 160
	costRun    = 80
	costLabel  = 96
	costLoose  = 224
	costString = 16
	costUse    = 112
	// fewGroups is how many systems are searched one by one before a map pays.
	fewGroups = 8
)

// finish lays the parts out as a Set. The algebra is spent afterwards.
func (a *algebra) finish(from about) *Set {
	s := &Set{about: from, cost: costSet + stringsCost(from.imports) + costUse*int64(len(from.uses))}
	at := make(map[*codesystem.Index]int, len(a.indexes))
	byGroup := make([][]*part, 0, len(a.indexes))
	for i := range a.parts {
		p := &a.parts[i]
		if p.empty() {
			continue
		}
		if p.index == nil {
			s.addLoose(p.loose)
			continue
		}
		g, ok := at[p.index]
		if !ok {
			g = len(s.groups)
			at[p.index] = g
			s.groups = append(s.groups, group{index: p.index, system: p.index.URL(), version: p.index.Version()})
			byGroup = append(byGroup, nil)
		}
		if p.own == fresh {
			p.members.RunOptimize()
		}
		if p.own != ofIndex {
			s.cost += int64(p.members.GetSizeInBytes())
		}
		n := int(p.members.GetCardinality())
		s.cost += costRun + 4*int64(len(p.list))
		s.runs = append(s.runs, run{group: g, members: p.members, list: p.list, n: n})
		s.total += n
		byGroup[g] = append(byGroup[g], p)
	}
	for i := range s.groups {
		s.finishGroup(&s.groups[i], byGroup[i])
	}
	s.finishLoose()
	if len(s.groups) > fewGroups {
		s.bySystem = make(map[string][]int32, len(s.groups))
		for i := range s.groups {
			s.bySystem[s.groups[i].system] = append(s.bySystem[s.groups[i].system], int32(i))
		}
		s.cost += int64(len(s.groups)) * costRun
	}
	return s
}

// finishGroup unites the parts of a group and gathers their labels.
func (s *Set) finishGroup(g *group, parts []*part) {
	s.cost += costGroup
	if len(parts) == 1 {
		g.members = parts[0].members
	} else {
		sets := make([]*roaring.Bitmap, len(parts))
		for i, p := range parts {
			sets[i] = p.members
		}
		g.members = roaring.FastOr(sets...)
		g.members.RunOptimize()
		s.cost += int64(g.members.GetSizeInBytes())
	}
	g.n = int(g.members.GetCardinality())
	for _, p := range parts {
		for o, l := range p.labels {
			if !p.members.Contains(o) {
				continue
			}
			if g.labels == nil {
				g.labels = make(map[codesystem.Ord]*label, len(p.labels))
			}
			g.labels[o] = l
			s.cost += l.cost()
		}
	}
	// The set of active members may be asked for later and is kept then.
	if !g.index.InactiveSet().IsEmpty() {
		s.cost += int64(g.members.GetSizeInBytes())
	}
}

func (s *Set) addLoose(codes []looseCode) {
	lo := len(s.loose)
	s.loose = append(s.loose, codes...)
	s.runs = append(s.runs, run{group: -1, lo: lo, hi: len(s.loose), n: len(codes)})
	s.total += len(codes)
	s.cost += costRun
}

// finishLoose links the loose codes of one key, in order.
func (s *Set) finishLoose() {
	if len(s.loose) == 0 {
		return
	}
	s.looseAt = make(map[looseKey]int32, len(s.loose))
	for i := len(s.loose) - 1; i >= 0; i-- {
		c := &s.loose[i]
		k := looseKey{c.system, c.code}
		c.next = -1
		if n, ok := s.looseAt[k]; ok {
			c.next = n
		}
		s.looseAt[k] = int32(i)
		s.cost += costLoose + c.cost() + int64(len(c.code))
	}
}

// cost counts the text as held by the set: it comes from the value set's own document.
func (l *label) cost() int64 {
	n := int64(costLabel + len(l.display))
	for i := range l.designations {
		d := &l.designations[i]
		n += costLabel + int64(len(d.Language)+len(d.Value))
	}
	n += costLabel * int64(len(l.extensions))
	return n
}

func stringsCost(list []string) int64 {
	var n int64
	for _, v := range list {
		n += costString + int64(len(v))
	}
	return n
}
