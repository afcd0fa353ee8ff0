package valueset

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// maxLinearGroups is the number of systems up to which a linear search is faster than a map.
const maxLinearGroups = 8

// Memory costs of the pieces of a Set, in bytes, rounded up.
const (
	costSet        = 512
	costGroup      = 160
	costRun        = 80
	costLabel      = 96
	costLoose      = 256
	costString     = 16
	costDependency = 112
)

func stringsCost(list []string) int64 {
	var n int64
	for _, v := range list {
		n += costString + int64(len(v))
	}
	return n
}

// build assembles the parts into a Set. The algebra must not be used afterwards.
func (a *algebra) build(from provenance) *Set {
	s := &Set{provenance: from, cost: costSet + stringsCost(from.imports) + costDependency*int64(len(from.dependencies))}
	at := make(map[*codesystem.Index]int, len(a.indexes))
	byGroup := make([][]*part, 0, len(a.indexes))
	for i := range a.parts {
		p := &a.parts[i]
		if p.index == nil {
			if len(p.loose) > 0 {
				s.addLoose(p.loose)
			}
			continue
		}
		if p.members.IsEmpty() {
			continue
		}
		g, ok := at[p.index]
		if !ok {
			h := p.index.Header()
			g = len(s.groups)
			at[p.index] = g
			s.groups = append(s.groups, group{index: p.index, system: h.URL, version: h.Version})
			byGroup = append(byGroup, nil)
		}
		if p.ownership == fresh {
			p.members.RunOptimize()
		}
		if p.ownership != ofIndex {
			s.cost += int64(p.members.GetSizeInBytes())
		}
		n := int(p.members.GetCardinality())
		s.cost += costRun + 4*int64(len(p.list))
		s.runs = append(s.runs, run{group: g, members: p.members, list: p.list, n: n})
		s.total += n
		byGroup[g] = append(byGroup[g], p)
	}
	s.linkLoose()
	for i := range s.groups {
		s.buildGroup(&s.groups[i], byGroup[i])
	}
	if len(s.groups) > maxLinearGroups {
		s.bySystem = make(map[string][]int32, len(s.groups))
		for i := range s.groups {
			s.bySystem[s.groups[i].system] = append(s.bySystem[s.groups[i].system], int32(i))
		}
		s.cost += int64(len(s.groups)) * costRun
	}
	return s
}

// buildGroup unites the parts of a group and collects their labels.
func (s *Set) buildGroup(g *group, parts []*part) {
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
	// The set of active members may be requested later and is then cached.
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

// linkLoose links the loose codes of each key, in order.
func (s *Set) linkLoose() {
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
