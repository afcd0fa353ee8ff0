package engine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// Which version of a resource answers. All of it is here:
//
//	asked for      answers
//	""             the default version: stored before loaded before built in, those whose
//	               content is present before those that are not, then the highest version
//	"1.2.0"        exactly that version
//	"1.x" "1.*"    the default among the versions of that pattern; a wildcard at the end
//	               stands for any number of segments
//	"1.0?"         the default among the versions that begin with these segments
//	"2024"         where versions are not semantic: the default among those that begin so
//	               (2024-05; the editions of a code system as paths of a URI)
//
// The highest version is by semantic versioning where both parse, else by natural
// order, in which numbers within the text compare as numbers. Rules of a request
// (VersionRules) come between the value set and this table:
//
//	force-system-version   replaces what the value set names
//	system-version         is used where the value set names none
//	check-system-version   is used where neither of them names one, and what is then used
//	                       must match it
//	default-valueset-version  is used where a value set is named without a version

// compareVersions orders versions from low to high: a total order. A pre-release
// (1.0.0-rc.1) is below its release; build metadata (+…) does not count.
func compareVersions(a, b string) int {
	coreA, preA, _ := splitSemver(a)
	coreB, preB, _ := splitSemver(b)
	if c := compareNatural(coreA, coreB); c != 0 {
		return c
	}
	switch {
	case preA == preB:
		return strings.Compare(a, b)
	case preA == "":
		return 1
	case preB == "":
		return -1
	}
	return cmp.Or(comparePrerelease(preA, preB), strings.Compare(a, b))
}

// splitSemver splits a version by semver.org 2.0.0 into its three numbers and its
// pre-release. Any other text is given whole, and is not semantic.
func splitSemver(s string) (core, pre string, semantic bool) {
	text, _, _ := strings.Cut(s, "+")
	core, pre, hasPre := strings.Cut(text, "-")
	if hasPre && pre == "" {
		return s, "", false
	}
	parts := 0
	for part := range strings.SplitSeq(core, ".") {
		if parts++; !isNumber(part) || (len(part) > 1 && part[0] == '0') {
			return s, "", false
		}
	}
	if parts != 3 {
		return s, "", false
	}
	return core, pre, true
}

func comparePrerelease(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		numX, numY := isNumber(x), isNumber(y)
		var c int
		switch {
		case numX && numY:
			c = compareNumbers(x, y)
		case numX: // numbers are below words
			c = -1
		case numY:
			c = 1
		default:
			c = strings.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func isNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// compareNumbers compares decimal numbers of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// compareNatural compares texts piece by piece, runs of digits as numbers.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			if c := compareNumbers(a[:x], b[:y]); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits counts the digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// isPattern reports that a version has a segment x, X or *, or ends in ?.
func isPattern(version string) bool {
	if strings.HasSuffix(version, "?") {
		return true
	}
	for seg := range strings.SplitSeq(version, ".") {
		if isWildcard(seg) {
			return true
		}
	}
	return false
}

func isWildcard(segment string) bool { return segment == "x" || segment == "X" || segment == "*" }

// matchVersion reports that a version is the one asked for or fits its pattern.
func matchVersion(asked, version string) bool {
	if asked == "" || asked == version {
		return true
	}
	if prefix, open := strings.CutSuffix(asked, "?"); open {
		return beginsWith(version, prefix, ".-+")
	}
	if !isPattern(asked) {
		_, _, semantic := splitSemver(version)
		return !semantic && beginsWith(version, asked, "./-T")
	}
	for {
		want, moreWant, hasWant := strings.Cut(asked, ".")
		have, moreHave, hasHave := strings.Cut(version, ".")
		if isWildcard(want) {
			if !hasWant {
				return have != ""
			}
		} else if want != have {
			return false
		}
		if !hasWant || !hasHave {
			return hasWant == hasHave
		}
		asked, version = moreWant, moreHave
	}
}

// beginsWith reports that a version is prefix, or goes on after it with one of the
// characters of next.
func beginsWith(version, prefix, next string) bool {
	rest, ok := strings.CutPrefix(version, prefix)
	return ok && prefix != "" && (rest == "" || strings.IndexByte(next, rest[0]) >= 0)
}

// VersionRules choose code system versions for one request. Each is a list of
// canonicals "system|version"; the version may be a pattern. Two rules of one kind for
// one system must agree, except that the first of several checks counts.
type VersionRules struct {
	System []string // system-version: used where the value set names no version
	Check  []string // check-system-version: another version in use is an error
	Force  []string // force-system-version: used whatever the value set names
	// ValueSet are canonicals "value set|version": used where a value set is named without
	// a version (default-valueset-version).
	ValueSet []string
}

// ruleSet is VersionRules ready for use.
type ruleSet struct {
	key                            string // tells rule sets apart in the cache
	system, check, force, valueSet map[string]string
	// tolerant says that versions that check-system-version does not allow may be used.
	tolerant bool
}

// parse reads the rules; nil when there are none. Errors: ErrInvalidParameter, of rules
// that contradict each other as an OutcomeError.
func (v *VersionRules) parse() (*ruleSet, error) {
	if len(v.System)+len(v.Check)+len(v.Force)+len(v.ValueSet) == 0 {
		return nil, nil
	}
	var r ruleSet
	var key strings.Builder
	for _, list := range []struct {
		name  string
		from  []string
		rules *map[string]string
		twice *message // what is said of two that disagree
	}{
		{"system-version", v.System, &r.system, &msgSeveralDefaults},
		{"check-system-version", v.Check, &r.check, nil},
		{"force-system-version", v.Force, &r.force, &msgSeveralForced},
		{"default-valueset-version", v.ValueSet, &r.valueSet, &msgSeveralDefaults},
	} {
		for _, canonical := range list.from {
			url, version, _, err := r4.SplitCanonical(canonical)
			if err != nil {
				return nil, &ParameterError{Name: list.name, Problem: ErrInvalidParameter, Cause: err}
			}
			if version == "" {
				return nil, invalid(list.name, fmt.Sprintf("%q has no version after |", canonical))
			}
			if *list.rules == nil {
				*list.rules = map[string]string{}
			}
			switch first, twice := (*list.rules)[url]; {
			case !twice:
				(*list.rules)[url] = version
				fmt.Fprintf(&key, "%s=%s\n", list.name, canonical)
			case first != version && list.twice != nil:
				cause := invalid(list.name, "two versions of one canonical")
				return nil, list.twice.failure(statusInvalid, cause, "", url, first, version)
			}
		}
	}
	r.key = key.String()
	return &r, nil
}

// choose gives the version to ask for where a value set names version.
func (r *ruleSet) choose(system, version string) string {
	if r == nil {
		return version
	}
	if v, ok := r.force[system]; ok {
		return v
	}
	if version == "" {
		version = cmp.Or(r.system[system], r.check[system])
	}
	return version
}

// chooseValueSet gives the version to ask for where a value set is named with version.
func (r *ruleSet) chooseValueSet(url, version string) string {
	if r == nil || version != "" {
		return version
	}
	return r.valueSet[url]
}

// demanded gives the version that check-system-version demands of a system.
func (r *ruleSet) demanded(system string) (version string, checked bool) {
	if r == nil {
		return "", false
	}
	version, checked = r.check[system]
	return version, checked
}

// unchecked gives the rules with check-system-version for the choice of versions only.
func (r *ruleSet) unchecked() *ruleSet {
	if r == nil || len(r.check) == 0 {
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
		return msgVersionCheck.failure(statusInvalid, ErrVersionCheck, "", system, version, want)
	}
	return nil
}
