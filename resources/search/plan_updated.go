package search

import (
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// updated keeps to the places that _lastUpdated can hold of, as the time is in the Seq.
func (w *within) updated(c *Criterion, up bool) {
	if c.Chain != nil || c.Has != nil || c.Modifier != Plain {
		return
	}
	low, high := index.Latest, index.Earliest
	for i := range c.Alternatives {
		a := &c.Alternatives[i]
		if a.Param.Code != "_lastUpdated" || a.Kind != definitions.Date {
			return
		}
		from, to := updatedBetween(a.Prefix, a.Time)
		low, high = min(low, from), max(high, to)
	}
	w.limit(seqOf(low), seqOf(high)-1, up)
}

// updatedBetween returns the milliseconds that compare with a time as a prefix says: from the
// first to before the second.
func updatedBetween(p index.Prefix, t index.Span[int64]) (from, to int64) {
	switch p {
	case index.Equal, index.Approximately:
		return t.Low, t.High
	case index.Greater, index.StartsAfter:
		return t.High, index.Latest
	case index.GreaterEqual:
		return t.Low, index.Latest
	case index.Less, index.EndsBefore:
		return index.Earliest, t.Low
	case index.LessEqual:
		return index.Earliest, t.High
	}
	return index.Earliest, index.Latest
}

// seqOf returns the first Seq of a millisecond, within those that there are.
func seqOf(ms int64) index.Seq {
	const shift, most = 20, 1 << 42
	return index.Seq(min(max(ms, 0), most)) << shift
}

// limit keeps to what is from first to last.
func (w *within) limit(first, last index.Seq, up bool) {
	if !up {
		first, last = last, first
	}
	w.first, w.last = max(w.first, placeOf(first, up)), min(w.last, placeOf(last, up))
}
