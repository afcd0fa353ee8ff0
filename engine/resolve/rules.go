package resolve

import (
	"fmt"
	"strings"
)

// Rules decide what a request leaves open: the size and the form of an expansion without
// parameters, and how strictly codes are judged. The parameters of a request take precedence.
type Rules uint8

const (
	// Clinical are the rules for programs that record care. An expansion is a flat page. A
	// CodeableConcept is valid if one of its codings is. What a value set lists is a member of it,
	// even if the code system is not loaded.
	Clinical Rules = 1 + iota
	// Ecosystem are the rules of HL7's terminology ecosystem, for validators and publishers. An
	// expansion is whole, and nested if the hierarchy is a tree. An error in any coding of a
	// CodeableConcept counts. Codes of a code system that is not loaded are undecided.
	Ecosystem
)

// RuleCount is the number of sets of rules: their values are 1 to RuleCount.
const RuleCount = 2

// ruleNames are the names of the rules, in the order of their values.
var ruleNames = [RuleCount]string{"clinical", "ecosystem"}

// ParseRules returns the rules with a name.
func ParseRules(name string) (Rules, error) {
	for i, known := range ruleNames {
		if known == name {
			return Rules(i + 1), nil
		}
	}
	return 0, fmt.Errorf("the rules %q are unknown; use %s", name, strings.Join(ruleNames[:], " or "))
}

// String returns the name of the rules, "" for the zero value.
func (r Rules) String() string {
	if r < Clinical || r > RuleCount {
		return ""
	}
	return ruleNames[r-1]
}
