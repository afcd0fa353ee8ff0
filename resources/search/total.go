package search

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/roget-health/roget/resources/index"
)

// totals caches how many resources there are of each type, and how many match the last searches.
type totals struct {
	mu    sync.Mutex
	types map[string]typeTotal
	of    map[totalKey]total
}

// typeTotal is how many resources a type had in a state. first is the first version in the index of
// the type, which changes when the store forgets resources.
type typeTotal struct {
	at, first index.Seq
	n         int
}

// totalKey identifies a search of one state, with one state of the terminology.
type totalKey struct {
	mark, generation uint64
	at               index.Seq
	bases            string
}

// total is a number of matches, estimated or exact.
type total struct {
	n         int
	estimated bool
}

const (
	// maxTotals bounds the cached totals of searches.
	maxTotals = 1_000
	// maxRecounted is how many versions are examined to bring the total of a type up to date.
	maxRecounted = 200
	// maxSample is how many candidates are examined for an estimate, and maxTextSample how many
	// documents are read.
	maxSample, maxTextSample = 1_000, 200
)

// total counts the matches, continuing after the n of the first page. Without _total=accurate it
// estimates them if counting takes long.
func (r *run) total(ctx context.Context, from *cursor, n int, rest matches) (total, error) {
	key := totalKey{mark: r.query.mark(), at: r.at, bases: strings.Join(r.query.Bases, " ")}
	if t := r.searcher.terminology; t != nil {
		key.generation = t.Generation()
	}
	accurate := r.query.Total == TotalAccurate || r.query.Count == 0
	shared := r.unrestricted()
	if g, is := rest.(*gathered); is && from.place == nil && !from.back {
		return total{n: n + len(g.found) + g.left}, nil // exact, also where an estimate is known of the time before columns
	}
	if shared {
		if known, ok := r.searcher.totals.get(key); ok && (!accurate || !known.estimated) {
			return known, nil
		}
	}
	sum, whole, err := r.countTypes(ctx)
	found := total{n: sum}
	switch {
	case err != nil || whole:
		return found, err
	case from.place != nil || from.back || rest == nil:
		if found.n, whole, err = r.countColumns(ctx); err == nil && !whole && accurate {
			whole = true
			found.n, err = r.count(ctx)
		}
	default:
		found.n, whole, err = r.countRest(ctx, n, rest, accurate)
	}
	if err == nil && !whole {
		found.estimated = true
		atLeast := found.n
		found.n, err = r.estimate(ctx)
		found.n = max(found.n, atLeast)
	}
	if err == nil && shared {
		r.searcher.totals.put(key, found)
	}
	return found, err
}

// unrestricted reports whether the run reads everything in the present state.
func (r *run) unrestricted() bool {
	for i := range r.query.Types {
		if l := &r.query.Types[i].limit; l.None || l.Criteria != nil {
			return false
		}
	}
	_, hides := r.reader.(interface{ Unrestricted() index.Reader })
	return !hides && r.at == r.reader.At()
}

// countColumns counts the matches by columns, if all types have them.
func (r *run) countColumns(ctx context.Context) (sum int, whole bool, err error) {
	for i := range r.query.Types {
		m, err := r.openType(ctx, i, &order{}, nil, 1)
		g, is := m.(*gathered)
		if err != nil || !is {
			return 0, false, err
		}
		sum += len(g.found) + g.left
	}
	return sum, true, nil
}

// countRest counts the matches after the n of the first page. whole is false if it gave up because
// that takes long.
func (r *run) countRest(ctx context.Context, n int, rest matches, accurate bool) (sum int, whole bool, err error) {
	if r.all = accurate; !accurate {
		r.budget = r.searcher.limits.Total
		if w, ok := rest.(*walk); ok && r.spent()+costLoad*w.ahead() > r.budget {
			return n, false, nil
		}
	}
	for {
		next, err := rest.peek(ctx)
		if err != nil {
			return 0, false, err
		}
		if next == nil {
			return n + rest.dropped(), true, nil
		}
		if !accurate && r.spent() > r.searcher.limits.Total {
			return n + 1, false, nil
		}
		n++
		rest.pop()
	}
}

// countTypes returns how many resources the searched types have, if the query has no criteria and
// the store can count them.
func (r *run) countTypes(ctx context.Context) (sum int, whole bool, err error) {
	if !r.unrestricted() {
		return 0, false, nil
	}
	for i := range r.query.Types {
		of := &r.query.Types[i]
		if len(of.Criteria)+len(of.Texts) > 0 {
			return 0, false, nil
		}
		n, ok, err := r.countType(ctx, of.Type)
		if err != nil || !ok {
			return 0, false, err
		}
		sum += n
	}
	return sum, true, nil
}

