package engine

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/valueset"
)

// source resolves what value sets name from one state, by the rules of one request.
type source struct {
	state *state
	rules *ruleSet // nil: none
	// supplements are the canonicals of those that are to be used.
	supplements []string
	// strict keeps codes from being valid that a value set lists of a code system that is not
	// there.
	strict bool

	sets  *valueset.Cache[setKey, *evaluatedSet]
	views *valueset.Cache[viewKey, *codesystem.Index] // of codes of grammars
}

// newSource returns a source that sees a state as requests without rules do. The cache of
// compiled value sets has at most cacheBytes.
func newSource(st *state, cacheBytes int64) *source {
	return &source{
		state: st,
		sets:  valueset.NewCache[setKey, *evaluatedSet](cacheBytes),
		views: valueset.NewCache[viewKey, *codesystem.Index](viewBytes),
	}
}

// at returns the source on another state.
func (s *source) at(st *state) *source {
	next := *s
	next.state = st
	return &next
}

// with returns the source on a state in which entries come before all others.
func (s *source) with(entries []*Entry) (*source, error) {
	st, err := s.state.with(entries)
	if err != nil {
		return nil, err
	}
	return s.at(st), nil
}

// ruled returns the source as a request with these rules sees it.
func (s *source) ruled(rules *VersionRules) (*source, error) {
	set, err := rules.parse()
	if err != nil || set == nil {
		return s, err
	}
	next := *s
	next.rules = set
	return &next, nil
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

// setKey tells compiled sets apart in the cache.
type setKey struct {
	generation uint64
	record     uint64 // seq of the value set's record, 0 for an implicit value set
	implicit   string // canonical of an implicit value set
	rules      string
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

// CompareVersions implements valueset.VersionOrder.
func (s *source) CompareVersions(a, b string) int { return compareVersions(a, b) }

// codes returns the index of a code system in which code can be looked up; nil when it is
// not there, or has no codes. The rules of the request have been applied to version.
func (s *source) codes(ctx context.Context, url, version, code string) (*codesystem.Index, error) {
	r, _ := s.state.shelf(kindCodeSystem).find(url, version)
	if r == nil || !r.hasCodes(s.strict) {
		return nil, nil
	}
	x, err := r.codeSystem()
	if err != nil || code == "" {
		return x, err
	}
	return s.covering(ctx, x, code)
}

// covering returns an index that has codes as far as they exist: x, unless it is that of a
// grammar that makes codes x lacks.
func (s *source) covering(ctx context.Context, x *codesystem.Index, codes ...string) (*codesystem.Index, error) {
	r := s.state.grammar(x.URL(), x.Version())
	if r == nil || !slices.ContainsFunc(codes, func(code string) bool { return makes(r, x, code) }) {
		return x, nil
	}
	return s.view(ctx, r, codes)
}

// view returns the index of codes of a grammar. That of one code is kept.
func (s *source) view(ctx context.Context, r *record, codes []string) (*codesystem.Index, error) {
	if len(codes) != 1 {
		return grammar.View(ctx, r.Grammar, codes...)
	}
	key := viewKey{r.Grammar, codes[0]}
	if x, ok := s.views.Get(key); ok {
		return x, nil
	}
	x, err := grammar.View(ctx, r.Grammar, codes[0])
	if err != nil {
		return nil, err
	}
	s.views.Add(key, x, int64(len(x.Bytes())))
	return x, nil
}

// viewKey tells the views of single codes apart. Grammars do not change, so they stay valid.
type viewKey struct {
	grammar grammar.System
	code    string
}

// viewBytes is the memory for views of single codes; one takes some 5 KiB.
const viewBytes = 4 << 20
