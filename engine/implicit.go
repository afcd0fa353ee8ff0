package engine

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// Implicit value sets are value sets that nobody published (R4 valueset.html#implicit):
//
//	CodeSystem.valueSet      every code of the code system that declares it
//	system?fhir_vs           every code of the system
//	system?fhir_vs=isa/CODE  a code and everything below it
//
// The last two are understood for every code system. A published value set of the same
// canonical comes first.
type implicitSet struct {
	url, version string // the canonical asked for
	system       *record
	isA          string // "": every code
	written      *r4.ValueSet
}

const implicitMark = "?fhir_vs"

// implicit finds the implicit value set of a url; ok is false when the url is not one.
func (s *source) implicit(canonical, version string) (im implicitSet, ok bool, err error) {
	im = implicitSet{url: canonical, version: version}
	if declared := s.state.allCodes.get(canonical); len(declared) > 0 {
		for _, r := range declared {
			if matchVersion(version, r.Header.Version) {
				im.system = r
				return im, true, nil
			}
		}
		return im, false, nil
	}
	at := strings.Index(canonical, implicitMark)
	if at < 0 {
		return im, false, nil
	}
	system, query := canonical[:at], canonical[at+len(implicitMark):]
	if query != "" {
		code, found := strings.CutPrefix(query, "=isa/")
		if !found || code == "" {
			return im, false, fmt.Errorf("%w: %s: only ?fhir_vs and ?fhir_vs=isa/CODE are understood", ErrUnknownValueSet, canonical)
		}
		if plain, err := url.PathUnescape(code); err == nil {
			code = plain
		}
		im.isA = code
	}
	im.system, err = s.state.systemRecord(system, s.rules.choose(system, version))
	if err != nil {
		return im, false, fmt.Errorf("%w: %s: %w", ErrUnknownValueSet, canonical, err)
	}
	return im, true, nil
}

// definition writes the implicit value set as a resource, once.
func (im *implicitSet) definition() *r4.ValueSet {
	if im.written != nil {
		return im.written
	}
	h := &im.system.Header
	include := r4.Include{System: h.URL, Version: h.Version}
	title := "All codes of " + nameOf(h)
	if im.isA != "" {
		include.Filter = []r4.Filter{{Property: "concept", Op: "is-a", Value: im.isA}}
		title = im.isA + " and what is below it in " + nameOf(h)
	}
	im.written = &r4.ValueSet{
		Header: r4.Header{
			ResourceType: "ValueSet", URL: im.url, Version: im.version, Title: title,
			Status: cmp.Or(h.Status, "active"), Experimental: h.Experimental, Date: h.Date, Publisher: h.Publisher, Copyright: h.Copyright,
		},
		Compose: &r4.Compose{Include: []r4.Include{include}},
	}
	return im.written
}

// nameOf names a resource for people.
func nameOf(h *r4.Header) string {
	for _, s := range []string{h.Title, h.Name, h.URL} {
		if s != "" {
			return s
		}
	}
	return h.ID
}
