package audit

import (
	"context"
	"fmt"
	"strings"
)

// versionInput is the input of the check of the version.
type versionInput struct {
	version     string
	releases    Releases // nil if the feed could not be read
	feedProblem string
}

func (s *Scanner) version(ctx context.Context) (Result, error) {
	in := versionInput{version: s.platformVersion, feedProblem: "the feed of releases was not requested"}
	if s.options.Releases != nil {
		feed, err := s.options.Releases(ctx)
		if err == nil {
			in.releases, err = ParseReleases(feed)
		}
		if err != nil {
			in.feedProblem = err.Error()
		}
	}
	return reduceVersion(in), nil
}

func reduceVersion(in versionInput) Result {
	r := newRecorder(CheckVersion)
	r.evaluated("version-unparseable")
	feed := []string{"version-eol-feed-unsupported", "version-newer-line-available", "version-patch-currency"}
	noFeed := in.releases == nil
	if noFeed {
		r.skip("no feed of releases", feed...)
		r.note("%s.", capital(in.feedProblem))
	}
	v, ok := parseVersion(in.version)
	if !ok {
		r.flag(Finding{
			Control: "version-unparseable", Severity: Info, Title: "The version cannot be read",
			Detail: fmt.Sprintf("The platform reports the version %q, which is not of the form 2.42.4.", in.version),
		})
		r.skip("version unreadable", append(feed, "version-eol-below-min-line", "version-below-advisory-floor")...)
		return r.done()
	}
	evidence := func(more ...string) map[string]string {
		e := map[string]string{"version": v.Raw}
		for i := 0; i+1 < len(more); i += 2 {
			e[more[i]] = more[i+1]
		}
		return e
	}
	if v.IsSnapshot {
		r.note("The version is a snapshot, which is not a release.")
	}
	r.evaluated("version-eol-below-min-line")
	if v.Major < 2 || v.Major == 2 && v.Line < minLine {
		r.flag(Finding{
			Control: "version-eol-below-min-line", Severity: High, Title: "The line is too old to be supported", Evidence: evidence(),
			Detail: fmt.Sprintf("Line %d.%d is older than 2.%d, the oldest that this program supports. It gets no security fixes.", v.Major, v.Line, minLine),
		})
	}
	belowFloor := floorFindings(r, v, evidence)
	if noFeed {
		return r.done()
	}
	entry := in.releases.line(v.Line)
	if entry == nil {
		r.skip(fmt.Sprintf("the feed does not list line %d", v.Line), "version-eol-feed-unsupported", "version-patch-currency")
	} else {
		r.evaluated("version-eol-feed-unsupported")
		if !entry.Supported {
			r.flag(Finding{
				Control: "version-eol-feed-unsupported", Severity: High, Title: "The line is no longer maintained", Evidence: evidence(),
				Detail: fmt.Sprintf("The feed of releases lists line %d.%d as not supported. It gets no security fixes.", v.Major, v.Line),
			})
		}
	}
	r.evaluated("version-newer-line-available")
	if latest := in.releases.latest(); v.Line < latest {
		r.flag(Finding{
			Control: "version-newer-line-available", Severity: Info, Title: "A newer line exists", Evidence: evidence("latest_line", fmt.Sprintf("2.%d", latest)),
			Detail: fmt.Sprintf("The latest line is 2.%d.", latest),
		})
	}
	switch {
	case belowFloor:
		r.skip("the security floor is flagged already", "version-patch-currency")
	case entry != nil:
		r.evaluated("version-patch-currency")
		if v.below(entry.Patch, entry.Hotfix) {
			latest := (&ParsedVersion{Major: v.Major, Line: v.Line, Patch: entry.Patch, Hotfix: entry.Hotfix}).text()
			r.flag(Finding{
				Control: "version-patch-currency", Severity: Warn, Title: "A newer patch exists", Evidence: evidence("latest", latest),
				Detail: fmt.Sprintf("The latest version of the line is %s.", latest),
			})
		}
	}
	return r.done()
}

// floorFindings compares the version with the security floor of its line, and reports whether it is
// below.
func floorFindings(r *recorder, v *ParsedVersion, evidence func(...string) map[string]string) bool {
	const id = "version-below-advisory-floor"
	for _, f := range floors {
		if f.line != v.Line {
			continue
		}
		r.evaluated(id)
		if !v.below(f.patch, f.hotfix) {
			return false
		}
		fixed := (&ParsedVersion{Major: v.Major, Line: f.line, Patch: f.patch, Hotfix: f.hotfix}).text()
		r.flag(Finding{
			Control: id, Severity: High, Title: "The version has known vulnerabilities",
			Detail:   fmt.Sprintf("Versions of the line before %s are affected by %s (table of %s).", fixed, strings.Join(f.advisories, ", "), floorsReviewed),
			Evidence: evidence("floor", fixed, "advisories", strings.Join(f.advisories, ", ")),
		})
		return true
	}
	r.skip(fmt.Sprintf("no security floor is known for line %d (table of %s)", v.Line, floorsReviewed), id)
	return false
}
