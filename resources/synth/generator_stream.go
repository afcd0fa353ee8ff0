package synth

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Selection selects resources of a type by number, and the format to write them in.
type Selection struct {
	First, Count uint64 // the numbers from First up to First+Count, exclusive
	Form         Form   // Transactions puts all resources into one Bundle
	// References also writes the resources that the selected ones refer to, by reference or
	// canonical URL, each once and before the first resource that refers to it. It follows their
	// references too. References set by options are not followed.
	References bool
}

// chunkBytes is the size of chunks of one type. The last resource of a chunk may exceed it.
const chunkBytes = 32 << 10

// Each generates resources and calls fn with chunks of lines, in order. Chunk.Patient is not
// used. Each stops at the first error of fn or of ctx and returns it. It returns ErrOption before
// generating anything if the selection exceeds the largest number.
func (g *Generator) Each(ctx context.Context, s Selection, fn func(Chunk) error) error {
	if s.First+s.Count < s.First {
		return fmt.Errorf("%w: %d resources from number %d on exceed the largest number, 2 to the power of 64 minus 1", ErrOption, s.Count, s.First)
	}
	c := closure{framer: framer{form: s.Form}, byType: map[string]*seen{}}
	if s.References {
		c.byType[g.row.name] = &seen{generator: g}
	}
	c.out = c.start(nil)
	emitted := 0 // resources passed to fn
	emit := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := fn(Chunk{Bytes: c.out, Resources: c.count - emitted})
		c.out, emitted = c.out[:0], c.count
		return err
	}
	for i := range s.Count {
		c.add(g, s.First+i, 0)
		if len(c.out) >= chunkBytes {
			if err := emit(); err != nil {
				return err
			}
		}
	}
	c.out = c.end(c.out)
	return emit()
}

// A closure writes resources and, if requested, everything they refer to.
type closure struct {
	framer
	out    []byte
	drafts []*draft // by depth
	byType map[string]*seen
}

// seen is the set of numbers of a type that have been written, as bitmaps of 64 numbers.
type seen struct {
	generator *Generator
	bits      map[uint64]uint64
}

// markNew marks a number and reports whether it was new.
func (s *seen) markNew(n uint64) bool {
	if s.bits == nil {
		s.bits = map[uint64]uint64{}
	}
	was := s.bits[n/64]
	s.bits[n/64] = was | 1<<(n%64)
	return was&(1<<(n%64)) == 0
}

// add writes resource n of a type after everything it refers to, unless it has been written
// before.
func (c *closure) add(g *Generator, n uint64, depth int) {
	if of := c.byType[g.row.name]; of != nil && !of.markNew(n) {
		return
	}
	if depth == len(c.drafts) {
		c.drafts = append(c.drafts, &draft{writer: writer{follow: len(c.byType) > 0}})
	}
	d := c.drafts[depth]
	d.numbered(g, n, d.buf[:0])
	d.write(g.row)
	for _, ref := range d.refs {
		if of, number := c.find(g, ref); of != nil {
			c.add(of.generator, number, depth+1)
		}
	}
	ref := g.row.name + "/" + d.facts.id
	c.out = c.beforeResource(c.out, ref)
	c.out = append(c.out, d.buf...)
	c.out = c.afterResource(c.out, ref)
}

// find returns the type and number of a reference to a resource of this seed. It returns nil for
// other references and for references set by options.
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
	of := c.byType[typ]
	if of == nil {
		maker, err := New(typ, Options{Seed: g.seed})
		if err != nil {
			return nil, 0
		}
		of = &seen{generator: maker}
		c.byType[typ] = of
	}
	return of, n
}
