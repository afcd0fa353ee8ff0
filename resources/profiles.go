package resources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/profile"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/validate"
)

// WithProfiles checks what is written also against the profiles that it claims in meta.profile, and
// its extensions against their definitions, as far as these are stored. Without it only Validate
// does.
func WithProfiles() Option {
	return func(s *Service) { s.profiled = true }
}

// Validate returns the issues that storing a document would have, and stores nothing (R4
// resource-operation-validate). What R4 does not allow and writes tolerate is an error, too. It also checks the document against the given profiles, those that
// it claims in meta.profile, and the definitions of its extensions, as far as the StructureDefinitions
// are stored, whatever the request may read. id is the resource that the document would replace, ""
// for validation on the type. mode is "" (check the document alone), "create", "update" or "delete";
// for "delete", body is nil.
//
// Problems of the content are issues. Problems of form and address are errors: *r4.SyntaxError,
// ErrUnknownType, ErrBadID, ErrTypeMismatch, ErrIDMismatch, and for an update or delete of a
// missing resource ErrNotFound and ErrGone.
func (s *Service) Validate(ctx context.Context, typ, id, mode string, body []byte, profiles ...string) ([]validate.Issue, error) {
	issues, err := s.validateBase(ctx, typ, id, mode, body)
	if err != nil || mode == "delete" || body == nil && id == "" {
		return issues, err
	}
	if body == nil {
		current, err := s.Read(ctx, typ, id)
		if err != nil {
			return nil, err
		}
		body = current.Body
	}
	d, err := parse(body)
	if err != nil {
		return nil, err
	}
	more, err := s.tools().profiles.Check(ctx, d, profile.Request{Profiles: profiles, Resolve: s.target})
	for _, i := range more {
		if !s.profiled || !slices.Contains(issues, i) {
			issues = append(issues, i)
		}
	}
	return issues, err
}

// target returns the resource of this service that a reference names, nil if there is none that the
// request may read.
func (s *Service) target(ctx context.Context, reference string) (*document.Document, error) {
	key := index.LocalKey(reference, s.bases)
	if _, err := s.key(key.Type, key.ID); err != nil {
		return nil, nil //nolint:nilerr // not a resource of this service
	}
	v, err := s.Read(ctx, key.Type, key.ID)
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrGone), errors.Is(err, access.ErrForbidden):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return parse(v.Body)
}

// storedProfiles are the StructureDefinitions of a service. A service whose store cannot be searched
// has none.
type storedProfiles struct {
	s  *Service
	mu sync.Mutex // the reader of a transaction is for one goroutine
}

// Definition implements profile.Source. Of several resources with a url it returns the one that was
// stored last.
func (p *storedProfiles) Definition(ctx context.Context, url, version string) (body []byte, err error) {
	query := []search.Param{{Name: "url", Value: search.Escape(url)}}
	if version != "" {
		query = append(query, search.Param{Name: "version", Value: search.Escape(version)})
	}
	err = p.every(ctx, func(r index.Reader) error {
		found, err := p.s.tools().searcher.Keys(ctx, r, "StructureDefinition", query, 1)
		if err == nil && len(found) > 0 {
			body = found[0].Body
		}
		return err
	})
	return body, err
}

// Generation implements profile.Source: it is the Seq of the last change of a StructureDefinition.
func (p *storedProfiles) Generation(ctx context.Context) (generation string, err error) {
	err = p.every(ctx, func(r index.Reader) error {
		last, err := r.Versions(ctx, index.VersionsRequest{Type: "StructureDefinition", Limit: 1})
		if err == nil && len(last) > 0 {
			generation = fmt.Sprint(last[0].Seq)
		}
		return err
	})
	return generation, err
}

func (p *storedProfiles) every(ctx context.Context, read func(index.Reader) error) error {
	if p.s.indexed == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.s.every(ctx, func(r index.Reader) error { return read(index.Unrestricted(r)) })
}