// countType returns the number of resources of a type. ok is false if the store cannot count them.
func (r *run) countType(ctx context.Context, typ string) (n int, ok bool, err error) {
	counter, can := r.reader.(index.Counter)
	if !can {
		return 0, false, nil
	}
	now := typeTotal{at: r.at}
	err = r.scan(ctx, index.TypeRange(typ), func(_ []byte, seq index.Seq) bool {
		now.first = seq
		return false
	})
	if err != nil {
		return 0, false, err
	}
	t := &r.searcher.totals
	t.mu.Lock()
	former, known := t.types[typ]
	t.mu.Unlock()
	fresh := false
	if known && former.first == now.first && former.at <= r.at {
		if now.n, fresh, err = r.news(ctx, typ, former); err != nil {
			return 0, false, err
		}
	}
	if !fresh {
		if now.n, err = counter.Count(ctx, typ); err != nil {
			return 0, false, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.types == nil {
		t.types = map[string]typeTotal{}
	}
	if t.types[typ].at <= now.at {
		t.types[typ] = now
	}
	return now.n, true, nil
}

// news brings the total of a type up to date. fresh is false if there are too many new versions.
func (r *run) news(ctx context.Context, typ string, former typeTotal) (n int, fresh bool, err error) {
	n = former.n
	if former.at == r.at {
		return n, true, nil
	}
	news, err := r.reader.Versions(ctx, index.VersionsRequest{Type: typ, Since: former.at + 1, Limit: maxRecounted + 1})
	if err != nil || len(news) > maxRecounted {
		return 0, false, err
	}
	for i := range news {
		v := &news[i]
		if !v.Deleted {
			n++
		}
		if v.VersionID == 1 {
			continue
		}
		before, err := r.reader.Versions(ctx, index.VersionsRequest{Type: typ, ID: v.ID, Before: v.Seq, Limit: 1})
		if err != nil {
			return 0, false, err
		}
		if len(before) > 0 && !before[0].Deleted {
			n--
		}
	}
	return n, true, nil
}

// estimate estimates the number of matches from the index and a sample.
func (r *run) estimate(ctx context.Context) (sum int, err error) {
	for i := range r.query.Types {
		of := &r.query.Types[i]
		if of.limit.None {
			continue
		}
		n, err := r.estimateType(ctx, of)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// estimateType estimates the number of matches of a type: the number of candidates of the criterion
// that has the fewest, times the part of a sample of them that matches.
func (r *run) estimateType(ctx context.Context, of *TypeQuery) (int, error) {
	accesses, err := r.accesses(ctx, of)
	if err != nil {
		return 0, err
	}
	size := maxSample
	if len(of.Texts) > 0 {
		size = maxTextSample
	}
	var best *sample
	for _, a := range accesses {
		if err := a.resolve(ctx, r); err != nil {
			return 0, err
		}
		s := &sample{size: size, whole: a.whole}
		if a.whole {
			for _, seq := range a.seqs {
				s.add(seq)
			}
		} else if err := s.scan(ctx, r, a.ranges, a.may); err != nil {
			return 0, err
		}
		if s.whole && (best == nil || s.seen < best.seen) {
			best = s
		}
	}
	if best == nil {
		best = &sample{size: size}
		if err := best.scan(ctx, r, []index.Range{index.TypeRange(of.Type)}, nil); err != nil {
			return 0, err
		}
	}
	slices.Sort(best.seqs)
	records, err := r.load(ctx, best.seqs, index.WithValues)
	if err != nil || len(records) == 0 {
		return 0, err
	}
	matched, err := r.filter(ctx, of, records)
	if err != nil {
		return 0, err
	}
	n := best.seen
	if !best.whole && r.unrestricted() {
		counted, ok, err := r.countType(ctx, of.Type)
		if err != nil {
			return 0, err
		}
		if ok {
			n = counted
		}
	}
	return (n*len(matched) + len(records)/2) / len(records), nil
}

// sample is a random choice of size among the versions that were added, or all if they are fewer. The
// same versions give the same choice.
type sample struct {
	size, seen int
	state      uint64
	seqs       []index.Seq
	whole      bool // all were added
}

func (s *sample) add(seq index.Seq) {
	s.seen++
	if len(s.seqs) < s.size {
		s.seqs = append(s.seqs, seq)
		return
	}
	s.state = s.state*6364136223846793005 + 1442695040888963407    // Knuth's MMIX
	if i := (s.state >> 33) % uint64(s.seen); i < uint64(s.size) { //nolint:gosec // neither is negative
		s.seqs[i] = seq
	}
}

// scan adds the versions of ranges, as many as are gathered for a plan.
func (s *sample) scan(ctx context.Context, r *run, ranges []index.Range, may func([]byte) bool) error {
	passed, limit := 0, r.bounds.gather
	s.whole = true
	return index.ScanMany(ctx, r.reader, ranges, 0, func(_ int, entry []byte, seq index.Seq) bool {
		if passed++; passed > limit {
			s.whole = false
			return false
		}
		if may == nil || may(entry) {
			s.add(seq)
		}
		return true
	})
}

func (t *totals) get(key totalKey) (total, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.of[key]
	return found, ok
}

// clear forgets the totals of searches.
func (t *totals) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of = nil
}

func (t *totals) put(key totalKey, found total) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil || len(t.of) >= maxTotals {
		t.of = map[totalKey]total{}
	}
	t.of[key] = found
}
