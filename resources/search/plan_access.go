package search

import (
	"bytes"
	"context"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// access is how the index leads to the versions that can match one criterion. It includes all of
// them, and may include others.
type access struct {
	ranges []index.Range
	// may reports whether an entry of the ranges can match; nil if all can.
	may func(entry []byte) bool
	// lazy computes the ranges if that takes some work.
	lazy func(ctx context.Context, r *run) ([]index.Range, error)

	// seqs are all versions if whole is set, otherwise some of the first.
	seqs  []index.Seq
	whole bool
	// more is a number of entries that the access is known to exceed.
	more int
	// gap is the average distance of the versions in Seq, if known: the greater, the fewer there
	// are.
	gap float64
}

// inOrder reports whether the versions can be read in the order of Seq.
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

// stream reads the versions of an access that is inOrder.
func (a *access) stream(r *run, up bool) stream {
	streams := make([]stream, len(a.ranges))
	for i := range a.ranges {
		streams[i] = &rangeStream{run: r, entry: a.ranges[i].From, up: up}
	}
	return unionOf(streams)
}

// probe reads some of the versions, or all if they are few. If they are in order, it measures how
// dense they are.
func (a *access) probe(ctx context.Context, r *run, up bool, limit int) error {
	if !a.inOrder(r) {
		seqs, whole, err := a.gather(ctx, r, limit)
		a.seqs, a.whole = seqs, whole
		return err
	}
	a.whole = true
	first, last := index.Current, index.Seq(0)
	for i := range a.ranges {
		rng := a.ranges[i]
		rng.Reverse = !up
		n := 0
		err := r.scan(ctx, rng, func(_ []byte, seq index.Seq) bool {
			a.seqs = append(a.seqs, seq)
			first, last = min(first, seq), max(last, seq)
			n++
			return n < limit
		})
		if err != nil {
			return err
		}
		a.whole = a.whole && n < limit
	}
	if len(a.seqs) > 1 {
		a.gap = float64(last-first) / float64(len(a.seqs))
	}
	return nil
}

// resolve computes lazy ranges.
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

// maxSkipped is how many entries may be skipped for each one taken.
const maxSkipped = 16

// gather reads up to limit versions. whole is false if there are more, or if too many entries were
// skipped.
func (a *access) gather(ctx context.Context, r *run, limit int) (seqs []index.Seq, whole bool, err error) {
	if a.whole {
		return a.seqs, true, nil
	}
	if a.may == nil {
		return r.gather(ctx, a.ranges, limit)
	}
	passed := 0
	whole = true
	err = index.ScanMany(ctx, r.reader, a.ranges, maxSkipped*limit+1, func(_ int, entry []byte, seq index.Seq) bool {
		if passed++; len(seqs) == limit || passed > maxSkipped*limit {
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

// accesses returns the accesses of the criteria of a type. Criteria on the same parameter, such as
// date=ge2020&date=lt2021, become one access if resources have at most one value of it.
func (r *run) accesses(ctx context.Context, of *TypeQuery) ([]*access, error) {
	var all []*access
	met := map[*definitions.SearchParam]*access{}
	for i := range of.Criteria {
		c := &of.Criteria[i]
		meets := r.meets(c)
		a, err := r.access(ctx, of, c)
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		if meets && a.ranges != nil {
			if former := met[c.Param]; former != nil {
				former.ranges = meet(former.ranges, a.ranges)
				continue
			}
			met[c.Param] = a
		}
		all = append(all, a)
	}
	for i := range of.limit.Criteria {
		a, err := r.access(ctx, of, &of.limit.Criteria[i])
		if err != nil {
			return nil, err
		}
		if a != nil {
			all = append(all, a)
		}
	}
	return all, nil
}

// meets reports whether the ranges of a criterion can be intersected with those of another
// criterion on the same parameter.
func (r *run) meets(c *Criterion) bool {
	if c.Chain != nil || c.Has != nil || c.Modifier != Plain || len(c.Alternatives) != 1 || c.Alternatives[0].Param != c.Param {
		return false
	}
	return (c.Param.Kind == definitions.Date || c.Param.Kind == definitions.Number) && r.searcher.extractor.Once(c.Param)
}

// meet intersects two lists of ranges, each in order and without overlaps.
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

// field returns the index field of a parameter.
func (r *run) field(p *definitions.SearchParam) index.Field { return r.searcher.extractor.Field(p) }

// access returns the access of a criterion, nil if the index has none: for negations, and for texts
// without entries.
func (r *run) access(ctx context.Context, of *TypeQuery, c *Criterion) (*access, error) {
	switch {
	case c.Chain != nil:
		return r.chainAccess(ctx, c.Chain)
	case c.Has != nil:
		return r.hasAccess(ctx, of.Type, c.Has)
	case c.Group != nil:
		return r.groupAccess(ctx, of, c.Group)
	}
	switch c.Modifier {
	case Not, NotIn, Text:
		return nil, nil
	case Missing:
		if a := &c.Alternatives[0]; !a.Missing && !ofRecord(a.Param) && alwaysThere(a.Kind) {
			return &access{ranges: r.field(a.Param).Has()}, nil
		}
		return nil, nil
	}
	all := &access{ranges: []index.Range{}}
	var keys []index.Key
	var sets []codesOf
	var beginnings []*Alternative
	for i := range c.Alternatives {
		a := &c.Alternatives[i]
		switch under := c.Modifier == Below || c.Modifier == Above; {
		case under && a.Kind == definitions.Reference:
			linked, err := r.env.hierarchy(ctx, c.Modifier, a)
			if err != nil || len(linked) > r.bounds.inner {
				return nil, err
			}
			for key := range linked {
				all.ranges = append(all.ranges, r.field(a.Param).Reference(key)...)
			}
			continue
		case c.Modifier == Below && a.Kind == definitions.URI:
			beginnings = append(beginnings, a)
			continue
		}
		switch a.Param.Code {
		case "_id":
			keys = append(keys, index.Key{Type: of.Type, ID: a.Token.Code})
			continue
		case "_lastUpdated":
			return nil, nil // see within.updated
		}
		codes, is, err := r.codes(ctx, c.Modifier, a)
		if err != nil {
			return nil, err
		}
		if is {
			sets = append(sets, codesOf{a.Param, codes})
			continue
		}
		ranges, may, ok := rangesOf(r.field(a.Param), c.Modifier, a)
		if !ok || may != nil && len(c.Alternatives) > 1 {
			return nil, nil
		}
		all.ranges = append(all.ranges, ranges...)
		all.may = may
	}
	if len(keys) > 0 {
		if err := r.keyAccess(ctx, all, keys, len(keys) < len(c.Alternatives)); err != nil || !all.whole {
			return nil, err // or there are too many by other alternatives
		}
	}
	if len(sets) > 0 {
		r.codesAccess(all, sets)
	}
	if len(beginnings) > 0 {
		all.ranges, all.lazy = nil, urlsBelow(beginnings)
	}
	return all, nil
}

// urlsBelow returns the ranges of the URLs in use that begin with those of alternatives.
func urlsBelow(beginnings []*Alternative) func(context.Context, *run) ([]index.Range, error) {
	return func(ctx context.Context, r *run) (ranges []index.Range, err error) {
		for _, a := range beginnings {
			field := r.field(a.Param)
			for _, terms := range field.TermsOf(a.Target) {
				err := r.scan(ctx, terms, func(entry []byte, _ index.Seq) bool {
					term := index.TermOf(entry)
					ranges = append(ranges, field.Term(&term)...)
					return true
				})
				if err != nil {
					return nil, err
				}
			}
		}
		return ranges, nil
	}
}

// keyAccess adds the versions stored under keys. If the access has ranges too, they are read now.
func (r *run) keyAccess(ctx context.Context, a *access, keys []index.Key, more bool) error {
	records, err := r.find(ctx, keys, 0)
	if err != nil {
		return err
	}
	if a.whole = true; more {
		if a.seqs, a.whole, err = r.gather(ctx, a.ranges, r.bounds.gather); err != nil {
			return err
		}
	}
	for i := range records {
		if records[i].Seq != 0 {
			a.seqs = append(a.seqs, records[i].Seq)
		}
	}
	return nil
}

// codesOf is a set of codes that may be values of a parameter.
type codesOf struct {
	param *definitions.SearchParam
	codes r4.Codes
}

// codes returns the set of codes that an alternative requests; is reports whether it requests one.
func (r *run) codes(ctx context.Context, m Modifier, a *Alternative) (codes r4.Codes, is bool, err error) {
	if a.Kind != definitions.Token {
		return nil, false, nil
	}
	switch m {
	case In, Below, Above, ECL:
		codes, err = r.env.Codes(ctx, m, a)
		return codes, true, err
	}
	return nil, false, nil
}

// codesAccess adds the tokens of sets: all tokens if they are few, otherwise those in use.
func (r *run) codesAccess(all *access, sets []codesOf) {
	few := 0
	for _, s := range sets {
		if n := s.codes.Len(); n > r.bounds.ranges-few || composes(s.codes) {
			few = r.bounds.ranges + 1
			break
		} else {
			few += n
		}
	}
	if few <= r.bounds.ranges {
		for _, s := range sets {
			all.ranges = append(all.ranges, r.tokens(s)...)
		}
		return
	}
	fixed := all.ranges
	all.ranges = nil
	all.lazy = func(ctx context.Context, r *run) ([]index.Range, error) {
		ranges := fixed
		for _, s := range sets {
			v := r.searcher.used.get(s.param.Number)
			if s.codes.Len() <= maxUnread && !composes(s.codes) && !v.known() {
				ranges = append(ranges, r.tokens(s)...)
				continue
			}
			if err := v.refresh(ctx, r, r.field(s.param)); err != nil {
				return nil, err
			}
			ranges = append(ranges, v.used(s.codes, r.field(s.param))...)
		}
		return ranges, nil
	}
}

// maxUnread is the number of codes that are looked up one by one if the tokens in use have not been
// read yet.
const maxUnread = 1_000

// tokens returns the ranges of all codes of a set.
func (r *run) tokens(s codesOf) []index.Range {
	var ranges []index.Range
	field := r.field(s.param)
	s.codes.Each(func(system, code string) bool {
		ranges = append(ranges, field.Token(system, code)...)
		return true
	})
	return ranges
}
