package loader

import "iter"

// Chains holds a list of items for each of many owners, in the order in which they were added. It
// costs a few bytes an item and serves formats that describe a concept in several places. Owners
// are numbers from 0, without large gaps. The zero Chains is ready for use.
type Chains[T any] struct {
	first, last []uint32 // index of an item plus 1, 0 for none
	next        []uint32
	items       []T
}

// Add appends an item to the list of an owner.
func (c *Chains[T]) Add(owner uint32, item T) {
	for int(owner) >= len(c.first) {
		c.first, c.last = append(c.first, 0), append(c.last, 0)
	}
	c.items, c.next = append(c.items, item), append(c.next, 0)
	place := uint32(len(c.items))
	if last := c.last[owner]; last > 0 {
		c.next[last-1] = place
	} else {
		c.first[owner] = place
	}
	c.last[owner] = place
}

// Of yields the items of an owner.
func (c *Chains[T]) Of(owner uint32) iter.Seq[T] {
	return func(yield func(T) bool) {
		if int(owner) >= len(c.first) {
			return
		}
		for place := c.first[owner]; place > 0; place = c.next[place-1] {
			if !yield(c.items[place-1]) {
				return
			}
		}
	}
}

// Items returns the items of all owners in the order in which they were added. It must not be
// modified.
func (c *Chains[T]) Items() []T { return c.items }
