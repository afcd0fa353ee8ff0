package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// maxDensity is how much denser than the sparsest stream another stream may be to be read along
// with it.
const maxDensity = 8

// unbounded stands for unlimited effort.
const unbounded = 1 << 40

// plan is where a walk of a type gets its candidates from. They include every match.
type plan struct {
	run    *run
	up     bool
	window *within // the candidates
	parts  index.Parts
	// costly are accesses that can narrow down the candidates, at a cost.
	costly []*access
	// gap is the average distance in Seq between candidates that are read in order, 0 if unknown.
	gap float64
	// maxSize is the maximum number of candidates, -1 if unknown.
	maxSize int
}

// plan chooses the cheapest way to the matches of a type. wanted is how many are needed, 0 for all.
// probe is the number of entries of each criterion that are read to find out which has few.
func (r *run) plan(ctx context.Context, of *TypeQuery, up bool, wanted, probe int) (*plan, error) {
	p := &plan{run: r, up: up, parts: index.WithValues, maxSize: -1}
	if len(of.Criteria) == 0 && len(r.query.Sort) == 0 && len(r.query.Include) == 0 {
		p.parts = 0
	}
	window := &within{first: firstPlace, last: lastPlace}
	window.limit(0, r.at, up)
	for i := range of.Criteria {
		window.updated(&of.Criteria[i], up)
	}
	var lists []*listStream
	var ordered []*access
	accesses, err := r.accesses(ctx, of)
	if err != nil {
		return nil, err
	}
	for _, a := range accesses {
		if a.seqs == nil && a.ranges != nil && len(a.ranges) <= r.bounds.ranges {
			if err := a.probe(ctx, r, up, probe); err != nil {
				return nil, err
			}
		}
		switch {
		case a.whole:
			lists = append(lists, newListStream(a.seqs, up))
		case a.inOrder(r):
			ordered = append(ordered, a)
		default:
			p.costly = append(p.costly, a)
		}
	}
	switch {
	case len(lists) > 0:
		slices.SortFunc(lists, func(a, b *listStream) int { return cmp.Compare(len(a.places), len(b.places)) })
		streams := make([]stream, len(lists))
		for i, l := range lists {
			streams[i] = l
		}
		window.stream = intersectionOf(streams)
		p.maxSize = len(lists[0].places)
		p.costly = nil // few candidates are left
	case len(ordered) > 0:
		slices.SortFunc(ordered, func(a, b *access) int { return cmp.Compare(b.gap, a.gap) })
		p.gap = ordered[0].gap
		streams := []stream{ordered[0].stream(r, up)}
		for _, a := range ordered[1:] {
			if a.gap*maxDensity >= ordered[0].gap {
				streams = append(streams, a.stream(r, up))
			} else {
				p.costly = append(p.costly, a)
			}
		}
		window.stream = intersectionOf(streams)
	default:
		window.stream = &rangeStream{run: r, entry: index.TypeRange(of.Type).From, up: up}
	}
	p.window = window
	if wanted == 0 {
		_, err = p.narrow(ctx, unbounded)
	}
	return p, err
}

// size returns the maximum number of candidates if it is known.
func (p *plan) size() (n int, known bool) { return p.maxSize, p.maxSize >= 0 }

func (p *plan) canNarrow() bool { return len(p.costly) > 0 }

// narrow restricts the candidates to those of a costly access that takes no more than effort to
// gather. With few candidates the values decide about the rest. It reports whether there was such
// an access.
func (p *plan) narrow(ctx context.Context, effort int) (bool, error) {
	for i, a := range p.costly {
		if err := a.resolve(ctx, p.run); err != nil {
			return false, err
		}
		limit := min(effort-costSeek*len(a.ranges), p.run.bounds.gather)
		if limit <= 2*a.more {
			continue // too many, or hardly more than were already read in vain
		}
		seqs, whole, err := a.gather(ctx, p.run, limit)
		if err != nil {
			return false, err
		}
		if !whole {
			a.more = limit
			continue
		}
		p.costly = slices.Delete(p.costly, i, i+1)
		list := newListStream(seqs, p.up)
		if p.maxSize < 0 && list.gap() > maxDensity*p.gap {
			p.window.stream = list // the values decide faster than the other stream
		} else {
			p.window.stream = intersectionOf([]stream{list, p.window.stream})
		}
		if p.maxSize < 0 || p.maxSize > len(list.places) {
			p.maxSize = len(list.places)
		}
		if p.maxSize <= p.run.bounds.patience {
			p.costly = nil
		}
		return true, nil
	}
	return false, nil
}

