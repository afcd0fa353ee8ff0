package valueset

import (
	"cmp"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// selected returns the concepts of an index that pass all filters; without filters,
// all. inner is the element of the include that an error is about.
func selected(ctx context.Context, x *codesystem.Index, filters []r4.Filter) (p part, inner string, err error) {
	p.index = x
	if len(filters) == 0 {
		p.members = x.All()
		return p, "", nil
	}
	sets := make([]*roaring.Bitmap, len(filters))
	for i, f := range filters {
		if sets[i], err = passing(ctx, x, f); err != nil {
			return part{}, elementOf("filter", i, ""), &FilterError{x.URL(), x.Version(), f, err}
		}
	}
	if len(sets) == 1 {
		p.members, p.own = sets[0], ownerOf(x, sets[0])
		return p, "", nil
	}
	p.members, p.own = intersection(sets), fresh
	return p, "", nil
}

// passing returns the concepts that pass one filter.
func passing(ctx context.Context, x *codesystem.Index, f r4.Filter) (*roaring.Bitmap, error) {
	c, err := CompileFilter(x, f)
	if err != nil {
		return nil, err
	}
	return c.Set(ctx)
}

// ownerOf recognises the sets that belong to an index: the whole, and views of its
// snapshot, which share their containers until written to.
func ownerOf(x *codesystem.Index, set *roaring.Bitmap) ownership {
	if set == x.All() || set.GetCopyOnWrite() {
		return ofIndex
	}
	return shared
}

// intersection of at least two sets, smallest first. The result is a new bitmap.
func intersection(sets []*roaring.Bitmap) *roaring.Bitmap {
	slices.SortStableFunc(sets, func(a, b *roaring.Bitmap) int {
		return cmp.Compare(a.GetCardinality(), b.GetCardinality())
	})
	out := roaring.And(sets[0], sets[1])
	for _, s := range sets[2:] {
		if out.IsEmpty() {
			break
		}
		out.And(s)
	}
	return out
}

// intersect keeps what every one of the value sets has. Labels of the value sets
// stand in where the parts have none.
func intersect(parts []part, sets []*Set) []part {
	for _, s := range sets {
		for i := range parts {
			parts[i].intersect(s)
		}
		parts = slices.DeleteFunc(parts, func(p part) bool { return p.empty() })
	}
	return parts
}

func (p *part) intersect(s *Set) {
	if p.index == nil {
		p.keepLoose(func(c *looseCode) bool {
			var e Entry
			return s.find(&e, c.system, c.version, c.code)
		})
		return
	}
	g := s.groupOf(p.index)
	if g == nil {
		p.restrict(roaring.New(), fresh)
		return
	}
	members, labels := g.members, g.labels
	if g.index != p.index {
		moved := rebase(part{index: g.index, members: g.members, labels: g.labels}, p.index)
		members, labels = moved.members, moved.labels
	}
	switch {
	case members == p.members:
	case p.own == ofIndex && p.members == p.index.All() && p.list == nil:
		p.members, p.own = members, shared
	case members == p.index.All():
	default:
		p.restrict(roaring.And(p.members, members), fresh)
	}
	p.borrow(labels)
}

// borrow takes labels for members that have none.
func (p *part) borrow(labels map[codesystem.Ord]*label) {
	if len(labels) == 0 {
		return
	}
	all := make(map[codesystem.Ord]*label, len(p.labels)+len(labels))
	for o, l := range labels {
		all[o] = l
	}
	for o, l := range p.labels {
		all[o] = l
	}
	p.labels = all
}

// groupOf finds the group of the version of the system that x is of.
func (s *Set) groupOf(x *codesystem.Index) *group {
	for i := range s.groups {
		if s.groups[i].index == x {
			return &s.groups[i]
		}
	}
	for i := range s.groups {
		if g := &s.groups[i]; g.system == x.URL() && g.version == x.Version() {
			return g
		}
	}
	return nil
}
