package catalog

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

// DocumentType returns the resourceType of a document. It stops reading there.
func DocumentType(name string, body []byte) (string, error) {
	var s r4.Scanner
	s.ResetBytes(body, r4.DefaultLimits())
	if s.Object() {
		for s.Member() {
			if string(s.Name()) == "resourceType" {
				if typ := string(s.Text()); typ != "" {
					return typ, nil
				}
				break
			}
			s.Skip()
		}
	}
	if err := s.Err(); err != nil {
		return "", &issue.ParameterError{Name: name, Problem: issue.ErrInvalidParameter, Cause: err}
	}
	return "", issue.Invalid(name, "the resource has no resourceType")
}

// DocumentEntry returns the entry of a CodeSystem, ValueSet or ConceptMap document that came with
// a request. The header is decoded now, the rest on first use, once for all overlays that have the
// document. name is the parameter, for errors. For a document of another type it returns nil,
// which is not an error.
func DocumentEntry(name, typ string, body []byte) (*Entry, error) {
	e, err := openDocument(name, typ, body)
	if e != nil {
		e.name() // now, because several overlays may share the entry
	}
	return e, err
}

func openDocument(name, typ string, body []byte) (*Entry, error) {
	fail := func(err error) error {
		return &issue.ParameterError{Name: name, Problem: issue.ErrInvalidParameter, Cause: err}
	}
	const origin = "request"
	switch typ {
	case "CodeSystem":
		header, err := r4.DecodeCodeSystem(body)
		if err != nil {
			return nil, fail(err)
		}
		e := &Entry{Header: header.Header, Content: header.Content, Supplements: header.Supplements, AllCodes: header.ValueSet, Origin: origin}
		e.CodeSystem = once(func() (*codesystem.Index, error) {
			x, err := ReadCodeSystem(context.Background(), name, body)
			if err != nil {
				return nil, fail(err)
			}
			body = nil // not needed beside the index
			return x, nil
		})
		return e, nil
	case "ValueSet":
		header, err := r4.DecodeHeader(body)
		if err != nil {
			return nil, fail(err)
		}
		e := &Entry{Header: *header, Origin: origin}
		e.ValueSet = once(func() (*r4.ValueSet, error) {
			vs, err := r4.DecodeValueSet(body)
			if err == nil {
				err = valueset.Check(vs)
			}
			if err != nil {
				return nil, fail(err)
			}
			body = nil
			return vs, nil
		})
		return e, nil
	case "ConceptMap":
		header, err := r4.DecodeHeader(body)
		if err != nil {
			return nil, fail(err)
		}
		e := &Entry{Header: *header, Origin: origin}
		e.ConceptMap = once(func() (*r4.ConceptMap, error) {
			m, err := r4.DecodeConceptMap(body)
			if err == nil {
				_, err = conceptmap.New(m)
			}
			if err != nil {
				return nil, fail(err)
			}
			body = nil
			return m, nil
		})
		return e, nil
	}
	return nil, nil
}

// once returns a function that calls mk on the first call, and again only after an error.
func once[T any](mk func() (T, error)) func() (T, error) {
	var l lazy[T]
	return func() (T, error) { return l.get(mk) }
}

// Prepare checks a document and returns its entry. name is for errors.
func Prepare(ctx context.Context, k Kind, name string, body []byte) (*Entry, error) {
	const origin = "stored"
	fail := func(err error) (*Entry, error) {
		return nil, fmt.Errorf("%w: %s: %w", issue.ErrInvalidResource, name, err)
	}
	switch k {
	case KindCodeSystem:
		x, err := ReadCodeSystem(ctx, name, body)
		if err != nil {
			return nil, err
		}
		return CodeSystemEntry(x, origin), nil
	case KindValueSet:
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

// ReadCodeSystem builds the index of a CodeSystem document. Errors wrap
// ErrInvalidResource and begin with the name.
func ReadCodeSystem(ctx context.Context, name string, body []byte) (*codesystem.Index, error) {
	var s single
	if err := fhir.Read(ctx, bytes.NewReader(body), name, fhir.Options{}, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", issue.ErrInvalidResource, err)
	}
	if s.index == nil || s.more {
		return nil, fmt.Errorf("%w: %s: not one CodeSystem", issue.ErrInvalidResource, name)
	}
	return s.index, nil
}

// single is a sink for a document with one code system.
type single struct {
	index *codesystem.Index
	more  bool
}

func (s *single) CodeSystem(x *codesystem.Index, _ fhir.Origin) error {
	s.more = s.more || s.index != nil
	s.index = x
	return nil
}

func (s *single) Document(string, *r4.Header, []byte, fhir.Origin) error {
	s.more = true
	return nil
}
