package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// FindMatchesRequest is the request of FindMatches (CodeSystem/$find-matches).
type FindMatchesRequest struct {
	ID              string
	System, Version string // System may be url|version
	// Properties that the concepts must have. code and display are those of the concept itself;
	// parent, child and every property of the code system can be used.
	Properties []codesystem.Property
	// Partial also returns concepts that have only some of the properties (exact=false).
	Partial bool
	// Compositional is accepted; the answer has single codes only.
	Compositional bool
	Count         *int // matches at most; nil: the engine's default
	// Text is a free text. The concepts that it may mean are returned, the best first, of those that
	// have all properties, if there are any. Not every word needs to be found.
	Text string
	// ValueSet is the canonical of a value set that the concepts must be in.
	ValueSet       string
	UseSupplements []string // canonicals of supplements that count as well
}

// FindMatchesResult is the answer of FindMatches.
type FindMatchesResult struct {
	Index   *codesystem.Index
	Total   int // concepts that match, also those beyond the count
	Matches []FoundConcept
}

// A FoundConcept is a concept that has the requested properties, or some of them.
type FoundConcept struct {
	Concept   codesystem.Ord
	Unmatched []codesystem.Property // those it lacks
	// Score is how well it fits the text, from 0 to 1, and Why explains it. 0 without a text.
	Score float64
	Why   string
}

