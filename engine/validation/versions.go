package validation

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// Which version of a code system is used to check a coding, if an include of a value set
// names the system:
//
//	the include, with the rules of the request, requires    the coding has     used
//	any version                                             none               the default version
//	any version                                             one that is known  the version of the coding
//	any version                                             another            the default version; noted
//	a version, or a pattern                                 none               the required version
//	a pattern that the version of the coding fits           that version       the version of the coding
//	anything else                                           another            the required version; an error

// A mismatch is the way in which the version of a coding differs from that of a value set.
type mismatch int

const (
	versionsAgree   mismatch = iota
	defaultDiffers           // no version is required, and the default version is another
	ruleDiffers              // a rule of the request selects another
	includeDiffers           // the value set requires another
	nothingAnswered          // the value set requires an unknown version
)

// A versionChoice is the version used to check a coding.
type versionChoice struct {
	version  string // "" means the default version
	mismatch mismatch
	found    string // version of the code system found; "" if there is none
}

// chooseForCoding returns the version of a code system to use for a coding with version ofCoding
// and an include with version ofInclude.
func chooseForCoding(s *resolve.Source, system, ofInclude, ofCoding string) versionChoice {
	c := versionChoice{version: s.Rules.Choose(system, ofInclude)}
	if ofCoding == "" {
		return c
	}
	switch {
	case c.version == "":
		if slices.ContainsFunc(s.State.Versions(system), func(v string) bool { return catalog.MatchVersion(ofCoding, v) }) {
			c.version = ofCoding
		}
	case c.version != ofCoding && catalog.MatchVersion(c.version, ofCoding):
		c.version = ofCoding
	}
	r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(system, s.Rules.Choose(system, c.version))
	switch {
	case r == nil || !r.HasCodes(s.Strict()):
		if c.version != ofCoding {
			c.mismatch = nothingAnswered
		}
		return c
	case catalog.MatchVersion(ofCoding, r.Header.Version):
	case c.version == "":
		c.mismatch = defaultDiffers
	case c.version != ofInclude:
		c.mismatch = ruleDiffers
	default:
		c.mismatch = includeDiffers
	}
	c.found = r.Header.Version
	return c
}

// requires reports whether an include of a code system requires a version, or any.
func requires(includes []*r4.Include, system, version string) bool {
	return slices.ContainsFunc(includes, func(inc *r4.Include) bool {
		return inc.System == system && catalog.MatchVersion(inc.Version, version)
	})
}

// reportMismatch reports that the version of a coding differs from the version used.
func (v *checker) reportMismatch(f *finding, inc *r4.Include, c *versionChoice) {
	expression, version := at(f.path, "version"), f.given.version
	switch c.mismatch {
	case versionsAgree:
		return
	case nothingAnswered:
		v.say(issue.Mismatch.Issue(expression, inc.System, c.version, version))
		return
	case defaultDiffers:
		v.issues.Add(issue.MismatchDefault.Issue(expression, inc.System, c.found, version))
	case ruleDiffers:
		v.say(issue.MismatchChanged.Issue(expression, inc.System, c.version, inc.Version, version))
	case includeDiffers:
		v.say(issue.Mismatch.Issue(expression, inc.System, inc.Version, version))
	}
	if r, _ := v.state.Shelf(catalog.KindCodeSystem).Find(inc.System, version); r == nil {
		name, i := unknownSystem(v.state, inc.System, version, at(f.path, "system"))
		if !slices.Contains(v.unknown, name) {
			v.unknown = append(v.unknown, name)
		}
		v.say(i)
	}
}

// versionThatHas returns the version to use for a coding without a version if several are
// included: the highest that has the code and its display, or the highest if none has. It returns
// "" if all of them have the code, or if there is only one version.
func (v *checker) versionThatHas(f *finding, includes []*r4.Include) (string, error) {
	if f.given.version != "" {
		return "", nil
	}
	var versions []string
	seen := map[string]bool{}
	for _, inc := range includes {
		if inc.System == f.systemName() && inc.Version != "" && !seen[inc.Version] {
			seen[inc.Version] = true
			versions = append(versions, inc.Version)
		}
	}
	if len(versions) < 2 {
		return "", nil
	}
	slices.SortFunc(versions, func(a, b string) int { return catalog.CompareVersions(b, a) })
	var have []string
	for _, version := range versions {
		x, err := v.source.Codes(v.ctx, f.systemName(), v.source.Rules.Choose(f.systemName(), version), f.code)
		if err != nil {
			return "", err
		}
		if x == nil {
			continue
		}
		if o, ok := x.Find(f.code); ok && (f.display == "" || hasText(x, o, f.display)) {
			have = append(have, version)
		}
	}
	switch len(have) {
	case len(versions):
		return "", nil
	case 0:
		return versions[0], nil
	}
	return have[0], nil
}

// hasText reports whether a text is the display or a designation of a concept.
func hasText(x *codesystem.Index, o codesystem.Ord, text string) bool {
	if x.Display(o) == text {
		return true
	}
	for d := range x.Designations(o) {
		if d.Value == text {
			return true
		}
	}
	return false
}
