package codesystem

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/resources/r4"
)

// clinicalIndex builds a system in which a third of the concepts have attributes, in two
// groups, that name concepts of another branch: some of them often, most of them seldom.
// The environment may name another system: see benchFile.
func clinicalIndex(b *testing.B, n int) *Index {
	if os.Getenv(benchFile) != "" {
		return benchIndex(b, 350_000)
	}
	rnd := rand.New(rand.NewPCG(42, 1))
	code := func(i int) string { return strconv.Itoa(1_000_000_000_000_000 + i*7_919) }
	builder := NewBuilder(header("http://example.org/clinical"))
	for i := range n {
		c := Concept{Code: code(i), Display: fmt.Sprint("Finding ", i), Parent: -1}
		if i > 2 {
			// Three branches below three roots: concept i is in branch i%3.
			up := i/12*3 + i%3
			c.Properties = append(c.Properties, Property{Code: "parent", Value: r4.Code(code(up))})
			if i%5 == 0 {
				c.Properties = append(c.Properties, Property{Code: "parent", Value: r4.Code(code(rnd.IntN(i/6+1)*3 + i%3))})
			}
		}
		if i%3 == 0 {
			for group := range 1 + rnd.IntN(2) {
				for prop, most := range []int{n / 3, n / 30, 50} {
					target := int(rnd.Float64()*rnd.Float64()*float64(most))*3 + 1
					c.Properties = append(c.Properties, Property{Code: fmt.Sprint("attribute-", prop), Value: r4.Code(code(target)), Group: group + 1})
				}
			}
		}
		if _, err := builder.Add(&c); err != nil {
			b.Fatal(err)
		}
	}
	return build(b, builder, nil)
}

// subtrees returns sets of targets of a property, each the concepts below one: the first
// found with as many entries as asked for, or nearly.
func subtrees(x *Index, prop int, sizes []int) map[string]*roaring.Bitmap {
	sets := map[string]*roaring.Bitmap{"all": x.All()}
	v := &x.props
	s := v.scratch.Get().(*targetScratch)
	for o := range uint32(x.Len()) {
		set := x.Descendants(o)
		if set.IsEmpty() {
			continue
		}
		v.match(s, v.entries[prop], v.entries[prop+1], set)
		count := 0
		for _, r := range s.runs {
			count += int(r.hi - r.lo)
		}
		for _, size := range sizes {
			name := strconv.Itoa(size)
			if sets[name] == nil && count >= size && count < size+size/2 {
				sets[name] = set.Clone()
			}
		}
	}
	return sets
}

// mostTargets returns the property with the most entries.
func mostTargets(x *Index) (prop int) {
	entries := func(prop int) uint32 { return x.props.entries[prop+1] - x.props.entries[prop] }
	for p := range x.props.names {
		if entries(p) > entries(prop) {
			prop = p
		}
	}
	return prop
}

func BenchmarkAttributes(b *testing.B) {
	x := clinicalIndex(b, 350_000)
	prop := mostTargets(x)
	holders, err := x.PropertyHolders(b.Context(), prop)
	if err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	within := roaring.New()
	for range 300 {
		within.Add(uint32(rnd.IntN(x.Len())))
	}
	ctx := context.Background()
	for name, targets := range subtrees(x, prop, []int{1, 10, 100, 1000, 5000}) {
		held, _ := x.HoldersOf(ctx, prop, targets)
		about := fmt.Sprintf("%s/%d-of-%d", name, held.GetCardinality(), holders.GetCardinality())
		b.Run("HoldersOf/"+about, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := x.HoldersOf(ctx, prop, targets); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("HoldersWithin/"+about, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := x.HoldersWithin(ctx, prop, targets, within); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("TargetsOf/"+about, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				x.TargetsOf(prop, held)
			}
		})
	}
	b.Run("TargetsOf/300", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			x.TargetsOf(prop, within)
		}
	})
	b.Run("Attributes", func(b *testing.B) {
		b.ReportAllocs()
		ords := holders.ToArray()
		sum := uint32(0)
		for i := range b.N {
			for a := range x.Attributes(ords[i%len(ords)]) {
				if o, ok := x.PairTarget(a.Pair); ok {
					sum += o
				}
			}
		}
	})
}