// FindMatches returns the concepts that have all requested properties, in the order of the code
// system. With Partial, concepts that lack one property follow, then those that lack two, and so
// on. It returns the errors of finding the code system, ErrMissingParameter, and the errors of
// codesystem.Index.Filter for a property that cannot be filtered by. With a text, the best fit comes
// first, and the total is that of the concepts returned.
func (e *Engine) FindMatches(ctx context.Context, req *FindMatchesRequest) (*FindMatchesResult, error) {
	ctx, span := e.observe(ctx, "find-matches", req.System)
	r, err := e.findMatches(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) findMatches(ctx context.Context, req *FindMatchesRequest) (*FindMatchesResult, error) {
	if len(req.Properties) == 0 && req.Text == "" {
		return nil, issue.Missing("property", "a property that must hold")
	}
	src := e.source().Naming(req.UseSupplements)
	x, err := src.State.CodeSystem(req.ID, "system", req.System, req.Version)
	if err != nil {
		return nil, err
	}
	if err := src.State.CheckSupplements(req.UseSupplements, []*codesystem.Index{x}); err != nil {
		return nil, err
	}
	supplements, err := src.State.SupplementsOf(x, req.UseSupplements)
	if err != nil {
		return nil, err
	}
	var within *roaring.Bitmap
	sets := make([]*roaring.Bitmap, len(req.Properties))
	for i, p := range req.Properties {
		if p.Code == "" {
			return nil, issue.Missing("property", "the part code")
		}
		f := r4.Filter{Property: p.Code, Op: "=", Value: filterText(p.Value)}
		filter, err := valueset.CompileFilter(x, f, supplements...)
		if err == nil {
			sets[i], err = filter.Set(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("property %s: %w", p.Code, err)
		}
	}
	if req.ValueSet != "" {
		t, err := src.Target("valueSet", req.ValueSet, "")
		if err != nil {
			return nil, err
		}
		set, err := src.Set(ctx, &t)
		if err != nil {
			return nil, err
		}
		if within = set.Members(x); within == nil {
			within = roaring.New()
		}
	}
	count := e.family.settings.DefaultCount
	switch {
	case req.Count != nil:
		count = *req.Count
	case count == 0: // that is a rule of expansions
		count = DefaultCount
	}
	if count < 0 {
		return nil, issue.Invalid("count", fmt.Sprintf("%d is below 0", count))
	}
	r := &FindMatchesResult{Index: x}
	if req.Text != "" {
		for _, set := range sets {
			if within == nil {
				within = set
			}
			within = roaring.And(within, set)
		}
		return r, r.suggest(ctx, e.family.suggester, req.Text, supplements, within, count)
	}
	if within != nil {
		for i := range sets {
			sets[i] = roaring.And(sets[i], within)
		}
	}
	if req.Partial {
		r.partial(req.Properties, sets, count)
	} else {
		r.complete(sets, count)
	}
	return r, nil
}

// filterText writes a value as the filter operator = compares it.
func filterText(v r4.Value) string {
	if v.Coding == nil {
		return v.Text
	}
	if v.Coding.System == "" {
		return v.Coding.Code
	}
	return v.Coding.System + "|" + v.Coding.Code
}

func (r *FindMatchesResult) complete(sets []*roaring.Bitmap, count int) {
	all := sets[0]
	if len(sets) > 1 {
		all = roaring.FastAnd(sets...)
	}
	r.Total = int(all.GetCardinality()) //nolint:gosec // at most 2^32
	for it := all.Iterator(); it.HasNext() && len(r.Matches) < count; {
		r.Matches = append(r.Matches, FoundConcept{Concept: it.Next()})
	}
}

func (r *FindMatchesResult) partial(properties []codesystem.Property, sets []*roaring.Bitmap, count int) {
	any := roaring.FastOr(sets...)
	r.Total = int(any.GetCardinality()) //nolint:gosec // at most 2^32
	has := make(map[codesystem.Ord]int, r.Total)
	for _, s := range sets {
		for it := s.Iterator(); it.HasNext(); {
			has[it.Next()]++
		}
	}
	for want := len(sets); want > 0; want-- {
		for it := any.Iterator(); it.HasNext(); {
			o := it.Next()
			if has[o] != want {
				continue
			}
			if len(r.Matches) == count {
				return
			}
			m := FoundConcept{Concept: o}
			for i, s := range sets {
				if !s.Contains(o) {
					m.Unmatched = append(m.Unmatched, properties[i])
				}
			}
			r.Matches = append(r.Matches, m)
		}
	}
}

// AppendJSON appends the Parameters resource.
func (r *FindMatchesResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	x := r.Index
	for i := range r.Matches {
		m := &r.Matches[i]
		w.Begin("match")
		w.Coding("code", &r4.Coding{System: x.URL(), Version: x.Version(), Code: x.Code(m.Concept), Display: x.Display(m.Concept)})
		if m.Why != "" {
			w.Value("score", r4.Value{Type: "Decimal", Text: strconv.FormatFloat(m.Score, 'f', 3, 64)})
			w.String("comment", m.Why)
		}
		for _, p := range m.Unmatched {
			w.Begin("unmatched")
			w.Code("code", p.Code)
			w.Value("value", p.Value)
			w.End()
		}
		if n := len(m.Unmatched); n > 0 {
			w.String("comment", fmt.Sprintf("lacks %d of the properties asked for", n))
		}
		w.End()
	}
	if r.Total > len(r.Matches) {
		w.Integer("total", r.Total)
	}
	return w.Finish()
}

// Yes is true when something matches.
func (r *FindMatchesResult) Yes() bool { return r.Total > 0 }

// Table has one row for each match.
func (r *FindMatchesResult) Table() *Table {
	t := &Table{
		Title:  r4.JoinCanonical(r.Index.URL(), r.Index.Version()),
		Header: []string{"CODE", "DISPLAY", "LACKS"},
		Footer: fmt.Sprintf("%d of %s", len(r.Matches), Thousands(r.Total)),
	}
	for i := range r.Matches {
		m := &r.Matches[i]
		lacks := make([]string, len(m.Unmatched))
		for j, p := range m.Unmatched {
			lacks[j] = p.Code
		}
		row := []string{r.Index.Code(m.Concept), r.Index.Display(m.Concept), strings.Join(lacks, ", ")}
		if m.Why != "" {
			t.Header = []string{"CODE", "DISPLAY", "SCORE", "WORDS"}
			row = append(row[:2], strconv.FormatFloat(m.Score, 'f', 3, 64), m.Why)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
