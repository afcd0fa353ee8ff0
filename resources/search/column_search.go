package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// maxLooked is the effort for that.
const maxLooked = 2048

// errTried is the internal result if more than bounds.tried values would have to be compared.
var errTried = errors.New("many values")

// columnar is a search of a type by columns.
type columnar struct {
	run   *run
	full  *run // reads everything
	hides bool // run may not
	of    *TypeQuery
	order *order
	// criteria are those of the type, and what the reader has of it.
	criteria []Criterion

	table  *table
	tables tables
	links  []linkNeed
	keys   []rowKey
	left   int // values that may still be compared
	asked  map[*Alternative]asked
	exact  map[*Alternative][]uint64 // see exactOf
}

// tableNeed is what a search needs of a table.
type tableNeed struct {
	*table
	need needs
}

// tables are those that a search needs, by type.
type tables []tableNeed

// maxTables is the number of types that may take part in a search by columns.
const maxTables = 16

func (t tables) get(typ string) *table {
	return t[slices.IndexFunc(t, func(n tableNeed) bool { return n.typ == typ })].table
}

// lock locks all tables for reading. All searches do so in the same order.
func (t tables) lock() {
	for i := range t {
		t[i].mu.RLock()
	}
}

func (t tables) unlock() {
	for i := range t {
		t[i].mu.RUnlock()
	}
}

// add adds a type, and returns what is needed of it.
func (c *columnar) add(typ string) (*table, *needs) {
	i := slices.IndexFunc(c.tables, func(n tableNeed) bool { return n.typ >= typ })
	if i < 0 {
		i = len(c.tables)
	}
	if i == len(c.tables) || c.tables[i].typ != typ {
		c.tables = slices.Insert(c.tables, i, tableNeed{table: c.run.searcher.columns.of(typ)})
	}
	return c.tables[i].table, &c.tables[i].need
}

// columnar returns the search of a type by columns, nil if the store's state is not committed, if it is
// not known which records its reader hides, or if more than the values of the type decide.
func (r *run) columnar(typ int, o *order) *columnar {
	of := &r.query.Types[typ]
	full := *r
	full.reader = index.Unrestricted(r.reader)
	_, committed := full.reader.(index.Counter)
	_, hides := r.reader.(interface{ Unrestricted() index.Reader })
	limit := &of.limit
	switch {
	case !committed, limit.None, len(of.Texts) > 0, r.searcher.limits.Columns < 0:
		return nil
	case hides && !limit.Exact, limit.Permitted != nil && r.at != r.reader.At(): // the present versions decide too
		return nil
	case hides && slices.ContainsFunc(of.Criteria, func(c Criterion) bool { return c.Follows() }): // to what may be hidden
		return nil
	case len(of.Criteria) == 0 && limit.Permitted == nil && len(o.keys) == 0: // every version is a match
		return nil
	case slices.ContainsFunc(of.Criteria, func(c Criterion) bool {
		return c.Param != nil && c.Param.Code == "_id" && c.Modifier == Plain && len(c.Alternatives) <= r.bounds.union
	}): // they are read at once
		return nil
	}
	c := &columnar{run: r, full: &full, hides: hides, of: of, order: o, criteria: slices.Clone(of.Criteria)}
	if limit.Permitted != nil {
		c.criteria = append(c.criteria, *limit.Permitted)
	}
	c.table, _ = c.add(of.Type)
	for i := range c.criteria {
		if !c.needs(of.Type, &c.criteria[i]) {
			return nil
		}
	}
	for i := range o.keys {
		k := &o.keys[i]
		key := rowKey{desc: k.Desc}
		if k.Code == "_lastUpdated" {
			key.updated = true
		} else {
			p := k.Params[typ]
			_, need := c.add(of.Type)
			need.add(p)
			key.of = orderKey{p.Number, k.Desc && !r.searcher.extractor.Once(p)}
			need.orders = append(need.orders, key.of)
		}
		c.keys = append(c.keys, key)
	}
	if len(c.keys) == 0 {
		c.keys = []rowKey{{updated: true, desc: !o.up}}
	}
	return c
}

// needs adds what a criterion on a type needs. It returns false if columns do not decide it.
func (c *columnar) needs(typ string, of *Criterion) bool {
	switch {
	case of.Chain != nil:
		for i := range of.Chain.Targets {
			t := &of.Chain.Targets[i]
			if !c.leads(typ, of.Chain.Param, t.Type) || !c.needs(t.Type, &t.Criterion) {
				return false
			}
		}
		return true
	case of.Has != nil:
		return c.leads(of.Has.Type, of.Has.Param, typ) && c.needs(of.Has.Type, &of.Has.Criterion)
	case of.Group != nil:
		return !slices.ContainsFunc(of.Group.Of, func(part Criterion) bool { return !c.needs(typ, &part) })
	}
	for i := range of.Alternatives {
		if p := of.Alternatives[i].Param; !ofRecord(p) {
			_, need := c.add(typ)
			need.add(p)
			if (i == 0 || of.Alternatives[i-1].Param != p) && c.exactOf(of, of.Alternatives[i:of.same(i)]) != nil {
				need.lookUp(p.Number)
			}
			if key := of.byTime(c.run.searcher.extractor.Once); key != nil && !slices.Contains(need.orders, *key) {
				need.orders = append(need.orders, *key)
			}
		}
	}
	return true
}

