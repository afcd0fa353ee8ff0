package search

import (
	"context"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// cost returns how many values are compared with a criterion, about, and in the same measure what
// comparing times takes.
func (c *columnar) cost(t *table, of *Criterion) (values, times int) {
	const timesOfValue = 32
	add := func(t *table, of *Criterion) {
		v, n := c.cost(t, of)
		values, times = values+v, times+n
	}
	switch {
	case of.Group != nil:
		for i := range of.Group.Of {
			add(t, &of.Group.Of[i])
		}
	case of.Chain != nil:
		for i := range of.Chain.Targets {
			add(c.tables.get(of.Chain.Targets[i].Type), &of.Chain.Targets[i].Criterion)
		}
		times += len(t.seqs) / timesOfValue
	case of.Has != nil:
		from := c.tables.get(of.Has.Type)
		add(from, &of.Has.Criterion)
		times += len(from.seqs) / timesOfValue
	}
	for from, to := 0, 0; from < len(of.Alternatives); from = to {
		to = of.same(from)
		p := of.Alternatives[from].Param
		switch col := t.cols[p.Number]; {
		case p.Code == "_id":
		case p.Code == "_lastUpdated" || col.dates && of.Modifier == Plain:
			times += (to - from) * len(t.seqs) / timesOfValue
		default:
			if e, numbers := c.exactly(t, of, of.Alternatives[from:to]); e != nil {
				values += len(numbers)
				continue
			}
			values += min(len(col.ends), len(col.ids)-t.known.get(c.askedOf(t, of, of.Alternatives[from:to])).rows)
		}
	}
	return values, times
}

// same returns the end of the alternatives from one on that have the same parameter.
func (c *Criterion) same(from int) int {
	to := from + 1
	for to < len(c.Alternatives) && c.Alternatives[to].Param == c.Alternatives[from].Param {
		to++
	}
	return to
}

// meet removes the rows of a table that do not meet a criterion.
func (c *columnar) meet(ctx context.Context, t *table, of *Criterion, rows bitmap) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	met := make(bitmap, len(rows))
	have := !of.Modifier.Negative()
	switch g := of.Group; {
	case of.Chain != nil:
		if err := c.meetChain(ctx, t, of.Chain, rows, met); err != nil {
			return err
		}
	case of.Has != nil:
		if err := c.meetHas(ctx, t, of.Has, met); err != nil {
			return err
		}
	case g != nil && g.Any:
		for i := range g.Of {
			of := slices.Clone(rows)
			if err := c.meet(ctx, t, &g.Of[i], of); err != nil {
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
			if err := c.meet(ctx, t, &g.Of[i], met); err != nil {
				return err
			}
		}
		have = !g.Not
	}
	for from, to := 0, 0; from < len(of.Alternatives); from = to {
		to = of.same(from)
		if err := c.meetAny(ctx, t, of, of.Alternatives[from:to], rows, met); err != nil {
			return err
		}
	}
	rows.keep(met, have)
	return nil
}

// meetAny adds the rows to met that match one of the alternatives, which have the same parameter. Each
// value is compared once.
func (c *columnar) meetAny(ctx context.Context, t *table, of *Criterion, alternatives []Alternative, rows, met bitmap) (err error) {
	switch alternatives[0].Param.Code {
	case "_id":
		return c.anyID(t, of.Modifier, alternatives, rows, met)
	case "_lastUpdated":
		for row := range rows.each {
			rec := index.Record{LastUpdated: t.seqs[row].Time()}
			for i := range alternatives {
				if alternatives[i].matchRecord(of.Modifier, &rec) {
					met.set(row)
				}
			}
		}
		return nil
	}
	column := t.cols[alternatives[0].Param.Number]
	if column.dates && of.Modifier == Plain && !slices.ContainsFunc(alternatives, func(a Alternative) bool { return a.Kind != definitions.Date }) {
		column.anyTime(alternatives, rows, met)
		if !column.several {
			return nil
		}
	}
	inSets, err := c.inSets(ctx, column, of, alternatives)
	if err != nil {
		return err
	}
	decide := func(id uint32) (bool, error) {
		if inSets != nil {
			if match, known := inSets(id); known {
				return match, nil
			}
		}
		if c.left--; c.left < 0 {
			return false, errTried
		}
		if c.left%checkEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		for i := range alternatives {
			match, err := of.ofValues(ctx, &alternatives[i], column.values(id), c.run.env)
			if match || err != nil {
				return true, err
			}
		}
		return false, nil
	}
	e, numbers := c.exactly(t, of, alternatives)
	if e != nil {
		left := c.left
		whole, err := e.rows(numbers, c.run.bounds.exact, decide, func(row uint32) {
			if rows.has(row) {
				met.set(row)
			}
		})
		if whole || err != nil {
			return err
		}
		c.left = left
	}
	key := c.askedOf(t, of, alternatives)
	known := t.known.get(key)
	if e != nil && key != (asked{}) && known.rows == 0 { // many rows, which are found without comparing all values
		known = answer{yes: make(bitmap, (len(column.ids)+63)/64), rows: len(column.ids)}
		if _, err := e.rows(numbers, unbounded, decide, known.yes.set); err != nil {
			return err
		}
		t.known.put(key, known)
	} else if n := rows.count(); key == (asked{}) || known.rows == 0 && (n < len(column.ends)/2 || n < c.run.bounds.many && 8*n < len(column.ids)) {
		return column.among(rows, n, decide, met)
	} else if known.rows < len(column.ids) {
		known, err = known.extend(column, decide)
		if err == nil {
			t.known.put(key, known)
		}
	}
	if err != nil {
		return err
	}
	for i := range met {
		met[i] |= known.yes[i] & rows[i]
	}
	return nil
}

// anyID adds the rows to met that have one of the ids.
func (c *columnar) anyID(t *table, m Modifier, alternatives []Alternative, rows, met bitmap) error {
	for i := range alternatives {
		a := &alternatives[i]
		switch {
		case !a.matchRecord(m, &index.Record{ID: a.Token.Code}):
		case m == Missing || a.Token.AnyCode:
			copy(met, rows)
		default:
			if row, found := t.rows[t.hash(a.Token.Code)]; found {
				met.set(row)
			}
		}
	}
	return c.stand(t, met, false)
}
