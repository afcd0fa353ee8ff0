package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/resources/r4"
)

// TranslateRequest asks for codes of another system (ConceptMap/$translate). ID, URL or
// ConceptMap names one map; without them every published map that fits is asked, in the
// default version of each.
type TranslateRequest struct {
	ID                    string
	URL                   string // canonical, may be url|version
	ConceptMapVersion     string
	ConceptMap            *r4.ConceptMap // given with the request
	Code, System, Version string         // an empty system or version matches any
	Coding                *r4.Coding
	CodeableConcept       *r4.CodeableConcept // all its codings are translated
	Source, Target        string              // value sets: only maps from or to them are asked
	TargetSystem          string
	// DependsOn are further facts known: mappings that depend on another value of one of
	// these properties are left out.
	DependsOn []r4.ConceptMapDependsOn
	Reverse   bool // from targets to sources
}

// TranslateResult is the answer of Translate.
type TranslateResult struct {
	// Result tells whether there is a translation: a match that is not unmatched or disjoint.
	Result  bool
	Message string // why there is none, or what could not be asked
	Matches []conceptmap.Match
}

// Translate gives the codes that concept maps give for a code. A code without a
// translation is no error: the result is false. Errors: ErrUnknownConceptMap,
// ErrUnknownVersion, ErrUnknownID, ErrMissingParameter, ErrInvalidParameter,
// conceptmap.ErrMapCycle.
func (e *Engine) Translate(ctx context.Context, req *TranslateRequest) (*TranslateResult, error) {
	ctx, span := e.observe(ctx, "translate", req.URL)
	r, err := e.translate(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) translate(ctx context.Context, req *TranslateRequest) (*TranslateResult, error) {
	if err := oneOf(req.Code, req.Coding, req.CodeableConcept); err != nil {
		return nil, err
	}
	st := e.state.Load()
	maps, err := st.mapsFor(ctx, req)
	if err != nil {
		return nil, err
	}
	codings, err := req.codings()
	if err != nil {
		return nil, err
	}
	var r TranslateResult
	for i := range codings {
		c := st.written(&codings[i])
		for _, m := range maps {
			matches, err := m.Translate(ctx, conceptmap.Request{
				System: c.System, Version: c.Version, Code: c.Code, TargetSystem: req.TargetSystem, Reverse: req.Reverse,
				DependsOn: req.DependsOn,
			}, st)
			r.Matches = append(r.Matches, matches...)
			if err != nil {
				if !errors.Is(err, ErrUnknownConceptMap) {
					return nil, fmt.Errorf("concept map %s: %w", m.Canonical(), err)
				}
				r.Message = err.Error()
			}
		}
	}
	r.Result = conceptmap.Found(r.Matches)
	if !r.Result && r.Message == "" {
		r.Message = noTranslation(codings, len(maps), len(r.Matches))
	}
	st.addDisplays(r.Matches)
	return &r, nil
}

func noTranslation(codings []r4.Coding, maps, matches int) string {
	switch {
	case maps == 0:
		return "No concept map fits the request"
	case matches > 0:
		return "The map says that there is no translation"
	case len(codings) == 1:
		return "There is no mapping for " + codeOf(codings[0].System, codings[0].Version, codings[0].Code)
	}
	return "There is no mapping for any of the codings"
}

// codings lists what is to be translated.
func (req *TranslateRequest) codings() ([]r4.Coding, error) {
	switch {
	case req.CodeableConcept != nil:
		return req.CodeableConcept.Coding, nil
	case req.Coding != nil:
		if req.Coding.Code == "" {
			return nil, missing("coding", "it has no code")
		}
		return []r4.Coding{*req.Coding}, nil
	}
	system, version, err := splitVersioned("system", req.System, req.Version)
	return []r4.Coding{{System: system, Version: version, Code: req.Code}}, err
}

// written gives a coding with its code as the code system writes it: maps compare
// codes exactly, and a system may not be case-sensitive.
func (st *state) written(c *r4.Coding) r4.Coding {
	out := *c
	if x, err := st.system(c.System, ""); err == nil && !x.CaseSensitive() {
		if o, ok := x.Find(c.Code); ok {
			out.Code = x.Code(o)
		}
	}
	return out
}

// mapsFor finds the maps a request asks.
func (st *state) mapsFor(ctx context.Context, req *TranslateRequest) ([]*conceptmap.Map, error) {
	switch {
	case req.ConceptMap != nil:
		m, err := conceptmap.New(req.ConceptMap)
		if err != nil {
			return nil, &ParameterError{Name: "conceptMap", Problem: ErrInvalidParameter, Cause: err}
		}
		return []*conceptmap.Map{m}, nil
	case req.ID != "":
		r, err := st.instance(kindConceptMap, "ConceptMap", req.ID)
		if err != nil {
			return nil, err
		}
		if req.URL != "" && canonicalURL(req.URL) != r.Header.URL {
			return nil, invalid("url", fmt.Sprintf("ConceptMap/%s is %s", req.ID, r.Header.URL))
		}
		return one(r.conceptMap())
	case req.URL != "":
		url, version, err := splitVersioned("url", req.URL, req.ConceptMapVersion)
		if err != nil {
			return nil, err
		}
		return one(st.conceptMap(url, version))
	}
	return st.fittingMaps(ctx, req)
}

func one(m *mapIndex, err error) ([]*conceptmap.Map, error) {
	if err != nil {
		return nil, err
	}
	return []*conceptmap.Map{m.Map}, nil
}

func (st *state) conceptMap(url, version string) (*mapIndex, error) {
	sh := &st.shelves[kindConceptMap]
	r, known := sh.find(url, version)
	if r == nil {
		return nil, sh.unknown(ErrUnknownConceptMap, url, version, known)
	}
	return r.conceptMap()
}

// ConceptMap implements conceptmap.Resolver.
func (st *state) ConceptMap(_ context.Context, canonical string) (*conceptmap.Map, error) {
	url, version, err := splitVersioned("url", canonical, "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknownConceptMap, err)
	}
	m, err := st.conceptMap(url, version)
	if err != nil {
		return nil, err
	}
	return m.Map, nil
}

// fittingMaps gives every map, in the default version of each url, that goes between
// the value sets and systems asked for.
func (st *state) fittingMaps(ctx context.Context, req *TranslateRequest) ([]*conceptmap.Map, error) {
	var maps []*conceptmap.Map
	sh := &st.shelves[kindConceptMap]
	for _, r := range sh.list() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if url := r.Header.URL; url != "" && sh.byURL.get(url)[0] != r {
			continue
		}
		m, err := r.conceptMap()
		if err != nil {
			return nil, err
		}
		from, to := m.source, m.target
		if req.Reverse {
			from, to = to, from
		}
		if sameCanonical(req.Source, from) && sameCanonical(req.Target, to) {
			maps = append(maps, m.Map)
		}
	}
	return maps, nil
}

