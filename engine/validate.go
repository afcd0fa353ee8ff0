package engine

import (
	"context"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/validation"
)

// ValidateCodeRequest is the request of ValidateCode (ValueSet/$validate-code).
type ValidateCodeRequest = validation.Request

// ValidateCodeInSystemRequest is the request of ValidateCodeInSystem (CodeSystem/$validate-code).
type ValidateCodeInSystemRequest = validation.InSystemRequest

// ValidateCodeResult is the result of ValidateCode and ValidateCodeInSystem.
type ValidateCodeResult = validation.Result

// SharedValidation is what several requests of ValidateCode and ValidateCodeInSystem have in common,
// so that a value set that came with them is prepared once.
type SharedValidation = validation.Shared

// ValidateCode reports whether a code, Coding or CodeableConcept is in a value set. A
// CodeableConcept is valid if one of its codings is in the value set; under the rules of the ecosystem,
// the other codings must not have errors, such as a code that its system does not have. An unknown
// code or code system is not an error: the result is false and has the reason.
//
// For a valid code, ValidateCode does not allocate if the compiled value set is cached. Errors:
// ErrUnknownValueSet, ErrUnknownID, ErrMissingParameter, ErrInvalidParameter, ErrNotSupported,
// ErrUnknownSupplement, and errors of filters that are not supported.
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
	src, err := e.source().Ruled(&req.Versions)
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

// ValidateCodeInSystem reports whether a code, Coding or CodeableConcept is in a code system. A
// CodeableConcept is valid if one of its codings is in the code system; under the rules of the
// ecosystem, the other codings must not have errors. An unknown code or code system is not an error: the
// result is false and has the reason. Errors: ErrUnknownID, ErrMissingParameter,
// ErrInvalidParameter, ErrInvalidResource, ErrUnknownSupplement.
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
		x, err := req.Shared.CodeSystem(ctx, "CodeSystem", req.CodeSystem)
		if err != nil {
			return ValidateCodeResult{}, &issue.ParameterError{Name: "codeSystem", Problem: issue.ErrInvalidParameter, Cause: err}
		}
		if e, err = e.With(CodeSystemEntry(x, "request")); err != nil {
			return ValidateCodeResult{}, err
		}
		url, version = x.URL(), x.Version()
	}
	src, err := e.source().Ruled(&req.Versions)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	if r, ok := validation.PlainInSystem(src, url, version, req); ok {
		return r, nil
	}
	return validation.ValidateInSystem(ctx, src, url, version, req)
}
