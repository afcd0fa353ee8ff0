package engine

import (
	"cmp"
	"strings"
)

// What the engine knows of SNOMED CT: editions and their versions here, reference sets that
// are maps in snomed_maps.go. All else goes by what the index of a code system has.
const (
	snomedSystem = "http://snomed.info/sct"
	// snomedInternational is the module that the International Edition is named by.
	snomedInternational = "900000000000207008"

	snomedHost        = "http://snomed.info/"
	snomedUnpublished = "xsct" // in place of sct: an edition that is not published yet
)

// edition is a version of SNOMED CT taken apart (SNOMED CT URI Standard 2.1):
//
//	http://snomed.info/sct/MODULE/version/YYYYMMDD
//
// with xsct for one that is not published; without the date it stands for all releases of
// the edition, without the module for all editions.
type edition struct {
	unpublished  bool
	module, date string
}

// parseEdition takes an edition, or a version of one, apart. ok is false for any other text.
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

// compare orders releases from low to high: those not published below those that are, then
// those of other editions below those of the International Edition, then by date.
func (e edition) compare(other edition) int {
	return cmp.Or(
		-compareBools(e.unpublished, other.unpublished),
		compareBools(e.module == snomedInternational, other.module == snomedInternational),
		strings.Compare(e.date, other.date),
		compareNumbers(e.module, other.module),
	)
}

// editionBase reads an edition, or a version of one, that stands where the canonical of a
// code system may: it is SNOMED CT in that version.
func editionBase(base string) (system, version string, ok bool) {
	if base == snomedSystem {
		return "", "", false // a canonical as any other
	}
	_, ok = parseEdition(base)
	return snomedSystem, base, ok
}

// isRelease reports that a version is the date of a release, YYYYMMDD, with nothing said
// of the edition.
func isRelease(version string) bool { return len(version) == len("YYYYMMDD") && isNumber(version) }

// compareEditions orders versions when one of them at least is of SNOMED CT: these by
// edition.compare, and all of them together at the place where their URIs begin. ok is
// false when neither is.
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
