package catalog

import (
	"cmp"
	"strings"
)

// Which version of a resource is used; the rules of a request are in rules.go:
//
//	requested      used
//	""             the default version: stored before loaded before built in, those whose
//	               content is present before those that are not, then the highest version
//	"1.2.0"        exactly that version
//	"1.x" "1.*"    the default among the versions that match the pattern; a final wildcard
//	               matches any number of segments
//	"1.0?"         the default among the versions that begin with these segments
//	"2024"         if versions are not semantic: the default among those with this prefix
//	               (2024-05; the editions of a code system as paths of a URI)
//	"current"      as "", unless a version has this name: publishers of guides write it for
//	               the version of the day
//	"20250131"     of SNOMED CT: the release of that date, if only one edition has it
//
// Versions are ordered by semantic versioning if both are semantic, else in natural order, which
// compares numbers within a text as numbers. Releases of SNOMED CT are ordered by edition.compare:
// the latest release of the International Edition is the highest. Dates in the form MMDDYYYY, as
// in versions of RxNorm (R4 rxnorm.html), are ordered by time. The rules of a request
// (VersionRules) are applied before this table:
//
//	force-system-version      replaces what the value set names
//	system-version            is used where the value set names none
//	check-system-version      is used where neither of them names one, and what is then
//	                          used must match it
//
// and likewise, for value sets, force-, default- and check-valueset-version.

// CompareVersions compares versions: a total order from low to high. A pre-release (1.0.0-rc.1) is
// below its release; build metadata (+…) is ignored.
func CompareVersions(a, b string) int {
	if order, ok := compareEditions(a, b); ok {
		return order
	}
	coreA, preA, _ := splitSemver(yearFirst(a))
	coreB, preB, _ := splitSemver(yearFirst(b))
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

// compareEditions compares versions if at least one is a version of SNOMED CT: two of them by
// edition.compare, one with another version by the prefix of its URI. ok is false if neither is.
func compareEditions(a, b string) (order int, ok bool) {
	x, isX := parseEdition(a)
	y, isY := parseEdition(b)
	switch {
	case isX && isY:
		return cmp.Or(x.compare(y), strings.Compare(a, b)), true
	case isX:
		return cmp.Or(compareNatural(snomedHost, b), strings.Compare(a, b)), true
	case isY:
		return cmp.Or(compareNatural(a, snomedHost), strings.Compare(a, b)), true
	}
	return 0, false
}

// Editions of SNOMED CT and their versions. Reference sets that are maps are in maps.go;
// everything else comes from the index of the code system.
const (
	SNOMED = "http://snomed.info/sct"
	// snomedInternational is the module of the International Edition.
	snomedInternational = "900000000000207008"

	snomedHost        = "http://snomed.info/"
	snomedUnpublished = "xsct" // in place of sct: an edition that is not published yet
)

// An edition is a parsed version of SNOMED CT (SNOMED CT URI Standard 2.1):
//
//	http://snomed.info/sct/MODULE/version/YYYYMMDD
//
// with xsct for an unpublished edition. Without the date it stands for all releases of the
// edition, without the module for all editions.
type edition struct {
	unpublished  bool
	module, date string
}

// parseEdition parses an edition or a version of an edition. ok is false for any other text.
func parseEdition(uri string) (e edition, ok bool) {
	rest, ok := strings.CutPrefix(uri, snomedHost)
	if !ok {
		return e, false
	}
	space, rest, more := strings.Cut(rest, "/")
	switch space {
	case "sct":
	case snomedUnpublished:
		e.unpublished = true
	default:
		return e, false
	}
	if !more {
		return e, true
	}
	e.module, rest, more = strings.Cut(rest, "/")
	if !isNumber(e.module) {
		return edition{}, false
	}
	if !more {
		return e, true
	}
	e.date, ok = strings.CutPrefix(rest, "version/")
	return e, ok && isNumber(e.date)
}

// compare compares releases: unpublished below published, then other editions below the
// International Edition, then by date.
func (e edition) compare(other edition) int {
	return cmp.Or(
		-compareBools(e.unpublished, other.unpublished),
		compareBools(e.module == snomedInternational, other.module == snomedInternational),
		strings.Compare(e.date, other.date),
		compareNumbers(e.module, other.module),
	)
}

// compareBools orders false below true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// yearFirst returns a version MMDDYYYY as YYYYMMDD, so that it sorts by time, and other versions
// unchanged. A version YYYYMMDD is never taken for MMDDYYYY: its year would be below 1300.
func yearFirst(version string) string {
	if len(version) != len("MMDDYYYY") || !isNumber(version) {
		return version
	}
	month, day, century := version[:2], version[2:4], version[4:6]
	if month < "01" || month > "12" || day < "01" || day > "31" || century != "19" && century != "20" {
		return version
	}
	return version[4:] + version[:4]
}

// splitSemver splits a version by semver.org 2.0.0 into its three numbers and its pre-release. Any
// other text is returned as core, with semantic false.
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

// compareNatural compares texts; runs of digits compare as numbers.
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

// compareNumbers compares decimal numbers of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// digits returns the number of leading digits of s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func isNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// Current stands for the default version.
const Current = "current"

// MatchVersion reports whether a version is the requested version or matches its pattern.
func MatchVersion(asked, version string) bool {
	if asked == "" || asked == Current || asked == version {
		return true
	}
	if prefix, open := strings.CutSuffix(asked, "?"); open {
		return beginsWith(version, prefix, ".-+")
	}
	if isRelease(asked) {
		if e, ok := parseEdition(version); ok {
			return e.date == asked
		}
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

// beginsWith reports whether a version is prefix, or continues after it with one of the characters
// of next.
func beginsWith(version, prefix, next string) bool {
	rest, ok := strings.CutPrefix(version, prefix)
	return ok && prefix != "" && (rest == "" || strings.IndexByte(next, rest[0]) >= 0)
}

// isPattern reports whether a version has a segment x, X or *, or ends in ?.
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

// isRelease reports whether a version is a release date YYYYMMDD without an edition.
func isRelease(version string) bool { return len(version) == len("YYYYMMDD") && isNumber(version) }

// editionBase parses an edition, or a version of an edition, in place of the canonical of a code
// system: it means SNOMED CT in that version.
func editionBase(base string) (system, version string, ok bool) {
	if base == SNOMED {
		return "", "", false // an ordinary canonical
	}
	_, ok = parseEdition(base)
	return SNOMED, base, ok
}
