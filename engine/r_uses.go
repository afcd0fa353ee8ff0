package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// grammarUse is what a value set takes from a code system that is a grammar.
type grammarUse struct {
	record *record
	// whole: all codes; filtered: those that pass a filter. There is no end of either, and
	// an expansion has those of them in common use.
	whole, filtered bool
	codes           []string // listed
}

// unclosed reports that an expansion cannot have all codes.
func (u *grammarUse) unclosed() bool { return u.whole || u.filtered }

// grammarUses finds what value sets take from grammars, by their definitions and those of
// the value sets it imports. What cannot be found is left to the compilation to report.
func (s *source) grammarUses(targets ...*target) []*grammarUse {
	w := grammarWalk{source: s}
	for _, t := range targets {
		w.target(t)
	}
	return w.uses
}

// grammarWalk goes through definitions.
type grammarWalk struct {
	source *source
	uses   []*grammarUse
	seen   []string // canonicals of imports
}

func (w *grammarWalk) target(t *target) {
	if t.record == nil && t.given == nil && t.implicit.system.Grammar == nil {
		return // an implicit value set takes from the one system it is of
	}
	vs, err := t.definition()
	if err != nil || vs.Compose == nil {
		return
	}
	for i := range vs.Compose.Include {
		w.include(&vs.Compose.Include[i], true)
	}
	for i := range vs.Compose.Exclude {
		w.include(&vs.Compose.Exclude[i], false)
	}
}

func (w *grammarWalk) include(inc *r4.Include, takes bool) {
	for _, canonical := range inc.ValueSet {
		if slices.Contains(w.seen, canonical) {
			continue
		}
		w.seen = append(w.seen, canonical)
		if t, err := w.source.target("valueSet", canonical, ""); err == nil {
			w.target(&t)
		}
	}
	if inc.System == "" {
		return
	}
	r := w.source.state.grammar(inc.System, w.source.rules.choose(inc.System, inc.Version))
	if r == nil {
		return
	}
	u := w.use(r)
	switch {
	case len(inc.Concept) > 0:
		for i := range inc.Concept {
			u.codes = append(u.codes, inc.Concept[i].Code)
		}
	case !takes || len(inc.ValueSet) > 0: // those of the value sets, if any
	case len(inc.Filter) > 0:
		u.filtered = true
	default:
		u.whole = true
	}
}

func (w *grammarWalk) use(r *record) *grammarUse {
	for _, u := range w.uses {
		if u.record == r {
			return u
		}
	}
	w.uses = append(w.uses, &grammarUse{record: r})
	return w.uses[len(w.uses)-1]
}

// listing returns a source whose indexes of grammars have the codes that a value set lists,
// and those in common use where these are asked for as well: s itself, unless it lists
// others. The error is ErrEndless where all
// codes of a grammar are asked for and nobody lists those in common use.
func (s *source) listing(ctx context.Context, uses []*grammarUse) (*source, error) {
	var entries []*Entry
	for _, u := range uses {
		if u.unclosed() && u.record.Grammar.Usual() == nil {
			return nil, &endlessError{system: u.record.Header.URL}
		}
		x, err := u.record.codeSystem()
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(u.codes, func(code string) bool { return makes(u.record, x, code) }) {
			continue
		}
		view := grammar.View
		if u.unclosed() {
			view = grammar.Common
		}
		if x, err = view(ctx, u.record.Grammar, u.codes...); err != nil {
			return nil, err
		}
		entries = append(entries, viewEntry(u.record, x))
	}
	if len(entries) == 0 {
		return s, nil
	}
	return s.with(entries)
}

// endlessError names the code system. It is an OutcomeError and wraps ErrEndless.
type endlessError struct{ system string }

func (e *endlessError) Error() string {
	return fmt.Sprintf("The code System \"%s\" has a grammar, and cannot be enumerated directly", e.system)
}

func (e *endlessError) Unwrap() error { return issue.ErrEndless }

// Issues has the one.
func (e *endlessError) Issues() []r4.Issue {
	return []r4.Issue{{Severity: "error", Code: "too-costly", Details: &r4.CodeableConcept{Text: e.Error()}}}
}

// Class is ClassUnprocessable.
func (e *endlessError) Class() issue.Class { return issue.ClassUnprocessable }
