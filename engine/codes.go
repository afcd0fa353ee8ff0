package engine

import (
	"context"
	"fmt"
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
	src := e.source()
	x, err := src.State.System(system, "")
	if err != nil {
		return nil, err
	}
	if x.URL() == catalog.SNOMED && x.Subsumptive() {
		return composedBelow(ctx, src, x, code, below)
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

// composedBelow is codesBelow for SNOMED CT, where expressions may be below a code or be the code.
func composedBelow(ctx context.Context, src *resolve.Source, x *codesystem.Index, code string, below bool) (r4.Codes, error) {
	m, _, err := meaning(ctx, src, x, code)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, unknownCode(x, code)
	}
	members := roaring.New()
	same, listed := m.Same()
	switch {
	case !below:
		members.AddMany(m.Above())
	case listed:
		members = x.Descendants(same).Clone()
		members.Add(same)
	default:
		if members, err = m.Covers(ctx); err != nil {
			return nil, err
		}
	}
	codes := newIndexCodes(x, members)
	codes.judge = belowJudge(src, x, m, fmt.Sprintf("below %t %s|%s", below, x.Version(), code), below)
	return codes, nil
}

// Lacks reports whether a code system that is loaded with all its codes does not have a code. system
// may be url|version. A grammar does not lack the empty code, which stands for none.
func (e *Engine) Lacks(ctx context.Context, system, code string) bool {
	src := e.source()
	x, err := src.State.System(system, "")
	if err != nil || x.Header().Content != "" && x.Header().Content != "complete" {
		return false
	}
	if code == "" && src.State.Grammar(x.URL(), x.Version()) != nil {
		return false
	}
	if x, err = src.Covering(ctx, x, code); err != nil {
		return false
	}
	_, found := x.Find(code)
	return !found
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
	src := e.source()
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
	codes := &setCodes{set: set, judge: setJudge(src, &t, "in "+t.Label())}
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
	src := e.source()
	base, version, err := src.State.SplitSystem("system", system, "")
	if err != nil {
		return nil, err
	}
	canonical := base + catalog.ConstraintMark + url.PathEscape(expression)
	if im := src.KeptImplicit(canonical, version); im != nil {
		return codesOfConstraint(src, canonical, version, im.Set.Set), nil
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
	return codesOfConstraint(src, canonical, version, set), nil
}

// codesOfConstraint returns the codes of the implicit value set of a constraint.
func codesOfConstraint(src *resolve.Source, canonical, version string, set *valueset.Set) *setCodes {
	codes := codesOfSet(set)
	if t, err := src.Target("url", canonical, version); err == nil {
		codes.judge = setJudge(src, &t, "of "+t.Label())
	}
	return codes
}
