package engine

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// implicitMapMark is what the url of an implicit concept map goes on with after its code
// system; a reference set follows (R4 snomedct.html#implicit-cm).
const implicitMapMark = "?fhir_cm="

// implicitMap finds the implicit concept map of a url; nil when the url is not one.
func (st *state) implicitMap(canonical, version string) (*mapIndex, error) {
	base, code, ok := strings.Cut(canonical, implicitMapMark)
	if !ok {
		return nil, nil
	}
	if plain, err := url.PathUnescape(code); err == nil {
		code = plain
	}
	r, err := st.plain.implicitSystem(base, version)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", issue.ErrUnknownConceptMap, canonical, err)
	}
	m, err := r.refsetMap(code)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", issue.ErrUnknownConceptMap, canonical, err)
	}
	if m == nil {
		return nil, fmt.Errorf("%w: %s: %s has no reference set %q that is a map", issue.ErrUnknownConceptMap, canonical, r.canonical(), code)
	}
	return refsetIndex(m, base, canonical, version), nil
}

// refsetIndex is the map of a reference set, asked for by a url that begins with base.
func refsetIndex(m *conceptmap.Refset, base, canonical, version string) *mapIndex {
	all := r4.JoinCanonical(base+implicitMark, version)
	x := &mapIndex{Translator: m.As(r4.JoinCanonical(canonical, version)), source: all}
	if m.Targets() == snomedSystem {
		x.target = all
	}
	return x
}

// refsetMap returns a reference set of the code system as a map, made on first use; nil when
// there is none of the code, or it is no map.
func (r *record) refsetMap(code string) (*conceptmap.Refset, error) {
	if m, ok := r.refsetMaps.Load(code); ok {
		return m.(*conceptmap.Refset), nil
	}
	x, err := r.content()
	if err != nil {
		return nil, err
	}
	set, ok := x.Refset(code)
	if !ok {
		return nil, nil
	}
	made, ok := conceptmap.NewRefset(x, set, code)
	if !ok {
		return nil, nil
	}
	m, _ := r.refsetMaps.LoadOrStore(code, made)
	return m.(*conceptmap.Refset), nil
}

// fittingRefsets returns the implicit concept maps of the default edition of SNOMED CT that
// go between the value sets and systems of a request that names no map; none when the
// request is not about SNOMED CT.
func (st *state) fittingRefsets(req *TranslateRequest) ([]*mapIndex, error) {
	if !req.about(snomedSystem) {
		return nil, nil
	}
	r, _ := st.shelves[kindCodeSystem].find(snomedSystem, "")
	if r == nil || r.Content == "not-present" {
		return nil, nil
	}
	x, err := r.content()
	if err != nil {
		return nil, err
	}
	var maps []*mapIndex
	for _, code := range x.Refsets() {
		m, err := r.refsetMap(code)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		if found := refsetIndex(m, snomedSystem, snomedSystem+implicitMapMark+code, ""); found.fits(req) {
			maps = append(maps, found)
		}
	}
	return maps, nil
}

// about reports that a request translates from or to a code system.
func (req *TranslateRequest) about(system string) bool {
	if canonicalURL(req.System) == system || req.TargetSystem == system || req.Coding != nil && req.Coding.System == system {
		return true
	}
	if req.CodeableConcept == nil {
		return false
	}
	for i := range req.CodeableConcept.Coding {
		if req.CodeableConcept.Coding[i].System == system {
			return true
		}
	}
	return false
}
