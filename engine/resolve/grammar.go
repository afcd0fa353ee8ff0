package resolve

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/engine/catalog"
)

// Code systems that are defined by a grammar (package codesystem/grammar) are published like any
// other, with an index of the codes in common use. A request for other codes needs an index that
// has them: Covering returns it for one code system, About returns a source that uses it for value
// sets. Operations need to know nothing else about grammars.

// Asked is a code of a request. Without a system, any code system may have it.
type Asked struct{ System, Version, Code string }

// About returns a source whose indexes of grammars have the codes of a request, if they exist: s
// itself, unless some codes are not in common use.
func (s *Source) About(ctx context.Context, codes ...Asked) (*Source, error) {
	entries, err := s.viewsOf(ctx, codes)
	if err != nil || len(entries) == 0 {
		return s, err
	}
	return s.With(entries)
}

// viewsOf returns entries for the grammars that have codes which are not in common use.
func (s *Source) viewsOf(ctx context.Context, codes []Asked) ([]*catalog.Entry, error) {
	if entry, err := s.expressionOf(ctx, codes); entry != nil || err != nil {
		return []*catalog.Entry{entry}, err
	}
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

// uncommon reports whether a code belongs to a grammar and is not in common use.
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

// viewFor returns the index of the codes of one grammar; nil if all of them are in common use.
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

// expressionOf returns an entry for the edition of SNOMED CT with a code that is an expression, nil
// if no code is one.
func (s *Source) expressionOf(ctx context.Context, codes []Asked) (*catalog.Entry, error) {
	for _, c := range codes {
		if c.System != "" && c.System != catalog.SNOMED || !expression.Composed(c.Code) {
			continue
		}
		r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(catalog.SNOMED, c.Version)
		if r == nil || !r.HasCodes(false) {
			return nil, nil
		}
		x, err := r.Index()
		if err != nil {
			return nil, err
		}
		if view, err := s.composed(ctx, x, c.Code); err != nil || view != x {
			return catalog.CodeSystemEntry(view, r.Origin), err
		}
	}
	return nil, nil
}
