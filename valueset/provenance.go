package valueset

import (
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Dependency is a code system or value set that a value set was compiled from, whether or not it
// contributed codes.
type Dependency struct {
	// System is the code system, "" for a value set. Index is nil if it is not loaded.
	System string
	Index  *codesystem.Index
	// ValueSet is the header of an imported value set, nil for a code system.
	ValueSet *r4.Header
	// Contained reports whether the value set is contained in the one that names it.
	Contained bool
	// Version is the version used, NamedVersion the one in the compose. They differ if the Source
	// chose the version.
	Version, NamedVersion string
	// NamedBy is the header of the value set that names the dependency, which may be imported.
	NamedBy *r4.Header
}

// provenance is what a Set knows about the definition it was compiled from.
type provenance struct {
	canonical string
	header    *r4.Header
	// imports are the canonicals of imported value sets, in order of first use.
	imports      []string
	dependencies []Dependency
	depth        int // of the imports of imports
	// versioned is set if systems are named or used in more than one version.
	versioned bool
	// flat is set if lists, imports, several filters or overlapping includes leave no hierarchy.
	flat bool
	// filtered is set if filters of the compose select codes.
	filtered bool
	// merged is set if a code counts once for all versions of its system.
	merged bool
}

// recorder fills a provenance.
type recorder struct {
	provenance
	seen     map[Dependency]struct{}
	versions map[string]string // a version of each system
}

// add records a dependency once, and whether its system is used in several versions.
func (a *recorder) add(u Dependency) {
	if _, seen := a.seen[u]; seen {
		return
	}
	if a.seen == nil {
		a.seen, a.versions = map[Dependency]struct{}{}, map[string]string{}
	}
	a.seen[u] = struct{}{}
	if u.ValueSet == nil {
		version, used := a.versions[u.System]
		a.versions[u.System] = u.Version
		a.versioned = a.versioned || used && version != u.Version
	}
	a.dependencies = append(a.dependencies, u)
}

// addSystem records the code system of an include or exclude. x is nil if it is not loaded.
func (a *recorder) addSystem(inc *r4.Include, x *codesystem.Index) {
	u := Dependency{System: inc.System, Version: inc.Version, NamedVersion: inc.Version, Index: x, NamedBy: a.header}
	if x != nil {
		h := x.Header()
		u.System, u.Version = h.URL, h.Version
	}
	a.add(u)
}

// addImport records an imported value set. With whole set its codes are included, so its own
// dependencies are recorded too. Otherwise it only restricts others.
func (a *recorder) addImport(s *Set, canonical string, contained, whole bool) {
	if s.header != nil {
		u := Dependency{ValueSet: s.header, Version: s.header.Version, Contained: contained, NamedBy: a.header}
		if !contained {
			_, u.NamedVersion, _, _ = r4.SplitCanonical(canonical)
		}
		a.add(u)
	}
	if whole {
		for _, u := range s.dependencies {
			a.add(u)
		}
	}
}
