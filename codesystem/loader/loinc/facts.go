package loinc

import (
	"iter"
	"strings"
)

// facts is what is known about terms and parts before they are added: collected by code,
// a few words each, since a release has millions.
type facts struct {
	number  map[string]uint32 // of a code
	links   chain[link]
	names   chain[name]
	parents chain[string]
	words   map[string]string // what is said often, kept once
}

// link is a property that names a concept of LOINC, or says something in plain words.
type link struct {
	property, code, display string
}

// name is a designation.
type name struct {
	language, use, text string
}

func newFacts() facts { return facts{number: map[string]uint32{}, words: map[string]string{}} }

// of gives the number of a code.
func (f *facts) of(code string) uint32 {
	if n, ok := f.number[code]; ok {
		return n
	}
	n := uint32(len(f.number))
	f.number[strings.Clone(code)] = n
	return n
}

// word gives a text that does not hold on to the row it was read in.
func (f *facts) word(text string) string {
	if w, ok := f.words[text]; ok {
		return w
	}
	text = strings.Clone(text)
	f.words[text] = text
	return text
}

// link notes a property of a code, once.
func (f *facts) link(code string, l link) {
	n := f.of(code)
	for had := range f.links.of(n) {
		if had.property == l.property && had.code == l.code {
			return
		}
	}
	f.links.add(n, link{f.word(l.property), f.word(l.code), f.word(l.display)})
}

// name notes a designation of a code.
func (f *facts) name(code, language, use, text string) {
	if text != "" {
		f.names.add(f.of(code), name{language, use, strings.Clone(text)})
	}
}

// parent notes a concept above a code, once.
func (f *facts) parent(code, parent string) {
	n := f.of(code)
	for had := range f.parents.of(n) {
		if had == parent {
			return
		}
	}
	f.parents.add(n, f.word(parent))
}

// chain holds lists of items by the number of their owner, in the order of adding.
type chain[T any] struct {
	first, last []uint32 // place of an item and 1, 0 for none
	next        []uint32
	items       []T
}

func (c *chain[T]) add(owner uint32, item T) {
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

// of yields the items of an owner.
func (c *chain[T]) of(owner uint32) iter.Seq[T] {
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
