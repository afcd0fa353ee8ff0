package engine

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/grammar"
)

// Code systems whose codes a grammar makes (package codesystem/grammar) are published like
// any other; the index that answers for one has the codes in common use. A request about
// other codes is answered with an index that has these: covering gives it where one code
// system is asked, about gives an engine with it where a value set is. The operations
// know nothing more of grammars.

// asked is a code that a request is about. Without a system it may be of any.
type asked struct{ system, version, code string }

// about returns a source whose indexes of grammars have the codes a request is about, as
// far as they exist: s itself, unless there are codes that are not in common use.
func (s *source) about(ctx context.Context, codes ...asked) (*source, error) {
	entries, err := s.viewsOf(ctx, codes)
	if err != nil || len(entries) == 0 {
		return s, err
	}
	return s.with(entries)
}

// viewsOf makes entries of the grammars that have codes which are not in common use.
func (s *source) viewsOf(ctx context.Context, codes []asked) ([]*Entry, error) {
	if !slices.ContainsFunc(codes, s.uncommon) {
		return nil, nil
	}
	var entries []*Entry
	for _, g := range grammar.Systems() {
		r, view, err := s.viewFor(ctx, g.URL(), codes)
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
func (s *source) uncommon(c asked) bool {
	if c.system != "" {
		return grammar.Known(c.system) && s.uncommonIn(c.system, &c)
	}
	for _, g := range grammar.Systems() {
		if s.uncommonIn(g.URL(), &c) {
			return true
		}
	}
	return false
}

func (s *source) uncommonIn(url string, c *asked) bool {
	r := s.state.grammar(url, c.version)
	if r == nil {
		return false
	}
	x, err := r.codeSystem()
	return err == nil && makes(r, x, c.code)
}

// viewFor returns the index of the codes that are of one grammar; nil when none of them is
// uncommon.
func (s *source) viewFor(ctx context.Context, url string, codes []asked) (*record, *codesystem.Index, error) {
	var list []string
	var r *record
	for i := range codes {
		c := &codes[i]
		if c.system != "" && c.system != url {
			continue
		}
		list = append(list, c.code)
		if s.uncommonIn(url, c) {
			r = s.state.grammar(url, c.version)
		}
	}
	if r == nil {
		return nil, nil, nil
	}
	x, err := s.view(ctx, r, list)
	return r, x, err
}
