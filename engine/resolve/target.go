package resolve

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// A Target is a value set that was found: published, implicit, or given with the request.
type Target struct {
	record   *catalog.Record
	Given    *r4.ValueSet
	implicit *Implicit // if neither is set
}

// Named returns the value set of a request: given as a resource, by id, or by canonical.
func (s *Source) Named(id, canonical, version string, given *r4.ValueSet) (Target, error) {
	switch {
	case given != nil:
		if canonical != "" && catalog.CanonicalURL(canonical) != given.URL {
			return Target{}, issue.Invalid("url", "it names another value set than the one given as valueSet")
		}
		return Target{Given: given}, nil
	case id != "":
		r, err := s.State.Instance(catalog.KindValueSet, "ValueSet", id)
		if err != nil {
			return Target{}, err
		}
		if canonical != "" && catalog.CanonicalURL(canonical) != r.Header.URL {
			return Target{}, issue.Invalid("url", fmt.Sprintf("ValueSet/%s is %s", id, r.Header.URL))
		}
		if version != "" && !catalog.MatchVersion(version, r.Header.Version) {
			return Target{}, issue.Invalid("valueSetVersion", fmt.Sprintf("ValueSet/%s has version %q", id, r.Header.Version))
		}
		return Target{record: r}, nil
	case canonical == "":
		return Target{}, issue.Missing("url", "the canonical of the value set, or the value set as valueSet")
	}
	return s.Target("url", canonical, version)
}

// Target returns the value set of a canonical. name is the parameter, for messages.
func (s *Source) Target(name, canonical, version string) (Target, error) {
	url, version, err := catalog.SplitVersioned(name, canonical, version)
	if err != nil {
		return Target{}, err
	}
	version = s.Rules.ChooseValueSet(url, version)
	sh := s.State.Shelf(catalog.KindValueSet)
	r, known := sh.Find(url, version)
	switch {
	case r != nil && s.Rules != nil:
		return Target{record: r}, s.Rules.AllowsValueSet(url, r.Header.Version)
	case r != nil:
		return Target{record: r}, nil
	}
	if !known {
		if im := s.KeptImplicit(url, version); im != nil {
			return Target{implicit: im}, nil
		}
		im, err := s.implicit(url, version)
		if im != nil || err != nil {
			return Target{implicit: im}, err
		}
	}
	return Target{}, issue.UnknownValueSet.Failure(issue.ClassNotFound, sh.Unknown(issue.ErrUnknownValueSet, url, version, known), "", r4.JoinCanonical(url, version))
}

// Definition returns the resource.
func (t *Target) Definition() (*r4.ValueSet, error) {
	switch {
	case t.record != nil:
		return t.record.Definition()
	case t.Given != nil:
		return t.Given, nil
	}
	return t.implicit.definition()
}

// canonical returns url|version, "" when there is none.
func (t *Target) canonical() string {
	switch {
	case t.record != nil:
		return t.record.Canonical()
	case t.Given != nil:
		return r4.JoinCanonical(t.Given.URL, t.Given.Version)
	}
	return r4.JoinCanonical(t.implicit.url, t.implicit.version)
}

// Failed adds the name of the value set to an error.
func (t *Target) Failed(err error) error { return fmt.Errorf("value set %s: %w", t.Label(), err) }

// Label returns the name of the value set for messages.
func (t *Target) Label() string {
	if name := t.canonical(); name != "" {
		return name
	}
	return "given with the request"
}

// ValueSetDefinition implements valueset.DefinitionSource.
func (s *Source) ValueSetDefinition(_ context.Context, canonical string) (*r4.ValueSet, error) {
	t, err := s.Target("valueSet", canonical, "")
	if err != nil {
		return nil, err
	}
	return t.Definition()
}
