package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/validation"
	"github.com/roget-health/roget/resources/r4"
)

// TranslateRequest asks for codes of another system (ConceptMap/$translate). ID, URL or
// ConceptMap names one map; without them every published map that fits is asked, in the
// default version of each, and so are the reference sets of SNOMED CT that are maps. URL
// may be that of an implicit map, http://snomed.info/sct?fhir_cm=ID.
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
	// Scoped asks as R5 and the terminology ecosystem do: Source and Target are scopes. The
	// code must be in Source; maps apply to the codes of their own source value set only;
	// each translation is given once, as the map has it, with the map as originMap.
	Scoped bool
}

// TranslateResult is the answer of Translate.
type TranslateResult struct {
	// Result reports whether there is a translation: a match that is not unmatched or disjoint.
	Result  bool
	Message string // why there is none, or what could not be asked
	Matches []conceptmap.Match

	scoped bool
}

// Translate returns the codes that concept maps give for a code. A code without a
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
	if err := validation.OneOf(req.Code, req.Coding, req.CodeableConcept); err != nil {
		return nil, err
	}
	st := e.source.Load().State
	maps, err := mapsFor(ctx, st, req)
	if err != nil {
		return nil, err
	}
	codings, err := req.codings()
	if err != nil {
		return nil, err
	}
	r := TranslateResult{scoped: req.Scoped}
	asked := 0 // maps that apply
	for i := range codings {
		c := written(st, &codings[i])
		apply, message, err := e.scope(ctx, req, &c, maps)
		if err != nil {
			return nil, err
		}
		r.Message = cmp.Or(r.Message, message)
		asked += len(apply)
		if err := r.ask(ctx, st, req, &c, apply); err != nil {
			return nil, err
		}
	}
	r.Result = conceptmap.Found(r.Matches)
	switch {
	case r.Result:
		r.Message = ""
	case r.Message == "" && len(r.Matches) == 0:
		r.Message = noTranslation(req, codings, asked)
	}
	if !req.Scoped {
		addDisplays(st, r.Matches)
	}
	return &r, nil
}

// ask adds what maps give for a code.
func (r *TranslateResult) ask(ctx context.Context, st *catalog.State, req *TranslateRequest, c *r4.Coding, maps []*catalog.Map) error {
	for _, m := range maps {
		matches, err := m.Translate(ctx, conceptmap.Request{
			System: c.System, Version: c.Version, Code: c.Code, TargetSystem: req.TargetSystem, Reverse: req.Reverse,
			DependsOn: req.DependsOn,
		}, st)
		for i := range matches {
			if !req.Scoped || !r.has(&matches[i].Concept) {
				r.Matches = append(r.Matches, matches[i])
			}
		}
		if err != nil {
			if !errors.Is(err, issue.ErrUnknownConceptMap) {
				return fmt.Errorf("concept map %s: %w", m.Canonical(), err)
			}
			r.Message = err.Error()
		}
	}
	return nil
}

// has reports a translation that is there already.
func (r *TranslateResult) has(c *r4.Coding) bool {
	return c.Code != "" && slices.ContainsFunc(r.Matches, func(m conceptmap.Match) bool {
		return m.Concept.System == c.System && m.Concept.Code == c.Code
	})
}

// noTranslation says why there is nothing.
func noTranslation(req *TranslateRequest, codings []r4.Coding, maps int) string {
	if maps > 0 {
		return "No translations found"
	}
	from, to := "", cmp.Or(req.TargetSystem, req.Target)
	if len(codings) > 0 {
		from = codings[0].System
	}
	if req.Reverse {
		from, to = to, from
	}
	const any = "(unspecified)"
	return fmt.Sprintf("No ConceptMap is available to translate from '%s' to '%s'", cmp.Or(from, any), cmp.Or(to, any))
}

// codings lists what is to be translated.
func (req *TranslateRequest) codings() ([]r4.Coding, error) {
	switch {
	case req.CodeableConcept != nil:
		return req.CodeableConcept.Coding, nil
	case req.Coding != nil:
		if req.Coding.Code == "" {
			return nil, issue.Missing("coding", "it has no code")
		}
		return []r4.Coding{*req.Coding}, nil
	}
	system, version, err := catalog.SplitVersioned("system", req.System, req.Version)
	return []r4.Coding{{System: system, Version: version, Code: req.Code}}, err
}

