package resolve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// Set returns the compiled set of a value set a request named.
func (s *Source) Set(ctx context.Context, t *Target) (*valueset.Set, error) {
	set, err := s.Compiled(ctx, t, nil)
	if err != nil {
		return nil, t.Failed(err)
	}
	return set, nil
}

// ValueSet implements valueset.Source.
func (s *Source) ValueSet(ctx context.Context, canonical string, visiting []string) (*valueset.Set, error) {
	t, err := s.Target("valueSet", canonical, "")
	if err != nil {
		return nil, err
	}
	if name := t.canonical(); slices.Contains(visiting, name) {
		path := append(slices.Clone(visiting[slices.Index(visiting, name):]), name)
		return nil, fmt.Errorf("%w: %s", valueset.ErrImportCycle, strings.Join(path, " → "))
	}
	return s.Compiled(ctx, &t, visiting)
}

// Compiled takes a set from the cache or compiles it.
func (s *Source) Compiled(ctx context.Context, t *Target, visiting []string) (*valueset.Set, error) {
	if t.Given != nil {
		return s.compile(ctx, t, visiting)
	}
	set, err := s.Cached(ctx, t, visiting)
	if err != nil {
		return nil, err
	}
	return set.Set, nil
}

// Cached takes the set of a published or implicit value set from the cache, or compiles it.
func (s *Source) Cached(ctx context.Context, t *Target, visiting []string) (*Set, error) {
	key := setKey{generation: s.State.Generation, rules: s.ruleKey()}
	if t.record != nil {
		key.record = t.record.Seq
	} else {
		if im := t.implicit; im.Set != nil && im.rules == key.rules {
			return im.Set, nil
		}
		key.implicit = r4.JoinCanonical(t.implicit.url, t.implicit.version)
	}
	if set, ok := s.sets.Get(key); ok {
		return set, nil
	}
	return s.compileFor(ctx, key, *t, visiting)
}

// setKey tells compiled sets apart in the cache.
type setKey struct {
	generation uint64
	record     uint64 // seq of the value set's record, 0 for an implicit value set
	implicit   string // canonical of an implicit value set
	rules      string
}

func (s *Source) ruleKey() string {
	if s.Rules == nil {
		return ""
	}
	return s.Rules.Key
}

// compileFor compiles a set and keeps it. Only a compilation that no other one waits
// for shares its work with requests that ask for the same set: imports that form a
// circle could otherwise wait for each other. An implicit set is compiled in less time
// than it takes to share the work.
func (s *Source) compileFor(ctx context.Context, key setKey, t Target, visiting []string) (*Set, error) {
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
	return s.sets.Do(ctx, key, func(ctx context.Context) (*Set, int64, error) {
		set, err := s.evaluate(ctx, &t, nil)
		if err != nil {
			return nil, 0, err
		}
		return set, set.Cost(), nil
	})
}

func (s *Source) evaluate(ctx context.Context, t *Target, visiting []string) (*Set, error) {
	set, err := s.compile(ctx, t, visiting)
	if err != nil {
		return nil, err
	}
	return s.evaluated(t, set), nil
}

func (s *Source) compile(ctx context.Context, t *Target, visiting []string) (*valueset.Set, error) {
	vs, err := t.Definition()
	if err != nil {
		return nil, err
	}
	return valueset.Compile(ctx, s, vs, visiting)
}

// Set is a compiled set, and what is known besides of what is to be said of its
// members.
type Set struct {
	*valueset.Set
	// plain says that notes is all there is to say about a member: it takes no walk through
	// the definition to find out. Codes that are inactive, deprecated or written otherwise
	// are looked at all the same.
	Plain bool
	Notes issue.List
	// outcome is notes as an OperationOutcome in JSON, empty when there are none.
	Outcome []byte
	named   []*r4.Header // the code systems that the definition names, and those of its imports
	// implicit is the value set, when it is an implicit one.
	implicit *Implicit
}

// evaluated looks at what a walk through the definition of a value set would find to say
// about its members.
func (s *Source) evaluated(t *Target, set *valueset.Set) *Set {
	e := &Set{Set: set}
	vs, err := t.Definition()
	if err != nil || vs.Compose == nil || vs.Language != "" {
		return e
	}
	if names, err := catalog.SupplementsNamed(nil, vs); err != nil || len(names) > 0 || len(valueset.Parameters(vs.Compose)) > 0 {
		return e
	}
	e.note("ValueSet", &vs.Header, &vs.Header)
	e.Plain = s.plainParts(e, vs, vs.Compose.Include) && s.plainParts(e, vs, vs.Compose.Exclude)
	e.Notes, e.named = slices.Clip(e.Notes), slices.Clip(e.named)
	if len(e.Notes) > 0 {
		e.Outcome = (&r4.OperationOutcome{Issue: e.Notes}).AppendJSON(nil)
	}
	return e
}

// note adds what is to be said of the status of a resource, and reports that there is
// something.
func (e *Set) note(typ string, h, user *r4.Header) bool {
	m := issue.StatusMessage(h, user)
	if m != nil {
		e.Notes.Add(m.Issue("", typ, r4.JoinCanonical(h.URL, h.Version)))
	}
	return m != nil
}

// plainParts looks at the includes or excludes of vs. What is to be said of one of
// several code systems is said of its codes only, and leaves the set not plain.
func (s *Source) plainParts(e *Set, vs *r4.ValueSet, parts []r4.Include) bool {
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
		r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(inc.System, s.Version(inc.System, inc.Version))
		if r == nil || r.Grammar != nil || r.Content == "fragment" || r.Content == "example" || !r.HasCodes(s.Strict) || !e.name(&r.Header) {
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
func (e *Set) name(h *r4.Header) bool {
	for _, other := range e.named {
		if other.URL == h.URL {
			return other.Version == h.Version
		}
	}
	e.named = append(e.named, h)
	return true
}

// isOnly reports that all codes of a set are of one code system.
func (e *Set) isOnly(h *r4.Header) bool {
	used := e.Systems()
	return len(used) == 1 && used[0].System == h.URL && used[0].Version == h.Version
}

// plainImport reports that there is nothing to say about the members of an import of vs.
func (s *Source) plainImport(e *Set, vs *r4.ValueSet, canonical string) bool {
	t, err := s.Target("valueSet", canonical, "")
	if err != nil || t.record == nil || issue.StatusMessage(&t.record.Header, &vs.Header) != nil {
		return false
	}
	imported, ok := s.sets.Get(setKey{generation: s.State.Generation, rules: s.ruleKey(), record: t.record.Seq})
	if !ok || !imported.Plain || len(imported.Notes) > 0 {
		return false
	}
	return !slices.ContainsFunc(imported.named, func(h *r4.Header) bool { return !e.name(h) })
}

// IsUnknownSystem reports that a value set cannot be evaluated because a code system is
// not there, or not in that version.
func IsUnknownSystem(err error) bool {
	return (errors.Is(err, issue.ErrUnknownSystem) || errors.Is(err, issue.ErrUnknownVersion)) && !errors.Is(err, issue.ErrUnknownValueSet)
}
