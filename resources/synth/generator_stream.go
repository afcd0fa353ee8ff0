package synth

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Selection says which resources of a type to make, and how to write them.
type Selection struct {
	First, Count uint64 // numbers First up to, not with, First+Count
	Form         Form   // Transactions is one Bundle of all of them
	// References adds what the resources refer to, by reference or by canonical, before the first
	// that does, and what that refers to, each once; but not what the options refer to.
	References bool
}

// chunkBytes is how large chunks of resources of one type are, but for the last resource.
const chunkBytes = 32 << 10

// Each makes resources and calls fn with chunks of their lines, in order; Chunk.Patient is
// not used. The error is that of ctx or of the first call of fn that had one; both end it.
// It is ErrOption, and nothing is made, when there are no numbers as high as the selection's.
func (g *Generator) Each(ctx context.Context, s Selection, fn func(Chunk) error) error {
	if s.First+s.Count < s.First {
		return fmt.Errorf("%w: there are no %d resources from number %d on: numbers end before 2 to the power of 64", ErrOption, s.Count, s.First)
	}
	c := closure{lines: lines{form: s.Form}, of: map[string]*seen{}}
	if s.References {
		c.of[g.row.name] = &seen{maker: g}
	}
	c.out = c.start(nil)
	told := 0 // resources handed on
	hand := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := fn(Chunk{Bytes: c.out, Resources: c.count - told})
		c.out, told = c.out[:0], c.count
		return err
	}
	for i := range s.Count {
		c.add(g, s.First+i, 0)
		if len(c.out) >= chunkBytes {
			if err := hand(); err != nil {
				return err
			}
		}
	}
	c.out = c.end(c.out)
	return hand()
}

// A closure writes resources and, when it has the types they refer to, what they refer to.
type closure struct {
	lines
	out    []byte
	drafts []*draft // by depth
	of     map[string]*seen
}

// seen is which resources of a type are written: a bit each, 64 by 64.
type seen struct {
	maker *Generator
	bits  map[uint64]uint64
}

// first reports whether a number is asked for the first time.
func (s *seen) first(n uint64) bool {
	if s.bits == nil {
		s.bits = map[uint64]uint64{}
	}
	was := s.bits[n/64]
	s.bits[n/64] = was | 1<<(n%64)
	return was&(1<<(n%64)) == 0
}

// add writes resource n of a type after what it refers to, unless it is written.
func (c *closure) add(g *Generator, n uint64, depth int) {
	if of := c.of[g.row.name]; of != nil && !of.first(n) {
		return
	}
	if depth == len(c.drafts) {
		c.drafts = append(c.drafts, &draft{writer: writer{follow: len(c.of) > 0}})
	}
	d := c.drafts[depth]
	d.numbered(g, n, d.buf[:0])
	d.write(g.row)
	for _, ref := range d.refs {
		if of, number := c.find(g, ref); of != nil {
			c.add(of.maker, number, depth+1)
		}
	}
	ref := g.row.name + "/" + d.facts.id
	c.out = c.before(c.out, ref)
	c.out = append(c.out, d.buf...)
	c.out = c.after(c.out, ref)
}

// find returns the type and number of a reference to what is made here; nil for others and for
// those that the options give.
func (c *closure) find(g *Generator, ref string) (*seen, uint64) {
	for r := range g.refs {
		if g.refs[r] == ref {
			return nil, 0
		}
	}
	typ, id, _ := strings.Cut(ref, "/")
	digits, ours := strings.CutPrefix(id, g.seedID+"-")
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ours || err != nil {
		return nil, 0
	}
	of := c.of[typ]
	if of == nil {
		maker, err := New(typ, Options{Seed: g.seed})
		if err != nil {
			return nil, 0
		}
		of = &seen{maker: maker}
		c.of[typ] = of
	}
	return of, n
}
