package catalog

import "github.com/roget-health/roget/engine/issue"

// A versionRule is one rule of a request.
type versionRule struct {
	*ruleKind
	Canonical, url, version string
}

// A RuleSet has parsed VersionRules. A nil RuleSet has no rules.
type RuleSet struct {
	Key   string        // identifies the rules in the cache
	rules []versionRule // in the order of ruleKinds
	// tolerant allows versions that do not match check-system-version.
	tolerant bool
}

// find returns the first rule that fits, or nil.
func (r *RuleSet) find(fits func(*versionRule) bool) *versionRule {
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

// Applied returns the rule that selects the version of a code system or value set for which
// version is named, or nil.
func (r *RuleSet) Applied(url, version string, valueSet bool) *versionRule {
	return r.find(func(rule *versionRule) bool {
		return rule.url == url && rule.valueSets == valueSet && (version == "" || rule.forces)
	})
}

// Choose returns the version of a code system to use if version is named.
func (r *RuleSet) Choose(system, version string) string {
	if rule := r.Applied(system, version, false); rule != nil {
		return rule.version
	}
	return version
}

// ChooseValueSet returns the version of a value set to use if version is named.
func (r *RuleSet) ChooseValueSet(url, version string) string {
	if rule := r.Applied(url, version, true); rule != nil {
		return rule.version
	}
	return version
}

// Demanded returns the version that check-system-version requires for a system.
func (r *RuleSet) Demanded(system string) (version string, checked bool) {
	return r.checked(system, false)
}

func (r *RuleSet) checked(url string, valueSet bool) (version string, checked bool) {
	rule := r.find(func(rule *versionRule) bool { return rule.checks && rule.url == url && rule.valueSets == valueSet })
	if rule == nil {
		return "", false
	}
	return rule.version, true
}

// AllowsValueSet is Allows for value sets and check-valueset-version.
func (r *RuleSet) AllowsValueSet(url, version string) error {
	if want, checked := r.checked(url, true); checked && !MatchVersion(want, version) {
		return issue.VersionCheck.Failure(issue.ClassInvalid, issue.ErrVersionCheck, "", url, version, want)
	}
	return nil
}

// Unchecked returns rules in which check-system-version selects versions, but does not check them.
func (r *RuleSet) Unchecked() *RuleSet {
	if r.find(func(rule *versionRule) bool { return rule.checks }) == nil {
		return r
	}
	next := *r
	next.tolerant, next.Key = true, r.Key+"unchecked\n"
	return &next
}

// Allows returns an error if check-system-version does not allow version. It is an OutcomeError
// that wraps ErrVersionCheck.
func (r *RuleSet) Allows(system, version string) error {
	if want, checked := r.Demanded(system); checked && !r.tolerant && !MatchVersion(want, version) {
		return issue.VersionCheck.Failure(issue.ClassInvalid, issue.ErrVersionCheck, "", system, version, want)
	}
	return nil
}
