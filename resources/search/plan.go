package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/roget-health/roget/resources/index"
)

// densityMost is how much denser than the first a stream may be that is read along with it.
const densityMost = 8

// unbounded is more effort than any.
const unbounded = 1 << 40

// plan is where a walk of a type gets its candidates from. All that matches is among them.
type plan struct {
	run    *run
	up     bool
	window *within // has the candidates
	parts  index.Parts
	// later can narrow the candidates down, at a cost.
	later []*access
	// gap is how far apart candidates are that are read in the order of Seq; 0: not known.
	gap float64
	// most is how many candidates there are at most; -1: not known.
	most int
}

// plan chooses the cheapest way to the matches of a type. wanted is how many are needed, 0
// for all, and probe how many entries of each criterion are read to see which has few.
func (r *run) plan(ctx context.Context, of *TypeQuery, up bool, wanted, probe int) (*plan, error) {
	p := &plan{run: r, up: up, parts: index.WithValues, most: -1}
	if len(of.Criteria) == 0 && len(r.query.Sort) == 0 && len(r.query.Include) == 0 {
		p.parts = 0
	}
	window := &within{first: firstPlace, last: lastPlace}
	window.limit(0, r.at, up)
	var lists []*listStream
	var ordered []*access
	accesses, err := r.accesses(ctx, of)
	if err != nil {
		return nil, err
	}
	for i := range of.Criteria {
		window.updated(&of.Criteria[i], up)
	}
	for _, a := range accesses {
		switch {
		case a.seqs == nil && a.ranges != nil && len(a.ranges) <= r.bounds.ranges:
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
			p.later = append(p.later, a)
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
		p.most = len(lists[0].places)
		p.later = nil // few are left
	case len(ordered) > 0:
		slices.SortFunc(ordered, func(a, b *access) int { return cmp.Compare(b.gap, a.gap) })
		p.gap = ordered[0].gap
		streams := []stream{ordered[0].stream(r, up)}
		for _, a := range ordered[1:] {
			if a.gap*densityMost >= ordered[0].gap {
				streams = append(streams, a.stream(r, up))
			} else {
				p.later = append(p.later, a)
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

// size is how many candidates there are at most, where that is known.
func (p *plan) size() (n int, known bool) { return p.most, p.most >= 0 }

func (p *plan) canNarrow() bool { return len(p.later) > 0 }

// narrow takes what was left for later and costs no more than effort to gather, and keeps
// to it: of few candidates each is looked at. It reports that there was such a way.
func (p *plan) narrow(ctx context.Context, effort int) (bool, error) {
	for i, a := range p.later {
		if err := a.resolve(ctx, p.run); err != nil {
			return false, err
		}
		most := min(effort-costSeek*len(a.ranges), p.run.bounds.gather)
		if most <= 2*a.more {
			continue // too much; or there is hardly more to read than was read in vain
		}
		seqs, whole, err := a.gather(ctx, p.run, most)
		if err != nil {
			return false, err
		}
		if !whole {
			a.more = most
			continue
		}
		p.later = slices.Delete(p.later, i, i+1)
		list := newListStream(seqs, p.up)
		if p.most < 0 && list.gap() > densityMost*p.gap {
			p.window.stream = list // the values tell of the rest sooner than the index
		} else {
			p.window.stream = intersectionOf([]stream{list, p.window.stream})
		}
		if p.most < 0 || p.most > len(list.places) {
			p.most = len(list.places)
		}
		if p.most <= p.run.bounds.patience {
			p.later = nil
		}
		return true, nil
	}
	return false, nil
}
