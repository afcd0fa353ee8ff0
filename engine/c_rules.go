package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// VersionRules choose code system versions for one request. Each is a list of
// canonicals "system|version"; the version may be a pattern. Two rules of one kind for
// one system must agree, except that the first of several checks counts.
type VersionRules struct {
	System []string // system-version: used where the value set names no version
	Check  []string // check-system-version: another version in use is an error
	Force  []string // force-system-version: used whatever the value set names
	// The same for value sets, "value set|version": default-valueset-version,
	// check-valueset-version and force-valueset-version.
	ValueSet, CheckValueSet, ForceValueSet []string
}

// ruleKind is a parameter that gives rules for versions.
type ruleKind struct {
	parameter string
	list      func(*VersionRules) *[]string
	valueSets bool           // the rules are for value sets, not code systems
	forces    bool           // they replace a version that is named
	checks    bool           // what is used in the end must match them
	disagree  *issue.Message // what is said of two that contradict each other; nil: the first counts
}

// ruleKinds is the table of rules, in the order in which they are tried.
var ruleKinds = [...]ruleKind{
	{parameter: "force-system-version", list: func(v *VersionRules) *[]string { return &v.Force }, forces: true, disagree: &issue.SeveralForced},
	{parameter: "system-version", list: func(v *VersionRules) *[]string { return &v.System }, disagree: &issue.SeveralDefaults},
	{parameter: "check-system-version", list: func(v *VersionRules) *[]string { return &v.Check }, checks: true},
	{parameter: "force-valueset-version", list: func(v *VersionRules) *[]string { return &v.ForceValueSet }, valueSets: true, forces: true, disagree: &issue.SeveralForced},
	{parameter: "default-valueset-version", list: func(v *VersionRules) *[]string { return &v.ValueSet }, valueSets: true, disagree: &issue.SeveralDefaults},
	{parameter: "check-valueset-version", list: func(v *VersionRules) *[]string { return &v.CheckValueSet }, valueSets: true, checks: true},
}

// complete adds a parameter that a value set brings along; those of other names are
// passed over, and those for which the request has a rule.
func (v *VersionRules) complete(name, canonical string) {
	url := canonicalURL(canonical)
	for i := range ruleKinds {
		list := ruleKinds[i].list(v)
		ruled := func(c string) bool { return canonicalURL(c) == url }
		if ruleKinds[i].parameter == name && !slices.ContainsFunc(*list, ruled) {
			*list = append(slices.Clip(*list), canonical)
		}
	}
}

// versionRule is one rule of a request.
type versionRule struct {
	*ruleKind
	canonical, url, version string
}

// ruleSet is VersionRules ready for use. A nil one has no rules.
type ruleSet struct {
	key   string        // tells rule sets apart in the cache
	rules []versionRule // in the order of ruleKinds
	// tolerant says that versions that check-system-version does not allow may be used.
	tolerant bool
}

// parse reads the rules; nil when there are none. Errors: ErrInvalidParameter, of rules
// that contradict each other as an OutcomeError.
func (v *VersionRules) parse() (*ruleSet, error) {
	if len(v.System)+len(v.Check)+len(v.Force)+len(v.ValueSet)+len(v.CheckValueSet)+len(v.ForceValueSet) == 0 {
		return nil, nil
	}
	given := *v // so that v, part of a request, does not go to the heap
	var r ruleSet
	var key strings.Builder
	for i := range ruleKinds {
		kind := &ruleKinds[i]
		for _, canonical := range *kind.list(&given) {
			added, err := r.add(kind, canonical)
			if err != nil {
				return nil, err
			}
			if added {
				fmt.Fprintf(&key, "%s=%s\n", kind.parameter, canonical)
			}
		}
	}
	r.key = key.String()
	return &r, nil
}

// add adds a rule, and reports that there was none for its url.
func (r *ruleSet) add(kind *ruleKind, canonical string) (added bool, err error) {
	url, version, _, err := r4.SplitCanonical(canonical)
	if err != nil {
		return false, &issue.ParameterError{Name: kind.parameter, Problem: issue.ErrInvalidParameter, Cause: err}
	}
	if version == "" {
		return false, issue.Invalid(kind.parameter, fmt.Sprintf("%q has no version after |", canonical))
	}
	first := r.find(func(have *versionRule) bool { return have.ruleKind == kind && have.url == url })
	switch {
	case first == nil:
		r.rules = append(r.rules, versionRule{kind, canonical, url, version})
		return true, nil
	case first.version != version && kind.disagree != nil:
		cause := issue.Invalid(kind.parameter, "two versions of one canonical")
		return false, kind.disagree.Failure(issue.ClassInvalid, cause, "", url, first.version, version)
	}
	return false, nil
}

// find returns the first rule that fits, nil when none does.
func (r *ruleSet) find(fits func(*versionRule) bool) *versionRule {
	if r == nil {
		return nil
	}
	for i := range r.rules {
		if fits(&r.rules[i]) {
			return &r.rules[i]
		}
	}
	return nil
}

// applied returns the rule that chooses the version of a code system, or of a value set,
// where version is named; nil when none does.
func (r *ruleSet) applied(url, version string, valueSet bool) *versionRule {
	return r.find(func(rule *versionRule) bool {
		return rule.url == url && rule.valueSets == valueSet && (version == "" || rule.forces)
	})
}

// choose returns the version of a code system to ask for where version is named.
func (r *ruleSet) choose(system, version string) string {
	if rule := r.applied(system, version, false); rule != nil {
		return rule.version
	}
	return version
}

// chooseValueSet returns the version of a value set to ask for where version is named.
func (r *ruleSet) chooseValueSet(url, version string) string {
	if rule := r.applied(url, version, true); rule != nil {
		return rule.version
	}
	return version
}

// demanded returns the version that check-system-version demands of a system.
func (r *ruleSet) demanded(system string) (version string, checked bool) {
	return r.checked(system, false)
}

func (r *ruleSet) checked(url string, valueSet bool) (version string, checked bool) {
	rule := r.find(func(rule *versionRule) bool { return rule.checks && rule.url == url && rule.valueSets == valueSet })
	if rule == nil {
		return "", false
	}
	return rule.version, true
}

// allowsValueSet is allows for a value set and check-valueset-version.
func (r *ruleSet) allowsValueSet(url, version string) error {
	if want, checked := r.checked(url, true); checked && !matchVersion(want, version) {
		return issue.VersionCheck.Failure(issue.ClassInvalid, issue.ErrVersionCheck, "", url, version, want)
	}
	return nil
}

// unchecked returns the rules with check-system-version for the choice of versions only.
func (r *ruleSet) unchecked() *ruleSet {
	if r.find(func(rule *versionRule) bool { return rule.checks }) == nil {
		return r
	}
	next := *r
	next.tolerant, next.key = true, r.key+"unchecked\n"
	return &next
}

// allows reports that version may be used, as far as check-system-version says. The
// error is an OutcomeError that wraps ErrVersionCheck.
func (r *ruleSet) allows(system, version string) error {
	if want, checked := r.demanded(system); checked && !r.tolerant && !matchVersion(want, version) {
		return issue.VersionCheck.Failure(issue.ClassInvalid, issue.ErrVersionCheck, "", system, version, want)
	}
	return nil
}
