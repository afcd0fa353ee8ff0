package engine

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// ConceptMap implements conceptmap.Resolver.
func (st *state) ConceptMap(_ context.Context, canonical string) (conceptmap.Translator, error) {
	url, version, err := splitVersioned("url", canonical, "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", issue.ErrUnknownConceptMap, err)
	}
	m, err := st.conceptMap(url, version)
	if err != nil {
		return nil, err
	}
	return m.Translator, nil
}

func (st *state) conceptMap(url, version string) (*mapIndex, error) {
	sh := st.shelf(kindConceptMap)
	r, known := sh.find(url, version)
	if r == nil && !known {
		if m, err := st.implicitMap(url, version); m != nil || err != nil {
			return m, err
		}
	}
	if r == nil {
		return nil, sh.unknown(issue.ErrUnknownConceptMap, url, version, known)
	}
	return r.conceptMap()
}

// implicitMap finds the implicit concept map of a url; nil when the url is not one.
func (st *state) implicitMap(canonical, version string) (*mapIndex, error) {
	base, code, ok := strings.Cut(canonical, implicitMapMark)
	if !ok {
		return nil, nil
	}
	if plain, err := url.PathUnescape(code); err == nil {
		code = plain
	}
	r, err := st.implicitSystem(base, version, nil)
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

// implicitMapMark is what the url of an implicit concept map goes on with after its code
// system; a reference set follows (R4 snomedct.html#implicit-cm).
const implicitMapMark = "?fhir_cm="

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
