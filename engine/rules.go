package engine

import "github.com/roget-health/roget/engine/resolve"

// Rules decide what a request leaves open: the size and the form of an expansion without
// parameters, and how strictly codes are judged. The parameters of a request take precedence. The
// resources that a request carries change no rule.
type Rules = resolve.Rules

// The sets of rules.
const (
	// Clinical are the rules for programs that record care. An expansion is a flat page. A
	// CodeableConcept is valid if one of its codings is. What a value set lists is a member of it,
	// even if the code system is not loaded.
	Clinical = resolve.Clinical
	// Ecosystem are the rules of HL7's terminology ecosystem, for validators and publishers. An
	// expansion is whole, and nested if the hierarchy is a tree. An error in any coding of a
	// CodeableConcept counts. Codes of a code system that is not loaded are undecided.
	Ecosystem = resolve.Ecosystem
)

// ParseRules returns the rules with a name: clinical or ecosystem.
func ParseRules(name string) (Rules, error) { return resolve.ParseRules(name) }
