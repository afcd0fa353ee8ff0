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

// A Set is a compiled set, with what $validate-code reports about its members.
type Set struct {
	*valueset.Set
	// Plain is true if Notes is all there is to report about a member, so that the definition need
	// not be walked. Codes that are inactive, deprecated or written differently are checked
	// separately.
	Plain bool
	Notes issue.List
	// Outcome is Notes as an OperationOutcome in JSON, empty if there are none.
	Outcome []byte
	named   []*r4.Header // code systems that the definition and its imports name
	// implicit is the value set, if it is implicit.
	implicit *Implicit
}

// Set returns the compiled set of a value set that a request names.
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

// Compiled returns a compiled set, from the cache if possible.
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

// Cached returns the compiled set of a published or implicit value set, from the cache if
// possible.
func (s *Source) Cached(ctx context.Context, t *Target, visiting []string) (*Set, error) {
	key := setKey{generation: s.State.Generation, rules: s.RuleKey()}
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

// A setKey is the key of a compiled set in the cache.
type setKey struct {
	generation uint64
	record     uint64 // seq of the value set's record, 0 for an implicit value set
	implicit   string // canonical of an implicit value set
	rules      string
}

// RuleKey identifies the version rules and the named supplements.
func (s *Source) RuleKey() string {
	key := ""
	if s.Rules != nil {
		key = s.Rules.Key
	}
	for _, name := range s.Supplements {
		key += "\x00" + name
	}
	return key
}

// compileFor compiles a set and caches it. Concurrent requests for the same set share the work,
// except for imported sets, because circular imports could wait for each other, and for implicit
// sets, which take less time to compile than to share.
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
	if s.State.HasSupplements() { // imports see those that a value set names
		names, err := catalog.SupplementsNamed(s.Supplements, vs)
		if err != nil {
			return nil, err
		}
		s = s.Naming(names)
	}
	return valueset.Compile(ctx, s, vs, visiting)
}

// IsUnknownSystem reports whether a value set cannot be evaluated because a code system, or its
// version, is unknown.
func IsUnknownSystem(err error) bool {
	return (errors.Is(err, issue.ErrUnknownSystem) || errors.Is(err, issue.ErrUnknownVersion)) && !errors.Is(err, issue.ErrUnknownValueSet)
}

// evaluated determines what a walk through the definition of a value set would report about its
// members.
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

// note adds the message about the status of a resource, and reports whether there is one.
func (e *Set) note(typ string, h, user *r4.Header) bool {
	m := issue.StatusMessage(h, user)
	if m != nil {
		e.Notes.Add(m.Issue("", typ, r4.JoinCanonical(h.URL, h.Version)))
	}
	return m != nil
}

// plainParts reports whether the includes or excludes of vs are plain. They are not if a message
// concerns only one of several code systems, because it is reported for its codes only.
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
		r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(inc.System, s.Rules.Choose(inc.System, inc.Version))
		if r == nil || r.Grammar != nil || r.Content == "fragment" || r.Content == "example" || !e.sameVersion(&r.Header) || !r.HasCodes(true) {
			return false
		}
		if e.note("CodeSystem", &r.Header, &vs.Header) && (len(inc.ValueSet) > 0 || !e.isOnly(&r.Header)) {
			return false
		}
	}
	return true
}

// sameVersion adds a code system to e.named, and reports whether all of its url have the same version.
func (e *Set) sameVersion(h *r4.Header) bool {
	for _, other := range e.named {
		if other.URL == h.URL {
			return other.Version == h.Version
		}
	}
	e.named = append(e.named, h)
	return true
}

// isOnly reports whether all codes of a set belong to one code system.
func (e *Set) isOnly(h *r4.Header) bool {
	used := e.Systems()
	return len(used) == 1 && used[0].System == h.URL && used[0].Version == h.Version
}

// plainImport reports whether there is nothing to report about the members of an import of vs.
func (s *Source) plainImport(e *Set, vs *r4.ValueSet, canonical string) bool {
	t, err := s.Target("valueSet", canonical, "")
	if err != nil || t.record == nil || issue.StatusMessage(&t.record.Header, &vs.Header) != nil {
		return false
	}
	imported, ok := s.sets.Get(setKey{generation: s.State.Generation, rules: s.RuleKey(), record: t.record.Seq})
	if !ok || !imported.Plain || len(imported.Notes) > 0 {
		return false
	}
	return !slices.ContainsFunc(imported.named, func(h *r4.Header) bool { return !e.sameVersion(h) })
}
