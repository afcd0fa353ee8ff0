package search

import (
	"context"

	"github.com/roget-health/roget/resources/index"
)

// inner gives the matches of a search within the search; whole is false when there are
// too many, or finding them all takes too long.
func (r *run) inner(ctx context.Context, of *TypeQuery) (found []match, whole bool, err error) {
	w, err := r.newWalk(ctx, of, false, firstPlace, r.bounds.inner)
	if err != nil {
		return nil, false, err
	}
	w.plan.parts = index.WithValues
	for {
		m, err := w.peek(ctx)
		switch {
		case err != nil:
			return nil, false, err
		case m == nil:
			return found, true, nil
		case len(found) == r.bounds.inner || w.passed > 4*r.bounds.inner:
			return nil, false, nil
		}
		found = append(found, *m)
		w.pop()
	}
}

// chainAccess gives the ranges of the references to what the chain asks for; nil when that
// is too much.
func (r *run) chainAccess(ctx context.Context, c *Chain) (*access, error) {
	a := &access{ranges: []index.Range{}}
	field := r.field(c.Param)
	for i := range c.Targets {
		t := &c.Targets[i]
		found, whole, err := r.inner(ctx, &TypeQuery{Type: t.Type, Criteria: []Criterion{t.Criterion}})
		if err != nil || !whole {
			return nil, err
		}
		url := r.searcher.tables.SearchParam(t.Type, "url")
		for i := range found {
			rec := &found[i].rec
			a.ranges = append(a.ranges, field.Reference(index.Key{Type: rec.Type, ID: rec.ID})...)
			if url == nil {
				continue
			}
			for value := range index.NewView(rec.Values).Param(url.Number) {
				if value.URL != "" {
					a.ranges = append(a.ranges, field.URL(value.URL)...)
				}
			}
		}
		if len(a.ranges) > 2*r.bounds.inner {
			return nil, nil
		}
	}
	return a, nil
}

// hasAccess gives what is referred to by those that _has asks for; nil when that is too much.
func (r *run) hasAccess(ctx context.Context, typ string, h *Has) (*access, error) {
	found, whole, err := r.inner(ctx, &TypeQuery{Type: h.Type, Criteria: []Criterion{h.Criterion}})
	if err != nil || !whole {
		return nil, err
	}
	seen := map[index.Key]bool{}
	var keys []index.Key
	for i := range found {
		for value := range index.NewView(found[i].rec.Values).Param(h.Param.Number) {
			if key := value.KeyAt(r.query.Bases); key.Type == typ && !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	a := &access{}
	return a, r.keyAccess(ctx, a, keys, false)
}
