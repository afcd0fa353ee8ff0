package httpadapter

import (
	"strings"

	"github.com/roget-health/roget/engine"
)

// A base is a path under which the server answers. All bases have the same resources. They differ in
// the version of FHIR that they speak and in the rules that they follow.
type base struct {
	path  string // "" for the root
	fhir  string // the version of FHIR
	rules engine.Rules
}

// bases are the bases of the server. The root is the first.
var bases = [...]base{
	{"", fhirVersion, engine.Clinical},
	{"/baseR4", fhirVersion, engine.Clinical},
	{"/r4", fhirVersion, engine.Ecosystem},
	{"/r5", fhirR5, engine.Ecosystem},
}

// root is the base of paths that belong to none.
func root() *base { return &bases[0] }

// basesText lists the bases and their rules, for the description of the server.
func basesText() string {
	var b strings.Builder
	for i := range bases {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(bases[i].title() + " (" + bases[i].rules.String() + ")")
	}
	return b.String()
}

// rulesText describes the rules of the base.
func (b *base) rulesText() string {
	if b.rules == engine.Ecosystem {
		return "This base follows the rules of HL7's terminology ecosystem: expansions are whole, and nested if the hierarchy " +
			"is a tree; an error in any coding of a CodeableConcept makes it invalid; codes of a code system that is not loaded are undecided."
	}
	return "This base follows clinical rules: expansions are flat pages; a CodeableConcept is valid if one of its codings is; " +
		"what a value set lists is a member, even if the code system is not loaded."
}

// title returns the path as people write it.
func (b *base) title() string {
	if b.path == "" {
		return "/"
	}
	return b.path
}

// answersLike reports whether a request has the same answer under both bases.
func (b *base) answersLike(other *base) bool { return b.fhir == other.fhir && b.rules == other.rules }

// baseOf returns the base that a path begins with, and the path below it, which begins with a
// slash. ok is false if the path is below the root only.
func baseOf(path string) (b *base, rest string, ok bool) {
	for i := range bases {
		if rest, found := strings.CutPrefix(path, bases[i].path); found && i > 0 && strings.HasPrefix(rest, "/") {
			return &bases[i], rest, true
		}
	}
	return root(), path, false
}
