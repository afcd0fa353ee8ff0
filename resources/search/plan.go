package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/roget-health/roget/resources/index"
)

// maxDensity is how much denser than the sparsest stream another stream may be to be read along
// with it.
const maxDensity = 8

// maxFew is the number of candidates that are loaded rather than compared with those of another criterion.
const maxFew = 32

// unbounded stands for unlimited effort.
const unbounded = math.MaxInt32

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
	if len(of.Criteria) == 0 && len(r.query.Sort) == 0 && len(r.query.Include)+len(r.query.RevInclude) == 0 {
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
	few := false // candidates are left, whose values decide about the other criteria
	for _, a := range accesses {
		if few {
			break
		}
		if a.seqs == nil && a.ranges != nil && len(a.ranges) <= r.bounds.ranges {
			if err := a.probe(ctx, r, up, probe); err != nil {
				return nil, err
			}
		}
		switch {
		case a.whole:
			lists = append(lists, newListStream(a.seqs, up))
			few = len(a.seqs) <= maxFew
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
