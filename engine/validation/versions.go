package validation

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// Which version of a code system a coding is checked in, when an include of a value set
// names the system:
//
//	the include, with the rules of the request, asks for    the coding has     checked in
//	any version                                             none               the default version
//	any version                                             one that is known  that of the coding
//	any version                                             another            the default version; noted
//	a version, or a pattern                                 none               what is asked for
//	a pattern that the version of the coding fits           that version       that of the coding
//	anything else                                           another            what is asked for; an error

// mismatch tells how the version of a coding disagrees with that of a value set.
type mismatch int

const (
	versionsAgree   mismatch = iota
	defaultDiffers           // nobody asks for a version, and the default one is another
	ruleDiffers              // a rule of the request chose another
	includeDiffers           // the value set asks for another
	nothingAnswered          // the value set asks for one that is not there
)

// versionChoice is the version a coding is checked in.
type versionChoice struct {
	version  string // "" asks for the default one
	mismatch mismatch
	found    string // that of the code system that answers; "" when none does
}

// chooseForCoding returns the version of a system that a coding with version ofCoding is
// checked in, when an include asks for the version ofInclude.
func chooseForCoding(s *resolve.Source, system, ofInclude, ofCoding string) versionChoice {
	c := versionChoice{version: s.Version(system, ofInclude)}
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
	r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(system, s.Version(system, c.version))
	switch {
	case r == nil || !r.HasCodes(s.Strict):
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

// orderedIncludes puts the higher of several versions of a system first.
func orderedIncludes(list []r4.Include) []*r4.Include {
	out := make([]*r4.Include, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	slices.SortStableFunc(out, func(a, b *r4.Include) int {
		if a.System == b.System && a.Version != "" && b.Version != "" {
			return catalog.CompareVersions(b.Version, a.Version)
		}
		return 0
	})
	return out
}

// concerns reports that an include may have a coding of a version: it asks for that
// version or for any, or no other include of the system does.
func concerns(inc *r4.Include, all []*r4.Include, version string) bool {
	return version == "" || catalog.MatchVersion(inc.Version, version) ||
		!slices.ContainsFunc(all, func(other *r4.Include) bool {
			return other.System == inc.System && catalog.MatchVersion(other.Version, version)
		})
}

// reportMismatch says that the version of a coding is not the one it is checked in.
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

// versionThatHas chooses among several versions of the system of a coding without a
// version: the highest that has the code, with its display if one is given. "" when all
// of them do, or when there is one version only. When none does, it is the highest.
func (v *checker) versionThatHas(f *finding, includes []*r4.Include) (string, error) {
	if f.given.version != "" {
		return "", nil
	}
	var versions []string
	for _, inc := range includes {
		if inc.System == f.systemName() && inc.Version != "" && !slices.Contains(versions, inc.Version) {
			versions = append(versions, inc.Version)
		}
	}
	if len(versions) < 2 {
		return "", nil
	}
	slices.SortFunc(versions, func(a, b string) int { return catalog.CompareVersions(b, a) })
	var have []string
	for _, version := range versions {
		x, err := v.source.Codes(v.ctx, f.systemName(), v.source.Version(f.systemName(), version), f.code)
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

// hasText reports that a text is the display or a designation of a concept.
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
