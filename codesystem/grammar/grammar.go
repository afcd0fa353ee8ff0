// Package grammar has code systems whose codes are made by a grammar: there is no end of
// them, and none is listed anywhere. A code is parsed, and what it means follows from its
// parts.
//
// A grammar answers through views: an index (codesystem.Index) of those codes that a
// question is about. What works for listed code systems (displays, properties, filters,
// value sets, languages, supplements) works for a view as it stands. Where all codes are
// asked for, the view of the codes in common use stands in; such an answer is not closed.
//
// The grammars that FHIR uses are in packages of their own below this one, without
// terminology in them.
package grammar

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// System is a code system that is a grammar. Implementations are immutable.
type System interface {
	// URL is the canonical of the code system.
	URL() string
	// Header describes the code system: url, version, properties, filters. It is
	// compositional. The caller may change it.
	Header() *r4.CodeSystem
	// Concept returns what a code means. The error says what is wrong with a code that the
	// grammar does not have.
	Concept(code string) (*codesystem.Concept, error)
	// Usual returns the codes in common use; nil when nobody lists them.
	Usual() *List
	// Mismatch says why a code of the system does not pass a filter, in more words than
	// that it does not; "" when there is nothing more to say.
	Mismatch(code string, f r4.Filter) string
}

// List is a published value set of codes in common use.
type List struct {
	Header   r4.Header
	Len      int // how many codes Concepts gives
	Concepts func() []r4.ConceptReference
}

// ValueSet writes the list as the value set it is.
func (l *List) ValueSet(system string) *r4.ValueSet {
	return &r4.ValueSet{
		Header:  l.Header,
		Compose: &r4.Compose{Include: []r4.Include{{System: system, Concept: l.Concepts()}}},
	}
}

// systems are the grammars there are.
var systems = [...]System{Units{}, Languages{}, MimeTypes{}}

// Systems lists the grammars of this package. Not to be modified.
func Systems() []System { return systems[:] }

// Known reports whether the code system of a url is one of the grammars of this package.
func Known(url string) bool {
	for _, s := range systems {
		if s.URL() == url {
			return true
		}
	}
	return false
}

// View makes an index of those of some codes that a grammar has, each once, in the order given.
func View(ctx context.Context, s System, codes ...string) (*codesystem.Index, error) {
	return build(ctx, s, func(add func(code, name string) error) error {
		for _, code := range codes {
			if err := add(code, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// Common makes an index of the codes in common use and then more, which may be none. The
// names that the list of common codes has are designations.
func Common(ctx context.Context, s System, more ...string) (*codesystem.Index, error) {
	return build(ctx, s, func(add func(code, name string) error) error {
		if list := s.Usual(); list != nil {
			for _, c := range list.Concepts() {
				if err := add(c.Code, c.Display); err != nil {
					return err
				}
			}
		}
		for _, code := range more {
			if err := add(code, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// synonym is the use of a designation that is a name besides others.
var synonym = r4.Coding{System: "http://snomed.info/sct", Code: "900000000000013009"}

// build makes an index of what list adds.
func build(ctx context.Context, s System, list func(add func(code, name string) error) error) (*codesystem.Index, error) {
	header := s.Header()
	b := codesystem.NewBuilder(header)
	seen := map[string]bool{}
	err := list(func(code, name string) error {
		c := concept(s, code)
		if c == nil || seen[c.Code] {
			return nil // not a code, or there already
		}
		seen[c.Code] = true
		if name != "" && name != c.Display {
			use := synonym
			c.Designations = append(c.Designations, r4.Designation{Language: header.Language, Use: &use, Value: name})
		}
		c.Parent = -1
		_, err := b.Add(c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.Build(ctx)
}

// concept returns the concept of a code, nil when the grammar does not have it.
func concept(s System, code string) *codesystem.Concept {
	c, err := s.Concept(code)
	if err != nil {
		return nil
	}
	return c
}
