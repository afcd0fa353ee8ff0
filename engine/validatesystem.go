package engine

import (
	"context"
	"errors"

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
	Versions        VersionRules
}

// ValidateCodeInSystem tells whether a code, Coding or CodeableConcept is in a code
// system; a CodeableConcept is when any of its codings is. An unknown code or code
// system is no error: the result is false and says why. Errors: ErrUnknownID,
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
		x, err := readCodeSystem(ctx, "CodeSystem", req.CodeSystem)
		if err != nil {
			return ValidateCodeResult{}, &ParameterError{Name: "codeSystem", Problem: ErrInvalidParameter, Cause: err}
		}
		if e, err = e.With(CodeSystemEntry(x, "request")); err != nil {
			return ValidateCodeResult{}, err
		}
		url, version = x.URL(), x.Version()
	}
	st := e.state.Load()
	src, err := st.source(&req.Versions)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	want, err := chooseLanguages(req.DisplayLanguage, "", req.AcceptLanguage, "")
	if err != nil {
		return ValidateCodeResult{}, err
	}
	v := validation{
		ctx: ctx, state: st, source: src.naming(req.UseSupplements), want: want, ofSystem: true,
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

// codedInSystem gives what is to be checked, and sets the form it came in.
func (v *validation) codedInSystem(req *ValidateCodeInSystemRequest, url string) (*r4.CodeableConcept, error) {
	switch {
	case req.CodeableConcept != nil:
		v.form = asConcept
		return req.CodeableConcept, nil
	case req.Coding != nil:
		v.form = asCoding
		return &r4.CodeableConcept{Coding: []r4.Coding{*req.Coding}}, nil
	}
	system, version, err := v.state.splitSystem("url", url, req.Version)
	if err != nil {
		return nil, err
	}
	return &r4.CodeableConcept{Coding: []r4.Coding{{System: system, Version: version, Code: req.Code, Display: req.Display}}}, nil
}

// systemAsked finds the code system of a request and makes the value set of all its
// codes the root. failure is an answer: why the code system cannot be asked.
func (v *validation) systemAsked(id, canonical, version string, cc *r4.CodeableConcept) (failure *outcomeError, err error) {
	if id != "" {
		r, err := v.state.instance(kindCodeSystem, "CodeSystem", id)
		if err != nil {
			return nil, err
		}
		if canonical != "" && canonicalURL(canonical) != r.Header.URL {
			return nil, invalid("url", "CodeSystem/"+id+" is "+r.Header.URL)
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
		if canonical == "" {
			return answerable(ErrMissingParameter, msgNoSystem.issue(path)), nil
		}
	}
	if canonical == "" {
		return nil, msgNoCodeSystem.failure(statusInvalid, missing("url", "the canonical of the code system"), "")
	}
	url, version, err := v.state.splitSystem("url", canonical, version)
	if err != nil {
		return nil, err
	}
	version = v.source.rules.choose(url, version)
	r, _ := v.state.shelves[kindCodeSystem].find(url, version)
	if r != nil && r.hasCodes() {
		v.root = allCodesOf(r)
		return nil, nil
	}
	v.unknownSystem(url, version, path)
	if !isAbsolute(url) {
		v.issues.add(msgSystemRelative.issue(at(path, "system")))
	}
	failure = answerable(ErrUnknownSystem, v.issues...)
	failure.unknown = v.unknown
	return failure, nil
}

// answerable makes a failure that $validate-code answers with.
func answerable(cause error, issues ...r4.Issue) *outcomeError {
	return &outcomeError{cause: cause, status: statusUnprocessable, answerable: true, issues: issues}
}

// allCodesOf writes the value set of all codes of a code system.
func allCodesOf(r *record) *r4.ValueSet {
	url := r.AllCodes
	if url == "" {
		url = r.Header.URL + "/vs"
	}
	return &r4.ValueSet{
		Header:  r4.Header{ResourceType: "ValueSet", URL: canonicalURL(url), Version: r.Header.Version, Status: "active"},
		Compose: &r4.Compose{Include: []r4.Include{{System: r.Header.URL, Version: r.Header.Version}}},
	}
}

// asFailure gives the failure behind an error that $validate-code answers with.
func asFailure(err error) (*outcomeError, bool) {
	var failure *outcomeError
	if errors.As(err, &failure) && failure.answerable {
		return failure, true
	}
	return nil, false
}
