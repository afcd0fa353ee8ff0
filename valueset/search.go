package valueset

import (
	"cmp"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// found is a match of a search over the whole set.
type found struct {
	score codesystem.Score
	group int32 // -1: loose
	at    uint32
}

func compareFound(a, b found) int {
	// Loose codes follow all concepts of the same score.
	return cmp.Or(
		cmp.Compare(a.score, b.score),
		cmp.Compare(uint32(a.group), uint32(b.group)),
		cmp.Compare(a.at, b.at),
	)
}

// search lists the matches of a query, best first. If it forgives, matches as written are preferred
// to others.
func (s *Set) search(ctx context.Context, r PageRequest, visit func(*Entry) error) (total int, err error) {
	for q := range r.Query.Tries() {
		if total, err = s.searchOnce(ctx, r.with(q), visit); total > 0 || err != nil {
			break
		}
	}
	return total, err
}

// with returns the request with another query.
func (r PageRequest) with(q *codesystem.Query) PageRequest {
	r.Query = q
	return r
}

// supplements returns the supplements of the code system of a group.
func (r *PageRequest) supplements(g *group) []*codesystem.Index {
	if r.Supplements == nil {
		return nil
	}
	return r.Supplements(g.index)
}

// searchOnce lists the matches of a query. Labels of the value set are scored here, all other texts by
// the index, which never returns more than the page.
func (s *Set) searchOnce(ctx context.Context, r PageRequest, visit func(*Entry) error) (int, error) {
	want := s.total
	if r.Count >= 0 && r.Count < want-r.Offset {
		want = r.Offset + r.Count
	}
	if g := &s.groups; len(*g) == 1 && len(s.loose) == 0 && len((*g)[0].labels) == 0 && r.supplements(&(*g)[0]) == nil {
		g := &s.groups[0]
		hits, total := g.index.Search(r.Query, g.members, r.Offset, max(0, want-r.Offset), nil)
		l := lister{ctx: ctx, set: s, visit: visit}
		for _, h := range hits {
			if err := l.concept(g, h.Concept, 0); err != nil {
				return total, err
			}
		}
		return total, nil
	}
	all, total, err := s.candidates(ctx, &r, want)
	if err != nil {
		return total, err
	}
	l := lister{ctx: ctx, set: s, visit: visit}
	for i := r.Offset; i < min(want, len(all)); i++ {
		f := all[i]
		if f.group < 0 {
			err = l.loose(&s.loose[f.at])
		} else {
			err = l.concept(&s.groups[f.group], f.at, 0)
		}
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// matching returns the subset of s that matches a query.
func (s *Set) matching(ctx context.Context, r PageRequest) (*Set, error) {
	q, own := r.Query, s.listed(r.Query)
	hits := make(map[*codesystem.Index]*roaring.Bitmap, len(s.groups))
	for i := range s.groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g := &s.groups[i]
		matched := g.index.MatchingWith(r.supplements(g), q, g.members)
		for o, l := range g.labels {
			if _, ok := l.match(own, g.index.Code(o)); ok {
				matched.Add(o)
			}
		}
		hits[g.index] = matched
	}
	var a algebra
	for _, p := range s.parts() {
		if p.index == nil {
			p.keepLoose(func(c *looseCode) bool {
				_, ok := c.match(own, c.code)
				return ok
			})
		} else {
			p.restrict(roaring.And(p.members, hits[p.index]), fresh)
		}
		a.add(p)
	}
	return a.build(s.provenance), nil
}

// candidates returns sorted matches that include the best want ones, and the exact total.
func (s *Set) candidates(ctx context.Context, r *PageRequest, want int) (all []found, total int, err error) {
	listed := s.listed(r.Query)
	var hits []codesystem.Hit
	for i := range s.groups {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		g := &s.groups[i]
		own := g.hitsOnLabels(listed, r)
		within := g.members
		if own != nil {
			within = g.without(own)
		}
		var n int
		hits, n = g.search(r, within, want, hits[:0])
		total += n + len(own)
		for _, h := range hits {
			all = append(all, found{h.Score, int32(i), h.Concept})
		}
		for o, score := range own {
			all = append(all, found{score, int32(i), o})
		}
	}
	for i := range s.loose {
		c := &s.loose[i]
		if score, ok := c.match(listed, c.code); ok {
			all = append(all, found{score, -1, uint32(i)})
			total++
		}
	}
	slices.SortFunc(all, compareFound)
	return all, total, nil
}

// hitsOnLabels returns the members whose display or designation in the value set matches. The
// score is the better one of the label and the texts of the system.
func (g *group) hitsOnLabels(listed *codesystem.Query, r *PageRequest) map[codesystem.Ord]codesystem.Score {
	var own map[codesystem.Ord]codesystem.Score
	for o, l := range g.labels {
		if score, ok := l.match(listed, g.index.Code(o)); ok {
			if own == nil {
				own = map[codesystem.Ord]codesystem.Score{}
			}
			own[o] = score
		}
	}
	if own == nil {
		return nil
	}
	within := roaring.New()
	for o := range own {
		within.Add(o)
	}
	hits, _ := g.search(r, within, len(own), nil)
	for _, h := range hits {
		own[h.Concept] = min(own[h.Concept], h.Score)
	}
	return own
}

// search returns the best want hits of the code system and its supplements, and the exact total.
func (g *group) search(r *PageRequest, within *roaring.Bitmap, want int, dst []codesystem.Hit) ([]codesystem.Hit, int) {
	return g.index.SearchWith(r.supplements(g), r.Query, within, 0, want, dst)
}

// listed returns the query for the texts in the value set.
func (s *Set) listed(q *codesystem.Query) *codesystem.Query {
	return q.Among(func(yield func(string) bool) {
		for i := range s.groups {
			for _, l := range s.groups[i].labels {
				if !l.texts(yield) {
					return
				}
			}
		}
		for i := range s.loose {
			if !s.loose[i].texts(yield) {
				return
			}
		}
	})
}

// texts yields the texts in a label.
func (l *label) texts(yield func(string) bool) bool {
	for i := range l.designations {
		if !yield(l.designations[i].Value) {
			return false
		}
	}
	return yield(l.display)
}

// without returns the members of the group except the concepts in own.
func (g *group) without(own map[codesystem.Ord]codesystem.Score) *roaring.Bitmap {
	drop := roaring.New()
	for o := range own {
		drop.Add(o)
	}
	return roaring.AndNot(g.members, drop)
}

// match returns the best score of the texts in a label.
func (l *label) match(q *codesystem.Query, code string) (best codesystem.Score, ok bool) {
	if q == nil {
		return 0, false
	}
	best, ok = q.Match(code, l.display)
	for i := range l.designations {
		if score, hit := q.MatchDesignation(l.designations[i].Language, l.designations[i].Value); hit && (!ok || score < best) {
			best, ok = score, true
		}
	}
	return best, ok
}
