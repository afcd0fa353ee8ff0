package search

import (
	"context"
	"slices"

	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// run is the execution of one search in one state of the store.
type run struct {
	searcher *Searcher
	reader   index.Reader
	query    *Query
	at       index.Seq // the state that is searched
	env      *Env
	bounds   *bounds

	trace *trace // nil unless the search is explained

	// all is set if every match is needed, whatever a walk was planned for.
	all bool
	// budget is the effort after which counting ends, 0 for no limit.
	budget int
	// effort is the effort so far: a scanned entry counts 1, a loaded record costLoad.
	effort int
	// turn is set if it has the turn of columns.turn.
	turn bool
	// without are the searches by columns that were not there, or had too many values to compare.
	without []*columnar
}

func (s *Searcher) newRun(r index.Reader, q *Query, at index.Seq) *run {
	env := s.env(r, at)
	env.bases = q.Bases
	return &run{searcher: s, reader: r, query: q, at: at, env: env, bounds: &s.bounds}
}

// env returns the Env for one search of a Searcher.
func (s *Searcher) env(r index.Reader, at index.Seq) *Env {
	return &Env{
		reader: r, at: at, extractor: s.extractor, tables: s.tables, terminology: s.terminology,
		sets:     map[setKey]r4.Codes{},
		records:  map[index.Key]index.Record{},
		verdicts: map[verdictKey]bool{},
		urls:     map[urlKey][]index.Record{},
	}
}

// open returns the matches of all types after a place, in an order. wanted is how many are needed,
// 0 for all.
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
	if r.query.Types[typ].limit.None {
		return &gathered{}, nil
	}
	columns := r.columnar(typ, o)
	if found, err := columns.page(ctx, false, behind, wanted); found != nil || err != nil {
		return found, err
	}
	start := firstPlace
	if behind != nil && len(o.keys) == 0 {
		start = positionOf(behind.seq, o.seqUp)
	}
	w, err := r.newWalk(ctx, &r.query.Types[typ], o.seqUp, start, wanted)
	if err != nil {
		return nil, err
	}
	n, _ := w.plan.size()
	r.trace.note("entries of "+w.of.Type, n)
	if found, err := columns.pageUnlessFew(ctx, w.plan, behind, wanted); found != nil || err != nil {
		return found, err
	}
	if columns != nil {
		r.without = append(r.without, columns)
	}
	if len(o.keys) > 0 {
		return r.sorted(ctx, w, typ, o, behind, wanted)
	}
	return w, nil
}

// found holds the matches of a page in the requested order, and whether there are others before and
// after it.
type found struct {
	matches      []match
	before, more bool
	estimated    bool // the total is an estimate
}

// page finds the matches of a page. For the first page it also counts all matches.
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
		if len(r.query.Include) == 0 && len(r.query.RevInclude) == 0 && next.keys == nil {
			next.rec.Forget(ctx)
		}
		f.matches = append(f.matches, *next)
		m.pop()
	}
	next, err := m.peek(ctx)
	if err != nil {
		return found{}, err
	}
	r.trace.note("page", len(f.matches))
	f.before, f.more = from.place != nil, next != nil
	if from.back {
		slices.Reverse(f.matches)
		f.before, f.more = next != nil, from.place != nil
	}
	if from.total < 0 && r.query.Total != TotalNone {
		counted, err := r.total(ctx, from, len(f.matches), m)
		if err != nil {
			return found{}, err
		}
		from.total, f.estimated = counted.n, counted.estimated
		r.trace.note("total", counted.n)
	}
	for _, c := range r.without {
		if err := c.pay(ctx, r.spent()); err != nil {
			return found{}, err
		}
	}
	return f, nil
}

// count counts all matches.
func (r *run) count(ctx context.Context) (int, error) {
	n := 0
	for i := range r.query.Types {
		if r.query.Types[i].limit.None {
			continue
		}
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

// weigh loads matches with the sizes of their documents, up to and including the one that reaches
// maxBytes.
func (r *run) weigh(ctx context.Context, found []match, maxBytes int) ([]index.Record, error) {
	seqs := make([]index.Seq, len(found))
	for i := range found {
		seqs[i] = found[i].rec.Seq
	}
	if len(seqs) == 0 {
		return nil, nil
	}
	r.effort += costLoad * len(seqs)
	r.trace.reads(len(seqs))
	weigh := index.WeighLast
	if len(r.query.Include) > 0 || len(r.query.RevInclude) > 0 {
		weigh = index.Weigh
	}
	records, _, err := weigh(ctx, r.reader, seqs, maxBytes)
	return records, err
}

// spent returns the effort so far, including that of criteria on other resources.
func (r *run) spent() int { return r.effort + costLoad*r.env.loaded }

// match is a matching resource with its sort keys.
type match struct {
	rec  index.Record // without Body
	keys [][]byte     // nil where the resource has no value
}

// matches yields the matches of one type in the requested order.
type matches interface {
	// peek returns the next match, nil at the end. It is valid until pop.
	peek(ctx context.Context) (*match, error)
	pop()
	// dropped returns how many matches exist beyond those that are yielded.
	dropped() int
}

// walk yields the matches of a type in the order of Seq.
type walk struct {
	run  *run
	of   *TypeQuery
	plan *plan
	up   bool

	next   position // where the stream continues
	ended  bool
	size   int
	passed int // candidates loaded
	looked int // candidates loaded since the plan was made or changed
	// patience is the number of candidates that are examined before the plan is reconsidered.
	patience int
	hits     int
	found    []match
	wanted   int // matches needed, for which the plan was made
}

// newWalk plans a walk after a place. wanted is the number of matches that are needed, 0 for all.
func (r *run) newWalk(ctx context.Context, of *TypeQuery, up bool, behind position, wanted int) (*walk, error) {
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

// ahead returns how many candidates are left, 0 if that is unknown because they are read one by
// one.
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
	w.size = min(max(2*w.size, w.run.bounds.minBatch), w.run.bounds.maxBatch)
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

// reconsider narrows down the candidates if too few of them match. It spends at most half of the
// expected cost of continuing without it.
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

// filter returns the records that are visible, of the right type, and match, in the same order.
func (r *run) filter(ctx context.Context, of *TypeQuery, records []index.Record) ([]match, error) {
	visible := records[:0:0]
	for i := range records {
		rec := &records[i]
		if rec.VisibleAt(r.at) && rec.Type == of.Type {
			visible = append(visible, *rec)
		}
	}
	if err := r.prefetch(ctx, of, visible); err != nil {
		return nil, err
	}
	out := make([]match, 0, len(visible))
	for i := range visible {
		holds, err := MatchAll(ctx, of.Criteria, &visible[i], index.NewView(visible[i].Values), r.env)
		if err != nil {
			return nil, err
		}
		if holds {
			out = append(out, match{rec: visible[i]})
		} else {
			visible[i].Forget(ctx)
		}
	}
	if len(of.Texts) == 0 {
		return out, nil
	}
	return r.filterTexts(ctx, of, out)
}
