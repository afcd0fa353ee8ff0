package search

import (
	"math"
	"math/bits"
	"sort"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// anyTime adds the rows to met that have one time, if it matches one of the alternatives.
func (column *column) anyTime(alternatives []Alternative, rows, met bitmap) {
	for n := range alternatives {
		compared := comparisonOf(&alternatives[n])
		for i, word := range rows {
			matching := uint64(0)
			for ids := column.ids[64*i:]; word != 0; word &= word - 1 {
				k := bits.TrailingZeros64(word)
				if span := &column.spans[ids[k]]; span.Low < span.High && compared.holds(span) {
					matching |= 1 << k
				}
			}
			met[i] |= matching
		}
	}
}

// comparison is Span.Holds for one prefix and span, with little to decide for each value.
type comparison struct {
	*Alternative
	high, low   int64 // a value matches that ends after high or begins at low or after it
	under, upTo int64 // or that begins before under or ends at upTo or before it
	other       bool  // another prefix
}

func comparisonOf(a *Alternative) comparison {
	c := comparison{a, math.MaxInt64, math.MaxInt64, math.MinInt64, math.MinInt64, false}
	switch a.Prefix {
	case index.Greater:
		c.high = a.Time.High
	case index.GreaterEqual:
		c.high, c.low = a.Time.High, a.Time.Low
	case index.StartsAfter:
		c.low = a.Time.High
	case index.Less:
		c.under = a.Time.Low
	case index.LessEqual:
		c.under, c.upTo = a.Time.Low, a.Time.High
	case index.EndsBefore:
		c.upTo = a.Time.Low
	default:
		c.other = true
	}
	return c
}

func (c *comparison) holds(v *index.Span[int64]) bool {
	if c.other {
		return c.Time.Holds(c.Prefix, *v)
	}
	return v.High > c.high || v.Low >= c.low || v.Low < c.under || v.High <= c.upTo
}

// byTime returns the order in which the rows of a table are found that begin in a range of time, nil if the
// criterion is none of one time.
func (c *Criterion) byTime(once func(*definitions.SearchParam) bool) *orderKey {
	if len(c.Alternatives) != 1 || c.Modifier != Plain {
		return nil
	}
	p := c.Alternatives[0].Param
	if p.Kind != definitions.Date || ofRecord(p) || c.Alternatives[0].Prefix == index.NotEqual || !once(p) {
		return nil
	}
	return &orderKey{number: p.Number}
}

// between removes rows that begin outside of the range of time that the criteria leave, if it has few.
func (c *columnar) between(rows bitmap) {
	ranges := map[orderKey]index.Span[int64]{}
	for i := range c.criteria {
		key := c.criteria[i].byTime(c.run.searcher.extractor.Once)
		if key == nil || c.table.sort[*key] == nil || c.table.sort[*key].column.several {
			continue
		}
		r, known := ranges[*key]
		if !known {
			r = index.Span[int64]{Low: math.MinInt64, High: math.MaxInt64}
		}
		begins := c.criteria[i].Alternatives[0].begins(c.table.sort[*key].column.longest)
		ranges[*key] = index.Span[int64]{Low: max(r.Low, begins.Low), High: min(r.High, begins.High)}
	}
	for key, r := range ranges {
		o := c.table.sort[key]
		from, to := o.begin(r.Low), o.begin(r.High)
		if from < to && to-from >= len(c.table.seqs)/8 {
			continue
		}
		within := make(bitmap, len(rows))
		for i := from; i < to; i++ {
			within.set(o.perm[i])
		}
		rows.keep(within, true)
	}
}

// begin returns the place of the first row that begins at a time or after it.
func (o *ordering) begin(at int64) int {
	i := sort.Search(len(o.ids), func(i int) bool { return o.column.spans[o.ids[i]].Low >= at })
	if i == len(o.ids) {
		return len(o.perm)
	}
	return o.from(o.ranks[o.ids[i]])
}

// begins returns the range in which times begin that match, where none is longer than longest.
func (a *Alternative) begins(longest int64) index.Span[int64] {
	earlier := func(t int64) int64 { // t - longest
		if t < math.MinInt64+longest {
			return math.MinInt64
		}
		return t - longest
	}
	r := index.Span[int64]{Low: math.MinInt64, High: math.MaxInt64}
	switch s := a.Time; a.Prefix {
	case index.Equal:
		r.Low, r.High = s.Low, s.High
	case index.Greater:
		r.Low = earlier(s.High)
	case index.GreaterEqual:
		r.Low = min(s.Low, earlier(s.High))
	case index.StartsAfter:
		r.Low = s.High
	case index.Less, index.EndsBefore:
		r.High = s.Low
	case index.LessEqual:
		r.High = max(s.Low, s.High)
	case index.Approximately:
		r.Low, r.High = earlier(s.Low), s.High
	}
	return r
}
