package engine

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/resources/r4"
)

// Code systems whose codes a grammar makes (package codesystem/grammar) are published like
// any other; the index that answers for one has the codes in common use. A request about
// other codes is answered with an index that has these: covering gives it where one code
// system is asked, about gives an engine with it where a value set is. The operations
// know nothing more of grammars.

// grammarOrigin is the Origin of the entries of grammars.
const grammarOrigin = "built in"

// GrammarEntries returns the code systems of package codesystem/grammar and the value sets
// of their codes in common use. The entries are BuiltIn; making them reads nothing.
func GrammarEntries() []*Entry {
	var entries []*Entry
	for _, s := range grammar.Systems() {
		system := grammarEntry(s, func() (*codesystem.Index, error) {
			return grammar.Common(context.Background(), s)
		})
		entries = append(entries, system)
		if list := s.Usual(); list != nil {
			system.Concepts = list.Len
			entries = append(entries, &Entry{
				Header: list.Header, Origin: grammarOrigin, BuiltIn: true,
				ValueSet: func() (*r4.ValueSet, error) { return list.ValueSet(s.URL()), nil },
			})
		}
	}
	return entries
}

// grammarEntry makes the entry of a grammar that index answers for. As a resource it has no
// concepts: those of the index are not all, and are not published in it.
func grammarEntry(s grammar.System, index func() (*codesystem.Index, error)) *Entry {
	h := s.Header()
	return &Entry{
		Header: h.Header, Content: h.Content, AllCodes: h.ValueSet,
		Origin: grammarOrigin, BuiltIn: true, Grammar: s, CodeSystem: index,
		Document: func() ([]byte, error) {
			h := s.Header()
			h.Content = "not-present"
			return h.AppendJSON(nil), nil
		},
	}
}

// stubs orders a grammar before a published code system of its canonical that has no
// content (content=not-present): those are about for every grammar that FHIR uses.
func stubs(a, b *record) int {
	beats := func(a, b *record) bool { return a.Grammar != nil && b.Content == "not-present" }
	switch {
	case beats(a, b):
		return -1
	case beats(b, a):
		return 1
	}
	return 0
}

// grammar returns the record of a code system that is a grammar, nil for all others.
func (st *state) grammar(url, version string) *record {
	if !grammar.Known(url) {
		return nil
	}
	r, _ := st.shelves[kindCodeSystem].find(url, version)
	if r == nil || r.Grammar == nil {
		return nil
	}
	return r
}

// covering returns an index that has codes as far as they exist: x, unless it is that of a
// grammar that makes codes x lacks.
func (st *state) covering(ctx context.Context, x *codesystem.Index, codes ...string) (*codesystem.Index, error) {
	r := st.grammar(x.URL(), x.Version())
	if r == nil || !slices.ContainsFunc(codes, func(code string) bool { return makes(r, x, code) }) {
		return x, nil
	}
	return st.view(ctx, r, codes)
}

// viewKey tells the views of single codes apart. Grammars do not change, so they stay valid.
type viewKey struct {
	grammar grammar.System
	code    string
}

// viewBytes is the memory for views of single codes; one takes some 5 KiB.
const viewBytes = 4 << 20

// view returns the index of codes of a grammar. That of one code is kept.
func (st *state) view(ctx context.Context, r *record, codes []string) (*codesystem.Index, error) {
	if len(codes) != 1 {
		return grammar.View(ctx, r.Grammar, codes...)
	}
	kept := st.plain.engine.views
	key := viewKey{r.Grammar, codes[0]}
	if x, ok := kept.Get(key); ok {
		return x, nil
	}
	x, err := grammar.View(ctx, r.Grammar, codes[0])
	if err != nil {
		return nil, err
	}
	kept.Add(key, x, int64(len(x.Bytes())))
	return x, nil
}

// makes reports a code that the grammar of r has and x, which answers for it, has not.
func makes(r *record, x *codesystem.Index, code string) bool {
	if _, listed := x.Find(code); listed {
		return false
	}
	_, err := r.Grammar.Concept(code)
	return err == nil
}

