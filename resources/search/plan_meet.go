package search

import (
	"bytes"
	"context"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// accesses returns the ways to what the criteria of a type can hold of. Criteria on one
// parameter of which a resource has one value at most, such as date=ge2020&date=lt2021, make
// one.
func (r *run) accesses(ctx context.Context, of *TypeQuery) ([]*access, error) {
	var all []*access
	met := map[*definitions.SearchParam]*access{}
	for i := range of.Criteria {
		c := &of.Criteria[i]
		a, err := r.access(ctx, of, c)
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		if r.meets(c, a) {
			if former := met[c.Param]; former != nil {
				former.ranges = meet(former.ranges, a.ranges)
				continue
			}
			met[c.Param] = a
		}
		all = append(all, a)
	}
	return all, nil
}

// meets reports that the ranges of a criterion can be met with those of another one on the
// same parameter.
func (r *run) meets(c *Criterion, a *access) bool {
	if c.Chain != nil || c.Has != nil || c.Modifier != Plain || len(c.Alternatives) != 1 || c.Alternatives[0].Param != c.Param {
		return false
	}
	return (c.Param.Kind == definitions.Date || c.Param.Kind == definitions.Number) && a.ranges != nil && r.searcher.extractor.Once(c.Param)
}

// meet returns what is in both of two lists of ranges, each in order and without overlaps.
func meet(a, b []index.Range) []index.Range {
	out := []index.Range{}
	for len(a) > 0 && len(b) > 0 {
		from, to := a[0].From, a[0].To
		if bytes.Compare(b[0].From, from) > 0 {
			from = b[0].From
		}
		first := bytes.Compare(a[0].To, b[0].To)
		if first > 0 {
			to = b[0].To
		}
		if bytes.Compare(from, to) < 0 {
			out = append(out, index.Range{From: from, To: to})
		}
		if first <= 0 {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}
