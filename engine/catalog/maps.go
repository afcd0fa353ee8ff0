package catalog

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
func (st *State) ConceptMap(_ context.Context, canonical string) (conceptmap.Translator, error) {
	url, version, err := SplitVersioned("url", canonical, "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", issue.ErrUnknownConceptMap, err)
	}
	m, err := st.Map(url, version)
	if err != nil {
		return nil, err
	}
	return m.Translator, nil
}

func (st *State) Map(url, version string) (*Map, error) {
	sh := st.Shelf(KindConceptMap)
	r, known := sh.Find(url, version)
	if r == nil && !known {
		if m, err := st.implicitMap(url, version); m != nil || err != nil {
			return m, err
		}
	}
	if r == nil {
		return nil, sh.Unknown(issue.ErrUnknownConceptMap, url, version, known)
	}
	return r.Map()
}

// implicitMap returns the implicit concept map of a url, nil if the url has not that form.
func (st *State) implicitMap(canonical, version string) (*Map, error) {
	base, code, ok := strings.Cut(canonical, implicitMapMark)
	if !ok {
		return nil, nil
	}
	if plain, err := url.PathUnescape(code); err == nil {
		code = plain
	}
	r, err := st.ImplicitSystem(base, version, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", issue.ErrUnknownConceptMap, canonical, err)
	}
	m, err := r.refsetMap(code)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", issue.ErrUnknownConceptMap, canonical, err)
	}
	if m == nil {
		return nil, fmt.Errorf("%w: %s: %s has no reference set %q that is a map", issue.ErrUnknownConceptMap, canonical, r.Canonical(), code)
	}
	return refsetIndex(m, base, canonical, version), nil
}

// implicitMapMark stands between the code system and the reference set in the URL of an implicit
// concept map (R4 snomedct.html#implicit-cm).
const implicitMapMark = "?fhir_cm="

// refsetIndex returns the map of a reference set for a url that begins with base.
func refsetIndex(m *conceptmap.Refset, base, canonical, version string) *Map {
	all := r4.JoinCanonical(base+ImplicitMark, version)
	x := &Map{Translator: m.As(r4.JoinCanonical(canonical, version))}
	from, to := m.Ends()
	if from == SNOMED {
		x.Source = all
	}
	if to == SNOMED {
		x.Target = all
	}
	return x
}

// refsetMap returns a reference set of the code system as a map, made on first use; nil if there
// is no such reference set or it is not a map.
func (r *Record) refsetMap(code string) (*conceptmap.Refset, error) {
	if m, ok := r.refsetMaps.Load(code); ok {
		return m.(*conceptmap.Refset), nil
	}
	x, err := r.PresentIndex()
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

// RefsetMaps returns the implicit concept maps of the default edition of SNOMED CT.
func (st *State) RefsetMaps() ([]*Map, error) {
	r, _ := st.Shelf(KindCodeSystem).Find(SNOMED, "")
	if r == nil || r.Content == "not-present" {
		return nil, nil
	}
	x, err := r.PresentIndex()
	if err != nil {
		return nil, err
	}
	var maps []*Map
	for _, code := range x.Refsets() {
		m, err := r.refsetMap(code)
		if err != nil {
			return nil, err
		}
		if m != nil {
			maps = append(maps, refsetIndex(m, SNOMED, SNOMED+implicitMapMark+code, ""))
		}
	}
	return maps, nil
}
