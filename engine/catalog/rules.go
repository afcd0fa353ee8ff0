package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// VersionRules select versions of code systems and value sets for one request. Each field is a
// list of canonicals "system|version"; the version may be a pattern. Two rules of one kind for one
// system must agree, except that the first of several checks applies.
type VersionRules struct {
	System []string // system-version: used where the value set names no version
	Check  []string // check-system-version: using another version is an error
	Force  []string // force-system-version: used even if the value set names a version
	// The same rules for value sets, "value set|version": default-valueset-version,
	// check-valueset-version and force-valueset-version.
	ValueSet, CheckValueSet, ForceValueSet []string
}

// A ruleKind is a parameter with version rules.
type ruleKind struct {
	Parameter string
	list      func(*VersionRules) *[]string
	valueSets bool           // the rules are for value sets, not code systems
	forces    bool           // they override a named version
	checks    bool           // the version in use must match
	disagree  *issue.Message // message for contradicting rules; nil: the first applies
}

// ruleKinds has all kinds of rules, in the order in which they are tried.
var ruleKinds = [...]ruleKind{
	{Parameter: "force-system-version", list: func(v *VersionRules) *[]string { return &v.Force }, forces: true, disagree: &issue.SeveralForced},
	{Parameter: "system-version", list: func(v *VersionRules) *[]string { return &v.System }, disagree: &issue.SeveralDefaults},
	{Parameter: "check-system-version", list: func(v *VersionRules) *[]string { return &v.Check }, checks: true},
	{Parameter: "force-valueset-version", list: func(v *VersionRules) *[]string { return &v.ForceValueSet }, valueSets: true, forces: true, disagree: &issue.SeveralForced},
	{Parameter: "default-valueset-version", list: func(v *VersionRules) *[]string { return &v.ValueSet }, valueSets: true, disagree: &issue.SeveralDefaults},
	{Parameter: "check-valueset-version", list: func(v *VersionRules) *[]string { return &v.CheckValueSet }, valueSets: true, checks: true},
}

// Complete adds a parameter from a value set. Other parameters are ignored, and so are parameters
// for which the request has a rule.
func (v *VersionRules) Complete(name, canonical string) {
	url := CanonicalURL(canonical)
	for i := range ruleKinds {
		list := ruleKinds[i].list(v)
		ruled := func(c string) bool { return CanonicalURL(c) == url }
		if ruleKinds[i].Parameter == name && !slices.ContainsFunc(*list, ruled) {
			*list = append(slices.Clip(*list), canonical)
		}
	}
}

// Parse parses the rules; it returns nil if there are none. Errors: ErrInvalidParameter, for
// contradicting rules as an OutcomeError.
func (v *VersionRules) Parse() (*RuleSet, error) {
	if len(v.System)+len(v.Check)+len(v.Force)+len(v.ValueSet)+len(v.CheckValueSet)+len(v.ForceValueSet) == 0 {
		return nil, nil
	}
	given := *v // so that v, which is part of a request, does not escape to the heap
	var r RuleSet
	var key strings.Builder
	for i := range ruleKinds {
		kind := &ruleKinds[i]
		for _, canonical := range *kind.list(&given) {
			added, err := r.add(kind, canonical)
			if err != nil {
				return nil, err
			}
			if added {
				fmt.Fprintf(&key, "%s=%s\n", kind.Parameter, canonical)
			}
		}
	}
	r.Key = key.String()
	return &r, nil
}

// add adds a rule, unless there is a rule for its url, and reports whether it did.
func (r *RuleSet) add(kind *ruleKind, canonical string) (added bool, err error) {
	url, version, _, err := r4.SplitCanonical(canonical)
	if err != nil {
		return false, &issue.ParameterError{Name: kind.Parameter, Problem: issue.ErrInvalidParameter, Cause: err}
	}
	if version == "" {
		return false, issue.Invalid(kind.Parameter, fmt.Sprintf("%q has no version after |", canonical))
	}
	first := r.find(func(have *versionRule) bool { return have.ruleKind == kind && have.url == url })
	switch {
	case first == nil:
		r.rules = append(r.rules, versionRule{kind, canonical, url, version})
		return true, nil
	case first.version != version && kind.disagree != nil:
		cause := issue.Invalid(kind.Parameter, "two versions of one canonical")
		return false, kind.disagree.Failure(issue.ClassInvalid, cause, "", url, first.version, version)
	}
	return false, nil
}
