package search

import (
	"slices"

	"github.com/roget-health/roget/resources/definitions"
)

// needs is what a search needs of a table.
type needs struct {
	params []*definitions.SearchParam
	orders []orderKey
	exact  []uint32 // numbers of those whose codes, ids and URLs are looked up
}

func (n *needs) add(p *definitions.SearchParam) {
	if !slices.Contains(n.params, p) {
		n.params = append(n.params, p)
	}
}

func (n *needs) lookUp(number uint32) {
	if !slices.Contains(n.exact, number) {
		n.exact = append(n.exact, number)
	}
}

func (n *needs) count() int { return len(n.params) + len(n.orders) + len(n.exact) }

// merge adds what others need.
func (n *needs) merge(other *needs) {
	for _, p := range other.params {
		n.add(p)
	}
	for _, k := range other.orders {
		if !slices.Contains(n.orders, k) {
			n.orders = append(n.orders, k)
		}
	}
	for _, number := range other.exact {
		n.lookUp(number)
	}
}
