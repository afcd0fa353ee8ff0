// Package grammar contains code systems whose codes are formed by a grammar. Their codes are
// unlimited and not listed anywhere. A code is parsed, and its meaning follows from its parts.
//
// A grammar answers through views: a view is an index (codesystem.Index) of the codes in a
// request. Everything that works for listed code systems (displays, properties, filters, value
// sets, languages, supplements) works for a view. Where all codes are asked for, a view of the
// codes in common use is used instead; such an answer is not closed.
//
// The grammars that FHIR uses are in separate packages below this one, which do not depend on
// terminology.
package grammar

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// A System is a code system that is a grammar. Implementations are immutable.
type System interface {
	// URL returns the canonical of the code system.
	URL() string
	// Header returns the description of the code system: url, version, properties, filters. It is
	// compositional. The caller may change it.
	Header() *r4.CodeSystem
	// Concept returns the concept of a code. The error explains why the grammar does not have the
	// code.
	Concept(code string) (*codesystem.Concept, error)
	// Usual returns the codes in common use, or nil if there is no list of them.
	Usual() *List
	// Mismatch explains why a code of the system does not satisfy a filter. It returns "" if there
	// is nothing to add to that fact.
	Mismatch(code string, f r4.Filter) string
}

// A List is a published value set of codes in common use.
type List struct {
	Header   r4.Header
	Len      int // number of codes in Concepts
	Concepts func() []r4.ConceptReference
}

// ValueSet returns the list as a value set.
func (l *List) ValueSet(system string) *r4.ValueSet {
	return &r4.ValueSet{
		Header:  l.Header,
		Compose: &r4.Compose{Include: []r4.Include{{System: system, Concept: l.Concepts()}}},
	}
}

// systems are the available grammars.
var systems = [...]System{Units{}, Languages{}, MimeTypes{}}

// Systems lists the grammars of this package. It must not be modified.
func Systems() []System { return systems[:] }

// Known reports whether the code system with a url is a grammar of this package.
func Known(url string) bool {
	for _, s := range systems {
		if s.URL() == url {
			return true
		}
	}
	return false
}

// View returns an index of those of the codes that a grammar has, without repetitions, in the
// given order.
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

// Common returns an index of the codes in common use, followed by more. The names in the list of
// common codes are designations.
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

// synonym is the use of a designation that is an additional name.
var synonym = r4.Coding{System: "http://snomed.info/sct", Code: "900000000000013009"}

// build returns an index of the codes that list adds.
func build(ctx context.Context, s System, list func(add func(code, name string) error) error) (*codesystem.Index, error) {
	header := s.Header()
	b := codesystem.NewBuilder(header)
	seen := map[string]bool{}
	err := list(func(code, name string) error {
		c := concept(s, code)
		if c == nil || seen[c.Code] {
			return nil // not a code, or added already
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

// concept returns the concept of a code, or nil when the grammar does not have it.
func concept(s System, code string) *codesystem.Concept {
	c, err := s.Concept(code)
	if err != nil {
		return nil
	}
	return c
}
