package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
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
// ErrMissingParameter, ErrInvalidParameter, ErrInvalidResource.
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
	want, err := parseLanguages("displayLanguage", req.DisplayLanguage)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	st := e.state.Load()
	url, version, err := st.splitSystem("url", req.URL, req.Version)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	v := systemValidator{
		validator: validator{state: st, source: &st.plain, abstract: req.Abstract, want: want},
		id:        req.ID, url: url, version: version,
	}
	if len(req.CodeSystem) > 0 {
		if v.index, err = readCodeSystem(ctx, "CodeSystem", req.CodeSystem); err != nil {
			return ValidateCodeResult{}, &ParameterError{Name: "codeSystem", Problem: ErrInvalidParameter, Cause: err}
		}
		v.url, v.version = v.index.URL(), v.index.Version()
	}
	switch {
	case req.CodeableConcept != nil:
		return anyCoding(req.CodeableConcept, func(g *given) (ValidateCodeResult, error) { return v.check(ctx, g) })
	case req.Coding != nil:
		c := req.Coding
		return v.check(ctx, &given{system: c.System, version: c.Version, code: c.Code, display: c.Display, at: inCoding})
	}
	return v.check(ctx, &given{code: req.Code, display: req.Display})
}

// systemValidator checks codes against one code system.
type systemValidator struct {
	validator
	id, url, version string
	index            *codesystem.Index // given with the request; else found
}

func (v *systemValidator) check(ctx context.Context, g *given) (ValidateCodeResult, error) {
	r := ValidateCodeResult{Code: g.code, System: g.system, Version: g.version}
	if g.code == "" {
		r.fail(issue("error", "invalid", "invalid-data", msgNoCode(), g.at.element("code")))
		return r, nil
	}
	x := v.index
	if x == nil {
		if v.id == "" && v.url == "" && g.system == "" {
			return r, missing("url", "the canonical of the code system")
		}
		if v.id == "" && v.url != "" && g.system != "" && g.system != v.url {
			r.fail(issue("error", "invalid", "invalid-data", msgOtherSystem(g.system, v.url), g.at.element("system")))
			return r, nil
		}
		version := v.version
		if version == "" && v.id == "" {
			version = g.version
		}
		url := v.url
		if v.id == "" && url == "" {
			url = g.system
		}
		var err error
		x, err = v.state.codeSystem(v.id, "url", url, version)
		if err != nil {
			if errors.Is(err, ErrUnknownSystem) || errors.Is(err, ErrUnknownVersion) {
				asked := given{system: url, version: version, at: g.at}
				r.System = url
				r.fail(v.state.unknownSystem(&asked, err))
				return r, nil
			}
			return r, err
		}
	}
	r.System, r.Version = x.URL(), x.Version()
	if g.system != "" && g.system != x.URL() {
		r.System = g.system
		r.fail(issue("error", "invalid", "invalid-data", msgOtherSystem(g.system, x.URL()), g.at.element("system")))
		return r, nil
	}
	x, err := v.state.covering(ctx, x, g.code)
	if err != nil {
		return r, err
	}
	o, ok := x.Find(g.code)
	if !ok {
		if x.Header().Content == "fragment" {
			r.Result = true
			r.hint(issue("warning", "code-invalid", "invalid-code", msgFragment(g.code, x), g.at.element("code")))
		} else {
			r.fail(issue("error", "code-invalid", "invalid-code", msgUnknownCode(g.code, x), g.at.element("code")))
			v.state.hintMalformed(&r, x.URL(), x.Version(), g.code)
		}
		return r, nil
	}
	return v.found(g, &valueset.Entry{
		Index: x, Concept: o, System: x.URL(), Version: x.Version(), Code: x.Code(o), Display: x.Display(o),
		Inactive: x.Inactive(o), Abstract: x.Abstract(o),
	})
}

// sameText compares displays: case and the amount of white space do not count.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}
