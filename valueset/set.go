package valueset

import (
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Set is a compiled value set: immutable, safe for concurrent use.
type Set struct {
	about
	// groups has one entry a code system version, in order of first use.
	groups []group
	// runs are the pieces in listing order; together they hold each code once.
	runs  []run
	loose []looseCode
	// looseAt returns the first loose code of a key.
	looseAt map[looseKey]int32
	// bySystem returns the groups of a system; nil when there are few.
	bySystem map[string][]int32
	total    int
	cost     int64

	activeOnce sync.Once
	active     *Set
}

// group is what a set takes from one version of one code system.
type group struct {
	index           *codesystem.Index
	system, version string
	members         *roaring.Bitmap // frozen
	n               int
	labels          map[codesystem.Ord]*label
}

// run is a piece of the listing: concepts of one group, or loose codes.
type run struct {
	group   int             // -1: loose codes
	members *roaring.Bitmap // frozen
	// list is the order of a concept list; nil: ascending order of members.
	list []codesystem.Ord
	// lo and hi bound the loose codes of the run.
	lo, hi int
	n      int
}

// AllCodes is the implicit value set of every code of a system.
func AllCodes(x *codesystem.Index) *Set {
	b := newAlgebra()
	b.add(part{index: x, members: x.All()})
	return b.finish(about{})
}

// Len is the number of codes in the set.
func (s *Set) Len() int { return s.total }

// Canonical is the url|version of the value set, "" when it has none.
func (s *Set) Canonical() string { return s.canonical }

// Imports are the canonicals of the value sets the set draws from, directly or not,
// in order of first use. Not to be modified.
func (s *Set) Imports() []string { return s.imports }

// Header is the header of the value set, nil for AllCodes. Not to be modified.
func (s *Set) Header() *r4.Header { return s.header }

// Uses lists the code systems and value sets that the set was made from, in order of
// first use: those of its includes and excludes, and of the value sets it takes over.
// Not to be modified.
func (s *Set) Uses() []Use { return s.uses }

// Versioned reports that code systems are used in several versions, so that a code has
// to be given with its version.
func (s *Set) Versioned() bool { return s.versioned }

// Nests reports that the set consists of code systems, whole or by one filter each, that do
// not overlap, so that their hierarchy is that of the set. It can be listed nested all the
// same when it does not.
func (s *Set) Nests() bool { return !s.flat }

// VersionsMatch reports that the value set lists a code once and excludes it at once,
// whatever the version of its system.
func (s *Set) VersionsMatch() bool { return s.merged }

// UsedSystem is a code system version that a set draws from. Index is nil when it
// is not loaded.
type UsedSystem struct {
	System, Version string
	Index           *codesystem.Index
}

// Systems lists the code system versions that the set has codes of, in order of first use.
func (s *Set) Systems() []UsedSystem {
	out := make([]UsedSystem, 0, len(s.groups))
	for i := range s.groups {
		g := &s.groups[i]
		out = append(out, UsedSystem{g.system, g.version, g.index})
	}
	type key struct{ system, version string }
	var seen map[key]bool
	for i := range s.loose {
		k := key{s.loose[i].system, s.loose[i].version}
		if !seen[k] {
			if seen == nil {
				seen = map[key]bool{}
			}
			seen[k] = true
			out = append(out, UsedSystem{System: k.system, Version: k.version})
		}
	}
	return out
}

// Members returns the concepts of one index that are in the set; nil when there are
// none. Frozen.
func (s *Set) Members(x *codesystem.Index) *roaring.Bitmap {
	for i := range s.groups {
		if s.groups[i].index == x {
			return s.groups[i].members
		}
	}
	return nil
}

// Cost is the memory the set holds, in bytes: bitmaps of its own, lists, displays.
// Sets that belong to an index are not counted.
func (s *Set) Cost() int64 { return s.cost }

// fill makes the entry of a concept of a group.
func (g *group) fill(e *Entry, o codesystem.Ord) {
	x := g.index
	*e = Entry{
		Index: x, Concept: o, System: g.system, Version: g.version, Code: x.Code(o),
		Inactive: x.Inactive(o), Abstract: x.Abstract(o),
	}
	if l := g.labels[o]; l != nil {
		e.Display, e.own = l.display, l
	}
	if e.Display == "" {
		e.Display = x.Display(o)
	}
}