// sameCanonical compares canonicals; an empty one asks for any, a missing version for
// any version.
func sameCanonical(asked, canonical string) bool {
	return asked == "" || asked == canonical || asked == canonicalURL(canonical)
}

// addDisplays gives targets that the map leaves without a display the one of their system.
func (st *state) addDisplays(matches []conceptmap.Match) {
	for i := range matches {
		c := &matches[i].Concept
		if c.Display != "" || c.Code == "" || c.System == "" {
			continue
		}
		if x, err := st.system(c.System, c.Version); err == nil {
			if o, ok := x.Find(c.Code); ok {
				c.Display = x.Display(o)
			}
		}
	}
}

// AppendJSON appends the Parameters resource.
func (r *TranslateResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Boolean("result", r.Result)
	if r.Message != "" {
		w.String("message", r.Message)
	}
	for i := range r.Matches {
		m := &r.Matches[i]
		w.Begin("match")
		w.Code("equivalence", string(m.Equivalence))
		if m.Concept.Code != "" {
			w.Coding("concept", &m.Concept)
		}
		for _, p := range m.Product {
			w.Begin("product")
			w.URI("element", p.Property)
			w.Coding("concept", &r4.Coding{System: p.System, Code: p.Value, Display: p.Display})
			w.End()
		}
		if m.Map != "" {
			w.URI("source", m.Map)
		}
		if m.Comment != "" {
			w.String("comment", m.Comment)
		}
		w.End()
	}
	return w.Finish()
}

// Yes is the result.
func (r *TranslateResult) Yes() bool { return r.Result }

// Table has one row for each match.
func (r *TranslateResult) Table() *Table {
	t := &Table{Title: r.Message}
	if len(r.Matches) == 0 {
		t.Header, t.Rows = []string{"NAME", "VALUE"}, [][]string{{"result", strconv.FormatBool(r.Result)}}
		return t
	}
	t.Header = []string{"EQUIVALENCE", "CODE", "DISPLAY", "SYSTEM", "MAP"}
	for i := range r.Matches {
		m := &r.Matches[i]
		t.Rows = append(t.Rows, []string{
			string(m.Equivalence), cmp.Or(m.Concept.Code, "-"), m.Concept.Display, m.Concept.System, m.Map,
		})
	}
	return t
}
