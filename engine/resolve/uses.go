package resolve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// A GrammarUse is the part of a value set that comes from a code system with a grammar.
type GrammarUse struct {
	Record *catalog.Record
	// Whole is set for all codes, filtered for the codes that pass a filter. Both are infinitely
	// many, and an expansion has those in common use.
	Whole, filtered bool
	codes           []string // listed
}

// Unclosed reports whether an expansion cannot have all codes.
func (u *GrammarUse) Unclosed() bool { return u.Whole || u.filtered }

// GrammarUses returns the uses of grammars in value sets and their imports. Value sets that cannot
// be found are ignored; compiling reports them.
func (s *Source) GrammarUses(targets ...*Target) []*GrammarUse {
	w := grammarWalk{source: s}
	for _, t := range targets {
		w.target(t)
	}
	return w.uses
}

// MayUseGrammar reports whether codes of a value set may come from a code system with a grammar. It
// is true in case of doubt.
func (s *Source) MayUseGrammar(t *Target) bool {
	w := grammarWalk{source: s}
	w.target(t)
	return w.doubt || len(w.uses) > 0
}

// A grammarWalk walks through definitions.
type grammarWalk struct {
	source *Source
	uses   []*GrammarUse
	seen   map[string]bool // canonicals of imports
	doubt  bool            // there are parts that the walk does not see
}

func (w *grammarWalk) target(t *Target) {
	if t.record == nil && t.Given == nil && t.implicit.system.Grammar == nil {
		return // an implicit value set uses only its own code system
	}
	vs, err := t.Definition()
	if err != nil || vs.Compose == nil {
		w.doubt = true
		return
	}
	for i := range vs.Compose.Include {
		w.usesOfInclude(&vs.Compose.Include[i])
	}
}

func (w *grammarWalk) usesOfInclude(inc *r4.Include) {
	for _, canonical := range inc.ValueSet {
		if w.seen[canonical] {
			continue
		}
		if w.seen == nil {
			w.seen = map[string]bool{}
		}
		w.seen[canonical] = true
		w.doubt = w.doubt || strings.HasPrefix(canonical, "#")
		if t, err := w.source.Target("valueSet", canonical, ""); err == nil {
			w.target(&t)
		}
	}
	if inc.System == "" {
		return
	}
	r := w.source.State.Grammar(inc.System, w.source.Rules.Choose(inc.System, inc.Version))
	if r == nil {
		return
	}
	u := w.use(r)
	switch {
	case len(inc.Concept) > 0:
		for i := range inc.Concept {
			u.codes = append(u.codes, inc.Concept[i].Code)
		}
	case len(inc.ValueSet) > 0: // those of the value sets
	case len(inc.Filter) > 0:
		u.filtered = true
	default:
		u.Whole = true
	}
}

func (w *grammarWalk) use(r *catalog.Record) *GrammarUse {
	for _, u := range w.uses {
		if u.Record == r {
			return u
		}
	}
	w.uses = append(w.uses, &GrammarUse{Record: r})
	return w.uses[len(w.uses)-1]
}

// Listing returns a source whose indexes of grammars have the codes that value sets list, and
// those in common use if they are included: s itself if its indexes have all of them. The error is
// ErrEndless if all codes of a grammar are included and it has no list of codes in common use.
func (s *Source) Listing(ctx context.Context, uses []*GrammarUse) (*Source, error) {
	var entries []*catalog.Entry
	for _, u := range uses {
		if u.Unclosed() && u.Record.Grammar.Usual() == nil {
			return nil, &endlessError{system: u.Record.Header.URL}
		}
		x, err := u.Record.Index()
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(u.codes, func(code string) bool { return catalog.Makes(u.Record, x, code) }) {
			continue
		}
		view := grammar.View
		if u.Unclosed() {
			view = grammar.Common
		}
		if x, err = view(ctx, u.Record.Grammar, u.codes...); err != nil {
			return nil, err
		}
		entries = append(entries, catalog.ViewEntry(u.Record, x))
	}
	if len(entries) == 0 {
		return s, nil
	}
	return s.With(entries)
}

// An endlessError is an OutcomeError with the code system. It wraps ErrEndless.
type endlessError struct{ system string }

func (e *endlessError) Error() string {
	return fmt.Sprintf("The code System \"%s\" has a grammar, and cannot be enumerated directly", e.system)
}

func (e *endlessError) Unwrap() error { return issue.ErrEndless }

// Issues implements OutcomeError.
func (e *endlessError) Issues() []r4.Issue {
	return []r4.Issue{{Severity: "error", Code: "too-costly", Details: &r4.CodeableConcept{Text: e.Error()}}}
}

// Class implements OutcomeError.
func (e *endlessError) Class() issue.Class { return issue.ClassUnprocessable }
