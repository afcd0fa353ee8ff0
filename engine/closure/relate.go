package closure

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// members are codes of a code system, as concepts.
type members struct {
	set *roaring.Bitmap
	// spellings has the codes of a concept, ascending, if it is not just the code of the index: code
	// systems that ignore letter case have many spellings of a code.
	spellings map[codesystem.Ord][]string
}

func newMembers() members {
	return members{set: roaring.New(), spellings: map[codesystem.Ord][]string{}}
}

// add adds a code of a concept, which must be new.
func (m *members) add(x *codesystem.Index, o codesystem.Ord, code string) {
	if m.set.CheckedAdd(o) {
		if x.Code(o) != code {
			m.spellings[o] = []string{code}
		}
		return
	}
	list := append(slices.Clone(m.codes(x, o)), code)
	slices.Sort(list)
	m.spellings[o] = list
}

// codes returns the codes of a concept that is in the set.
func (m *members) codes(x *codesystem.Index, o codesystem.Ord) []string {
	if list := m.spellings[o]; list != nil {
		return list
	}
	return []string{x.Code(o)}
}

// checkEvery is the number of concepts between two checks of the context.
const checkEvery = 256

// relations collects the relations of an answer, by the code that is subsumed.
type relations struct {
	elements []Element
	at       map[string]int
	n, limit int
}

func (r *relations) add(code, target string, equal bool) {
	i, found := r.at[code]
	if !found {
		i = len(r.elements)
		r.at[code] = i
		r.elements = append(r.elements, Element{Code: code})
	}
	r.elements[i].Targets = append(r.elements[i].Targets, Target{Code: target, Equal: equal})
	r.n++
}

// relate returns the relations between fresh codes, and between fresh and old ones, in an order that
// depends on the code system only. A concept is related by walking its ancestors, and by intersecting
// its descendants with the old concepts.
func relate(ctx context.Context, x *codesystem.Index, old, fresh members, limit int) ([]Element, error) {
	r := relations{at: map[string]int{}, limit: limit}
	subsumptive := x.Subsumptive() && x.Hierarchical()
	for n, it := 0, fresh.set.Iterator(); it.HasNext(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o := it.Next()
		codes := fresh.codes(x, o)
		for i, code := range codes {
			if old.set.Contains(o) {
				for _, other := range old.codes(x, o) {
					r.add(code, other, true)
				}
			}
			for _, other := range codes[:i] {
				r.add(code, other, true)
			}
		}
		if !subsumptive {
			continue
		}
		for _, a := range x.Ancestors(o) {
			for _, m := range []*members{&old, &fresh} {
				if !m.set.Contains(a) {
					continue
				}
				for _, target := range m.codes(x, a) {
					for _, code := range codes {
						r.add(code, target, false)
					}
				}
			}
		}
		if !old.set.IsEmpty() && !x.Leaf(o) {
			for below := roaring.And(x.Descendants(o), old.set).Iterator(); below.HasNext(); {
				for _, code := range old.codes(x, below.Next()) {
					for _, target := range codes {
						r.add(code, target, false)
					}
				}
			}
		}
		if r.n > r.limit {
			return nil, fmt.Errorf("%w: the answer would have more than %d entries; add fewer codes at once, and replay from a later version", ErrTooLarge, limit)
		}
	}
	return r.elements, nil
}
