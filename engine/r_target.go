package engine

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// target is a value set that was found: published, implicit, or given with the request.
type target struct {
	record   *record
	given    *r4.ValueSet
	implicit *implicitSet // when neither is there
}

// valueSet finds the value set a request names: given with it, by instance, or by canonical.
func (s *source) valueSet(id, canonical, version string, given *r4.ValueSet) (target, error) {
	switch {
	case given != nil:
		if canonical != "" && canonicalURL(canonical) != given.URL {
			return target{}, issue.Invalid("url", "it names another value set than the one given as valueSet")
		}
		return target{given: given}, nil
	case id != "":
		r, err := s.state.instance(kindValueSet, "ValueSet", id)
		if err != nil {
			return target{}, err
		}
		if canonical != "" && canonicalURL(canonical) != r.Header.URL {
			return target{}, issue.Invalid("url", fmt.Sprintf("ValueSet/%s is %s", id, r.Header.URL))
		}
		if version != "" && !matchVersion(version, r.Header.Version) {
			return target{}, issue.Invalid("valueSetVersion", fmt.Sprintf("ValueSet/%s has version %q", id, r.Header.Version))
		}
		return target{record: r}, nil
	case canonical == "":
		return target{}, issue.Missing("url", "the canonical of the value set, or the value set as valueSet")
	}
	return s.target("url", canonical, version)
}

// target finds a value set by canonical. name is the parameter, for messages.
func (s *source) target(name, canonical, version string) (target, error) {
	url, version, err := splitVersioned(name, canonical, version)
	if err != nil {
		return target{}, err
	}
	version = s.rules.chooseValueSet(url, version)
	sh := s.state.shelf(kindValueSet)
	r, known := sh.find(url, version)
	if r != nil {
		return target{record: r}, s.rules.allowsValueSet(url, r.Header.Version)
	}
	if !known {
		if im := s.keptImplicit(url, version); im != nil {
			return target{implicit: im}, nil
		}
		im, err := s.implicit(url, version)
		if im != nil || err != nil {
			return target{implicit: im}, err
		}
	}
	return target{}, issue.UnknownValueSet.Failure(issue.ClassNotFound, sh.unknown(issue.ErrUnknownValueSet, url, version, known), "", r4.JoinCanonical(url, version))
}

// definition returns the resource.
func (t *target) definition() (*r4.ValueSet, error) {
	switch {
	case t.record != nil:
		return t.record.definition()
	case t.given != nil:
		return t.given, nil
	}
	return t.implicit.definition()
}

// canonical returns url|version, "" when there is none.
func (t *target) canonical() string {
	switch {
	case t.record != nil:
		return t.record.canonical()
	case t.given != nil:
		return r4.JoinCanonical(t.given.URL, t.given.Version)
	}
	return r4.JoinCanonical(t.implicit.url, t.implicit.version)
}

// failed says which value set an error is about.
func (t *target) failed(err error) error { return fmt.Errorf("value set %s: %w", t.label(), err) }

// label names a value set in messages.
func (t *target) label() string {
	if name := t.canonical(); name != "" {
		return name
	}
	return "given with the request"
}

// ValueSetDefinition implements valueset.DefinitionSource.
func (s *source) ValueSetDefinition(_ context.Context, canonical string) (*r4.ValueSet, error) {
	t, err := s.target("valueSet", canonical, "")
	if err != nil {
		return nil, err
	}
	return t.definition()
}

// brought returns a request as the parameters that a value set brings along complete it;
// it is not changed.
func brought[R any](req *R, vs *r4.ValueSet, complete func(req *R, name, text string)) *R {
	list := valueset.Parameters(vs.Compose)
	if len(list) == 0 {
		return req
	}
	full := *req
	for _, p := range list {
		complete(&full, p.Name, p.Value.Text)
	}
	return &full
}
