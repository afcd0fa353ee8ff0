package engine

import (
	"context"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// ValidateCodeInSystemRequest asks whether a code is in a code system
// (CodeSystem/$validate-code). ID, URL, CodeSystem or the system of the coding names
// the code system.
type ValidateCodeInSystemRequest struct {
	ID              string // CodeSystem/{id}/$validate-code
	URL             string // canonical of the code system, may be url|version
	Version         string // "" asks for the default version
	CodeSystem      []byte // JSON of a CodeSystem given with the request instead of URL
	Code            string
	Display         string // checked when given
	Coding          *r4.Coding
	CodeableConcept *r4.CodeableConcept
	Date            string // accepted
	Abstract        *bool  // false: an abstract code is no valid answer
	DisplayLanguage string
	AcceptLanguage  string   // of the HTTP request, used where DisplayLanguage is empty
	UseSupplements  []string // canonicals of supplements that must be used
	LenientDisplay  bool     // a wrong display is a warning (lenient-display-validation)
	Versions        catalog.VersionRules
}

// ValidateCodeInSystem reports whether a code, Coding or CodeableConcept is in a code
// system; a CodeableConcept is when any of its codings is; in an engine of Overlays, none
// must be in error besides. An unknown code or code system is no failure: the result is
// false and says why. Errors: ErrUnknownID,
// ErrMissingParameter, ErrInvalidParameter, ErrInvalidResource, supplements that are
// not there.
func (e *Engine) ValidateCodeInSystem(ctx context.Context, req *ValidateCodeInSystemRequest) (ValidateCodeResult, error) {
	ctx, span := e.observe(ctx, "validate-code", req.URL)
	r, err := e.validateCodeInSystem(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) validateCodeInSystem(ctx context.Context, req *ValidateCodeInSystemRequest) (ValidateCodeResult, error) {
	if err := oneOf(req.Code, req.Coding, req.CodeableConcept); err != nil {
		return ValidateCodeResult{}, err
	}
	url, version := req.URL, req.Version
	if len(req.CodeSystem) > 0 {
		x, err := catalog.ReadCodeSystem(ctx, "CodeSystem", req.CodeSystem)
		if err != nil {
			return ValidateCodeResult{}, &issue.ParameterError{Name: "codeSystem", Problem: issue.ErrInvalidParameter, Cause: err}
		}
		if e, err = e.With(catalog.CodeSystemEntry(x, "request")); err != nil {
			return ValidateCodeResult{}, err
		}
		url, version = x.URL(), x.Version()
	}
	src, err := e.source.Load().Ruled(&req.Versions)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	if r, ok := plainlyInSystem(src, url, version, req); ok {
		return r, nil
	}
	return validateInSystem(ctx, src, url, version, req)
}

// validateInSystem checks what a request gave against the code system url, or the one of
// the coding.
func validateInSystem(ctx context.Context, s *resolve.Source, url, version string, req *ValidateCodeInSystemRequest) (ValidateCodeResult, error) {
	want, err := language.Choose(req.DisplayLanguage, "", req.AcceptLanguage, "")
	if err != nil {
		return ValidateCodeResult{}, err
	}
	v := validation{
		ctx: ctx, state: s.State, source: s.Naming(req.UseSupplements), want: want, ofSystem: true,
		noAbstract: req.Abstract != nil && !*req.Abstract, lenient: req.LenientDisplay,
	}
	cc, err := v.codedInSystem(req, url)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	failure, err := v.systemAsked(req.ID, url, version, cc)
	switch {
	case err != nil:
		return ValidateCodeResult{}, err
	case failure != nil:
		return v.unprepared(failure, cc), nil
	}
	return v.answer(cc)
}

// plainlyInSystem answers for a code of which there is nothing to say but that it is in
// the code system: the usual case, and the fast one. ok is false for any other.
func plainlyInSystem(s *resolve.Source, url, version string, req *ValidateCodeInSystemRequest) (r ValidateCodeResult, ok bool) {
	if s.Rules != nil || req.CodeableConcept != nil || req.DisplayLanguage != "" || req.AcceptLanguage != "" || len(req.UseSupplements) > 0 {
		return r, false
	}
	g := given{system: url, version: version, code: req.Code, display: req.Display}
	if c := req.Coding; c != nil {
		if url != "" && c.System != url || c.Version != "" && c.Version != version {
			return r, false
		}
		g.system, g.code, g.display = c.System, c.Code, c.Display
	}
	var record *catalog.Record
	if req.ID != "" {
		record = s.State.Shelf(catalog.KindCodeSystem).ID(req.ID)
		if record == nil || g.system != "" && g.system != record.Header.URL || version != "" {
			return r, false
		}
	} else {
		record, _ = s.State.Shelf(catalog.KindCodeSystem).Find(g.system, g.version)
	}
	if record == nil || record.Content != "complete" && record.Content != "" || issue.StatusMessage(&record.Header, &allCodesHeader) != nil {
		return r, false
	}
	x, err := record.Index()
	if err != nil {
		return r, false
	}
	o, found := x.Find(g.code)
	if !found || x.Code(o) != g.code || remarkable(x, o) || g.display != "" && g.display != x.Display(o) ||
		x.Abstract(o) && req.Abstract != nil && !*req.Abstract {
		return r, false
	}
	return ValidateCodeResult{Result: true, Display: x.Display(o), Code: g.code, System: x.URL(), Version: x.Version()}, true
}

// allCodesHeader is the header of the value set of all codes of a code system, as far as
// statuses go.
var allCodesHeader = r4.Header{Status: "active"}

// codedInSystem returns what is to be checked, and sets the form it came in.
func (v *validation) codedInSystem(req *ValidateCodeInSystemRequest, url string) (*r4.CodeableConcept, error) {
	switch {
	case req.CodeableConcept != nil:
		v.form = asConcept
		return req.CodeableConcept, nil
	case req.Coding != nil:
		v.form = asCoding
		return &r4.CodeableConcept{Coding: []r4.Coding{*req.Coding}}, nil
	}
	system, version, err := v.state.SplitSystem("url", url, req.Version)
	if err != nil {
		return nil, err
	}
	return &r4.CodeableConcept{Coding: []r4.Coding{{System: system, Version: version, Code: req.Code, Display: req.Display}}}, nil
}

// systemAsked finds the code system of a request and makes the value set of all its
// codes the root. failure is an answer: why the code system cannot be asked.
func (v *validation) systemAsked(id, canonical, version string, cc *r4.CodeableConcept) (failure *issue.Failure, err error) {
	if id != "" {
		r, err := v.state.Instance(catalog.KindCodeSystem, "CodeSystem", id)
		if err != nil {
			return nil, err
		}
		if canonical != "" && catalog.CanonicalURL(canonical) != r.Header.URL {
			return nil, issue.Invalid("url", "CodeSystem/"+id+" is "+r.Header.URL)
		}
		if v.form == asCode {
			cc.Coding[0].System = r.Header.URL
		}
		v.root = allCodesOf(r)
		return nil, nil
	}
	path := v.place(0)
	if canonical == "" && len(cc.Coding) > 0 {
		canonical, version = cc.Coding[0].System, cc.Coding[0].Version
		if canonical == "" && v.form != asCode {
			return issue.Answer(issue.ErrMissingParameter, issue.NoSystem.Issue(path)), nil
		}
	}
	if canonical == "" {
		return nil, issue.NoCodeSystem.Failure(issue.ClassInvalid, issue.Missing("url", "the canonical of the code system"), "")
	}
	url, version, err := v.state.SplitSystem("url", canonical, version)
	if err != nil {
		return nil, err
	}
	version = v.source.Rules.Choose(url, version)
	r, _ := v.state.Shelf(catalog.KindCodeSystem).Find(url, version)
	if r != nil && r.HasCodes(v.source.Strict) {
		v.root = allCodesOf(r)
		return nil, nil
	}
	v.unknownSystem(url, version, path)
	if !isAbsolute(url) {
		v.issues.Add(issue.SystemRelative.Issue(at(path, "system")))
	}
	failure = issue.Answer(issue.ErrUnknownSystem, v.issues...)
	failure.Unknown = v.unknown
	return failure, nil
}

// allCodesOf writes the value set of all codes of a code system.
func allCodesOf(r *catalog.Record) *r4.ValueSet {
	url := r.AllCodes
	if url == "" {
		url = r.Header.URL + "/vs"
	}
	return &r4.ValueSet{
		Header:  r4.Header{ResourceType: "ValueSet", URL: catalog.CanonicalURL(url), Version: r.Header.Version, Status: "active"},
		Compose: &r4.Compose{Include: []r4.Include{{System: r.Header.URL, Version: r.Header.Version}}},
	}
}
