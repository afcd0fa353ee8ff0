package search

import (
	"context"

	"github.com/roget-health/roget/resources/index"
)

// access is how the index leads to the versions that one criterion can hold of. They are
// all there, and others may be.
type access struct {
	ranges []index.Range
	// may tells of an entry of the ranges whether it can be one; nil: all can.
	may func(entry []byte) bool
	// lazy makes the ranges, when that takes some work.
	lazy func(ctx context.Context, r *run) ([]index.Range, error)

	// seqs are the versions, when whole; else some of the first.
	seqs  []index.Seq
	whole bool
	// more is a number of entries that there are more than.
	more int
	// gap is how far apart the versions are, in Seq, where that is known: the greater the
	// fewer there are.
	gap float64
}

// inOrder reports that the versions can be read in the order of Seq.
func (a *access) inOrder(r *run) bool {
	if a.ranges == nil || a.may != nil || len(a.ranges) > r.bounds.union {
		return false
	}
	for i := range a.ranges {
		if !a.ranges[i].Single() {
			return false
		}
	}
	return true
}

// stream reads the versions of ranges that are inOrder.
func (a *access) stream(r *run, up bool) stream {
	streams := make([]stream, len(a.ranges))
	for i := range a.ranges {
		streams[i] = &rangeStream{run: r, entry: a.ranges[i].From, up: up}
	}
	return unionOf(streams)
}

// probe reads some of the versions: all when they are few. Of those in order it measures
// how close together they are.
func (a *access) probe(ctx context.Context, r *run, up bool, most int) error {
	if !a.inOrder(r) {
		seqs, whole, err := a.gather(ctx, r, most)
		a.seqs, a.whole = seqs, whole
		return err
	}
	a.whole = true
	first, last, n := index.Current, index.Seq(0), 0
	for i := range a.ranges {
		rng := a.ranges[i]
		rng.Reverse = !up
		n = 0
		err := r.scan(ctx, rng, func(_ []byte, seq index.Seq) bool {
			a.seqs = append(a.seqs, seq)
			first, last = min(first, seq), max(last, seq)
			n++
			return n < most
		})
		if err != nil {
			return err
		}
		a.whole = a.whole && n < most
	}
	if len(a.seqs) > 1 {
		a.gap = float64(last-first) / float64(len(a.seqs))
	}
	return nil
}

// resolve makes the ranges, if that was not done yet.
func (a *access) resolve(ctx context.Context, r *run) error {
	if a.lazy == nil {
		return nil
	}
	ranges, err := a.lazy(ctx, r)
	a.ranges, a.lazy = ranges, nil
	if ranges == nil {
		a.ranges = []index.Range{}
	}
	return err
}

// passedMost is how many entries may be passed over for each that is taken.
const passedMost = 16

// gather reads the versions, but no more than most; whole is false when there are more, or
// too many entries had to be passed over.
func (a *access) gather(ctx context.Context, r *run, most int) (seqs []index.Seq, whole bool, err error) {
	if a.whole {
		return a.seqs, true, nil
	}
	if a.may == nil {
		return r.gather(ctx, a.ranges, most)
	}
	passed := 0
	whole = true
	err = index.ScanMany(ctx, r.reader, a.ranges, passedMost*most+1, func(_ int, entry []byte, seq index.Seq) bool {
		if passed++; len(seqs) == most || passed > passedMost*most {
			whole = false
			return false
		}
		if a.may(entry) {
			seqs = append(seqs, seq)
		}
		return true
	})
	r.effort += passed + len(a.ranges)
	return seqs, whole, err
}
