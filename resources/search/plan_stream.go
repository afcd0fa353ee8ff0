package search

import (
	"context"
	"slices"

	"github.com/roget-health/roget/resources/index"
)

// A walk goes through versions in the order of Seq, newest or oldest first. place is a Seq
// as such a walk has it: what comes later has a greater place, whatever the direction.
type place int64

// The ends of a walk.
const (
	firstPlace place = -1 << 62
	lastPlace  place = 1<<62 - 1
)

// placeOf returns the place of a Seq in a walk that is oldest first when up.
func placeOf(seq index.Seq, up bool) place {
	if up {
		return place(seq)
	}
	return -place(seq)
}

func (p place) seq(up bool) index.Seq {
	if up {
		return index.Seq(p)
	}
	return index.Seq(-p)
}

// A stream has the places of candidates, in order, each once.
type stream interface {
	// seek returns the first place that is not before from; ok is false when there is none.
	// from never goes back.
	seek(ctx context.Context, from place) (at place, ok bool, err error)
}

// rangeStream reads a range with one entry value, whose versions are in the order of Seq.
type rangeStream struct {
	run   *run
	entry []byte
	up    bool

	chunk []place // read and not passed yet
	size  int
	near  place // not farther from the chunk than it is long
	whole bool  // chunk reaches to the end of the range
}

func (s *rangeStream) seek(ctx context.Context, from place) (place, bool, error) {
	if i, _ := slices.BinarySearch(s.chunk, from); i < len(s.chunk) {
		s.chunk = s.chunk[i:]
		return s.chunk[0], true, nil
	}
	if s.whole {
		return 0, false, nil
	}
	if s.size = min(2*s.size, s.run.bounds.chunkMost); s.size == 0 || from > s.near {
		s.size = s.run.bounds.chunkFirst // it was led elsewhere
	}
	s.chunk = s.chunk[:0]
	rng := single(s.entry)
	rng.Reverse = !s.up
	if from > firstPlace {
		rng.After, rng.AfterSeq = s.entry, (from - 1).seq(s.up)
	}
	err := s.run.scan(ctx, rng, func(_ []byte, seq index.Seq) bool {
		s.chunk = append(s.chunk, placeOf(seq, s.up))
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

// single is the range of one entry value.
func single(entry []byte) index.Range {
	to := make([]byte, len(entry)+1)
	copy(to, entry)
	return index.Range{From: entry, To: to}
}

// listStream has places that were gathered.
type listStream struct{ places []place }

// newListStream orders seqs, and drops those that are there twice.
func newListStream(seqs []index.Seq, up bool) *listStream {
	places := make([]place, len(seqs))
	for i, seq := range seqs {
		places[i] = placeOf(seq, up)
	}
	slices.Sort(places)
	return &listStream{slices.Compact(places)}
}

// gap is how far apart the places are.
func (s *listStream) gap() float64 {
	n := len(s.places)
	if n == 0 {
		return 0
	}
	return float64(s.places[n-1]-s.places[0]) / float64(n)
}

func (s *listStream) seek(_ context.Context, from place) (place, bool, error) {
	if len(s.places) == 0 || s.places[0] < from {
		i, _ := slices.BinarySearch(s.places, from)
		s.places = s.places[i:]
	}
	if len(s.places) == 0 {
		return 0, false, nil
	}
	return s.places[0], true, nil
}

// unionStream has what any of its streams has.
type unionStream struct {
	of []head
}

// head is a stream with its place, once that is known.
type head struct {
	stream
	at    place
	known bool
	done  bool
}

func (h *head) seek(ctx context.Context, from place) (place, bool, error) {
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

func (s *unionStream) seek(ctx context.Context, from place) (first place, found bool, err error) {
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

// intersection has what all of its streams have. The first should be the shortest.
type intersection struct{ of []stream }

func intersectionOf(streams []stream) stream {
	if len(streams) == 1 {
		return streams[0]
	}
	return &intersection{streams}
}

func (s *intersection) seek(ctx context.Context, from place) (place, bool, error) {
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

// within has what a stream has up to a last place.
type within struct {
	stream
	first, last place
}

func (s *within) seek(ctx context.Context, from place) (place, bool, error) {
	at, ok, err := s.stream.seek(ctx, max(from, s.first))
	if err != nil || !ok || at > s.last {
		return 0, false, err
	}
	return at, true, nil
}
