package search

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/roget-health/roget/resources/index"
)

// inner returns the matches of a search within the search. whole is false if there may be too many.
func (r *run) inner(ctx context.Context, of *TypeQuery) (found []match, whole bool, err error) {
	limit := r.bounds.inner
	w := &walk{run: r, of: of, next: firstPlace + 1, patience: limit}
	if w.plan, err = r.plan(ctx, of, false, limit, limit); err != nil {
		return nil, false, err
	}
	if _, known := w.plan.size(); !known {
		if _, err := w.plan.narrow(ctx, costSeek*limit); err != nil {
			return nil, false, err
		}
	}
	if n, known := w.plan.size(); !known || n > limit {
		return nil, false, nil
	}
	w.plan.parts = index.WithValues
	for {
		m, err := w.peek(ctx)
		if err != nil || m == nil {
			return found, err == nil, err
		}
		found = append(found, *m)
		w.pop()
	}
}

// chainAccess returns the ranges of the references to the matches of a chain, nil if there are too
// many.
func (r *run) chainAccess(ctx context.Context, c *Chain) (*access, error) {
	a := &access{ranges: []index.Range{}}
	field, leads := r.field(c.Param), newLinked(r.searcher.tables, nil)
	for i := range c.Targets {
		t := &c.Targets[i]
		found, whole, err := r.inner(ctx, &TypeQuery{Type: t.Type, Criteria: []Criterion{t.Criterion}})
		if err != nil || !whole {
			return nil, err
		}
		for i := range found {
			a.ranges = leads.add(a.ranges, field, &found[i].rec, index.NewView(found[i].rec.Values))
		}
		if len(a.ranges) > 2*r.bounds.inner {
			return nil, nil
		}
	}
	return a, nil
}

// hasAccess returns the resources that the matches of _has refer to, nil if there are too many.
func (r *run) hasAccess(ctx context.Context, typ string, h *Has) (*access, error) {
	found, whole, err := r.inner(ctx, &TypeQuery{Type: h.Type, Criteria: []Criterion{h.Criterion}})
	if err != nil || !whole {
		return nil, err
	}
	seen := map[index.Key]bool{}
	var keys []index.Key
	a := &access{}
	for i := range found {
		for value := range index.NewView(found[i].rec.Values).Param(h.Param.Number) {
			key := value.KeyAt(r.query.Bases)
			switch {
			case key.ID == "" && value.URL != "":
				records, err := r.env.Canonical(ctx, typ, value.URL, value.Version)
				if err != nil {
					return nil, err
				}
				for i := range records {
					a.seqs = append(a.seqs, records[i].Seq)
				}
			case key.Type == typ && !seen[key]:
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return a, r.keyAccess(ctx, a, keys, false)
}

// prefetch loads, in one call, the resources that the chains of a type lead to from records.
func (r *run) prefetch(ctx context.Context, of *TypeQuery, records []index.Record) error {
	var keys []index.Key
	for i := range of.Criteria {
		chain := of.Criteria[i].Chain
		if chain == nil {
			continue
		}
		for j := range records {
			for value := range index.NewView(records[j].Values).Param(chain.Param.Number) {
				if key := value.KeyAt(r.query.Bases); key.ID != "" && chain.leadsTo(key.Type) {
					keys = append(keys, key)
				}
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := &keys[i], &keys[j]
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID)) < 0
	})
	_, err := r.env.find(ctx, slices.Compact(keys))
	return err
}

// leadsTo reports whether a chain has a target of a type.
func (c *Chain) leadsTo(typ string) bool {
	return slices.ContainsFunc(c.Targets, func(t Target) bool { return t.Type == typ })
}
