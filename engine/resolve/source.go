package resolve

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// A Source finds code systems and value sets in one state, by the version rules of one request.
type Source struct {
	State *catalog.State
	Rules *catalog.RuleSet // nil: none
	// Supplements has the canonicals of the supplements that must be used.
	Supplements []string
	// Under are the rules for what requests leave open. The caches do not depend on them.
	Under Rules

	sets  *valueset.Cache[setKey, *Set]
	views *valueset.Cache[viewKey, *codesystem.Index] // of codes of grammars
	// verdicts are about expressions.
	verdicts *valueset.Cache[verdictKey, bool]
}

// NewSource returns a source under the clinical rules, without version rules. The cache of compiled value sets has at most
// cacheBytes.
func NewSource(st *catalog.State, cacheBytes int64) *Source {
	return &Source{
		State: st,
		Under: Clinical,
		sets:  valueset.NewCache[setKey, *Set](cacheBytes),
		views: valueset.NewCache[viewKey, *codesystem.Index](viewBytes),

		verdicts: valueset.NewCache[verdictKey, bool](viewBytes),
	}
}

// Model returns what expressions of SNOMED CT mean in an edition. It is cached with the indexes of
// codes.
func (s *Source) Model(ctx context.Context, x *codesystem.Index) (*expression.Model, error) {
	key := viewKey{edition: x}
	if kept, ok := s.views.Get(key); ok {
		return expression.ViewOf(kept).Model, nil
	}
	m, err := expression.NewModel(ctx, x)
	if err != nil {
		return nil, err
	}
	s.views.Add(key, new(codesystem.Index).WithOrigin(&expression.View{Model: m}), int64(4*len(x.PropertyNames())))
	return m, nil
}

// composed returns an index of a code that is an expression and x lacks, else x.
func (s *Source) composed(ctx context.Context, x *codesystem.Index, code string) (*codesystem.Index, error) {
	if !expression.Composed(code) || expression.ViewOf(x) != nil {
		return x, nil
	}
	if _, listed := x.Find(code); listed {
		return x, nil
	}
	key := viewKey{edition: x, code: code}
	if kept, ok := s.views.Get(key); ok {
		return kept, nil
	}
	m, err := s.Model(ctx, x)
	if err != nil {
		return nil, err
	}
	view, err := m.Index(ctx, code)
	if err != nil {
		return x, ctx.Err() // the code is unknown; Malformed says why
	}
	s.views.Add(key, view, int64(len(view.Bytes())))
	return view, nil
}

// CacheStats returns the counters of the cache of compiled value sets.
func (s *Source) CacheStats() valueset.CacheStats { return s.sets.Stats() }

// At returns the source on another state.
func (s *Source) At(st *catalog.State) *Source {
	next := *s
	next.State = st
	return &next
}

// Strict reports whether a code needs its code system: under the rules of the ecosystem, a code that
// a value set lists is undecided if its code system is not loaded.
func (s *Source) Strict() bool { return s.Under == Ecosystem }

// With returns the source on a state in which entries take precedence.
func (s *Source) With(entries []*catalog.Entry) (*Source, error) {
	st, err := s.State.With(entries)
	if err != nil {
		return nil, err
	}
	return s.At(st), nil
}

// Ruled returns the source with the rules of a request.
func (s *Source) Ruled(rules *catalog.VersionRules) (*Source, error) {
	set, err := rules.Parse()
	if err != nil || set == nil {
		return s, err
	}
	next := *s
	next.Rules = set
	return &next, nil
}

// Naming returns the source with supplements that must be used.
func (s *Source) Naming(supplements []string) *Source {
	if len(supplements) == 0 {
		return s
	}
	named := *s
	named.Supplements = supplements
	return &named
}

// SupplementsFor implements valueset.SupplementSource: language packs, and the supplements that the
// request or the value set names.
func (s *Source) SupplementsFor(vs *r4.ValueSet, x *codesystem.Index) ([]*codesystem.Index, error) {
	if !s.State.HasSupplements() {
		return nil, nil
	}
	names, err := catalog.SupplementsNamed(s.Supplements, vs)
	if err != nil {
		return nil, err
	}
	return s.State.SupplementsOf(x, names)
}

// CodeSystem implements valueset.Source.
func (s *Source) CodeSystem(_ context.Context, url, version string) (*codesystem.Index, error) {
	r, err := s.State.SystemRecord(url, s.Rules.Choose(url, version))
	if err != nil {
		return nil, err
	}
	if s.Rules != nil {
		if err := s.Rules.Allows(url, r.Header.Version); err != nil {
			return nil, err
		}
	}
	return r.PresentIndex()
}

// CompareVersions implements valueset.VersionOrder.
func (s *Source) CompareVersions(a, b string) int { return catalog.CompareVersions(a, b) }

// Codes returns the index of a code system in which code can be looked up; nil if it is unknown or
// has no codes. The rules of the request must have been applied to version.
func (s *Source) Codes(ctx context.Context, url, version, code string) (*codesystem.Index, error) {
	r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(url, version)
	if r == nil || !r.HasCodes(s.Strict()) {
		return nil, nil
	}
	x, err := r.Index()
	if err != nil || code == "" {
		return x, err
	}
	return s.Covering(ctx, x, code)
}

// Covering returns an index that has codes, if they exist: x itself, unless its grammar defines
// codes that x lacks, or one code is an expression of SNOMED CT.
func (s *Source) Covering(ctx context.Context, x *codesystem.Index, codes ...string) (*codesystem.Index, error) {
	if len(codes) == 1 && x.URL() == catalog.SNOMED {
		return s.composed(ctx, x, codes[0])
	}
	r := s.State.Grammar(x.URL(), x.Version())
	if r == nil || !slices.ContainsFunc(codes, func(code string) bool { return catalog.Makes(r, x, code) }) {
		return x, nil
	}
	return s.view(ctx, r, codes)
}

// view returns the index of codes of a grammar. The index of a single code is cached.
func (s *Source) view(ctx context.Context, r *catalog.Record, codes []string) (*codesystem.Index, error) {
	if len(codes) != 1 {
		return grammar.View(ctx, r.Grammar, codes...)
	}
	key := viewKey{grammar: r.Grammar, code: codes[0]}
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

// A viewKey is the key of the index of a single code. Grammars and editions do not change, so the
// indexes stay valid.
type viewKey struct {
	grammar grammar.System
	edition *codesystem.Index
	code    string
}

// A verdictKey is the key of a verdict: whether the set of a question has a code, in one state.
type verdictKey struct {
	generation     uint64
	question, code string
}

// Verdict returns the answer to a question about a code, from the cache if possible.
func (s *Source) Verdict(question, code string, decide func() (bool, error)) (bool, error) {
	key := verdictKey{s.State.Generation, question, code}
	if in, ok := s.verdicts.Get(key); ok {
		return in, nil
	}
	in, err := decide()
	if err == nil {
		s.verdicts.Add(key, in, int64(len(question)+len(code)+64))
	}
	return in, err
}

// viewBytes is the size of the cache of single codes; one takes about 5 KiB.
const viewBytes = 4 << 20