// written returns a coding with its code as the code system writes it: maps compare
// codes exactly, and a system may not be case-sensitive.
func written(st *catalog.State, c *r4.Coding) r4.Coding {
	out := *c
	if x, err := st.System(c.System, ""); err == nil && !x.CaseSensitive() {
		if o, ok := x.Find(c.Code); ok {
			out.Code = x.Code(o)
		}
	}
	return out
}

// mapsFor finds the maps a request asks.
func mapsFor(ctx context.Context, st *catalog.State, req *TranslateRequest) ([]*catalog.Map, error) {
	switch {
	case req.ConceptMap != nil:
		m, err := conceptmap.New(req.ConceptMap)
		if err != nil {
			return nil, &issue.ParameterError{Name: "conceptMap", Problem: issue.ErrInvalidParameter, Cause: err}
		}
		return []*catalog.Map{{Translator: m, Source: req.ConceptMap.Source(), Target: req.ConceptMap.Target()}}, nil
	case req.ID != "":
		r, err := st.Instance(catalog.KindConceptMap, "ConceptMap", req.ID)
		if err != nil {
			return nil, err
		}
		if req.URL != "" && catalog.CanonicalURL(req.URL) != r.Header.URL {
			return nil, issue.Invalid("url", fmt.Sprintf("ConceptMap/%s is %s", req.ID, r.Header.URL))
		}
		return one(r.Map())
	case req.URL != "":
		url, version, err := catalog.SplitVersioned("url", req.URL, req.ConceptMapVersion)
		if err != nil {
			return nil, err
		}
		return one(st.Map(url, version))
	}
	maps, err := fittingMaps(ctx, st, req)
	if err != nil {
		return nil, err
	}
	implicit, err := fittingRefsets(st, req)
	return append(maps, implicit...), err
}

func one(m *catalog.Map, err error) ([]*catalog.Map, error) {
	if err != nil {
		return nil, err
	}
	return []*catalog.Map{m}, nil
}

// fittingMaps returns every map, in the default version of each url, that goes between
// the value sets and systems asked for. Of those that came with the request, two may
// have the same canonical.
func fittingMaps(ctx context.Context, st *catalog.State, req *TranslateRequest) ([]*catalog.Map, error) {
	var maps []*catalog.Map
	sh := st.Shelf(catalog.KindConceptMap)
	for _, r := range sh.List() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if url := r.Header.URL; url != "" {
			first, _ := sh.Find(url, "")
			if twin := r.FromRequest() && r.Header.Version == first.Header.Version; first != r && !twin {
				continue
			}
		}
		m, err := r.Map()
		if err != nil {
			return nil, err
		}
		if fits(m, req) {
			maps = append(maps, m)
		}
	}
	return maps, nil
}

// fits reports that a map goes between the value sets asked for. A scope of the source
// is no choice of maps: see scope.
func fits(m *catalog.Map, req *TranslateRequest) bool {
	from, to := m.Source, m.Target
	if req.Reverse {
		from, to = to, from
	}
	return (req.Scoped || sameCanonical(req.Source, from)) && sameCanonical(req.Target, to)
}

// sameCanonical compares canonicals; an empty one asks for any, a missing version for
// any version.
func sameCanonical(asked, canonical string) bool {
	return asked == "" || asked == canonical || asked == catalog.CanonicalURL(canonical)
}

// addDisplays returns targets that the map leaves without a display the one of their system.
func addDisplays(st *catalog.State, matches []conceptmap.Match) {
	for i := range matches {
		c := &matches[i].Concept
		if c.Display != "" || c.Code == "" || c.System == "" {
			continue
		}
		if x, err := st.System(c.System, c.Version); err == nil {
			if o, ok := x.Find(c.Code); ok {
				c.Display = x.Display(o)
			}
		}
	}
}

// fittingRefsets returns the implicit concept maps of the default edition of SNOMED CT that
// go between the value sets and systems of a request that names no map; none when the
// request is not about SNOMED CT.
func fittingRefsets(st *catalog.State, req *TranslateRequest) ([]*catalog.Map, error) {
	if !req.about(catalog.SNOMED) {
		return nil, nil
	}
	maps, err := st.RefsetMaps()
	return slices.DeleteFunc(maps, func(m *catalog.Map) bool { return !fits(m, req) }), err
}

// about reports that a request translates from or to a code system.
func (req *TranslateRequest) about(system string) bool {
	if catalog.CanonicalURL(req.System) == system || req.TargetSystem == system || req.Coding != nil && req.Coding.System == system {
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