// updated restricts the window to the places that can match _lastUpdated, as Seq contains the time.
func (w *within) updated(c *Criterion, up bool) {
	if c.Chain != nil || c.Has != nil || c.Modifier != Plain {
		return
	}
	low, high := index.Latest, index.Earliest
	for i := range c.Alternatives {
		a := &c.Alternatives[i]
		if a.Param.Code != "_lastUpdated" || a.Kind != definitions.Date {
			return
		}
		from, to := updatedBetween(a.Prefix, a.Time)
		low, high = min(low, from), max(high, to)
	}
	w.limit(seqOf(low), seqOf(high)-1, up)
}

// updatedBetween returns the milliseconds that compare with a time as a prefix requires: from
// inclusive, to exclusive.
func updatedBetween(p index.Prefix, t index.Span[int64]) (from, to int64) {
	switch p {
	case index.Equal, index.Approximately:
		return t.Low, t.High
	case index.Greater, index.StartsAfter:
		return t.High, index.Latest
	case index.GreaterEqual:
		return t.Low, index.Latest
	case index.Less, index.EndsBefore:
		return index.Earliest, t.Low
	case index.LessEqual:
		return index.Earliest, t.High
	}
	return index.Earliest, index.Latest
}

// seqOf returns the first Seq of a millisecond, within the range of Seq.
func seqOf(ms int64) index.Seq {
	const shift, limit = 20, 1 << 42
	return index.Seq(min(max(ms, 0), limit)) << shift
}

// limit restricts the window to the range from first to last.
func (w *within) limit(first, last index.Seq, up bool) {
	if !up {
		first, last = last, first
	}
	w.first, w.last = max(w.first, positionOf(first, up)), min(w.last, positionOf(last, up))
}

// A position is a Seq in the direction of a walk, which goes through versions newest or oldest first:
// what comes later in the walk has a greater position in either direction.
type position int64

// The ends of a walk.
const (
	firstPlace position = -1 << 62
	lastPlace  position = 1<<62 - 1
)

// positionOf returns the place of a Seq. With up the walk is oldest first.
func positionOf(seq index.Seq, up bool) position {
	if up {
		return position(seq)
	}
	return -position(seq)
}

func (p position) seq(up bool) index.Seq {
	if up {
		return index.Seq(p)
	}
	return index.Seq(-p)
}

// A stream yields the places of candidates, in order, each once.
type stream interface {
	// seek returns the first place at or after from; ok is false if there is none. from never
	// decreases.
	seek(ctx context.Context, from position) (at position, ok bool, err error)
}

// rangeStream reads a range of a single entry, whose versions are in the order of Seq.
type rangeStream struct {
	run   *run
	entry []byte
	up    bool

	chunk []position // read but not passed yet
	size  int
	near  position // seeking up to here keeps reading larger chunks
	whole bool     // chunk reaches the end of the range
}

