package valueset

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// PageRequest selects a page of a Set.
type PageRequest struct {
	Query *codesystem.Query // nil or empty: in the order of the value set; otherwise best match first
	// Supplements returns the supplements of a code system whose texts are searched as well. Nil: none.
	Supplements   func(x *codesystem.Index) []*codesystem.Index
	ActiveOnly    bool
	Nested        bool // list entries in preorder with Depth; see Page for the effect of Query
	Offset, Count int  // Count < 0: no limit
}

// checkEvery is the number of entries listed between two checks of the context.
const checkEvery = 1024

// Page calls visit for each entry of the page and returns the exact total of the filtered set. It
// never materialises more than the page, except that a nested listing of a polyhierarchy orders
// the listed part of the set.
//
// Entries are in the order of the includes. Within an include that lists concepts they have the
// order of the list, otherwise they ascend by concept number, which is the preorder of the
// hierarchy. With a Query the best matches come first, except that nested listings of codes
// selected by filters keep their hierarchy; whole systems become flat. The entry passed to visit
// is reused. An error of visit stops the listing and is returned unchanged.
func (s *Set) Page(ctx context.Context, r PageRequest, visit func(*Entry) error) (total int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if r.ActiveOnly {
		s = s.Active()
	}
	r.Offset = max(r.Offset, 0)
	if r.Query != nil && !r.Query.Empty() {
		if !r.Nested || !s.filtered {
			return s.search(ctx, r, visit)
		}
		all := s
		for q := range r.Query.Tries() {
			if s, err = all.matching(ctx, r.with(q)); err != nil {
				return 0, err
			}
			if s.total > 0 {
				break
			}
		}
	}
	offset, count := r.Offset, r.Count
	if count < 0 || count > s.total {
		count = s.total
	}
	l := lister{ctx: ctx, set: s, visit: visit}
	for i := range s.runs {
		if count <= 0 {
			break
		}
		run := &s.runs[i]
		if offset >= run.n {
			offset -= run.n
			continue
		}
		n := min(count, run.n-offset)
		if err := l.run(run, offset, n, r.Nested); err != nil {
			return s.total, err
		}
		offset, count = 0, count-n
	}
	return s.total, nil
}

// lister passes entries to visit.
type lister struct {
	ctx   context.Context
	set   *Set
	visit func(*Entry) error
	entry Entry
	n     int
}

func (l *lister) run(r *run, offset, n int, nested bool) error {
	switch {
	case r.group < 0:
		for i := r.lo + offset; i < r.lo+offset+n; i++ {
			if err := l.loose(&l.set.loose[i]); err != nil {
				return err
			}
		}
		return nil
	case r.list != nil:
		for _, o := range r.list[offset : offset+n] {
			if err := l.concept(&l.set.groups[r.group], o, 0); err != nil {
				return err
			}
		}
		return nil
	case nested:
		return l.nested(r, offset, n)
	}
	return l.ascending(r, offset, n)
}

// ascending lists n members, starting at the one with rank offset.
func (l *lister) ascending(r *run, offset, n int) error {
	var it roaring.IntIterator
	it.Initialize(r.members)
	if offset > 0 {
		first, err := r.members.Select(uint32(offset))
		if err != nil {
			return err
		}
		it.AdvanceIfNeeded(first)
	}
	g := &l.set.groups[r.group]
	for ; n > 0 && it.HasNext(); n-- {
		if err := l.concept(g, it.Next(), 0); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) concept(g *group, o codesystem.Ord, depth int) error {
	if err := l.next(); err != nil {
		return err
	}
	g.fill(&l.entry, o)
	l.entry.Depth = depth
	return l.visit(&l.entry)
}

// fill sets the entry for a concept of a group.
func (g *group) fill(e *Entry, o codesystem.Ord) {
	x := g.index
	*e = Entry{
		Index: x, Concept: o, System: g.system, Version: g.version, Code: x.Code(o),
		Inactive: x.Inactive(o), Abstract: x.Abstract(o),
	}
	if l := g.labels[o]; l != nil {
		e.Display, e.label = l.display, l
	}
	if e.Display == "" {
		e.Display = x.Display(o)
	}
}

func (l *lister) loose(c *looseCode) error {
	if err := l.next(); err != nil {
		return err
	}
	c.fill(&l.entry)
	return l.visit(&l.entry)
}

// next counts an entry, and returns an error when the context has ended.
func (l *lister) next() error {
	l.n++
	if l.n%checkEvery == 0 {
		return l.ctx.Err()
	}
	return nil
}
