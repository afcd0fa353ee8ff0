package engine

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

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
func (v *validation) reportMismatch(f *finding, inc *r4.Include, c *versionChoice) {
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
func (v *validation) versionThatHas(f *finding, includes []*r4.Include) (string, error) {
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