func (s *rangeStream) seek(ctx context.Context, from position) (position, bool, error) {
	if i, _ := slices.BinarySearch(s.chunk, from); i < len(s.chunk) {
		s.chunk = s.chunk[i:]
		return s.chunk[0], true, nil
	}
	if s.whole {
		return 0, false, nil
	}
	if s.size = min(2*s.size, s.run.bounds.maxChunk); s.size == 0 || from > s.near {
		s.size = s.run.bounds.minChunk // it jumped to a distant place
	}
	s.chunk = s.chunk[:0]
	rng := single(s.entry)
	rng.Reverse = !s.up
	if from > firstPlace {
		rng.After, rng.AfterSeq = s.entry, (from - 1).seq(s.up)
	}
	err := s.run.scan(ctx, rng, func(_ []byte, seq index.Seq) bool {
		s.chunk = append(s.chunk, positionOf(seq, s.up))
		return len(s.chunk) < s.size
	})
	if err != nil {
		return 0, false, err
	}
	s.whole = len(s.chunk) < s.size
	if len(s.chunk) == 0 {
		return 0, false, nil
	}
	last := s.chunk[len(s.chunk)-1]
	s.near = last + (last - s.chunk[0]) + 1
	return s.chunk[0], true, nil
}

// single returns the range of one entry.
func single(entry []byte) index.Range {
	to := make([]byte, len(entry)+1)
	copy(to, entry)
	return index.Range{From: entry, To: to}
}

// listStream yields places that were gathered.
type listStream struct{ places []position }

// newListStream sorts seqs and removes duplicates.
func newListStream(seqs []index.Seq, up bool) *listStream {
	places := make([]position, len(seqs))
	for i, seq := range seqs {
		places[i] = positionOf(seq, up)
	}
	slices.Sort(places)
	return &listStream{slices.Compact(places)}
}

// gap returns the average distance between the places.
func (s *listStream) gap() float64 {
	n := len(s.places)
	if n == 0 {
		return 0
	}
	return float64(s.places[n-1]-s.places[0]) / float64(n)
}

func (s *listStream) seek(_ context.Context, from position) (position, bool, error) {
	if len(s.places) == 0 || s.places[0] < from {
		i, _ := slices.BinarySearch(s.places, from)
		s.places = s.places[i:]
	}
	if len(s.places) == 0 {
		return 0, false, nil
	}
	return s.places[0], true, nil
}

// unionStream yields the places of any of its streams.
type unionStream struct {
	of []head
}

// head is a stream with its current place, once known.
type head struct {
	stream
	at    position
	known bool
	done  bool
}

func (h *head) seek(ctx context.Context, from position) (position, bool, error) {
	if h.done {
		return 0, false, nil
	}
	if h.known && h.at >= from {
		return h.at, true, nil
	}
	at, ok, err := h.stream.seek(ctx, from)
	if err != nil {
		return 0, false, err
	}
	h.at, h.known, h.done = at, ok, !ok
	return at, ok, nil
}

func unionOf(streams []stream) stream {
	if len(streams) == 1 {
		return streams[0]
	}
	u := &unionStream{of: make([]head, len(streams))}
	for i, s := range streams {
		u.of[i].stream = s
	}
	return u
}

func (s *unionStream) seek(ctx context.Context, from position) (first position, found bool, err error) {
	for i := range s.of {
		at, ok, err := s.of[i].seek(ctx, from)
		if err != nil {
			return 0, false, err
		}
		if ok && (!found || at < first) {
			first, found = at, true
		}
	}
	return first, found, nil
}

// intersection yields the places that all of its streams have. The first should be the shortest.
type intersection struct{ of []stream }

func intersectionOf(streams []stream) stream {
	if len(streams) == 1 {
		return streams[0]
	}
	return &intersection{streams}
}

func (s *intersection) seek(ctx context.Context, from position) (position, bool, error) {
	agreed := 0
	for i := 0; agreed < len(s.of); i = (i + 1) % len(s.of) {
		at, ok, err := s.of[i].seek(ctx, from)
		if err != nil || !ok {
			return 0, false, err
		}
		if at > from {
			from, agreed = at, 0
		}
		agreed++
	}
	return from, true, nil
}

// within restricts a stream to the places from first to last.
type within struct {
	stream
	first, last position
}

func (s *within) seek(ctx context.Context, from position) (position, bool, error) {
	at, ok, err := s.stream.seek(ctx, max(from, s.first))
	if err != nil || !ok || at > s.last {
		return 0, false, err
	}
	return at, true, nil
}
