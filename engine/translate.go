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

// TranslateRequest is the request of Translate (ConceptMap/$translate). ID, URL or ConceptMap
// selects one map. Without them, all published maps that fit are used, each in its default
// version, and all reference sets of SNOMED CT that are maps. URL may be the URL of an implicit
// map, http://snomed.info/sct?fhir_cm=ID.
type TranslateRequest struct {
	ID                    string
	URL                   string // canonical, may be url|version
	ConceptMapVersion     string
	ConceptMap            *r4.ConceptMap // given with the request
	Code, System, Version string         // an empty system or version matches any
	Coding                *r4.Coding
	CodeableConcept       *r4.CodeableConcept // all its codings are translated
	Source, Target        string              // value sets: only maps from or to them are used
	TargetSystem          string
	// DependsOn are further values: mappings that depend on another value of one of these
	// properties are left out. Facts about a patient decide the rules of maps of SNOMED CT; their
	// properties begin with conceptmap.FactPrefix, see conceptmap.Refset.Translate.
	DependsOn []r4.ConceptMapDependsOn
	Reverse   bool // from targets to sources
	// Scoped selects the rules of R5 and the terminology ecosystem: Source and Target are scopes.
	// The code must be in Source, a map applies only to codes of its source value set, and each
	// translation is returned once, as the map has it, with the map as originMap.
	Scoped bool
}

// TranslateResult is the result of Translate.
type TranslateResult struct {
	// Result is true if there is a translation: a match that is not unmatched or disjoint.
	Result  bool
	Message string // why there is none, or which map could not be used
	Matches []conceptmap.Match

	scoped bool
	// back is true for an answer that names the requested code, a target, as concept, and its source
	// as source: the form of the ecosystem for translations from targets to sources.
	back bool
}

// Translate returns the translations of a code by concept maps. A code without a translation is
// not an error: the result is false. Errors: ErrUnknownConceptMap, ErrUnknownVersion,
// ErrUnknownID, ErrMissingParameter, ErrInvalidParameter, conceptmap.ErrMapCycle.
func (e *Engine) Translate(ctx context.Context, req *TranslateRequest) (*TranslateResult, error) {
	ctx, span := e.observe(ctx, "translate", req.URL)
	r, err := e.translate(ctx, req)
	span.finish(ctx, err)
	return r, err
}

// ConceptMap returns the index of a published concept map, or of an implicit one, for programs that
// list its mappings. An empty version is the default. Errors: ErrUnknownConceptMap and
// ErrUnknownVersion.
func (e *Engine) ConceptMap(canonical, version string) (*catalog.Map, error) {
	base, version, err := catalog.SplitVersioned("url", canonical, version)
	if err != nil {
		return nil, err
	}
	return e.state().Map(base, version)
}

func (e *Engine) translate(ctx context.Context, req *TranslateRequest) (*TranslateResult, error) {
	if err := validation.OneOf(req.Code, req.Coding, req.CodeableConcept); err != nil {
		return nil, err
	}
	src := e.source()
	st := src.State
	maps, err := mapsFor(ctx, st, req)
	if err != nil {
		return nil, err
	}
	codings, err := req.codings()
	if err != nil {
		return nil, err
	}
	r := TranslateResult{scoped: req.Scoped, back: req.Reverse && (req.Scoped || e.Rules() == Ecosystem)}
	asked := 0 // maps that apply
	for i := range codings {
		c := written(st, &codings[i])
		apply, message, err := e.scope(ctx, req, &c, maps)
		if err != nil {
			return nil, err
		}
		r.Message = cmp.Or(r.Message, message)
		asked += len(apply)
		narrower := false
		if focus, exact, ok := focusOf(ctx, src, &c); ok && !req.Reverse {
			c.Code, narrower = focus, !exact
		}
		before := len(r.Matches)
		if err := r.ask(ctx, st, req, &c, apply); err != nil {
			return nil, err
		}
		for k := before; k < len(r.Matches) && narrower; k++ {
			r.Matches[k].Equivalence = widened(r.Matches[k].Equivalence)
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

// ask adds the translations of a code by maps.
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
			if errors.Is(err, conceptmap.ErrFact) {
				return &issue.ParameterError{Name: "dependency", Problem: issue.ErrInvalidParameter, Cause: err}
			}
			if !errors.Is(err, issue.ErrUnknownConceptMap) {
				return fmt.Errorf("concept map %s: %w", m.Canonical(), err)
			}
			r.Message = err.Error()
		}
	}
	return nil
}

// has reports whether the result has a translation.
func (r *TranslateResult) has(c *r4.Coding) bool {
	return c.Code != "" && slices.ContainsFunc(r.Matches, func(m conceptmap.Match) bool {
		return m.Concept.System == c.System && m.Concept.Code == c.Code
	})
}

// noTranslation returns the message for a code without translations.
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

// codings returns the codings to translate.
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

// written returns a coding with the code as its code system writes it. Maps compare codes exactly,
// but a code system may be case-insensitive.
func written(st *catalog.State, c *r4.Coding) r4.Coding {
	out := *c
	if x, err := st.System(c.System, ""); err == nil && !x.CaseSensitive() {
		if o, ok := x.Find(c.Code); ok {
			out.Code = x.Code(o)
		}
	}
	return out
}

// mapsFor returns the maps that a request uses.
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

// fittingMaps returns all maps between the value sets and code systems of a request, in the
// default version of each url. Two maps that came with the request may have the same canonical.
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

// fits reports whether a map goes between the value sets of a request. A source scope does not
// select maps; see scope.
func fits(m *catalog.Map, req *TranslateRequest) bool {
	from, to := m.Source, m.Target
	if req.Reverse {
		from, to = to, from
	}
	return (req.Scoped || sameCanonical(req.Source, from)) && sameCanonical(req.Target, to)
}

// sameCanonical compares canonicals. An empty one matches any, one without a version any version.
func sameCanonical(asked, canonical string) bool {
	return asked == "" || asked == canonical || asked == catalog.CanonicalURL(canonical)
}

// addDisplays adds the display of the code system to targets for which the map has none.
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

// fittingRefsets returns the implicit concept maps of the default edition of SNOMED CT between the
// value sets and code systems of a request that names no map; none if the request is not about
// SNOMED CT.
func fittingRefsets(st *catalog.State, req *TranslateRequest) ([]*catalog.Map, error) {
	if !req.about(catalog.SNOMED) {
		return nil, nil
	}
	maps, err := st.RefsetMaps()
	return slices.DeleteFunc(maps, func(m *catalog.Map) bool { return !fits(m, req) }), err
}

// about reports whether a request translates from or to a code system.
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
