package engine

import (
	"bytes"
	"context"
	"fmt"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// Prepare checks and compiles a CodeSystem, ValueSet or ConceptMap document that is about
// to be stored, and returns the step that publishes it. Nothing changes before publish is
// called. It satisfies resources.Listener: body nil prepares a deletion, and types that
// are not of terminology are none of its business.
//
// A value set may name code systems and value sets that are not there (yet): that is an
// error of using it, not of storing it. Errors wrap ErrInvalidResource, and a
// *r4.SyntaxError, an error of codesystem.Builder, a *valueset.Error or a
// *conceptmap.Error that tells the place.
func (e *Engine) Prepare(ctx context.Context, typ, id string, body []byte) (publish func(), err error) {
	k, ok := kindOf(typ)
	if !ok {
		return func() {}, nil
	}
	if body == nil {
		return func() { e.Withdraw(typ, id) }, nil
	}
	entry, err := prepare(ctx, k, typ+"/"+id, body)
	if err != nil {
		return nil, err
	}
	entry.Header.ID = id
	entry.Stored = true
	entry.Document = func() ([]byte, error) { return body, nil }
	return func() { e.publish(entry) }, nil
}

// prepare makes the entry of a document; name is for errors.
func prepare(ctx context.Context, k kind, name string, body []byte) (*Entry, error) {
	const origin = "stored"
	fail := func(err error) (*Entry, error) {
		return nil, fmt.Errorf("%w: %s: %w", issue.ErrInvalidResource, name, err)
	}
	switch k {
	case kindCodeSystem:
		x, err := readCodeSystem(ctx, name, body)
		if err != nil {
			return nil, err
		}
		return CodeSystemEntry(x, origin), nil
	case kindValueSet:
		vs, err := r4.DecodeValueSet(body)
		if err != nil {
			return fail(err)
		}
		if err := valueset.Check(vs); err != nil {
			return fail(err)
		}
		return ValueSetEntry(vs, origin), nil
	}
	m, err := r4.DecodeConceptMap(body)
	if err != nil {
		return fail(err)
	}
	if _, err := conceptmap.New(m); err != nil {
		return fail(err)
	}
	return ConceptMapEntry(m, origin), nil
}

// readCodeSystem builds the index of a CodeSystem document. Errors wrap
// ErrInvalidResource and begin with the name.
func readCodeSystem(ctx context.Context, name string, body []byte) (*codesystem.Index, error) {
	var s single
	if err := fhir.Read(ctx, bytes.NewReader(body), name, fhir.Options{}, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", issue.ErrInvalidResource, err)
	}
	if s.index == nil || s.more {
		return nil, fmt.Errorf("%w: %s: not one CodeSystem", issue.ErrInvalidResource, name)
	}
	return s.index, nil
}

// single takes the one code system of a document.
type single struct {
	index *codesystem.Index
	more  bool
}

func (s *single) CodeSystem(x *codesystem.Index, _ fhir.Origin) error {
	s.more = s.index != nil
	s.index = x
	return nil
}

func (s *single) Document(string, *r4.Header, []byte, fhir.Origin) error {
	s.more = true
	return nil
}
