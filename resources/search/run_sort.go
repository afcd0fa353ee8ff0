package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// sorted returns the matches of a walk of a type by sort keys. They are gathered and sorted if they are few,
// or if the index has no order for the first key; otherwise the order of the index is followed.
func (r *run) sorted(ctx context.Context, w *walk, typ int, o *order, behind *cursorPlace, wanted int) (matches, error) {
	ranges, key, ordered := r.orderOf(o, typ)
	if n, known := w.plan.size(); ordered && (!known || n > r.bounds.sorted) {
		return r.newSortedWalk(typ, o, behind, wanted, ranges, key), nil
	}
	return r.gatherSorted(ctx, w, typ, o, behind, wanted)
}

// orderOf returns the ranges of the index that are in the order of the first key.
func (r *run) orderOf(o *order, typ int) (ranges []index.Range, key func([]byte) []byte, ok bool) {
	k := &o.keys[0]
	if k.Code == "_id" {
		return nil, nil, false
	}
	kind, ok := map[definitions.ParamKind]index.Kind{
		definitions.String: index.String, definitions.Date: index.Date,
		definitions.Number: index.NumberKind, definitions.Quantity: index.Quantity,
	}[k.Params[typ].Kind]
	if !ok {
		return nil, nil, false
	}
	return r.field(k.Params[typ]).Order(kind)
}

// gatherSorted reads all matches of a walk and keeps the first after a place.
func (r *run) gatherSorted(ctx context.Context, w *walk, typ int, o *order, behind *cursorPlace, wanted int) (matches, error) {
	w.wanted = 0
	if _, err := w.plan.narrow(ctx, unbounded); err != nil {
		return nil, err
	}
	b := best{order: o, n: wanted}
	var place *match
	if behind != nil {
		place = behind.match()
	}
	if err := r.keepBest(ctx, w, typ, place, &b); err != nil {
		return nil, err
	}
	return &gathered{b.matches, b.total - len(b.matches)}, nil
}

// keepBest adds the matches of a walk after a place to b.
func (r *run) keepBest(ctx context.Context, w *walk, typ int, behind *match, b *best) error {
	for {
		m, err := w.peek(ctx)
		if m == nil || err != nil {
			return err
		}
		b.order.complete(m, typ)
		if behind == nil || b.order.compare(behind, m) < 0 {
			b.add(*m)
		}
		w.pop()
	}
}

// sortedWalk follows the order of the first sort key, and then yields the matches that lack it.
// Backwards it does so in reverse.
type sortedWalk struct {
	run    *run
	typ    int
	of     *TypeQuery
	order  *order
	behind *match // matches begin after this place; nil for the beginning
	wanted int
	key    func(entry []byte) []byte
	heads  []orderHead

	size    int
	looked  int
	hits    int
	last    orderEntry // the last entry examined
	given   *match     // the last match returned
	group   []match    // matches with equal first keys, to be sorted by the others
	found   []match    // in order
	lacking bool       // the walk is among the matches that lack the key
	lack    *walk      // yields the matches that lack the key
	done    bool
}

// orderHead reads one range of entries in the order of a key.
type orderHead struct {
	rng   index.Range
	chunk []orderEntry
	whole bool
}

type orderEntry struct {
	entry []byte
	key   []byte
	seq   index.Seq
}

func (r *run) newSortedWalk(typ int, o *order, behind *cursorPlace, wanted int, ranges []index.Range, key func([]byte) []byte) *sortedWalk {
	w := &sortedWalk{run: r, typ: typ, of: &r.query.Types[typ], order: o, wanted: wanted, key: key}
	if behind != nil {
		w.behind = behind.match()
	}
	desc := o.keys[0].Desc != o.back
	for _, rng := range ranges {
		rng.Reverse = desc
		if w.behind != nil && w.behind.keys[0] != nil {
			w.startAt(&rng, w.behind.keys[0])
		}
		if bytes.Compare(rng.From, rng.To) < 0 {
			w.heads = append(w.heads, orderHead{rng: rng})
		}
	}
	// Matches without a key come last, or first when going back.
	w.lacking = o.back
	if w.behind != nil {
		w.lacking = w.behind.keys[0] == nil
	}
	return w
}

// startAt removes from a range what comes before a key.
func (w *sortedWalk) startAt(rng *index.Range, key []byte) {
	if !rng.Reverse {
		rng.From = index.OrderEntry(rng, key)
		return
	}
	if to := index.OrderEntry(rng, append(slices.Clone(key), 0)); bytes.Compare(to, rng.To) < 0 {
		rng.To = to
	}
}

func (w *sortedWalk) peek(ctx context.Context) (*match, error) {
	for len(w.found) == 0 {
		if w.done {
			return nil, nil
		}
		fill := w.fill
		if w.lacking {
			fill = w.fillLacking
		}
		if err := fill(ctx); err != nil {
			return nil, err
		}
	}
	return &w.found[0], nil
}

func (w *sortedWalk) pop() {
	w.given = &w.found[0]
	w.found = w.found[1:]
}

// turn moves on from the matches with a key to those without, or back, or ends the walk.
func (w *sortedWalk) turn() {
	w.flush()
	w.done = w.lacking != w.order.back
	w.lacking = !w.lacking
}

func (w *sortedWalk) dropped() int { return 0 }

