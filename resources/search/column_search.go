package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sort"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// maxTried is the number of different values that are compared with criteria before it is looked
// whether the index leads to few matches.
const maxTried = 1024

// many is a number of rows that are not compared with all criteria unless that helps.
const many = 1 << 16

// maxLooked is the effort for that.
const maxLooked = 2048

// errTried is returned inside this file if more than maxTried values would have to be compared.
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

// unless is a thorough page unless a plan leads to few candidates.
func (c *columnar) unless(ctx context.Context, p *plan, behind *cursorPlace, wanted int) (*gathered, error) {
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
		if err := c.any(ctx, of, of.Alternatives[from:to], rows, met); err != nil {
			return err
		}
		from = to
	}
	rows.keep(met, have)
	return nil
}

// any adds the rows to met that match one of the alternatives, which have the same parameter. Each
// value is compared once.
func (c *columnar) any(ctx context.Context, of *Criterion, alternatives []Alternative, rows, met bitmap) (err error) {
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

// rowKey is a sort key of rows, as a number: the rank, or the row itself for _lastUpdated.
type rowKey struct {
	of       orderKey
	updated  bool
	desc     bool
	table    *table
	ordering *ordering
	// place is the number at the place where a page begins, 0 if it lacks the key. Without exact it
	// is the first number after the place.
	place uint64
	exact bool
}

func (k *rowKey) rank(row uint32) uint64 {
	if k.updated {
		return uint64(row) + 1
	}
	return k.ordering.rank(row)
}

// from returns the number of rows whose rank is less.
func (k *rowKey) from(rank uint64) int {
	if k.updated {
		return int(min(rank-1, uint64(len(k.table.seqs))))
	}
	return k.ordering.from(rank)
}

// start finds the place of a key.
func (k *rowKey) start(key []byte) {
	k.place, k.exact = 0, true
	switch {
	case key == nil:
	case k.updated:
		seq := index.Seq(binary.BigEndian.Uint64(append(key, make([]byte, 8)...)))
		at, found := slices.BinarySearch(k.table.seqs, seq)
		k.place, k.exact = uint64(at)+1, found
	default:
		at, found := k.ordering.find(key)
		if k.place, k.exact = 1<<64-1, found; at < len(k.ordering.ids) {
			k.place = k.ordering.ranks[k.ordering.ids[at]]
		}
	}
}

// compare compares ranks, forward. Rows without one come last.
func (k *rowKey) compare(a, b uint64) int {
	switch {
	case a == b:
		return 0
	case a == 0:
		return 1
	case b == 0:
		return -1
	case k.desc:
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// top keeps the first n rows after a place.
type top struct {
	order  *order
	keys   []rowKey
	table  *table
	behind *cursorPlace
	n      int // 0 for all
	rows   []uint32
}

// compare compares rows in the requested order.
func (t *top) compare(a, b uint32) int {
	c := 0
	for i := 0; c == 0 && i < len(t.keys); i++ {
		k := &t.keys[i]
		c = k.compare(k.rank(a), k.rank(b))
	}
	return t.directed(c, cmp.Compare(a, b))
}

// directed returns the comparison of keys, or if they are equal that of the Seq, in the direction of
// the order.
func (t *top) directed(keys, seqs int) int {
	if keys == 0 {
		if keys = seqs; !t.order.up {
			keys = -seqs
		}
	}
	if t.order.back {
		return -keys
	}
	return keys
}

// after reports whether a row comes after the place.
func (t *top) after(row uint32) bool {
	c := 0
	for i := 0; c == 0 && i < len(t.keys); i++ {
		k := &t.keys[i]
		rank := k.rank(row)
		if k.exact || rank == 0 {
			c = k.compare(rank, k.place)
		} else if c = 1; (rank < k.place) != k.desc {
			c = -1
		}
	}
	return t.directed(c, cmp.Compare(t.table.seqs[row], t.behind.seq)) > 0
}

// add adds a row.
func (t *top) add(row uint32) {
	full := t.n > 0 && len(t.rows) == t.n
	if full && t.compare(row, t.rows[t.n-1]) > 0 || t.behind != nil && !t.after(row) {
		return
	}
	at := len(t.rows)
	if at > 0 && t.compare(row, t.rows[at-1]) < 0 {
		at = sort.Search(at, func(i int) bool { return t.compare(row, t.rows[i]) < 0 })
	}
	if full {
		t.rows = t.rows[:t.n-1]
	}
	t.rows = slices.Insert(t.rows, at, row)
}

// take adds the first of the matching rows, of which there are count.
func (t *top) take(matching bitmap, count int) {
	if t.n == 0 || count <= t.n || !t.keys[0].updated && count*count/8 < t.n*len(t.table.seqs) { // a walk would pass more rows
		for row := range matching.each {
			t.add(row)
		}
	} else {
		t.walk(matching)
	}
}

// walk adds the first of the matching rows in the order of the first key.
func (t *top) walk(matching bitmap) {
	k := &t.keys[0]
	lacking := func() {
		for row := range matching.each {
			if k.rank(row) == 0 {
				t.add(row)
			}
		}
	}
	from, to := 0, k.from(1<<64-1)
	switch placed := t.behind != nil; {
	case placed && k.place == 0 && !t.order.back:
		to = 0
	case t.order.back && (!placed || k.place == 0):
		lacking()
	case !placed:
	case k.desc == t.order.back:
		from = k.from(k.place)
	case k.exact:
		to = k.from(k.place + 1)
	default:
		to = k.from(k.place)
	}
	last := uint64(0)
	for i := from; i < to; i++ {
		at := i
		if k.desc != t.order.back {
			at = from + to - 1 - i
		}
		row := uint32(at)
		if !k.updated {
			row = k.ordering.perm[at]
		}
		if !matching.has(row) {
			continue
		}
		rank := k.rank(row)
		if len(t.rows) == t.n && (len(t.keys) == 1 || rank != last) {
			return
		}
		last = rank
		t.add(row)
	}
	if !t.order.back && len(t.rows) < t.n {
		lacking()
	}
}
