package engine

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// A Suggester proposes concepts for a free text by means of its own, such as embeddings of their
// displays. FindMatches merges them with the concepts that it finds by words. It must be safe for
// concurrent use.
type Suggester interface {
	// Suggest returns at most limit concepts of a code system, in any order.
	Suggest(ctx context.Context, x *codesystem.Index, text string, limit int) ([]Suggestion, error)
}

// A Suggestion is a concept that a Suggester proposes.
type Suggestion struct {
	Concept codesystem.Ord
	Score   float64 // from 0 to 1, as codesystem.Candidate has it
	Why     string  // said to people
}

// WithSuggester makes FindMatches ask s about free texts.
func WithSuggester(s Suggester) Option { return func(o *settings) { o.family.suggester = s } }

// suggest adds the concepts that a free text may mean, within a set (nil: all).
func (r *FindMatchesResult) suggest(ctx context.Context, s Suggester, text string, supplements []*codesystem.Index, within *roaring.Bitmap, count int) error {
	x := r.Index
	best := map[codesystem.Ord]FoundConcept{}
	add := func(m FoundConcept) {
		if before, known := best[m.Concept]; !known || m.Score > before.Score {
			best[m.Concept] = m
		}
	}
	byWords := func(list []codesystem.Candidate) {
		for i := range list {
			add(FoundConcept{Concept: list[i].Concept, Score: list[i].Score, Why: explained(&list[i], x.Display(list[i].Concept))})
		}
	}
	byWords(x.Candidates(text, within, count))
	for _, supplement := range supplements {
		byWords(supplement.CandidatesIn(text, x, within, count))
	}
	if s != nil {
		list, err := s.Suggest(ctx, x, text, count)
		if err != nil {
			return fmt.Errorf("suggest concepts for a text: %w", err)
		}
		for _, one := range list {
			if int(one.Concept) < x.Len() && (within == nil || within.Contains(one.Concept)) {
				add(FoundConcept{Concept: one.Concept, Score: min(max(one.Score, 0), 1), Why: one.Why})
			}
		}
	}
	for _, m := range best {
		r.Matches = append(r.Matches, m)
	}
	sort.Slice(r.Matches, func(i, j int) bool {
		a, b := &r.Matches[i], &r.Matches[j]
		return a.Score > b.Score || a.Score == b.Score && a.Concept < b.Concept
	})
	r.Matches = r.Matches[:min(count, len(r.Matches))]
	r.Total = len(r.Matches)
	return nil
}

// explained says which words a candidate has.
func explained(c *codesystem.Candidate, display string) string {
	parts := make([]string, len(c.Words))
	for i, w := range c.Words {
		parts[i] = fmt.Sprintf("%s (%s)", w.Word, w.Likeness)
		if w.As != "" && w.As != w.Word {
			parts[i] = fmt.Sprintf("%s: %s (%s)", w.Word, w.As, w.Likeness)
		}
	}
	why := strings.Join(parts, ", ")
	if c.Text != display {
		why += fmt.Sprintf("; in %q", c.Text)
	}
	return why
}
