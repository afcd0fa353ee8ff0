package valueset

import (
	"slices"
	"strings"
)

// Relation is how the codes of one value set relate to those of another, seen from the
// first. The texts are the codes of the operation ValueSet/$compare.
type Relation string

// The relations.
const (
	Same          Relation = "same"          // both have the same codes
	Subset        Relation = "subset"        // the first has a part of the codes of the other
	Superset      Relation = "superset"      // the first has all codes of the other and more
	Overlapping   Relation = "overlapping"   // they share codes, and each has codes of its own
	Disjoint      Relation = "disjoint"      // they share no code
	Empty         Relation = "empty"         // neither has a code
	Indeterminate Relation = "indeterminate" // it cannot be told
)

// Swap is the relation seen from the other value set.
func (r Relation) Swap() Relation {
	switch r {
	case Subset:
		return Superset
	case Superset:
		return Subset
	}
	return r
}

// Comparison is what comparing two value sets gives. The lists name codes without their
// systems; they are nil where they were not asked for or are too long.
type Comparison struct {
	Relation Relation
	Common   []string // codes both have
	Missing  []string // codes the first has and the other has not
	Extra    []string // codes the other has and the first has not
}

// VersionPolicy tells when a code of two versions of its code system is one code.
type VersionPolicy uint8

const (
	// VersionAsNeeded takes the versions of a system for one, unless the system says
	// versionNeeded.
	VersionAsNeeded VersionPolicy = iota
	// VersionAlways keeps versions apart.
	VersionAlways
	// VersionNever takes the versions of a system for one.
	VersionNever
)

// apart reports whether codes of two versions of a system are different codes.
func (p VersionPolicy) apart(versionNeeded bool) bool {
	return p == VersionAlways || p == VersionAsNeeded && versionNeeded
}

// truth is yes, no, or what cannot be told.
type truth uint8

const (
	no truth = iota
	maybe
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// evidence is what is known of two sides: whether there are codes that both have, that
// only this one has, that only the other has.
type evidence struct{ common, this, other truth }

func (e evidence) swap() evidence { return evidence{e.common, e.other, e.this} }

// and adds what is known of further codes.
func (e evidence) and(f evidence) evidence {
	return evidence{max(e.common, f.common), max(e.this, f.this), max(e.other, f.other)}
}

// relation draws the conclusion; ok is false when the evidence allows several.
func (e evidence) relation() (r Relation, ok bool) {
	switch {
	case e.common == maybe:
		return "", false
	case e.common == no && e.this == no && e.other == no:
		return Empty, true
	case e.common == no: // whatever either side has, the other has not
		return Disjoint, true
	case e.this == maybe || e.other == maybe:
		return "", false
	case e.this == no && e.other == no:
		return Same, true
	case e.this == no:
		return Subset, true
	case e.other == no:
		return Superset, true
	}
	return Overlapping, true
}

// alphabetical sorts codes as a reader expects: whatever the case, and small letters
// first where that alone tells two codes apart.
func alphabetical(codes []string) []string {
	slices.SortFunc(codes, func(a, b string) int {
		if c := strings.Compare(strings.ToLower(a), strings.ToLower(b)); c != 0 {
			return c
		}
		return strings.Compare(b, a)
	})
	return codes
}
