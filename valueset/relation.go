package valueset

import (
	"slices"
	"strings"
)

// Relation is the relation of one value set to another, seen from the first. The values are the
// codes of the operation ValueSet/$compare.
type Relation string

const (
	Same          Relation = "same"          // both have the same codes
	Subset        Relation = "subset"        // the first has a proper subset of the other's codes
	Superset      Relation = "superset"      // the first has all codes of the other and more
	Overlapping   Relation = "overlapping"   // they share codes, and each has others
	Disjoint      Relation = "disjoint"      // they share no code
	Empty         Relation = "empty"         // neither has a code
	Indeterminate Relation = "indeterminate" // unknown
)

// Swap returns the relation seen from the other value set.
func (r Relation) Swap() Relation {
	switch r {
	case Subset:
		return Superset
	case Superset:
		return Subset
	}
	return r
}

// Comparison is the result of comparing two value sets. The lists contain codes without their
// systems. They are nil if not requested or too long.
type Comparison struct {
	Relation Relation
	Common   []string // codes in both
	Missing  []string // codes only in the first
	Extra    []string // codes only in the other
}

// VersionPolicy determines whether codes of two versions of a code system are equal.
type VersionPolicy uint8

const (
	// VersionAsNeeded treats the versions of a system as one unless the system has versionNeeded
	// set.
	VersionAsNeeded VersionPolicy = iota
	// VersionAlways keeps versions apart.
	VersionAlways
	// VersionNever treats the versions of a system as one.
	VersionNever
)

// apart reports whether codes of two versions of a system are different codes.
func (p VersionPolicy) apart(versionNeeded bool) bool {
	return p == VersionAlways || p == VersionAsNeeded && versionNeeded
}

// truth is a three-valued boolean.
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

// evidence is the knowledge about two sides: whether there are codes that both contain, that only
// this side contains, and that only the other contains.
type evidence struct{ common, this, other truth }

func (e evidence) swap() evidence { return evidence{e.common, e.other, e.this} }

// and adds the evidence for further codes.
func (e evidence) and(f evidence) evidence {
	return evidence{max(e.common, f.common), max(e.this, f.this), max(e.other, f.other)}
}

// relation returns the relation that follows from the evidence. ok is false if several are
// possible.
func (e evidence) relation() (r Relation, ok bool) {
	switch {
	case e.common == maybe:
		return "", false
	case e.common == no && e.this == no && e.other == no:
		return Empty, true
	case e.common == no: // in any case neither side has codes of the other
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

// alphabetical sorts codes regardless of case, and lower case before upper case for codes that
// differ only in case.
func alphabetical(codes []string) []string {
	slices.SortFunc(codes, func(a, b string) int {
		if c := strings.Compare(strings.ToLower(a), strings.ToLower(b)); c != 0 {
			return c
		}
		return strings.Compare(b, a)
	})
	return codes
}
