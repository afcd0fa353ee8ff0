package search

import (
	"context"

	"github.com/roget-health/roget/resources/index"
)

// match is a resource that was found, with its place in the order asked for.
type match struct {
	rec  index.Record // without Body
	keys [][]byte     // sort keys; nil where it has none
}

// matches are what is found of one type, in the order asked for, one by one.
type matches interface {
	// peek returns the next match; nil when there is none. It is good until pop.
	peek(ctx context.Context) (*match, error)
	pop()
	// dropped is how many more matches there are than it gives.
	dropped() int
}

// walk returns the matches of a type in the order of Seq.
type walk struct {
	run  *run
	of   *TypeQuery
	plan *plan
	up   bool

	next   place // where the stream goes on
	ended  bool
	size   int
	passed int // candidates loaded
	looked int // of these, since the plan was made or changed
	// patience is how many are looked at before the plan is considered again.
	patience int
	hits     int
	found    []match
	wanted   int // matches that are needed; the plan is made for these
}

// newWalk plans a walk behind a place. wanted is how many matches are needed, 0 for all.
func (r *run) newWalk(ctx context.Context, of *TypeQuery, up bool, behind place, wanted int) (*walk, error) {
	w := &walk{run: r, of: of, up: up, next: behind + 1, wanted: wanted, patience: r.bounds.patience}
	var err error
	w.plan, err = r.plan(ctx, of, up, wanted, r.bounds.probe)
	return w, err
}

func (w *walk) peek(ctx context.Context) (*match, error) {
	for len(w.found) == 0 {
		if w.ended {
			return nil, nil
		}
		if err := w.fill(ctx); err != nil {
			return nil, err
		}
	}
	return &w.found[0], nil
}

func (w *walk) pop() { w.found = w.found[1:] }

func (w *walk) dropped() int { return 0 }

// ahead is how many candidates are left, as far as that is known: 0 where they are read as
// they come.
func (w *walk) ahead() int {
	if list, ok := w.plan.window.stream.(*listStream); ok && !w.ended {
		return len(list.places)
	}
	return 0
}

// fill loads a batch of candidates and keeps those that match.
func (w *walk) fill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.reconsider(ctx); err != nil {
		return err
	}
	w.size = min(max(2*w.size, w.run.bounds.batchFirst), w.run.bounds.batchMost)
	if w.run.budget > 0 {
		w.size = min(w.size, max((w.run.budget-w.run.spent())/costLoad, 1))
	}
	seqs := make([]index.Seq, 0, w.size)
	for len(seqs) < w.size {
		at, ok, err := w.plan.window.seek(ctx, w.next)
		if err != nil {
			return err
		}
		if !ok {
			w.ended = true
			break
		}
		seqs = append(seqs, at.seq(w.up))
		w.next = at + 1
	}
	if len(seqs) == 0 {
		return nil
	}
	records, err := w.run.load(ctx, seqs, w.plan.parts)
	if err != nil {
		return err
	}
	matched, err := w.run.filter(ctx, w.of, records)
	if err != nil {
		return err
	}
	w.passed += len(seqs)
	w.looked += len(seqs)
	w.hits += len(matched)
	w.found = append(w.found[:0:0], matched...)
	return nil
}

// reconsider narrows the candidates down when they give too few matches for what it costs
// to look at them: at most half of what going on would cost is spent on that.
func (w *walk) reconsider(ctx context.Context) error {
	if w.looked < w.patience || !w.plan.canNarrow() {
		return nil
	}
	effort := unbounded
	if !w.run.all && w.wanted > 0 {
		ahead := w.looked*w.wanted/max(w.hits, 1) - w.looked
		if ahead+w.looked < w.run.bounds.looked {
			return nil
		}
		effort = costLoad * ahead / 2
	}
	w.patience *= 2
	narrowed, err := w.plan.narrow(ctx, effort)
	if narrowed {
		w.looked, w.hits, w.patience = 0, 0, w.run.bounds.patience
	}
	return err
}

// filter returns the records that are visible, of the type, and match, in the same order.
func (r *run) filter(ctx context.Context, of *TypeQuery, records []index.Record) ([]match, error) {
	kept := records[:0:0]
	for i := range records {
		rec := &records[i]
		if rec.VisibleAt(r.at) && rec.Type == of.Type {
			kept = append(kept, *rec)
		}
	}
	if err := r.prefetch(ctx, of, kept); err != nil {
		return nil, err
	}
	out := make([]match, 0, len(kept))
	for i := range kept {
		holds, err := MatchAll(ctx, of.Criteria, &kept[i], index.NewView(kept[i].Values), r.env)
		if err != nil {
			return nil, err
		}
		if holds {
			out = append(out, match{rec: kept[i]})
		}
	}
	if len(of.Texts) == 0 {
		return out, nil
	}
	return r.filterTexts(ctx, of, out)
}
