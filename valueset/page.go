package valueset

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// PageRequest asks for a page of a Set.
type PageRequest struct {
	Query         *codesystem.Query // nil or empty: in the order of the value set; else best first
	ActiveOnly    bool
	Nested        bool // entries come in preorder with Depth; see Page for a Query
	Offset, Count int  // Count < 0: no limit
}

// checkEvery is how many entries are listed between two looks at the context.
const checkEvery = 1024

// Page calls visit for each entry of the page and returns the exact total of the
// filtered set. It never materialises more than the page, except that a nested
// listing of a hierarchy with several parents orders the part of the set it lists.
//
// Order: that of the includes; in an include that lists concepts, the order of the
// list; else ascending by concept, which is preorder of the hierarchy. With a Query, best
// hits first, except that a nested listing of what filters select keeps its hierarchy;
// whole systems come out flat. The entry passed to visit is reused for the next one. An
// error of visit stops the listing and is returned as it is.
func (s *Set) Page(ctx context.Context, r PageRequest, visit func(*Entry) error) (total int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if r.ActiveOnly {
		s = s.activeSet()
	}
	if r.Offset < 0 {
		r.Offset = 0
	}
	if r.Query != nil && !r.Query.Empty() {
		if !r.Nested || !s.filtered {
			return s.search(ctx, r, visit)
		}
		if s, err = s.matching(ctx, r.Query); err != nil {
			return 0, err
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

// lister hands out entries.
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

// ascending lists n members from the one of rank offset on.
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
	g.fill(&l.entry, o)
	l.entry.Depth = depth
	return l.emit()
}

func (l *lister) loose(c *looseCode) error {
	c.fill(&l.entry)
	return l.emit()
}

func (l *lister) emit() error {
	l.n++
	if l.n%checkEvery == 0 {
		if err := l.ctx.Err(); err != nil {
			return err
		}
	}
	return l.visit(&l.entry)
}