// leads adds a link. It returns false if canonicals may lead to the type, or if it is one too many.
func (c *columnar) leads(from string, p *definitions.SearchParam, to string) bool {
	if urlOf(c.run.searcher.tables, to) != nil {
		return false
	}
	target, _ := c.add(to)
	source, need := c.add(from)
	need.add(p)
	if !slices.ContainsFunc(c.links, func(l linkNeed) bool { return l.from == source && l.to == target && l.param == p }) {
		c.links = append(c.links, linkNeed{from: source, to: target, param: p})
	}
	return len(c.tables) <= maxTables
}

// page returns the first matches after a place, and how many there are besides. Without thorough it
// returns nil if the table has to be built or many values to be compared, with it only if the table
// cannot be built now.
func (c *columnar) page(ctx context.Context, thorough bool, behind *cursorPlace, wanted int) (*gathered, error) {
	if c == nil || slices.ContainsFunc(c.tables, func(t tableNeed) bool { return t.busy.Load() }) {
		return nil, nil
	}
	if err := cmp.Or(c.check(ctx), c.run.env.Ready(ctx, c.of.Criteria)); err != nil {
		return nil, err
	}
	if undecided := c.run.env.Ready(ctx, c.criteria[len(c.of.Criteria):]); undecided != nil {
		return nil, ctx.Err() // the reader says what cannot be decided
	}
	if c.left = c.run.bounds.tried; thorough {
		c.left = unbounded
	}
	if ready, err := c.prepare(ctx, thorough); !ready {
		return nil, err
	}
	rows, total, err := c.rows(ctx, thorough, behind, wanted)
	found := &gathered{left: total - len(rows)}
	for _, row := range rows {
		found.found = append(found.found, c.match(row))
	}
	c.tables.unlock()
	switch {
	case errors.Is(err, errTried), errors.Is(err, errDeleted):
		return nil, nil
	case err != nil:
		return nil, err
	case len(c.run.query.Include)+len(c.run.query.RevInclude) == 0 && !c.hides:
		return found, nil
	}
	seqs := make([]index.Seq, len(found.found))
	for i := range seqs {
		seqs[i] = found.found[i].rec.Seq
	}
	records, err := c.run.load(ctx, seqs, index.WithValues)
	for i := range records {
		if found.found[i].rec = records[i]; records[i].Seq == 0 { // the reader has the last word
			return nil, nil
		}
	}
	return found, err
}

// prepare locks the tables when they can answer. It reports whether that is so.
func (c *columnar) prepare(ctx context.Context, thorough bool) (bool, error) {
	for prepared := false; ; prepared = true {
		c.tables.lock()
		ready, give := true, false
		for i := range c.tables {
			t, need := c.tables[i].table, &c.tables[i].need
			if !t.has(need, true, c.run.at) {
				ready = false
				give = give || prepared || t.large || !thorough && !t.has(need, false, 0) || t.built && c.run.at < t.floor
			}
		}
		if ready {
			return true, nil
		}
		c.tables.unlock()
		if give {
			return false, nil
		}
		var patient *run
		if thorough {
			patient = c.run
		}
		for i := range c.tables {
			if err := c.tables[i].prepare(ctx, c.full, &c.tables[i].need, patient); err != nil {
				return false, err
			}
		}
	}
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
	i := slices.IndexFunc(c.tables, func(t tableNeed) bool { return t.typ == c.run.searcher.columns.forgotten })
	if i < 0 {
		return nil
	}
	t, first := c.tables[i].table, index.Seq(0)
	err := c.full.scan(ctx, index.TypeRange(t.typ), func(_ []byte, seq index.Seq) bool {
		first = seq
		return false
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil && t.first != first {
		t.reset()
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
			m.keys = append(m.keys, k.ordering.column.key(k.ordering.column.ids[row], c.order.keys[i].Desc))
		}
	}
	return m
}

// rows returns the first matching rows after a place, and how many match in all. The tables must
// be locked.
func (c *columnar) rows(ctx context.Context, thorough bool, behind *cursorPlace, wanted int) ([]uint32, int, error) {
	if err := c.follow(ctx, thorough); err != nil {
		return nil, 0, err
	}
	rows := c.table.visible(c.run.at)
	c.run.trace.note("columns of "+c.of.Type, rows.count())
	c.between(rows)
	criteria := slices.Clone(c.criteria)
	least, most := unbounded, 0
	for i := range criteria {
		values, _ := c.cost(c.table, &criteria[i])
		least, most = min(least, values), max(most, values)
	}
	if len(criteria) > 0 && least > c.left {
		return nil, 0, errTried
	}
	sort.SliceStable(criteria, func(i, j int) bool {
		a, times := c.cost(c.table, &criteria[i])
		b, others := c.cost(c.table, &criteria[j])
		return a+times < b+others
	})
	for i := range criteria {
		if i == 1 && len(c.table.seqs) > c.run.bounds.many && most > c.left && rows.count() > c.left {
			return nil, 0, errTried
		}
		if err := c.meet(ctx, c.table, &criteria[i], rows); err != nil {
			return nil, 0, err
		}
		if c.run.trace != nil {
			c.run.trace.note(criteria[i].Name, rows.count())
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
	c.run.trace.note("order", len(t.rows))
	return t.rows, n, nil
}
