package search

import (
	"context"
	"math"
	"slices"

	"github.com/roget-health/roget/resources/index"
)

// Search returns a page of what a query finds in the state that r reads. Errors: *Error for
// what is wrong with the query after all (a code system or value set that is not known,
// a cursor that is not of this search), those of r, and ctx.Err().
//
// All pages that cursors lead to are of the state that the first page was of, as long as
// the store keeps what was superseded since (resources.Indexed.Purge).
func (s *Searcher) Search(ctx context.Context, r index.Reader, q *Query) (*Page, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	mark := q.mark()
	from := cursor{at: r.At(), total: -1}
	if q.Cursor != "" {
		var ok bool
		if from, ok = decodeCursor(q.Cursor, mark); !ok || from.place != nil && len(from.place.keys) != len(q.newOrder(false).keys) {
			return nil, &Error{Param: Param{CursorParam, q.Cursor}, Text: "it is not a cursor of this search: take it from the links of a page"}
		}
	}
	run := s.newRun(r, q, from.at)
	page := &Page{Self: q.Used, Issues: slices.Clone(q.Issues)}
	if q.Count == 0 {
		total, err := run.count(ctx)
		page.Total = &total
		return page, err
	}
	found, err := run.page(ctx, &from)
	if err != nil {
		return nil, err
	}
	if from.total >= 0 && q.Total != TotalNone {
		page.Total = &from.total
	}
	if page.Matches, err = run.bodies(ctx, found.matches, s.limits.Bytes); err != nil {
		return nil, err
	}
	if n := len(page.Matches); n < len(found.matches) {
		found.matches, found.more = found.matches[:n], true
	}
	page.links(q, &from, found, mark)
	return page, run.include(ctx, page, found.matches)
}

func (s *Searcher) newRun(r index.Reader, q *Query, at index.Seq) *run {
	env := s.env(r, at)
	env.bases = q.Bases
	return &run{searcher: s, reader: r, query: q, at: at, env: env, bounds: &s.bounds}
}

// open returns the matches of all types behind a place, in an order; wanted is how many are
// needed, 0 for all.
func (r *run) open(ctx context.Context, o order, behind *cursorPlace, wanted int) (matches, error) {
	all := &merged{order: o, first: -1}
	for i := range r.query.Types {
		m, err := r.openType(ctx, i, &o, behind, wanted)
		if err != nil {
			return nil, err
		}
		all.of = append(all.of, m)
	}
	if len(all.of) == 1 {
		return all.of[0], nil
	}
	return all, nil
}

// openType returns the matches of one type.
func (r *run) openType(ctx context.Context, typ int, o *order, behind *cursorPlace, wanted int) (matches, error) {
	if len(o.keys) > 0 {
		return r.sorted(ctx, typ, o, behind, wanted)
	}
	start := firstPlace
	if behind != nil {
		start = placeOf(behind.seq, o.seqUp())
	}
	return r.newWalk(ctx, &r.query.Types[typ], o.seqUp(), start, wanted)
}

// found is a page as it was found: its matches in the order asked for, and whether there are others.
type found struct {
	matches      []match
	before, more bool
}

// page finds the matches of a page, and on the first also how many there are in all.
func (r *run) page(ctx context.Context, from *cursor) (found, error) {
	size := r.query.Count
	if from.back && from.place == nil && from.total > 0 {
		size = (from.total-1)%size + 1 // the last page
	}
	m, err := r.open(ctx, r.query.newOrder(from.back), from.place, size+1)
	if err != nil {
		return found{}, err
	}
	f := found{matches: make([]match, 0, size)}
	for len(f.matches) < size {
		next, err := m.peek(ctx)
		if err != nil {
			return found{}, err
		}
		if next == nil {
			break
		}
		f.matches = append(f.matches, *next)
		m.pop()
	}
	next, err := m.peek(ctx)
	if err != nil {
		return found{}, err
	}
	f.before, f.more = from.place != nil, next != nil
	if from.back {
		slices.Reverse(f.matches)
		f.before, f.more = next != nil, from.place != nil
	}
	if from.total < 0 && r.query.Total != TotalNone {
		from.total, err = r.total(ctx, from, len(f.matches), m)
	}
	return f, err
}

// total counts the matches, going on behind those of the first page; -1 when that takes too
// long and nobody asked for it.
func (r *run) total(ctx context.Context, from *cursor, n int, rest matches) (int, error) {
	first := from.place == nil && !from.back
	accurate := r.query.Total == TotalAccurate
	switch {
	case !first && !accurate:
		return -1, nil
	case !first:
		return r.count(ctx)
	}
	if r.all = accurate; !accurate {
		r.budget = r.searcher.limits.Total
		if w, ok := rest.(*walk); ok && r.spent()+costLoad*w.ahead() > r.budget {
			return -1, nil // it would not come to an end
		}
	}
	for {
		next, err := rest.peek(ctx)
		if err != nil {
			return -1, err
		}
		if next == nil {
			return n + rest.dropped(), nil
		}
		if !accurate && r.spent() > r.searcher.limits.Total {
			return -1, nil
		}
		n++
		rest.pop()
	}
}

// count counts all matches.
func (r *run) count(ctx context.Context) (int, error) {
	n := 0
	for i := range r.query.Types {
		w, err := r.newWalk(ctx, &r.query.Types[i], false, firstPlace, 0)
		if err != nil {
			return 0, err
		}
		for {
			m, err := w.peek(ctx)
			if err != nil {
				return 0, err
			}
			if m == nil {
				break
			}
			n += len(w.found)
			w.found = nil
		}
	}
	return n, nil
}

// links makes the cursors of the other pages.
func (p *Page) links(q *Query, from *cursor, f found, mark uint64) {
	total := from.total
	write := func(back bool, m *match) string {
		c := cursor{at: from.at, back: back, total: total}
		if m != nil {
			c.place = &cursorPlace{seq: m.rec.Seq, keys: m.keys}
		}
		return c.encode(mark)
	}
	p.First, p.Last = write(false, nil), write(true, nil)
	if len(f.matches) == 0 {
		return
	}
	if f.more {
		p.Next = write(false, &f.matches[len(f.matches)-1])
	}
	if f.before {
		p.Previous = write(true, &f.matches[0])
	}
}

// bodies loads the documents of matches, up to the one that brings them to most bytes.
func (r *run) bodies(ctx context.Context, found []match, most int) ([]index.Record, error) {
	seqs := make([]index.Seq, len(found))
	for i := range found {
		seqs[i] = found[i].rec.Seq
	}
	if len(seqs) == 0 {
		return nil, nil
	}
	r.effort += costLoad * len(seqs)
	return index.LoadBodies(ctx, r.reader, seqs, most)
}

// Keys returns up to limit matches of a search, newest first, with their Body: what
// conditional interactions need. Parameters that are not known are an error; those that
// shape pages (_count, _sort, _include) are passed over.
func (s *Searcher) Keys(ctx context.Context, r index.Reader, typ string, params []Param, limit int) ([]index.Record, error) {
	q, err := s.Parse(typ, params, Options{Strict: true})
	if err != nil {
		return nil, err
	}
	plain := Query{Types: q.Types}
	run := s.newRun(r, &plain, r.At())
	m, err := run.open(ctx, plain.newOrder(false), nil, limit)
	if err != nil {
		return nil, err
	}
	var found []match
	for len(found) < limit {
		next, err := m.peek(ctx)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		found = append(found, *next)
		m.pop()
	}
	return run.bodies(ctx, found, math.MaxInt)
}
