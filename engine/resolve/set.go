package resolve

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

// A setKey is the key of a compiled set in the cache.
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
	return valueset.Compile(ctx, s, vs, visiting)
}

// IsUnknownSystem reports whether a value set cannot be evaluated because a code system, or its
// version, is unknown.
func IsUnknownSystem(err error) bool {
	return (errors.Is(err, issue.ErrUnknownSystem) || errors.Is(err, issue.ErrUnknownVersion)) && !errors.Is(err, issue.ErrUnknownValueSet)
}
