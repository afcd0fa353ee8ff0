package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// splitVersioned splits url|version; explicit is the version given beside it. Two that
// contradict each other are an error. name is the parameter, for messages.
func splitVersioned(name, canonical, explicit string) (url, version string, err error) {
	if strings.IndexByte(canonical, '|') < 0 && strings.IndexByte(canonical, '#') < 0 {
		return canonical, explicit, nil
	}
	url, version, ok := splitConstraint(canonical)
	if !ok {
		var fragment string
		url, version, fragment, err = r4.SplitCanonical(canonical)
		if err != nil {
			return "", "", &issue.ParameterError{Name: name, Problem: issue.ErrInvalidParameter, Cause: err}
		}
		if fragment != "" {
			// Some code systems have a # in their url (http://www.nlm.nih.gov/x#y).
			url += "#" + fragment
		}
	}
	if version == "" {
		version = explicit
	} else if explicit != "" && explicit != version {
		return "", "", issue.Invalid(name, fmt.Sprintf("%s and version %q contradict each other", canonical, explicit))
	}
	return url, version, nil
}

// splitSystem is splitVersioned for a code system, except that some code systems have
// a | in their very url (http://terminology.hl7.org/CodeSystem/v2-0006|2.1 in R4 core):
// a canonical that is the url of one as it stands is not split.
func (st *state) splitSystem(name, canonical, explicit string) (url, version string, err error) {
	if strings.IndexByte(canonical, '|') >= 0 && len(st.shelves[kindCodeSystem].byURL.get(canonical)) > 0 {
		return canonical, explicit, nil
	}
	return splitVersioned(name, canonical, explicit)
}

// systemRecord finds a code system by url and version.
func (st *state) systemRecord(url, version string) (*record, error) {
	sh := &st.shelves[kindCodeSystem]
	r, known := sh.find(url, version)
	if r == nil {
		return nil, sh.unknown(issue.ErrUnknownSystem, url, version, known)
	}
	return r, nil
}

// system returns the index of a code system whose content is present.
func (st *state) system(canonical, version string) (*codesystem.Index, error) {
	if list := st.shelves[kindCodeSystem].byURL.get(canonical); version == "" && len(list) > 0 {
		return list[0].content() // the usual case, without a look at the characters
	}
	url, version, err := st.splitSystem("system", canonical, version)
	if err != nil {
		return nil, err
	}
	r, err := st.systemRecord(url, version)
	if err != nil {
		return nil, err
	}
	return r.content()
}

// content returns the index unless the code system is one without content.
func (r *record) content() (*codesystem.Index, error) {
	if r.Content == "not-present" {
		return nil, fmt.Errorf("%w: %w: %s", issue.ErrUnknownSystem, issue.ErrNoContent, r.canonical())
	}
	return r.codeSystem()
}

// instance finds the record of a request on the instance level.
func (st *state) instance(k kind, typ, id string) (*record, error) {
	r := st.shelves[k].id(id)
	if r == nil {
		return nil, fmt.Errorf("%w: %s/%s", issue.ErrUnknownID, typ, id)
	}
	return r, nil
}

// codeSystem returns the code system a request names: by instance, or by canonical and version.
func (st *state) codeSystem(id, name, canonical, version string) (*codesystem.Index, error) {
	if id == "" {
		if canonical == "" {
			return nil, issue.Missing(name, "the code system to ask")
		}
		return st.system(canonical, version)
	}
	r, err := st.instance(kindCodeSystem, "CodeSystem", id)
	if err != nil {
		return nil, err
	}
	if canonical != "" {
		url, v, err := st.splitSystem(name, canonical, version)
		if err != nil {
			return nil, err
		}
		if url != r.Header.URL {
			return nil, issue.Invalid(name, fmt.Sprintf("CodeSystem/%s is %s, not %s", id, r.Header.URL, url))
		}
		version = v
	}
	if !matchVersion(version, r.Header.Version) {
		return nil, issue.Invalid("version", fmt.Sprintf("CodeSystem/%s has version %q, not %q", id, r.Header.Version, version))
	}
	if r.Content == "supplement" {
		return nil, issue.Invalid(name, fmt.Sprintf("CodeSystem/%s is a supplement of %s; ask that code system", id, r.Supplements))
	}
	return r.content()
}

// setKey tells compiled sets apart in the cache.
type setKey struct {
	generation uint64
	record     uint64 // seq of the value set's record, 0 for an implicit value set
	implicit   string // canonical of an implicit value set
	rules      string
}

// source resolves what value sets name from one state, by the rules of one request.
type source struct {
	engine *Engine
	state  *state
	rules  *ruleSet // nil: none
	// supplements are the canonicals of those that are to be used.
	supplements []string
}

// naming returns the source with supplements that are to be used.
func (s *source) naming(supplements []string) *source {
	if len(supplements) == 0 {
		return s
	}
	named := *s
	named.supplements = supplements
	return &named
}

// codes returns the index of a code system in which code can be looked up; nil when it is
// not there, or has no codes. The rules of the request have been applied to version.
func (s *source) codes(ctx context.Context, url, version, code string) (*codesystem.Index, error) {
	r, _ := s.state.shelves[kindCodeSystem].find(url, version)
	if r == nil || !s.engine.hasCodes(r) {
		return nil, nil
	}
	x, err := r.codeSystem()
	if err != nil || code == "" {
		return x, err
	}
	return s.state.covering(ctx, x, code)
}

