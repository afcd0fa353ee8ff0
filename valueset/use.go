package valueset

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Use is a code system or a value set that a value set was made from, whether or not
// codes of it came out.
type Use struct {
	// System is the code system, "" for a value set. Index is nil when it is not loaded.
	System string
	Index  *codesystem.Index
	// ValueSet is the header of an imported value set, nil for a code system.
	ValueSet *r4.Header
	// Contained tells of a value set that is part of the one that names it.
	Contained bool
	// Version is the version used, Named that which the compose names: they differ where
	// the Source chose one.
	Version, Named string
	// By is the header of the value set that names it. It may be that of an import.
	By *r4.Header
}

// about is what a Set knows of the definition it was made from.
type about struct {
	canonical string
	header    *r4.Header
	// imports are the canonicals of value sets drawn from, in order of first use.
	imports []string
	uses    []Use
	// versioned: systems are named in more than one version.
	versioned bool
	// flat: lists, imports, several filters, or includes that overlap give it no hierarchy.
	flat bool
	// filtered: filters of the compose select codes.
	filtered bool
	// merged: a code counts once, whatever the versions of its system.
	merged bool
}

// use notes a use, once.
func (a *about) use(u Use) {
	if !slices.Contains(a.uses, u) {
		a.uses = append(a.uses, u)
	}
}

// useSystem notes the code system of an include or exclude; x is nil when it is not loaded.
func (a *about) useSystem(inc *r4.Include, x *codesystem.Index) {
	u := Use{System: inc.System, Version: inc.Version, Named: inc.Version, Index: x, By: a.header}
	if x != nil {
		u.System, u.Version = x.URL(), x.Version()
	}
	a.use(u)
}

// useImport notes an imported value set. whole tells that its codes are taken over, and
// so all that it was made from; else it only restricts others.
func (a *about) useImport(s *Set, canonical string, contained, whole bool) {
	if s.header != nil {
		u := Use{ValueSet: s.header, Version: s.header.Version, Contained: contained, By: a.header}
		if !contained {
			_, u.Named, _, _ = r4.SplitCanonical(canonical)
		}
		a.use(u)
	}
	if whole {
		for _, u := range s.uses {
			a.use(u)
		}
	}
}

// nameVersions reports whether a compose names a system in different versions.
func nameVersions(compose *r4.Compose) bool {
	if len(compose.Include)+len(compose.Exclude) < 2 {
		return false
	}
	named := map[string]string{}
	for _, list := range [][]r4.Include{compose.Include, compose.Exclude} {
		for i := range list {
			inc := &list[i]
			if v, ok := named[inc.System]; ok && v != inc.Version {
				return true
			}
			named[inc.System] = inc.Version
		}
	}
	return false
}

// isFlat reports whether parts of a compose have no hierarchy of their own: those that list
// codes, draw on value sets, or have several filters.
func isFlat(compose *r4.Compose) bool {
	for _, list := range [][]r4.Include{compose.Include, compose.Exclude} {
		for i := range list {
			if inc := &list[i]; len(inc.ValueSet) > 0 || len(inc.Concept) > 0 || len(inc.Filter) > 1 {
				return true
			}
		}
	}
	return false
}

// hasFilters reports whether a compose includes codes by filters.
func hasFilters(compose *r4.Compose) bool {
	return slices.ContainsFunc(compose.Include, func(inc r4.Include) bool { return len(inc.Filter) > 0 })
}

// severalVersions reports whether systems are used in different versions.
func severalVersions(uses []Use) bool {
	if len(uses) < 2 {
		return false
	}
	used := map[string]string{}
	for i := range uses {
		u := &uses[i]
		if v, ok := used[u.System]; ok && u.ValueSet == nil && v != u.Version {
			return true
		}
		used[u.System] = u.Version
	}
	return false
}
