package engine

import (
	"context"
	"math"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/valueset"
)

// indexCodes are concepts of one index.
type indexCodes struct {
	index    *codesystem.Index
	members  *roaring.Bitmap // frozen
	system   string
	unlisted bool
	judge    *judge // of expressions
}

func newIndexCodes(x *codesystem.Index, members *roaring.Bitmap) *indexCodes {
	return &indexCodes{index: x, members: members, system: x.URL(), unlisted: !x.CaseSensitive()}
}

// Len implements r4.Codes.
func (c *indexCodes) Len() int {
	if c.unlisted {
		return math.MaxInt
	}
	return int(c.members.GetCardinality()) //nolint:gosec // at most 2^32
}

// Contains implements r4.Codes.
func (c *indexCodes) Contains(system, code string) bool {
	if system != c.system {
		return false
	}
	if o, ok := c.index.Find(code); ok {
		return c.members.Contains(o)
	}
	return c.judge.has(system, code)
}

// Composes implements r4.Composing.
func (c *indexCodes) Composes() bool { return c.judge != nil }

// Composes implements r4.Composing.
func (c *setCodes) Composes() bool { return c.judge != nil }

// Each implements r4.Codes.
func (c *indexCodes) Each(fn func(system, code string) bool) {
	for it := c.members.Iterator(); it.HasNext(); {
		if !fn(c.system, c.index.Code(it.Next())) {
			return
		}
	}
}

// Numbering implements r4.Codes.
func (c *indexCodes) Numbering(system string) (key any, number func(code string) (uint32, bool), contains func(uint32) bool) {
	if system != c.system {
		return nil, nil, nil
	}
	return c.index, c.index.Find, c.members.Contains
}

// setCodes are the codes of a compiled value set.
type setCodes struct {
	set      *valueset.Set
	unlisted bool
	grammars []grammarPart
	judge    *judge // of expressions
}

// A grammarPart is the part of a value set that comes from a code system with a grammar. Codes
// that are not in common use are checked one by one.
type grammarPart struct {
	source *resolve.Source
	target *resolve.Target
	record *catalog.Record
}

func codesOfSet(set *valueset.Set) *setCodes { return &setCodes{set: set, unlisted: anyCase(set)} }

// anyCase reports whether the case of codes may vary.
func anyCase(set *valueset.Set) bool {
	for _, u := range set.Systems() {
		if u.Index != nil && !u.Index.CaseSensitive() {
			return true
		}
	}
	return false
}

// Len implements r4.Codes.
func (c *setCodes) Len() int {
	if c.unlisted {
		return math.MaxInt
	}
	return c.set.Len()
}

// Contains implements r4.Codes.
func (c *setCodes) Contains(system, code string) bool {
	if system == "" {
		return false // Set.Contains would infer the system
	}
	if _, ok := c.set.Contains(system, "", code); ok {
		return true
	}
	for i := range c.grammars {
		if g := &c.grammars[i]; g.record.Header.URL == system && g.has(code) {
			return true
		}
	}
	return c.judge.has(system, code)
}

// has reports whether the value set has a code that the compiled set does not list.
func (g *grammarPart) has(code string) bool {
	ctx := context.Background() // nothing is read: the grammar makes the code
	over, err := g.source.About(ctx, resolve.Asked{System: g.record.Header.URL, Code: code})
	if err != nil || over == g.source {
		return false
	}
	set, err := over.Set(ctx, g.target)
	if err != nil {
		return false
	}
	_, ok := set.Contains(g.record.Header.URL, "", code)
	return ok
}

// Each implements r4.Codes.
func (c *setCodes) Each(fn func(system, code string) bool) {
	for system, code := range c.set.Codes() {
		if !fn(system, code) {
			return
		}
	}
}

// Numbering implements r4.Codes.
func (c *setCodes) Numbering(system string) (key any, number func(code string) (uint32, bool), contains func(uint32) bool) {
	for i := range c.grammars {
		if c.grammars[i].record.Header.URL == system {
			return nil, nil, nil
		}
	}
	x, members, ok := c.set.Whole(system)
	if !ok {
		return nil, nil, nil
	}
	return x, x.Find, members.Contains
}