// asked is a code that a request is about. Without a system it may be of any.
type asked struct{ system, version, code string }

// about returns an engine whose indexes of grammars have the codes a request is about, as
// far as they exist: e itself, unless there are codes that are not in common use.
func (e *Engine) about(ctx context.Context, codes ...asked) (*Engine, error) {
	st := e.state.Load()
	entries, err := st.views(ctx, codes)
	if err != nil || len(entries) == 0 {
		return e, err
	}
	return e.with(st, entries)
}

// about is Engine.about for a source.
func (s *source) about(ctx context.Context, codes ...asked) (*source, error) {
	entries, err := s.state.views(ctx, codes)
	if err != nil || len(entries) == 0 {
		return s, err
	}
	e, err := s.engine.with(s.state, entries)
	if err != nil {
		return nil, err
	}
	over := *s
	over.engine, over.state = e, e.state.Load()
	return &over, nil
}

// views makes entries of the grammars that have codes which are not in common use.
func (st *state) views(ctx context.Context, codes []asked) ([]*Entry, error) {
	if !slices.ContainsFunc(codes, st.uncommon) {
		return nil, nil
	}
	var entries []*Entry
	for _, s := range grammar.Systems() {
		r, view, err := st.viewFor(ctx, s.URL(), codes)
		if err != nil {
			return nil, err
		}
		if view != nil {
			entries = append(entries, viewEntry(r, view))
		}
	}
	return entries, nil
}

// uncommon reports a code of a grammar that is not in common use.
func (st *state) uncommon(c asked) bool {
	if c.system != "" {
		return grammar.Known(c.system) && st.uncommonIn(c.system, &c)
	}
	for _, s := range grammar.Systems() {
		if st.uncommonIn(s.URL(), &c) {
			return true
		}
	}
	return false
}

func (st *state) uncommonIn(url string, c *asked) bool {
	r := st.grammar(url, c.version)
	if r == nil {
		return false
	}
	x, err := r.codeSystem()
	return err == nil && makes(r, x, c.code)
}

// viewFor returns the index of the codes that are of one grammar; nil when none of them is
// uncommon.
func (st *state) viewFor(ctx context.Context, url string, codes []asked) (*record, *codesystem.Index, error) {
	var list []string
	var r *record
	for i := range codes {
		c := &codes[i]
		if c.system != "" && c.system != url {
			continue
		}
		list = append(list, c.code)
		if st.uncommonIn(url, c) {
			r = st.grammar(url, c.version)
		}
	}
	if r == nil {
		return nil, nil, nil
	}
	x, err := st.view(ctx, r, list)
	return r, x, err
}

// viewEntry makes an entry in which x answers for the grammar of r.
func viewEntry(r *record, x *codesystem.Index) *Entry {
	entry := grammarEntry(r.Grammar, func() (*codesystem.Index, error) { return x, nil })
	entry.Header = r.Header
	return entry
}

// malformed says what is wrong with a code that a grammar does not have; "" where the code
// system is none.
func (st *state) malformed(url, version, code string) string {
	r := st.grammar(url, version)
	if r == nil {
		return ""
	}
	if _, err := r.Grammar.Concept(code); err != nil {
		return err.Error()
	}
	return ""
}

// mismatches says why a code of a grammar does not pass the filters of a value set, where
// the grammar has more to say than that it does not.
func (st *state) mismatches(vs *r4.ValueSet, url, version, code string) []string {
	r := st.grammar(url, version)
	if r == nil || vs == nil || vs.Compose == nil {
		return nil
	}
	var texts []string
	for i := range vs.Compose.Include {
		inc := &vs.Compose.Include[i]
		if inc.System != url {
			continue
		}
		for _, f := range inc.Filter {
			if text := r.Grammar.Mismatch(code, f); text != "" && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// lookupProperties returns the properties a lookup gives when none are asked for. Those a
// grammar computes must be asked for: nobody stated them.
func (st *state) lookupProperties(x *codesystem.Index, asked []string) []string {
	if len(asked) > 0 || st.grammar(x.URL(), x.Version()) == nil {
		return asked
	}
	return []string{"definition", "designation", "inactive"}
}