// next returns the next entry of all ranges. ok is false at the end.
func (w *sortedWalk) next(ctx context.Context) (e orderEntry, ok bool, err error) {
	first := -1
	for i := range w.heads {
		h := &w.heads[i]
		if len(h.chunk) == 0 && !h.whole {
			if err := w.read(ctx, h); err != nil {
				return orderEntry{}, false, err
			}
		}
		if len(h.chunk) > 0 && (first < 0 || w.compare(&h.chunk[0], &w.heads[first].chunk[0]) < 0) {
			first = i
		}
	}
	if first < 0 {
		return orderEntry{}, false, nil
	}
	h := &w.heads[first]
	e, h.chunk = h.chunk[0], h.chunk[1:]
	return e, true, nil
}

// compare compares entries in the direction of the walk.
func (w *sortedWalk) compare(a, b *orderEntry) int {
	c := cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(a.seq, b.seq))
	if w.order.keys[0].Desc != w.order.back {
		return -c
	}
	return c
}

// read reads the next chunk of a range.
func (w *sortedWalk) read(ctx context.Context, h *orderHead) error {
	h.chunk = h.chunk[:0:0]
	err := w.run.scan(ctx, h.rng, func(entry []byte, seq index.Seq) bool {
		own := slices.Clone(entry)
		h.chunk = append(h.chunk, orderEntry{own, w.key(own), seq})
		return len(h.chunk) < w.run.bounds.maxChunk
	})
	if err != nil {
		return err
	}
	if h.whole = len(h.chunk) < w.run.bounds.maxChunk; !h.whole {
		last := &h.chunk[len(h.chunk)-1]
		h.rng.After, h.rng.AfterSeq = last.entry, last.seq
	}
	return nil
}

// fill examines a batch of entries.
func (w *sortedWalk) fill(ctx context.Context) error {
	if w.looked > w.run.bounds.patience && !w.run.all && w.looked/max(w.hits, 1)*w.wanted > w.run.bounds.looked {
		return w.gather(ctx)
	}
	w.size = min(max(2*w.size, w.run.bounds.minBatch), w.run.bounds.maxBatch)
	entries := make([]orderEntry, 0, w.size)
	seqs := make([]index.Seq, 0, w.size)
	ended := false
	for len(entries) < w.size {
		e, ok, err := w.next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			ended = true
			break
		}
		if w.last.seq == e.seq && bytes.Equal(w.last.key, e.key) {
			continue
		}
		w.last = e
		entries, seqs = append(entries, e), append(seqs, e.seq)
	}
	if err := w.take(ctx, entries, seqs); err != nil {
		return err
	}
	if ended {
		w.turn()
	}
	return nil
}

// gather is called if a walk finds too few matches. It gathers all matches that the index has for
// the criteria, unless they are too many, and ends the walk.
func (w *sortedWalk) gather(ctx context.Context) error {
	w.looked, w.hits = -unbounded, 0 // do not try this again
	all, err := w.run.newWalk(ctx, w.of, w.order.seqUp, firstPlace, 0)
	if err != nil {
		return err
	}
	if _, known := all.plan.size(); !known {
		return nil
	}
	behind := w.behind
	if w.given != nil {
		behind = w.given
	}
	b := best{order: w.order}
	if err := w.run.keepBest(ctx, all, w.typ, behind, &b); err != nil {
		return err
	}
	w.group, w.found, w.done = nil, b.matches, true
	return nil
}

// take keeps the matches of a batch whose entry is the one that counts for sorting.
func (w *sortedWalk) take(ctx context.Context, entries []orderEntry, seqs []index.Seq) error {
	if len(seqs) == 0 {
		return nil
	}
	records, err := w.run.load(ctx, seqs, index.WithValues)
	if err != nil {
		return err
	}
	number := w.order.keys[0].Params[w.typ].Number
	for i := range records {
		if key := index.NewView(records[i].Values).SortKey(number, w.order.keys[0].Desc); !bytes.Equal(key, entries[i].key) {
			records[i] = index.Record{}
		}
	}
	matched, err := w.run.filter(ctx, w.of, records)
	if err != nil {
		return err
	}
	w.looked += len(seqs)
	w.hits += len(matched)
	for i := range matched {
		w.add(&matched[i])
	}
	return nil
}

// add appends a match, in the order of the first key.
func (w *sortedWalk) add(m *match) {
	w.order.complete(m, w.typ)
	if n := len(w.group); n > 0 && !bytes.Equal(w.group[n-1].keys[0], m.keys[0]) {
		w.flush()
	}
	if w.behind != nil && w.order.compare(w.behind, m) >= 0 {
		return
	}
	if len(w.order.keys) == 1 {
		w.found = append(w.found, *m)
		return
	}
	w.group = append(w.group, *m)
}

// flush sorts and yields the matches that have the same first key.
func (w *sortedWalk) flush() {
	sort.Slice(w.group, func(i, j int) bool { return w.order.compare(&w.group[i], &w.group[j]) < 0 })
	w.found = append(w.found, w.group...)
	w.group = nil
}

// fillLacking continues with the matches without a value for the first key.
func (w *sortedWalk) fillLacking(ctx context.Context) error {
	if w.lack == nil {
		var err error
		if w.lack, err = w.run.newWalk(ctx, w.of, w.order.seqUp, firstPlace, w.wanted); err != nil {
			return err
		}
	}
	for range w.run.bounds.maxBatch {
		m, err := w.lack.peek(ctx)
		if err != nil {
			return err
		}
		if m == nil {
			w.turn()
			return nil
		}
		w.order.complete(m, w.typ)
		if m.keys[0] == nil {
			w.add(m)
		}
		w.lack.pop()
	}
	return nil
}
