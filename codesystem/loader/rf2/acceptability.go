package rf2

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/roget-health/roget/codesystem"
)

// acceptabilityStore holds, for each description, the language reference sets in which it is
// preferred or acceptable. There are few distinct sets of these, so each description only needs a
// number.
type acceptabilityStore struct {
	latest[uuid]
	rows    []languageRow
	modules moduleTable
	refsets numbered[sctid]

	of   map[sctid]uint32 // number of the set, by description
	sets acceptSets
}

// A languageRow is a member of a language reference set, in files where members have several rows.
type languageRow struct {
	description sctid
	accept      accept
	active      bool
}

func (s *acceptabilityStore) init(unique bool) {
	s.latest = newLatest[uuid](unique)
	s.of = map[sctid]uint32{}
	s.sets.init()
}

// read reads a file of language reference sets.
func (s *acceptabilityStore) read(e *edition, f *source, r *rows) {
	for r.next() {
		member := r.member(0)
		h, inEffect := e.head(f, r)
		refset, description, value := r.id(4), r.id(5), r.id(6)
		if r.err == nil && value != preferred && value != acceptable {
			r.wrong(6, fmt.Sprintf("%d (preferred) or %d (acceptable)", preferred, acceptable))
		}
		if r.err != nil {
			return
		}
		if !inEffect {
			continue
		}
		row := languageRow{description, acceptOf(s.refsets.number(refset), value == preferred), h.active}
		if len(s.refsets.all) > 10_000 {
			r.fail("there are more than 10,000 language reference sets")
			return
		}
		s.modules.note(h.module, h.time)
		if e.unique {
			s.take(row)
		} else if slot, counts := s.place(member, h.time); counts {
			s.rows = put(s.rows, slot, row)
		}
	}
}

// finish adds the rows that count, when all files are read.
func (s *acceptabilityStore) finish() {
	for _, row := range s.rows {
		s.take(row)
	}
	s.rows, s.latest = nil, latest[uuid]{}
}

// take adds a row.
func (s *acceptabilityStore) take(row languageRow) {
	if row.active {
		s.of[row.description] = s.sets.with(s.of[row.description], row.accept)
	}
}

// lists returns the sets by number for the index, ordered by identifier.
func (s *acceptabilityStore) lists() [][]codesystem.Acceptability {
	lists := make([][]codesystem.Acceptability, len(s.sets.all))
	for i, set := range s.sets.all {
		for _, a := range set {
			lists[i] = append(lists[i], codesystem.Acceptability{Refset: s.refsets.all[a.refset()].String(), Preferred: a.preferred()})
		}
		slices.SortFunc(lists[i], func(a, b codesystem.Acceptability) int { return cmp.Compare(a.Refset, b.Refset) })
	}
	return lists
}

// An accept is the number of a language reference set, and whether the description is preferred.
type accept uint32

func acceptOf(refset uint16, preferred bool) accept {
	a := accept(refset) << 1
	if preferred {
		a |= 1
	}
	return a
}

func (a accept) refset() uint16  { return uint16(a >> 1) }
func (a accept) preferred() bool { return a&1 != 0 }

// acceptSets numbers distinct sets; 0 is the empty set.
type acceptSets struct {
	all   [][]accept // sorted
	steps map[acceptStep]uint32
}

// An acceptStep is a set and an additional member.
type acceptStep struct {
	set  uint32
	more accept
}

func (s *acceptSets) init() {
	s.all, s.steps = [][]accept{nil}, map[acceptStep]uint32{}
}

// with returns the set with an additional member. A reference set counts once; preferred overrides
// acceptable.
func (s *acceptSets) with(set uint32, more accept) uint32 {
	step := acceptStep{set, more}
	if to, ok := s.steps[step]; ok {
		return to
	}
	list := slices.Clone(s.all[set])
	at := slices.IndexFunc(list, func(a accept) bool { return a.refset() == more.refset() })
	if at < 0 {
		list = append(list, more)
	} else {
		list[at] |= more
	}
	slices.Sort(list)
	to := slices.IndexFunc(s.all, func(other []accept) bool { return slices.Equal(other, list) })
	if to < 0 {
		to = len(s.all)
		s.all = append(s.all, list)
	}
	s.steps[step] = uint32(to)
	return uint32(to)
}
