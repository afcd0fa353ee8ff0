package search

import (
	"context"
	"math/bits"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// cost returns how many values are compared with a criterion, about, and in the same measure what
// comparing times takes.
func (c *columnar) cost(of *Criterion) (values, times int) {
	const timesOfValue = 32
	if of.Group != nil {
		for i := range of.Group.Of {
			v, t := c.cost(&of.Group.Of[i])
			values, times = values+v, times+t
		}
	}
	var last *definitions.SearchParam
	for i := range of.Alternatives {
		p := of.Alternatives[i].Param
		if col := c.table.cols[p.Number]; col == nil || col.dates && of.Modifier == Plain {
			times += len(c.table.seqs) / timesOfValue
		} else if p != last {
			values += len(col.ends)
		}
		last = p
	}
	return values, times
}

// meet removes the rows that do not meet a criterion.
func (c *columnar) meet(ctx context.Context, of *Criterion, rows bitmap) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	met := make(bitmap, len(rows))
	have := !of.Modifier.Negative()
	switch g := of.Group; {
	case g != nil && g.Any:
		for i := range g.Of {
			of := slices.Clone(rows)
			if err := c.meet(ctx, &g.Of[i], of); err != nil {
				return err
			}
			for i := range met {
				met[i] |= of[i]
			}
		}
		have = !g.Not
	case g != nil:
		copy(met, rows)
		for i := range g.Of {
			if err := c.meet(ctx, &g.Of[i], met); err != nil {
				return err
			}
		}
		have = !g.Not
	}
	for from := 0; from < len(of.Alternatives); {
		to := from + 1
		for to < len(of.Alternatives) && of.Alternatives[to].Param == of.Alternatives[from].Param {
			to++
		}
		if err := c.meetAny(ctx, of, of.Alternatives[from:to], rows, met); err != nil {
			return err
		}
		from = to
	}
	rows.keep(met, have)
	return nil
}

// meetAny adds the rows to met that match one of the alternatives, which have the same parameter. Each
// value is compared once.
func (c *columnar) meetAny(ctx context.Context, of *Criterion, alternatives []Alternative, rows, met bitmap) (err error) {
	if alternatives[0].Param.Code == "_lastUpdated" {
		for row := range rows.each {
			rec := index.Record{LastUpdated: c.table.seqs[row].Time()}
			for i := range alternatives {
				if alternatives[i].matchRecord(of.Modifier, &rec) {
					met.set(row)
				}
			}
		}
		return nil
	}
	column := c.table.cols[alternatives[0].Param.Number]
	if column.dates && of.Modifier == Plain && !slices.ContainsFunc(alternatives, func(a Alternative) bool { return a.Kind != definitions.Date }) {
		c.anyTime(column, alternatives, rows, met)
		if !column.several {
			return nil
		}
	}
	verdicts := make([]uint8, len(column.ends))
	const unknown, no, yes = 0, 2, 1
	decide := func(id uint32) (uint8, error) {
		if c.left--; c.left < 0 {
			return no, errTried
		}
		if c.left%checkEvery == 0 && ctx.Err() != nil {
			return no, ctx.Err()
		}
		for i := range alternatives {
			match, err := of.ofValues(ctx, &alternatives[i], column.values(id), c.run.env)
			if match || err != nil {
				return yes, err
			}
		}
		return no, nil
	}
	if len(verdicts) < rows.count() {
		for id := range verdicts {
			if verdicts[id], err = decide(uint32(id)); err != nil {
				return err
			}
		}
		for i, word := range rows {
			matching := uint64(0)
			for ids := column.ids[64*i:]; word != 0; word &= word - 1 {
				k := bits.TrailingZeros64(word)
				matching |= uint64(verdicts[ids[k]]&yes) << k
			}
			met[i] |= matching
		}
		return nil
	}
	for row := range rows.each {
		id := column.ids[row]
		if verdicts[id] == unknown {
			if verdicts[id], err = decide(id); err != nil {
				return err
			}
		}
		if verdicts[id] == yes {
			met.set(row)
		}
	}
	return nil
}

// anyTime adds the rows to met that have one time, if it matches one of the alternatives.
func (c *columnar) anyTime(column *column, alternatives []Alternative, rows, met bitmap) {
	for n := range alternatives {
		a := &alternatives[n]
		for i, word := range rows {
			matching := uint64(0)
			for ids := column.ids[64*i:]; word != 0; word &= word - 1 {
				k := bits.TrailingZeros64(word)
				if span := &column.spans[ids[k]]; span.Low < span.High && a.Time.Holds(a.Prefix, *span) {
					matching |= 1 << k
				}
			}
			met[i] |= matching
		}
	}
}
