package engine

import (
	"context"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/validation"
)

// ValidateCodeRequest asks whether a code is in a value set (ValueSet/$validate-code).
type ValidateCodeRequest = validation.Request

// ValidateCodeInSystemRequest asks whether a code is in a code system
// (CodeSystem/$validate-code).
type ValidateCodeInSystemRequest = validation.InSystemRequest

// ValidateCodeResult is the answer of ValidateCode and ValidateCodeInSystem.
type ValidateCodeResult = validation.Result

// ValidateCode reports whether a code, Coding or CodeableConcept is in a value set; a
// CodeableConcept is when any of its codings is; in an engine of Overlays, none must be
// in error besides (a code its system does not have). An unknown code or code system is
// no failure: the result is false and says why. For a valid code, ValidateCode allocates
// nothing when the compiled value set is in the cache. Errors: ErrUnknownValueSet,
// ErrUnknownID, ErrMissingParameter, ErrInvalidParameter, ErrNotSupported, supplements
// that are not there, and filters that nobody understands.
func (e *Engine) ValidateCode(ctx context.Context, req *ValidateCodeRequest) (ValidateCodeResult, error) {
	ctx, span := e.observe(ctx, "validate-code", req.URL)
	r, err := e.validateCode(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) validateCode(ctx context.Context, req *ValidateCodeRequest) (ValidateCodeResult, error) {
	if req.Context != "" {
		return ValidateCodeResult{}, issue.NotSupported("context", "name the value set with url")
	}
	if err := validation.OneOf(req.Code, req.Coding, req.CodeableConcept); err != nil {
		return ValidateCodeResult{}, err
	}
	src, err := e.source.Load().Ruled(&req.Versions)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	t, err := src.Named(req.ID, req.URL, req.ValueSetVersion, req.ValueSet)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	if r, ok := validation.Plain(ctx, src, &t, req); ok {
		return r, nil
	}
	return validation.Validate(ctx, src, &t, req)
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
	if err := validation.OneOf(req.Code, req.Coding, req.CodeableConcept); err != nil {
		return ValidateCodeResult{}, err
	}
	url, version := req.URL, req.Version
	if len(req.CodeSystem) > 0 {
		x, err := catalog.ReadCodeSystem(ctx, "CodeSystem", req.CodeSystem)
		if err != nil {
			return ValidateCodeResult{}, &issue.ParameterError{Name: "codeSystem", Problem: issue.ErrInvalidParameter, Cause: err}
		}
		if e, err = e.With(CodeSystemEntry(x, "request")); err != nil {
			return ValidateCodeResult{}, err
		}
		url, version = x.URL(), x.Version()
	}
	src, err := e.source.Load().Ruled(&req.Versions)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	if r, ok := validation.PlainInSystem(src, url, version, req); ok {
		return r, nil
	}
	return validation.ValidateInSystem(ctx, src, url, version, req)
}
