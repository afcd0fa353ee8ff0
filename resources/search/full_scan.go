package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/roget-health/roget/resources/index"
)

// FullScan returns everything that a query matches in the state of env, in the requested order, by
// examining every resource of its types. Tests compare Search with it: it uses no index entries
// except those of types.
func FullScan(ctx context.Context, q *Query, env *Env) ([]index.Record, error) {
	env.bases = q.Bases
	var found []index.Record
	for _, t := range q.Types {
		lists, err := env.load(ctx, []index.Range{index.TypeRange(t.Type)})
		if err != nil {
			return nil, err
		}
		for i := range lists[0] {
			rec := &lists[0][i]
			if rec.Type != t.Type {
				continue
			}
			match, err := MatchAll(ctx, t.Criteria, rec, index.NewView(rec.Values), env)
			if err != nil {
				return nil, err
			}
			if match && len(t.Texts) > 0 {
				if match, err = env.textsOf(ctx, &t, rec); err != nil {
					return nil, err
				}
			}
			if match {
				found = append(found, *rec)
			}
		}
	}
	slices.SortFunc(found, func(a, b index.Record) int { return q.Compare(&a, &b) })
	return found, nil
}

// Compare compares two records by the sort keys of a query, with missing values last. Equal records
// are ordered newest first, or oldest first if the first sort key ascends.
func (q *Query) Compare(a, b *index.Record) int {
	for i := range q.Sort {
		s := &q.Sort[i]
		x, y := q.sortKey(s, a), q.sortKey(s, b)
		switch c := bytes.Compare(x, y); {
		case c == 0:
		case x == nil:
			return 1
		case y == nil:
			return -1
		case s.Desc:
			return -c
		default:
			return c
		}
	}
	if len(q.Sort) > 0 && !q.Sort[0].Desc {
		return cmp.Compare(a.Seq, b.Seq)
	}
	return cmp.Compare(b.Seq, a.Seq)
}

// sortKey returns the sort key of a record.
func (q *Query) sortKey(s *SortKey, rec *index.Record) []byte {
	switch s.Code {
	case "_id":
		return []byte(rec.ID)
	case "_lastUpdated":
		return seqKey(rec.Seq)
	}
	for i, t := range q.Types {
		if t.Type == rec.Type {
			return index.NewView(rec.Values).SortKey(s.Params[i].Number, s.Desc)
		}
	}
	return nil
}

// seqKey encodes a Seq as bytes that sort in the same order.
func seqKey(s index.Seq) []byte {
	var b [8]byte
	for i := range b {
		b[i] = byte(s >> (56 - 8*i)) //nolint:gosec // one byte of the number
	}
	return b[:]
}
