package engine

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// CodesBelow returns a code with all its descendants (below true) or all its ancestors, for the
// token modifiers :below and :above of a search (R4 search.html#token). system may be url|version.
// If the hierarchy does not express meaning (part-of, grouped-by), the result is the code alone,
// as in $subsumes. Errors: ErrUnknownSystem, ErrUnknownVersion, ErrUnknownCode,
// ErrMissingParameter.
func (e *Engine) CodesBelow(ctx context.Context, system, code string, below bool) (r4.Codes, error) {
	ctx, span := e.observe(ctx, "codes-below", system)
	codes, err := e.codesBelow(ctx, system, code, below)
	span.finish(ctx, err)
	return codes, err
}

func (e *Engine) codesBelow(ctx context.Context, system, code string, below bool) (r4.Codes, error) {
	switch "" {
	case system:
		return nil, issue.Missing("system", "the code system of "+code)
	case code:
		return nil, issue.Missing("code", "a code of "+system)
	}
	src := e.source.Load()
	x, err := src.State.System(system, "")
	if err != nil {
		return nil, err
	}
	if x, err = src.Covering(ctx, x, code); err != nil {
		return nil, err
	}
	o, ok := x.Find(code)
	if !ok {
		return nil, unknownCode(x, code)
	}
	members := roaring.New()
	switch {
	case !x.Subsumptive():
	case below:
		members = x.Descendants(o).Clone()
	default:
		members.AddMany(x.Ancestors(o))
	}
	members.Add(o)
	return newIndexCodes(x, members), nil
}

// CodesIn returns the codes of a value set, for the token modifiers :in and :not-in. valueSet is a
// canonical (url or url|version, also of an implicit value set) or ValueSet/id. The compiled set
// is cached. Errors: ErrUnknownValueSet, ErrMissingParameter, and errors of compiling the value
// set.
func (e *Engine) CodesIn(ctx context.Context, valueSet string) (r4.Codes, error) {
	ctx, span := e.observe(ctx, "codes-in", valueSet)
	codes, err := e.codesIn(ctx, valueSet)
	span.finish(ctx, err)
	return codes, err
}

func (e *Engine) codesIn(ctx context.Context, canonical string) (r4.Codes, error) {
	if canonical == "" {
		return nil, issue.Missing("valueSet", "the canonical of the value set")
	}
	src := e.source.Load()
	var id string
	if rest, is := strings.CutPrefix(canonical, "ValueSet/"); is {
		id, canonical = rest, ""
	}
	t, err := src.Named(id, canonical, "", nil)
	if err != nil {
		return nil, err
	}
	set, err := src.Set(ctx, &t)
	if err != nil {
		return nil, err
	}
	codes := &setCodes{set: set}
	codes.unlisted = anyCase(set)
	for _, u := range src.GrammarUses(&t) {
		codes.unlisted = true
		codes.grammars = append(codes.grammars, grammarPart{source: src, target: &t, record: u.Record})
	}
	return codes, nil
}

// CodesOf returns the codes that an expression constraint selects in a code system. system may be
// url|version. The set is cached as that of the implicit value set of the expression. Errors:
// ErrUnknownSystem, ErrUnknownVersion, ErrMissingParameter, and for the expression
// codesystem.ErrBadFilterValue and codesystem.ErrUnknownCode.
func (e *Engine) CodesOf(ctx context.Context, system, expression string) (r4.Codes, error) {
	ctx, span := e.observe(ctx, "codes-of", system)
	codes, err := e.codesOf(ctx, system, expression)
	span.finish(ctx, err)
	return codes, err
}

func (e *Engine) codesOf(ctx context.Context, system, expression string) (r4.Codes, error) {
	switch "" {
	case system:
		return nil, issue.Missing("system", "the code system of the expression")
	case expression:
		return nil, issue.Missing("expression", "an expression constraint")
	}
	src := e.source.Load()
	base, version, err := src.State.SplitSystem("system", system, "")
	if err != nil {
		return nil, err
	}
	canonical := base + catalog.ConstraintMark + url.PathEscape(expression)
	if im := src.KeptImplicit(canonical, version); im != nil {
		return codesOfSet(im.Set.Set), nil
	}
	r, err := src.State.SystemRecord(base, version)
	if err != nil {
		return nil, err
	}
	t := resolve.Constraint(canonical, version, expression, r)
	set, err := src.Compiled(ctx, &t, nil)
	if err != nil {
		return nil, fmt.Errorf("code system %s: %w", system, err)
	}
	return codesOfSet(set), nil
}

// indexCodes are concepts of one index.
type indexCodes struct {
	index    *codesystem.Index
	members  *roaring.Bitmap // frozen
	system   string
	unlisted bool
}

func newIndexCodes(x *codesystem.Index, members *roaring.Bitmap) *indexCodes {
	return &indexCodes{index: x, members: members, system: x.URL(), unlisted: !x.CaseSensitive()}
}

// Len implements r4.Codes.
func (c *indexCodes) Len() int {
	if c.unlisted {
		return math.MaxInt
	}
	return int(c.members.GetCardinality())
}

// Contains implements r4.Codes.
func (c *indexCodes) Contains(system, code string) bool {
	if system != c.system {
		return false
	}
	o, ok := c.index.Find(code)
	return ok && c.members.Contains(o)
}

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
	return false
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