// source returns the state as a request with these rules sees it.
func (st *state) source(rules *VersionRules) (*source, error) {
	set, err := rules.parse()
	if err != nil || set == nil {
		return &st.plain, err
	}
	return &source{engine: st.plain.engine, state: st, rules: set}, nil
}

func (s *source) ruleKey() string {
	if s.rules == nil {
		return ""
	}
	return s.rules.key
}

// CodeSystem implements valueset.Source.
func (s *source) CodeSystem(_ context.Context, url, version string) (*codesystem.Index, error) {
	r, err := s.state.systemRecord(url, s.rules.choose(url, version))
	if err != nil {
		return nil, err
	}
	if err := s.rules.allows(url, r.Header.Version); err != nil {
		return nil, err
	}
	return r.content()
}

// ValueSet implements valueset.Source.
func (s *source) ValueSet(ctx context.Context, canonical string, visiting []string) (*valueset.Set, error) {
	t, err := s.target("valueSet", canonical, "")
	if err != nil {
		return nil, err
	}
	if name := t.canonical(); slices.Contains(visiting, name) {
		path := append(slices.Clone(visiting[slices.Index(visiting, name):]), name)
		return nil, fmt.Errorf("%w: %s", valueset.ErrImportCycle, strings.Join(path, " → "))
	}
	return s.compiled(ctx, &t, visiting)
}

// ValueSetDefinition implements valueset.DefinitionSource.
func (s *source) ValueSetDefinition(_ context.Context, canonical string) (*r4.ValueSet, error) {
	t, err := s.target("valueSet", canonical, "")
	if err != nil {
		return nil, err
	}
	return t.definition()
}

// target is a value set that was found: published, implicit, or given with the request.
type target struct {
	record   *record
	given    *r4.ValueSet
	implicit *implicitSet // when neither is there
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

// target finds a value set by canonical. name is the parameter, for messages.
func (s *source) target(name, canonical, version string) (target, error) {
	url, version, err := splitVersioned(name, canonical, version)
	if err != nil {
		return target{}, err
	}
	version = s.rules.chooseValueSet(url, version)
	sh := &s.state.shelves[kindValueSet]
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

// set returns the compiled set of a value set a request named.
func (s *source) set(ctx context.Context, t *target) (*valueset.Set, error) {
	set, err := s.compiled(ctx, t, nil)
	if err != nil {
		return nil, t.failed(err)
	}
	return set, nil
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

// compiled takes a set from the cache or compiles it.
func (s *source) compiled(ctx context.Context, t *target, visiting []string) (*valueset.Set, error) {
	if t.given != nil {
		return s.compile(ctx, t, visiting)
	}
	set, err := s.kept(ctx, t, visiting)
	if err != nil {
		return nil, err
	}
	return set.Set, nil
}

// kept takes the set of a published or implicit value set from the cache, or compiles it.
func (s *source) kept(ctx context.Context, t *target, visiting []string) (*evaluatedSet, error) {
	key := setKey{generation: s.state.generation, rules: s.ruleKey()}
	if t.record != nil {
		key.record = t.record.seq
	} else {
		if im := t.implicit; im.set != nil && im.rules == key.rules {
			return im.set, nil
		}
		key.implicit = r4.JoinCanonical(t.implicit.url, t.implicit.version)
	}
	if set, ok := s.engine.cache.Get(key); ok {
		return set, nil
	}
	return s.compileFor(ctx, key, *t, visiting)
}

// compileFor compiles a set and keeps it. Only a compilation that no other one waits
// for shares its work with requests that ask for the same set: imports that form a
// circle could otherwise wait for each other. An implicit set is compiled in less time
// than it takes to share the work.
func (s *source) compileFor(ctx context.Context, key setKey, t target, visiting []string) (*evaluatedSet, error) {
	if len(visiting) > 0 || t.record == nil {
		set, err := s.evaluate(ctx, &t, visiting)
		if err == nil {
			if t.record == nil {
				s.keepImplicit(t.implicit, set)
			}
			s.engine.cache.Add(key, set, set.Cost())
		}
		return set, err
	}
	return s.engine.cache.Do(ctx, key, func(ctx context.Context) (*evaluatedSet, int64, error) {
		set, err := s.evaluate(ctx, &t, nil)
		if err != nil {
			return nil, 0, err
		}
		return set, set.Cost(), nil
	})
}

func (s *source) evaluate(ctx context.Context, t *target, visiting []string) (*evaluatedSet, error) {
	set, err := s.compile(ctx, t, visiting)
	if err != nil {
		return nil, err
	}
	return s.evaluated(t, set), nil
}

func (s *source) compile(ctx context.Context, t *target, visiting []string) (*valueset.Set, error) {
	vs, err := t.definition()
	if err != nil {
		return nil, err
	}
	return valueset.Compile(ctx, s, vs, visiting)
}

// isUnknownSystem reports that a value set cannot be evaluated because a code system is
// not there, or not in that version.
func isUnknownSystem(err error) bool {
	return (errors.Is(err, issue.ErrUnknownSystem) || errors.Is(err, issue.ErrUnknownVersion)) && !errors.Is(err, issue.ErrUnknownValueSet)
}
