package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// set returns the compiled set of a value set a request named.
func (s *source) set(ctx context.Context, t *target) (*valueset.Set, error) {
	set, err := s.compiled(ctx, t, nil)
	if err != nil {
		return nil, t.failed(err)
	}
	return set, nil
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
	if set, ok := s.sets.Get(key); ok {
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
			s.sets.Add(key, set, set.Cost())
		}
		return set, err
	}
	return s.sets.Do(ctx, key, func(ctx context.Context) (*evaluatedSet, int64, error) {
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

// evaluatedSet is a compiled set, and what is known besides of what is to be said of its
// members.
type evaluatedSet struct {
	*valueset.Set
	// plain says that notes is all there is to say about a member: it takes no walk through
	// the definition to find out. Codes that are inactive, deprecated or written otherwise
	// are looked at all the same.
	plain bool
	notes issue.List
	// outcome is notes as an OperationOutcome in JSON, empty when there are none.
	outcome []byte
	named   []*r4.Header // the code systems that the definition names, and those of its imports
	// implicit is the value set, when it is an implicit one.
	implicit *implicitSet
}

// evaluated looks at what a walk through the definition of a value set would find to say
// about its members.
func (s *source) evaluated(t *target, set *valueset.Set) *evaluatedSet {
	e := &evaluatedSet{Set: set}
	vs, err := t.definition()
	if err != nil || vs.Compose == nil || vs.Language != "" {
		return e
	}
	if names, err := supplementsNamed(nil, vs); err != nil || len(names) > 0 || len(valueset.Parameters(vs.Compose)) > 0 {
		return e
	}
	e.note("ValueSet", &vs.Header, &vs.Header)
	e.plain = s.plainParts(e, vs, vs.Compose.Include) && s.plainParts(e, vs, vs.Compose.Exclude)
	e.notes, e.named = slices.Clip(e.notes), slices.Clip(e.named)
	if len(e.notes) > 0 {
		e.outcome = (&r4.OperationOutcome{Issue: e.notes}).AppendJSON(nil)
	}
	return e
}

// note adds what is to be said of the status of a resource, and reports that there is
// something.
func (e *evaluatedSet) note(typ string, h, user *r4.Header) bool {
	m := issue.StatusMessage(h, user)
	if m != nil {
		e.notes.Add(m.Issue("", typ, r4.JoinCanonical(h.URL, h.Version)))
	}
	return m != nil
}

// plainParts looks at the includes or excludes of vs. What is to be said of one of
// several code systems is said of its codes only, and leaves the set not plain.
func (s *source) plainParts(e *evaluatedSet, vs *r4.ValueSet, parts []r4.Include) bool {
	for i := range parts {
		inc := &parts[i]
		if slices.ContainsFunc(inc.Concept, func(c r4.ConceptReference) bool { return len(c.Extension) > 0 }) {
			return false
		}
		for _, canonical := range inc.ValueSet {
			if !s.plainImport(e, vs, canonical) {
				return false
			}
		}
		if inc.System == "" {
			continue
		}
		r, _ := s.state.shelf(kindCodeSystem).find(inc.System, s.rules.choose(inc.System, inc.Version))
		if r == nil || r.Grammar != nil || r.Content == "fragment" || r.Content == "example" || !r.hasCodes(s.strict) || !e.name(&r.Header) {
			return false
		}
		if e.note("CodeSystem", &r.Header, &vs.Header) && (len(inc.ValueSet) > 0 || !e.isOnly(&r.Header)) {
			return false
		}
	}
	return true
}

// name adds a code system to those that are named, and reports that all of that url are
// of one version.
func (e *evaluatedSet) name(h *r4.Header) bool {
	for _, other := range e.named {
		if other.URL == h.URL {
			return other.Version == h.Version
		}
	}
	e.named = append(e.named, h)
	return true
}

// isOnly reports that all codes of a set are of one code system.
func (e *evaluatedSet) isOnly(h *r4.Header) bool {
	used := e.Systems()
	return len(used) == 1 && used[0].System == h.URL && used[0].Version == h.Version
}

// plainImport reports that there is nothing to say about the members of an import of vs.
func (s *source) plainImport(e *evaluatedSet, vs *r4.ValueSet, canonical string) bool {
	t, err := s.target("valueSet", canonical, "")
	if err != nil || t.record == nil || issue.StatusMessage(&t.record.Header, &vs.Header) != nil {
		return false
	}
	imported, ok := s.sets.Get(setKey{generation: s.state.generation, rules: s.ruleKey(), record: t.record.seq})
	if !ok || !imported.plain || len(imported.notes) > 0 {
		return false
	}
	return !slices.ContainsFunc(imported.named, func(h *r4.Header) bool { return !e.name(h) })
}

// isUnknownSystem reports that a value set cannot be evaluated because a code system is
// not there, or not in that version.
func isUnknownSystem(err error) bool {
	return (errors.Is(err, issue.ErrUnknownSystem) || errors.Is(err, issue.ErrUnknownVersion)) && !errors.Is(err, issue.ErrUnknownValueSet)
}
