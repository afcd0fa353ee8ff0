package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/roget-health/roget/resources/index"
)

// maxTried is the number of different values that are compared with criteria before it is looked
// whether the index leads to few matches.
const maxTried = 1024

// many is a number of rows that are not compared with all criteria unless that helps.
const many = 1 << 16

// maxLooked is the effort for that.
const maxLooked = 2048

// errTried is the internal result if more than maxTried values would have to be compared.
var errTried = errors.New("many values")

// columnar is a search of a type by columns.
type columnar struct {
	run   *run
	of    *TypeQuery
	order *order
	table *table
	keys  []rowKey
	need  needs
	left  int // values that may still be compared
}

// columnar returns the search of a type by columns, nil if the store's state is not committed, if its
// reader hides records, or if more than the values of the type decide.
func (r *run) columnar(typ int, o *order) *columnar {
	of := &r.query.Types[typ]
	_, committed := r.reader.(index.Counter)
	_, hides := r.reader.(interface{ Unrestricted() index.Reader })
	switch {
	case !committed, hides, of.limit.None, of.limit.Criteria != nil, len(of.Texts) > 0, r.searcher.limits.Columns < 0:
		return nil
	case len(of.Criteria) == 0 && len(o.keys) == 0: // every version is a match
		return nil
	}
	c := &columnar{run: r, of: of, order: o}
	for i := range of.Criteria {
		if !c.need.criterion(&of.Criteria[i]) {
			return nil
		}
	}
	for i := range o.keys {
		k := &o.keys[i]
		key := rowKey{desc: k.Desc}
		switch k.Code {
		case "_id":
			return nil
		case "_lastUpdated":
			key.updated = true
		default:
			p := k.Params[typ]
			c.need.add(p)
			key.of = orderKey{p.Number, k.Desc && !r.searcher.extractor.Once(p)}
			c.need.orders = append(c.need.orders, key.of)
		}
		c.keys = append(c.keys, key)
	}
	if len(c.keys) == 0 {
		c.keys = []rowKey{{updated: true, desc: !o.up}}
	}
	c.table = r.searcher.columns.of(of.Type)
	return c
}

// criterion adds the parameters of a criterion. It returns false if others than their values decide.
func (n *needs) criterion(c *Criterion) bool {
	if c.Chain != nil || c.Has != nil || c.Group == nil && c.Follows() {
		return false
	}
	if c.Group != nil {
		for i := range c.Group.Of {
			if !n.criterion(&c.Group.Of[i]) {
				return false
			}
		}
	}
	for i := range c.Alternatives {
		switch p := c.Alternatives[i].Param; p.Code {
		case "_id":
			return false
		case "_lastUpdated":
		default:
			n.add(p)
		}
	}
	return true
}

// page returns the first matches after a place, and how many there are besides. Without thorough it
// returns nil if the table has to be built or many values to be compared, with it only if the table
// cannot be built now.
func (c *columnar) page(ctx context.Context, thorough bool, behind *cursorPlace, wanted int) (*gathered, error) {
	if c == nil || c.table.busy.Load() {
		return nil, nil
	}
	if err := cmp.Or(c.check(ctx), c.run.env.Ready(ctx, c.of.Criteria)); err != nil {
		return nil, err
	}
	if c.left = maxTried; thorough {
		c.left = unbounded
	}
	t := c.table
	for prepared := false; ; prepared = true {
		t.mu.RLock()
		if t.has(&c.need, true, c.run.at) {
			break
		}
		give := prepared || t.large || !thorough && !t.has(&c.need, false, 0) || t.built && c.run.at < t.floor
		t.mu.RUnlock()
		if give {
			return nil, nil
		}
		if err := t.prepare(ctx, c.run, &c.need); err != nil {
			return nil, err
		}
	}
	rows, total, err := c.rows(ctx, behind, wanted)
	found := &gathered{left: total - len(rows)}
	for _, row := range rows {
		found.found = append(found.found, c.match(row))
	}
	t.mu.RUnlock()
	switch {
	case errors.Is(err, errTried):
		return nil, nil
	case err != nil:
		return nil, err
	case len(c.run.query.Include)+len(c.run.query.RevInclude) == 0:
		return found, nil
	}
	seqs := make([]index.Seq, len(found.found))
	for i := range seqs {
		seqs[i] = found.found[i].rec.Seq
	}
	records, err := c.run.load(ctx, seqs, index.WithValues)
	for i := range records {
		found.found[i].rec = records[i]
	}
	return found, err
}

// pageUnlessFew is a thorough page unless a plan leads to few candidates.
func (c *columnar) pageUnlessFew(ctx context.Context, p *plan, behind *cursorPlace, wanted int) (*gathered, error) {
	if c == nil {
		return nil, nil
	}
	if _, known := p.size(); !known {
		if _, err := p.narrow(ctx, maxLooked); err != nil {
			return nil, err
		}
	}
	if n, known := p.size(); known && n <= p.run.bounds.probe {
		return nil, nil
	}
	return c.page(ctx, true, behind, wanted)
}

// check empties the table if the store has removed resources.
func (c *columnar) check(ctx context.Context) error {
	if c.table.typ != c.run.searcher.columns.forgotten {
		return nil
	}
	first := index.Seq(0)
	err := c.run.scan(ctx, index.TypeRange(c.table.typ), func(_ []byte, seq index.Seq) bool {
		first = seq
		return false
	})
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	if err == nil && c.table.first != first {
		c.table.reset()
		c.run.searcher.totals.clear()
	}
	return err
}

// match returns a row as a match, with its sort keys.
func (c *columnar) match(row uint32) match {
	seq := c.table.seqs[row]
	m := match{rec: index.Record{Type: c.of.Type, Seq: seq}}
	for i := range c.order.keys {
		k := &c.keys[i]
		if k.updated {
			m.keys = append(m.keys, seqKey(seq))
		} else {
			m.keys = append(m.keys, index.SortKeyOf(k.ordering.column.values(k.ordering.column.ids[row]), c.order.keys[i].Desc))
		}
	}
	return m
}

// rows returns the first matching rows after a place, and how many match in all. The table must be
// locked.
func (c *columnar) rows(ctx context.Context, behind *cursorPlace, wanted int) ([]uint32, int, error) {
	rows := c.table.visible(c.run.at)
	criteria := slices.Clone(c.of.Criteria)
	least, most := unbounded, 0
	for i := range criteria {
		values, _ := c.cost(&criteria[i])
		least, most = min(least, values), max(most, values)
	}
	if len(criteria) > 0 && (least > c.left || len(c.table.seqs) > many && most > c.left) {
		return nil, 0, errTried
	}
	sort.SliceStable(criteria, func(i, j int) bool {
		a, times := c.cost(&criteria[i])
		b, others := c.cost(&criteria[j])
		return a+times < b+others
	})
	for i := range criteria {
		if err := c.meet(ctx, &criteria[i], rows); err != nil {
			return nil, 0, err
		}
	}
	n := rows.count()
	t := top{order: c.order, keys: c.keys, table: c.table, n: wanted}
	for i := range t.keys {
		k := &t.keys[i]
		k.table, k.ordering = c.table, c.table.sort[k.of]
		if behind != nil && i < len(behind.keys) {
			k.start(behind.keys[i])
		} else if behind != nil {
			k.start(seqKey(behind.seq))
		}
	}
	t.behind = behind
	t.take(rows, n)
	return t.rows, n, nil
}
