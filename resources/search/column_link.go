package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// maxLinks bounds the links of a table: clients may choose the types that references lead to.
const maxLinks = 16

// linkKey identifies a link: the parameter with the references, and the type that they lead to for a
// server with base URLs.
type linkKey struct {
	number   uint32
	to, base string
}

// links are those of the columns of a table.
type links struct {
	mu sync.Mutex
	of map[linkKey]*link
}

// get returns the link of a column to a table. Both tables must be locked.
func (l *links) get(column *column, to *table, bases []string) *link {
	key := linkKey{column.param.Number, to.typ, strings.Join(bases, " ")}
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.of[key]
	if found == nil || found.column != column || found.to != to || found.epoch != to.epoch {
		if l.of == nil || len(l.of) >= maxLinks {
			l.of = map[linkKey]*link{}
		}
		found = &link{column: column, to: to, epoch: to.epoch, bases: bases, ends: []uint32{0}}
		l.of[key] = found
	}
	return found
}

// size returns the memory of all links in bytes, about. No search may use the table.
func (l *links) size() (n int64) {
	for _, one := range l.of {
		n += int64(4*cap(one.ends) + 4*cap(one.rows) + 64*len(one.lost))
	}
	return n
}

// link has the rows of a type to which the references of a column lead.
type link struct {
	column *column
	to     *table
	epoch  int // of the table
	bases  []string

	mu   sync.Mutex
	ends []uint32 // by number of values, where its rows end
	rows []uint32 // live rows plus 1, 0 for what is not there
	lost map[[2]uint64][]uint32
	dead int // rows of the table that were dead
	seqs int // rows of the table
}

// extend brings a link up to the state of its tables, which must be locked. It looks at no more than
// limit other values, and reports whether that was enough.
func (l *link) extend(ctx context.Context, limit int) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil {
		l.lost = map[[2]uint64][]uint32{}
	}
	l.follow()
	for ; len(l.ends) < len(l.column.ends); limit-- {
		if limit == 0 {
			return false, nil
		}
		if len(l.ends)%checkEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		for value := range index.Decode(l.column.values(uint32(len(l.ends)))) {
			if value.Kind != index.Reference {
				continue
			}
			if key := value.KeyAt(l.bases); key.Type == l.to.typ && key.ID != "" {
				l.rows = append(l.rows, 0)
				l.put(uint32(len(l.rows)-1), l.to.hash(key.ID))
			}
		}
		l.ends = append(l.ends, uint32(len(l.rows)))
	}
	return true, nil
}

// put sets a row to that of an id.
func (l *link) put(at uint32, id [2]uint64) {
	if row, found := l.to.rows[id]; found {
		l.rows[at] = row + 1
		return
	}
	l.rows[at] = 0
	l.lost[id] = append(l.lost[id], at)
}

// follow replaces rows that have ceased to be, and finds what has appeared.
func (l *link) follow() {
	if deaths := l.to.dead[l.dead:]; len(deaths) > 0 {
		ids := make(map[uint32][2]uint64, len(deaths))
		for i := range deaths {
			ids[deaths[i].row] = deaths[i].id
		}
		for at, row := range l.rows {
			if row != 0 && !l.to.live.has(row-1) {
				l.put(uint32(at), ids[row-1])
			}
		}
	}
	if len(l.to.seqs) > l.seqs {
		for id, places := range l.lost {
			if row, found := l.to.rows[id]; found {
				for _, at := range places {
					l.rows[at] = row + 1
				}
				delete(l.lost, id)
			}
		}
	}
	l.dead, l.seqs = len(l.to.dead), len(l.to.seqs)
}

// of returns the rows to which the values with a number lead.
func (l *link) of(id uint32) []uint32 {
	if id == 0 {
		return nil
	}
	return l.rows[l.ends[id-1]:l.ends[id]]
}

// linkNeed is a link that a search needs.
type linkNeed struct {
	from, to *table
	param    *definitions.SearchParam
	link     *link
}

// link returns the link of a parameter.
func (c *columnar) link(from, to *table, p *definitions.SearchParam) *link {
	i := slices.IndexFunc(c.links, func(l linkNeed) bool { return l.from == from && l.to == to && l.param == p })
	return c.links[i].link
}

// follow brings the links up to the state of the tables, which must be locked. It returns errTried
// if that takes long, unless the search is thorough.
func (c *columnar) follow(ctx context.Context, thorough bool) error {
	limit := c.run.bounds.followed
	if thorough {
		limit *= 64
	}
	for i := range c.links {
		l := &c.links[i]
		l.link = l.from.links.get(l.from.cols[l.param.Number], l.to, c.run.query.Bases)
		if whole, err := l.link.extend(ctx, limit); !whole {
			return cmp.Or(err, errTried)
		}
	}
	return nil
}

// errDeleted is the internal result if a resource that was there in the searched state is deleted now.
var errDeleted = errors.New("deleted since")

// stand adds to a set, for the rows that replaced others since the searched state, those that they
// replaced, or with now the other way round.
func (c *columnar) stand(t *table, set bitmap, now bool) error {
	for _, d := range slices.Backward(t.dead) {
		if d.until <= c.run.at {
			break
		}
		if t.seqs[d.row] > c.run.at {
			continue
		}
		from, found := t.rows[d.id]
		to := d.row
		if !found {
			return errDeleted
		}
		if now {
			from, to = to, from
		}
		if set.has(from) {
			set.set(to)
		}
	}
	return nil
}

// meetChain adds the rows to met whose references lead to resources that meet the rest of a chain.
func (c *columnar) meetChain(ctx context.Context, t *table, chain *Chain, rows, met bitmap) error {
	column := t.cols[chain.Param.Number]
	for i := range chain.Targets {
		target := &chain.Targets[i]
		to := c.tables.get(target.Type)
		set := to.visible(c.run.at)
		if err := c.meet(ctx, to, &target.Criterion, set); err != nil {
			return err
		}
		if err := c.stand(to, set, true); err != nil {
			return err
		}
		l := c.link(t, to, chain.Param)
		for row := range rows.each {
			for _, at := range l.of(column.ids[row]) {
				if at != 0 && set.has(at-1) {
					met.set(row)
					break
				}
			}
		}
	}
	return nil
}

// meetHas adds the rows to met to which resources refer that meet the criterion of has.
func (c *columnar) meetHas(ctx context.Context, t *table, has *Has, met bitmap) error {
	from := c.tables.get(has.Type)
	set := from.visible(c.run.at)
	if err := c.meet(ctx, from, &has.Criterion, set); err != nil {
		return err
	}
	column := from.cols[has.Param.Number]
	l := c.link(from, t, has.Param)
	for row := range set.each {
		for _, at := range l.of(column.ids[row]) {
			if at != 0 {
				met.set(at - 1)
			}
		}
	}
	return c.stand(t, met, false)
}
