package valueset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// large is a polyhierarchy of 350,000 concepts in the shape of a clinical terminology, built
// once: 1.8 parents per concept, fan-out with a long tail.
type large struct{ index *codesystem.Index }

func (l large) CodeSystem(context.Context, string, string) (*codesystem.Index, error) {
	return l.index, nil
}

func (l large) ValueSet(_ context.Context, canonical string, _ []string) (*Set, error) {
	return nil, fmt.Errorf("%w: %s", ErrUnknownValueSet, canonical)
}

var largeOnce = sync.OnceValues(func() (large, error) {
	const n = 350_000
	r := rand.New(rand.NewPCG(1, 2))
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://large", Version: "1"}})
	for i := range n {
		c := codesystem.Concept{Code: strconv.Itoa(100000 + i), Display: "Finding " + strconv.Itoa(i), Parent: -1}
		if i > 0 {
			for range 1 + r.IntN(2) + r.IntN(5)/4 {
				// Squaring prefers early concepts, so that some have very many children.
				p := int(float64(i) * r.Float64() * r.Float64())
				c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Code(strconv.Itoa(100000 + p))})
			}
		}
		c.Properties = append(c.Properties, codesystem.Property{Code: "site", Value: r4.Code("s" + strconv.Itoa(r.IntN(500)))})
		if r.IntN(50) == 0 {
			c.Properties = append(c.Properties, codesystem.Property{Code: "inactive", Value: r4.Boolean(true)})
		}
		if _, err := b.Add(&c); err != nil {
			return large{}, err
		}
	}
	x, err := b.Build(context.Background())
	return large{x}, err
})

func largeWorld(b *testing.B) large {
	b.Helper()
	l, err := largeOnce()
	if err != nil {
		b.Fatal(err)
	}
	return l
}

func (l large) isA(o int) *r4.ValueSet {
	return valueSet("http://vs", r4.Compose{Include: []r4.Include{{
		System: "http://large", Filter: []r4.Filter{{Property: "concept", Op: "is-a", Value: l.index.Code(codesystem.Ord(o))}},
	}}})
}

func drop(*Entry) error { return nil }

// A page of 10 of a random is-a, without a cache.
func BenchmarkCompileAndPageOfIsA(b *testing.B) {
	l := largeWorld(b)
	ctx := context.Background()
	sets := make([]*r4.ValueSet, 4096)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range sets {
		sets[i] = l.isA(r.IntN(l.index.Len()))
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i = (i + 1) % len(sets)
		s, err := Compile(ctx, l, sets[i], nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Page(ctx, PageRequest{Count: 10}, drop); err != nil {
			b.Fatal(err)
		}
	}
}

// The same for the concepts with the most descendants.
func BenchmarkCompileAndPageOfLargeIsA(b *testing.B) {
	l := largeWorld(b)
	ctx := context.Background()
	top := l.index.Children(0)
	sets := make([]*r4.ValueSet, min(len(top), 64))
	for i := range sets {
		sets[i] = l.isA(int(top[i]))
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i = (i + 1) % len(sets)
		s, err := Compile(ctx, l, sets[i], nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Page(ctx, PageRequest{Offset: s.Len() / 2, Count: 10}, drop); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPage(b *testing.B) {
	l := largeWorld(b)
	ctx := context.Background()
	set, err := Compile(ctx, l, l.isA(0), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		r    PageRequest
	}{
		{"first", PageRequest{Count: 10}},
		{"middle", PageRequest{Offset: 170_000, Count: 10}},
		{"active", PageRequest{ActiveOnly: true, Offset: 170_000, Count: 10}},
		{"nested", PageRequest{Nested: true, Offset: 170_000, Count: 10}},
		{"filter", PageRequest{Query: codesystem.CompileQuery("find 1234"), Count: 10}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := set.Page(ctx, c.r, drop); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkContains(b *testing.B) {
	l := largeWorld(b)
	set, err := Compile(context.Background(), l, l.isA(int(l.index.Children(0)[0])), nil)
	if err != nil {
		b.Fatal(err)
	}
	codes := make([]string, 1<<16)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range codes {
		codes[i] = l.index.Code(codesystem.Ord(r.IntN(l.index.Len())))
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i = (i + 1) & (len(codes) - 1)
		set.Contains("http://large", "1", codes[i])
	}
}

func BenchmarkCompileIsAAndProperty(b *testing.B) {
	l := largeWorld(b)
	vs := l.isA(int(l.index.Children(0)[0]))
	f := &vs.Compose.Include[0].Filter
	*f = append(*f, r4.Filter{Property: "site", Op: "=", Value: "s7"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(context.Background(), l, vs, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCacheHit(b *testing.B) {
	c := NewCache[string, int](DefaultCacheBytes)
	for i := range 1000 {
		c.Add("key "+strconv.Itoa(i), i, 100)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Get("key 500")
	}
}
