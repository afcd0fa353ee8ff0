package valueset

import (
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Set is a compiled value set. It is immutable and safe for concurrent use.
type Set struct {
	provenance
	// groups has one entry per code system version, in order of first use.
	groups []group
	// runs are the pieces in listing order. Together they contain each code once.
	runs  []run
	loose []looseCode
	// looseAt is the index of the first loose code of a key.
	looseAt map[looseKey]int32
	byCode  looseByCode
	// bySystem are the groups of a system. It is nil if there are few.
	bySystem map[string][]int32
	total    int
	cost     int64

	activeOnce sync.Once
	active     *Set
}

// group is the members of a set from one version of a code system.
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
	// list is the order of a concept list. nil means ascending order of members.
	list []codesystem.Ord
	// lo and hi bound the loose codes of the run.
	lo, hi int
	n      int
}

// AllCodes returns the implicit value set of all codes of a system.
func AllCodes(x *codesystem.Index) *Set {
	var b algebra
	b.add(part{index: x, members: x.All()})
	return b.build(provenance{})
}

// Len returns the number of codes in the set.
func (s *Set) Len() int { return s.total }

// Canonical returns the url|version of the value set, or "".
func (s *Set) Canonical() string { return s.canonical }

// Imports returns the canonicals of the value sets that the set draws from, directly or
// indirectly, in order of first use. They must not be modified.
func (s *Set) Imports() []string { return s.imports }

// Header returns the header of the value set, nil for AllCodes. It must not be modified.
func (s *Set) Header() *r4.Header { return s.header }

// Dependencies returns the code systems and value sets that the set was compiled from, in order
// of first use: those of its includes and excludes, and of the value sets that it takes over.
// They must not be modified.
func (s *Set) Dependencies() []Dependency { return s.dependencies }

// Versioned reports whether the set uses code systems in several versions, so that codes must be
// shown with their version.
func (s *Set) Versioned() bool { return s.versioned }

// Nests reports whether the set consists of code systems, whole or with one filter each, that do
// not overlap, so that their hierarchy applies to the set. Other sets can be listed nested too.
func (s *Set) Nests() bool { return !s.flat }

// VersionsMatch reports whether the value set lists and excludes each code once for all versions
// of its system.
func (s *Set) VersionsMatch() bool { return s.merged }

// UsedSystem is a code system version that a set draws from. Index is nil if it is not loaded.
type UsedSystem struct {
	System, Version string
	Index           *codesystem.Index
}

// Systems returns the code system versions of the codes in the set, in order of first use.
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

// Members returns the concepts of one index in the set, or nil. The bitmap is frozen.
func (s *Set) Members(x *codesystem.Index) *roaring.Bitmap {
	for i := range s.groups {
		if s.groups[i].index == x {
			return s.groups[i].members
		}
	}
	return nil
}

// Cost returns the memory held by the set in bytes: its own bitmaps, lists and displays. Sets
// that belong to an index are not counted.
func (s *Set) Cost() int64 { return s.cost }
