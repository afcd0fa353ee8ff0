package valueset

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// choice selects the codes of a set to list: those that the other side shares, or those that it
// lacks. n is their number.
type choice struct {
	against func(*pair) *folded
	shared  bool
	n       int
	first   int // lists no more than these; 0 lists all, or none if there are more than MaxComparedCodes
}

// of narrows concepts of the pair's index to the chosen ones.
func (c *choice) of(p *pair, members *roaring.Bitmap) *roaring.Bitmap {
	if c.shared {
		return roaring.And(members, c.against(p).members)
	}
	return roaring.AndNot(members, c.against(p).members)
}

// codes lists the chosen codes in the order of the set, each once.
func (s *Set) codes(policy VersionPolicy, pairs map[holdingKey]*pair, c choice) []string {
	if c.first == 0 && c.n <= MaxComparedCodes {
		c.first = c.n
	}
	if c.n == 0 || c.first == 0 {
		return nil
	}
	l := chosen{choice: c, seen: make(map[heldCode]bool, min(c.n, c.first))}
	for i := range s.runs {
		r := &s.runs[i]
		if r.group < 0 {
			for j := r.lo; j < r.hi; j++ {
				loose := &s.loose[j]
				k := keyOf(policy, loose.system, loose.version, nil)
				l.consider(k, pairs[k], loose.code)
			}
			continue
		}
		g := &s.groups[r.group]
		k := keyOf(policy, g.system, g.version, g.index)
		l.run(k, pairs[k], g, r)
	}
	return l.codes
}

// heldCode is a code of a code system, and of a version if versions are kept apart.
type heldCode struct {
	holdingKey
	code string
}

// chosen collects codes.
type chosen struct {
	choice
	codes []string
	seen  map[heldCode]bool
}

// run collects the chosen codes of a run of concepts.
func (l *chosen) run(k holdingKey, p *pair, g *group, r *run) {
	members := r.members
	if g.index == p.index {
		if members = l.of(p, members); r.list == nil {
			members.Iterate(func(o codesystem.Ord) bool { l.take(k, g.index.Code(o)); return true })
			return
		}
	}
	if r.list == nil {
		members.Iterate(func(o codesystem.Ord) bool { l.consider(k, p, g.index.Code(o)); return true })
		return
	}
	for _, o := range r.list {
		if members.Contains(o) {
			l.consider(k, p, g.index.Code(o))
		}
	}
}

// consider collects a code if it is chosen.
func (l *chosen) consider(k holdingKey, p *pair, code string) {
	if len(l.codes) < l.first && p.has(l.against(p), code) == l.shared {
		l.take(k, code)
	}
}

// take appends a code unless it is already listed.
func (l *chosen) take(k holdingKey, code string) {
	key := heldCode{k, code}
	if len(l.codes) < l.first && !l.seen[key] {
		l.seen[key] = true
		l.codes = append(l.codes, code)
	}
}
