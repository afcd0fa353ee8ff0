package valueset

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// MaxComparedCodes is the maximum length of the lists in the Comparison of two sets. Longer lists
// are omitted.
const MaxComparedCodes = 10_000

// Compare compares two compiled sets code by code. With codes set, and unless the sets are the
// same, it lists the common codes and those that only one set contains, each list in the order of
// its set. Where both sets use the same version of a code system, the cost is that of bitmap
// operations; otherwise each code is looked up. Errors are those of ctx.
func (s *Set) Compare(ctx context.Context, other *Set, policy VersionPolicy, codes bool) (Comparison, error) {
	pairs, n, err := s.pairs(ctx, other, policy)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Relation: n.relation()}
	if !codes || c.Relation == Same || c.Relation == Empty {
		return c, nil
	}
	c.Common = s.codes(policy, pairs, choice{against: otherSide, shared: true, n: n.common})
	c.Missing = s.codes(policy, pairs, choice{against: otherSide, n: n.this})
	c.Extra = other.codes(policy, pairs, choice{against: thisSide, n: n.other})
	return c, ctx.Err()
}

// A Difference is what one set has that another one lacks.
type Difference struct {
	Total int      // number of codes
	Codes []string // the first of them
}

// Changes returns which codes other lacks and which it adds, each with up to first codes in the order of
// its set. All versions of a code system count as one. Errors are those of ctx.
func (s *Set) Changes(ctx context.Context, other *Set, first int) (removed, added Difference, err error) {
	pairs, n, err := s.pairs(ctx, other, VersionNever)
	if err != nil {
		return removed, added, err
	}
	first = max(first, 1)
	removed = Difference{n.this, s.codes(VersionNever, pairs, choice{against: otherSide, n: n.this, first: first})}
	added = Difference{n.other, other.codes(VersionNever, pairs, choice{against: thisSide, n: n.other, first: first})}
	return removed, added, ctx.Err()
}

func thisSide(p *pair) *folded { return &p.this }

func otherSide(p *pair) *folded { return &p.other }

// pairs returns the codes of both sets by code system, and their numbers.
func (s *Set) pairs(ctx context.Context, other *Set, policy VersionPolicy) (map[holdingKey]*pair, counts, error) {
	a, b := s.holdings(policy), other.holdings(policy)
	pairs := make(map[holdingKey]*pair, len(a))
	for k, h := range a {
		p, err := newPair(ctx, h, b[k])
		if err != nil {
			return nil, counts{}, err
		}
		pairs[k] = p
	}
	for k, h := range b {
		if pairs[k] != nil {
			continue
		}
		p, err := newPair(ctx, nil, h)
		if err != nil {
			return nil, counts{}, err
		}
		pairs[k] = p
	}
	var n counts
	for _, p := range pairs {
		n.add(p.counts())
	}
	return pairs, n, nil
}

// counts are the numbers of codes that both sets contain, and that only one contains.
type counts struct{ common, this, other int }

func (n *counts) add(m counts) {
	n.common, n.this, n.other = n.common+m.common, n.this+m.this, n.other+m.other
}

func (n counts) relation() Relation {
	r, _ := evidence{truthOf(n.common > 0), truthOf(n.this > 0), truthOf(n.other > 0)}.relation()
	return r
}

// holdingKey identifies a code system. version is empty if all versions count as one.
type holdingKey struct{ system, version string }

func keyOf(policy VersionPolicy, system, version string, x *codesystem.Index) holdingKey {
	if policy.apart(x != nil && x.Header().VersionNeeded) {
		return holdingKey{system, version}
	}
	return holdingKey{system: system}
}

// holding is the codes of one code system in a set.
type holding struct {
	groups []*group
	loose  []string
}

func (s *Set) holdings(policy VersionPolicy) map[holdingKey]*holding {
	all := make(map[holdingKey]*holding, len(s.groups))
	at := func(k holdingKey) *holding {
		if all[k] == nil {
			all[k] = &holding{}
		}
		return all[k]
	}
	for i := range s.groups {
		g := &s.groups[i]
		h := at(keyOf(policy, g.system, g.version, g.index))
		h.groups = append(h.groups, g)
	}
	for i := range s.loose {
		c := &s.loose[i]
		h := at(keyOf(policy, c.system, c.version, nil))
		h.loose = append(h.loose, c.code)
	}
	return all
}

// pair is the codes of one code system in two sets, as concepts of one index and as plain codes
// that the index does not contain.
type pair struct {
	index       *codesystem.Index
	this, other folded
}

// folded is a holding expressed in terms of one index.
type folded struct {
	members    *roaring.Bitmap
	notInIndex map[string]bool
}

func newPair(ctx context.Context, this, other *holding) (*pair, error) {
	p := &pair{}
	for _, h := range []*holding{this, other} {
		if h != nil && p.index == nil && len(h.groups) > 0 {
			p.index = h.groups[0].index
		}
	}
	var err error
	if p.this, err = p.toIndex(ctx, this); err == nil {
		p.other, err = p.toIndex(ctx, other)
	}
	return p, err
}

// toIndex expresses a holding in terms of the pair's index.
func (p *pair) toIndex(ctx context.Context, h *holding) (folded, error) {
	f := folded{members: roaring.New()}
	if h == nil {
		return f, nil
	}
	if len(h.groups) == 1 && len(h.loose) == 0 && h.groups[0].index == p.index {
		f.members = h.groups[0].members
		return f, nil
	}
	add := func(code string) {
		if p.index != nil {
			if o, ok := p.index.Find(code); ok {
				f.members.Add(o)
				return
			}
		}
		if f.notInIndex == nil {
			f.notInIndex = map[string]bool{}
		}
		f.notInIndex[code] = true
	}
	for _, g := range h.groups {
		if g.index == p.index {
			f.members.Or(g.members)
			continue
		}
		n := 0
		g.members.Iterate(func(o uint32) bool {
			add(g.index.Code(o))
			n++
			return n%checkEvery != 0 || ctx.Err() == nil
		})
	}
	for _, code := range h.loose {
		add(code)
	}
	return f, ctx.Err()
}

func (p *pair) counts() counts {
	var n counts
	n.common = int(p.this.members.AndCardinality(p.other.members))
	n.this = int(p.this.members.GetCardinality()) - n.common + len(p.this.notInIndex)
	n.other = int(p.other.members.GetCardinality()) - n.common + len(p.other.notInIndex)
	for code := range p.this.notInIndex {
		if p.other.notInIndex[code] {
			n.common, n.this, n.other = n.common+1, n.this-1, n.other-1
		}
	}
	return n
}

// has reports whether one side of the pair contains a code.
func (p *pair) has(f *folded, code string) bool {
	if p.index != nil {
		if o, ok := p.index.Find(code); ok {
			return f.members.Contains(o)
		}
	}
	return f.notInIndex[code]
}
