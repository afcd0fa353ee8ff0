package search

import (
	"context"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

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

func (w *within) seek(ctx context.Context, from position) (position, bool, error) {
	at, ok, err := w.stream.seek(ctx, max(from, w.first))
	if err != nil || !ok || at > w.last {
		return 0, false, err
	}
	return at, true, nil
}

// limit restricts the window to the range from first to last.
func (w *within) limit(first, last index.Seq, up bool) {
	if !up {
		first, last = last, first
	}
	w.first, w.last = max(w.first, positionOf(first, up)), min(w.last, positionOf(last, up))
}

// updated restricts the window to the places that can match _lastUpdated, as Seq contains the time.
func (w *within) updated(c *Criterion, up bool) {
	if c.Chain != nil || c.Has != nil || c.Group != nil || c.Modifier != Plain {
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
