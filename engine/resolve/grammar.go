package resolve

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/engine/catalog"
)

// Code systems whose codes a grammar makes (package codesystem/grammar) are published like
// any other; the index that answers for one has the codes in common use. A request about
// other codes is answered with an index that has these: covering gives it where one code
// system is asked, about gives an engine with it where a value set is. The operations
// know nothing more of grammars.

// Asked is a code that a request is about. Without a system it may be of any.
type Asked struct{ System, Version, Code string }

// About returns a source whose indexes of grammars have the codes a request is about, as
// far as they exist: s itself, unless there are codes that are not in common use.
func (s *Source) About(ctx context.Context, codes ...Asked) (*Source, error) {
	entries, err := s.viewsOf(ctx, codes)
	if err != nil || len(entries) == 0 {
		return s, err
	}
	return s.With(entries)
}

// viewsOf makes entries of the grammars that have codes which are not in common use.
func (s *Source) viewsOf(ctx context.Context, codes []Asked) ([]*catalog.Entry, error) {
	if !slices.ContainsFunc(codes, s.uncommon) {
		return nil, nil
	}
	var entries []*catalog.Entry
	for _, g := range grammar.Systems() {
		r, view, err := s.viewFor(ctx, g.URL(), codes)
		if err != nil {
			return nil, err
		}
		if view != nil {
			entries = append(entries, catalog.ViewEntry(r, view))
		}
	}
	return entries, nil
}

// uncommon reports a code of a grammar that is not in common use.
func (s *Source) uncommon(c Asked) bool {
	if c.System != "" {
		return grammar.Known(c.System) && s.uncommonIn(c.System, &c)
	}
	for _, g := range grammar.Systems() {
		if s.uncommonIn(g.URL(), &c) {
			return true
		}
	}
	return false
}

func (s *Source) uncommonIn(url string, c *Asked) bool {
	r := s.State.Grammar(url, c.Version)
	if r == nil {
		return false
	}
	x, err := r.Index()
	return err == nil && catalog.Makes(r, x, c.Code)
}

// viewFor returns the index of the codes that are of one grammar; nil when none of them is
// uncommon.
func (s *Source) viewFor(ctx context.Context, url string, codes []Asked) (*catalog.Record, *codesystem.Index, error) {
	var list []string
	var r *catalog.Record
	for i := range codes {
		c := &codes[i]
		if c.System != "" && c.System != url {
			continue
		}
		list = append(list, c.Code)
		if s.uncommonIn(url, c) {
			r = s.State.Grammar(url, c.Version)
		}
	}
	if r == nil {
		return nil, nil, nil
	}
	x, err := s.view(ctx, r, list)
	return r, x, err
}
