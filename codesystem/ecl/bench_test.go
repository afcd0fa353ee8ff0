package ecl_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/ecl"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/codesystem/loader/rf2"
	"github.com/roget-health/roget/resources/r4"
)

// benchFile names, in the environment, a CodeSystem (JSON, gzip or not) or the folder
// of an RF2 release to measure with instead of a synthetic code system.
const benchFile = "ROGET_BENCH_CODESYSTEM"

// keeper keeps the code system of a load.
type keeper struct{ x *codesystem.Index }

func (k *keeper) CodeSystem(x *codesystem.Index, _ loader.Origin) error {
	k.x = x
	return nil
}

func (k *keeper) Document(string, *r4.Header, []byte, loader.Origin) error { return nil }

func benchIndex(b *testing.B) *codesystem.Index {
	path := os.Getenv(benchFile)
	if path == "" {
		return syntheticIndex(b)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	var k keeper
	if info.IsDir() {
		err = rf2.Load(context.Background(), []string{path}, rf2.Options{}, &k)
	} else {
		err = fhir.Load(context.Background(), path, fhir.Options{}, &k)
	}
	if err != nil || k.x == nil {
		b.Fatalf("%s: %v", path, err)
	}
	return k.x
}

// syntheticIndex has 350,000 concepts, a third of which have two attributes in a group.
func syntheticIndex(b *testing.B) *codesystem.Index {
	const n = 350_000
	builder := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/synthetic"}})
	code := func(i int) string { return fmt.Sprint(1_000_000 + i) }
	for i := range n {
		c := codesystem.Concept{Code: code(i), Display: fmt.Sprint("Finding ", i), Parent: (i - 1) / 8}
		if i == 0 {
			c.Parent = -1
		}
		if i > n/3 && i%3 == 0 {
			for k, to := range []int{i * 7919 % (n / 3), i * 104729 % (n / 3)} {
				c.Properties = append(c.Properties, codesystem.Property{Code: code(1 + k), Value: r4.Code(code(to)), Group: 1})
			}
		}
		if _, err := builder.Add(&c); err != nil {
			b.Fatal(err)
		}
	}
	x, err := builder.Build(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// benchParts returns the two attributes that occur together in most concepts, values above those of
// such a concept, and a root.
func benchParts(b *testing.B, x *codesystem.Index) (root string, names, values [2]string) {
	type pair [2]int
	count, example := map[pair]int{}, map[pair]codesystem.Ord{}
	for o := range uint32(x.Len()) {
		seen := map[int]bool{}
		for a := range x.Attributes(o) {
			_, concept := x.Find(x.PropertyCode(a.Property))
			if _, ok := x.PairTarget(a.Pair); !ok || !concept {
				continue
			}
			for p := range seen {
				if p < a.Property {
					count[pair{p, a.Property}]++
					example[pair{p, a.Property}] = o
				}
			}
			seen[a.Property] = true
		}
	}
	var best pair
	for p, n := range count {
		if n > count[best] || n == count[best] && p[0] < best[0] {
			best = p
		}
	}
	if count[best] == 0 {
		b.Fatal("no concept has two attributes")
	}
	o := example[best]
	for a := range x.Attributes(o) {
		for i, p := range best {
			if target, ok := x.PairTarget(a.Pair); ok && a.Property == p {
				if above := x.Ancestors(target); len(above) > 2 {
					target = above[2]
				}
				names[i], values[i] = x.PropertyCode(p), x.Code(target)
			}
		}
	}
	root = x.Code(o)
	if above := x.Ancestors(o); len(above) > 1 {
		root = x.Code(above[1])
	}
	return root, names, values
}

// BenchmarkEvaluate parses and compiles an expression, makes its set, and reads codes
// and displays of the first page.
func BenchmarkEvaluate(b *testing.B) {
	x := benchIndex(b)
	root, names, values := benchParts(b, x)
	wide := x.Code(x.Roots().Minimum())
	for _, c := range []struct{ name, text string }{
		{"hierarchy", "< " + root},
		{"two attributes", fmt.Sprintf("< %s : %s = << %s, %s = << %s", root, names[0], values[0], names[1], values[1])},
		{"two attributes below all", fmt.Sprintf("< %s : %s = << %s, %s = << %s", wide, names[0], values[0], names[1], values[1])},
		{"two attributes in a group", fmt.Sprintf("< %s : { %s = << %s, %s = << %s }", root, names[0], values[0], names[1], values[1])},
		{"two attributes in a group below all", fmt.Sprintf("< %s : { %s = << %s, %s = << %s }", wide, names[0], values[0], names[1], values[1])},
		{"none of an attribute", fmt.Sprintf("< %s : [0..0] %s = << %s", root, names[0], values[0])},
		{"dotted", fmt.Sprintf("< %s . %s", root, names[0])},
		{"reverse", fmt.Sprintf("* : R %s = << %s", names[0], root)},
		{"term", fmt.Sprintf(`< %s {{ term = "a" }}`, root)},
		{"history", fmt.Sprintf("<< %s {{ + HISTORY-MAX }}", root)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			bytes, size := 0, uint64(0)
			for b.Loop() {
				e, err := ecl.Parse(c.text)
				if err != nil {
					b.Fatal(err)
				}
				set, err := ecl.Evaluate(context.Background(), x, e)
				if err != nil {
					b.Fatal(err)
				}
				size = set.GetCardinality()
				page := set.Iterator()
				for i := 0; i < 100 && page.HasNext(); i++ {
					o := page.Next()
					bytes += len(x.Code(o)) + len(x.Display(o))
				}
			}
			b.ReportMetric(float64(size), "concepts")
		})
	}
}
