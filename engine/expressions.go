package engine

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// meaning returns the meaning of a code of SNOMED CT in the index of its edition, and the index that
// has the code: of a concept, or of an expression. It is nil for a code that is neither.
func meaning(ctx context.Context, src *resolve.Source, edition *codesystem.Index, code string) (*expression.Meaning, *codesystem.Index, error) {
	x, err := src.Covering(ctx, edition, code)
	if err != nil {
		return nil, nil, err
	}
	o, ok := x.Find(code)
	if !ok {
		return nil, x, nil
	}
	if view := expression.ViewOf(x); view != nil {
		return view.Meanings[o], x, nil
	}
	m, err := src.Model(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	return m.Of(o), x, nil
}

// subsumesComposed is subsumes for codes of which at least one may be an expression.
func (e *Engine) subsumesComposed(ctx context.Context, src *resolve.Source, x *codesystem.Index, a, b string) (r SubsumesResult, err error) {
	ma, xa, err := meaning(ctx, src, x, a)
	if err != nil {
		return r, err
	}
	mb, xb, err := meaning(ctx, src, x, b)
	switch {
	case err != nil:
		return r, err
	case ma == nil:
		return r, e.unknownSide("codeA", x, a)
	case mb == nil:
		return r, e.unknownSide("codeB", x, b)
	}
	r = SubsumesResult{Index: xa, IndexB: xb, Outcome: NotSubsumed}
	r.A, _ = xa.Find(a)
	r.B, _ = xb.Find(b)
	switch above, below := ma.Subsumes(mb), mb.Subsumes(ma); {
	case above && below:
		r.Outcome = Equivalent
	case above:
		r.Outcome = Subsuming
	case below:
		r.Outcome = SubsumedBy
	}
	return r, nil
}

// A judge decides whether expressions are in a set of codes. It remembers each verdict.
type judge struct {
	source   *resolve.Source
	question string // identifies the set within a state
	decide   func(ctx context.Context, code string) (bool, error)
}

// has reports whether a code is an expression in the set. An expression that is unknown or cannot be
// decided is not.
func (j *judge) has(system, code string) bool {
	if j == nil || system != catalog.SNOMED || !expression.Composed(code) {
		return false
	}
	ctx := context.Background() // little is read: an expression is judged in memory
	in, err := j.source.Verdict(j.question, code, func() (bool, error) { return j.decide(ctx, code) })
	return in && err == nil
}

// belowJudge judges which expressions are below a meaning, or above it.
func belowJudge(src *resolve.Source, x *codesystem.Index, of *expression.Meaning, question string, below bool) *judge {
	return &judge{src, question, func(ctx context.Context, code string) (bool, error) {
		m, _, err := meaning(ctx, src, x, code)
		switch {
		case m == nil || err != nil:
			return false, err
		case below:
			return of.Subsumes(m), nil
		}
		return m.Subsumes(of), nil
	}}
}

// setJudge judges which expressions a value set has; nil if it names nothing of SNOMED CT.
func setJudge(src *resolve.Source, t *resolve.Target, question string) *judge {
	vs, err := t.Definition()
	if err != nil || vs.Compose == nil {
		return nil
	}
	at := slices.IndexFunc(vs.Compose.Include, func(inc r4.Include) bool { return inc.System == catalog.SNOMED || len(inc.ValueSet) > 0 })
	if at < 0 {
		return nil
	}
	version := vs.Compose.Include[at].Version
	return &judge{src, question, func(ctx context.Context, code string) (bool, error) {
		over, err := src.About(ctx, resolve.Asked{System: catalog.SNOMED, Version: version, Code: code})
		if err != nil || over == src {
			return false, err
		}
		set, err := valueset.Compile(ctx, over, vs, nil)
		if err != nil {
			return false, err
		}
		_, in := set.Contains(catalog.SNOMED, "", code)
		return in, nil
	}}
}

// focusOf returns the concept that stands for an expression in maps: the equivalent one, or its
// focus if it has only one, for which exact is false. ok is false for any other code.
func focusOf(ctx context.Context, src *resolve.Source, c *r4.Coding) (code string, exact, ok bool) {
	if c.System != catalog.SNOMED || !expression.Composed(c.Code) {
		return "", false, false
	}
	x, err := src.State.System(c.System, c.Version)
	if err != nil {
		return "", false, false
	}
	m, _, err := meaning(ctx, src, x, c.Code)
	if err != nil || m == nil {
		return "", false, false
	}
	if same, is := m.Same(); is {
		return x.Code(same), true, true
	}
	if focus := m.Focus(); len(focus) == 1 {
		return x.Code(focus[0]), false, true
	}
	return "", false, false
}

// widened returns how a target of the focus relates to the expression, which is narrower.
func widened(e conceptmap.Equivalence) conceptmap.Equivalence {
	switch e {
	case conceptmap.Equivalent, conceptmap.Equal, conceptmap.Wider, conceptmap.Subsumes:
		return conceptmap.Wider
	case conceptmap.Narrower, conceptmap.Specializes:
		return conceptmap.Inexact
	}
	return e
}
