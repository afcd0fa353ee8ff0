package codesystem

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/r4"
)

// benchFile names, in the environment, a CodeSystem (JSON, gzip or not) to measure
// with instead of the largest synthetic one.
const benchFile = "ROGET_BENCH_CODESYSTEM"

// eachSize runs a benchmark on code systems of fixed sizes.
func eachSize(b *testing.B, run func(b *testing.B, x *Index)) {
	for _, n := range []int{1_000, 50_000, 350_000} {
		name := strconv.Itoa(n/1000) + "k"
		var x *Index
		b.Run(name, func(b *testing.B) {
			if x == nil {
				x = benchIndex(b, n)
			}
			b.ReportAllocs()
			b.ResetTimer()
			run(b, x)
		})
	}
}

func benchIndex(b *testing.B, n int) *Index {
	if path := os.Getenv(benchFile); path != "" && n == 350_000 {
		x, err := readSource(openSource(b, path))
		if err != nil {
			b.Fatal(err)
		}
		return x
	}
	x, err := syntheticBuilder(b, n).Build(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// syntheticBuilder fills a builder with a hierarchy of several parents: three quarters
// leaves, codes of 16 digits, two designations a concept.
func syntheticBuilder(tb testing.TB, n int) *Builder {
	rnd := rand.New(rand.NewPCG(42, 1))
	code := func(i int) string { return strconv.Itoa(1_000_000_000_000_000 + i*7_919) }
	b := NewBuilder(header("http://example.org/synthetic"))
	for i := range n {
		c := Concept{
			Code: code(i), Display: fmt.Sprint("Finding ", i, " of site ", i%977), Parent: -1,
			Designations: []r4.Designation{
				{Language: "en", Value: fmt.Sprint("Finding ", i)},
				{Language: "de", Value: fmt.Sprint("Befund ", i)},
			},
			Properties: []Property{{Code: "module", Value: r4.Code(code(i % 5))}},
		}
		if i > 0 {
			c.Properties = append(c.Properties, Property{Code: "parent", Value: r4.Code(code(rnd.IntN(i/4 + 1)))})
			for range rnd.IntN(2) {
				c.Properties = append(c.Properties, Property{Code: "parent", Value: r4.Code(code(rnd.IntN(i/8 + 1)))})
			}
		}
		if _, err := b.Add(&c); err != nil {
			tb.Fatal(err)
		}
	}
	return b
}

// randomCodes draws pairs of codes. Each is a separate string, as in a request.
func randomCodes(x *Index, count int) []string {
	rnd := rand.New(rand.NewPCG(1, 2))
	codes := make([]string, count)
	for i := range codes {
		codes[i] = string([]byte(x.Code(uint32(rnd.IntN(x.Len())))))
	}
	return codes
}

const benchCodes = 1 << 16

// subsumes is what an engine does for $subsumes: two codes, both directions.
func subsumes(x *Index, a, b string) bool {
	oa, ok := x.Find(a)
	ob, found := x.Find(b)
	return ok && found && (x.IsAncestor(oa, ob) || x.IsAncestor(ob, oa))
}

// BenchmarkSubsumes compares subsumption by code with looking up both codes in a map. The two
// alternate, so that other load on the machine affects both. The metric x-map is the ratio of their
// times.
func BenchmarkSubsumes(b *testing.B) {
	eachSize(b, func(b *testing.B, x *Index) {
		codes := randomCodes(x, benchCodes)
		plain := make(map[string]uint32, x.Len())
		for o, code := range x.Codes() {
			plain[string([]byte(code))] = o
		}
		const turn = 1024
		var inMap, inIndex time.Duration
		sum, yes := uint32(0), 0
		b.ResetTimer()
		for from := 0; from < b.N; from += turn {
			count := min(turn, b.N-from)
			start := time.Now()
			for i := from; i < from+count; i++ {
				sum += plain[codes[2*i%benchCodes]] + plain[codes[(2*i+1)%benchCodes]]
			}
			half := time.Now()
			// Other pairs than the map had, so that it does not warm the cache for us.
			for i := from + turn; i < from+turn+count; i++ {
				if subsumes(x, codes[2*i%benchCodes], codes[(2*i+1)%benchCodes]) {
					yes++
				}
			}
			inMap += half.Sub(start)
			inIndex += time.Since(half)
		}
		b.ReportMetric(float64(inIndex)/float64(b.N), "ns/op")
		b.ReportMetric(float64(inMap)/float64(b.N), "map-ns/op")
		b.ReportMetric(float64(inIndex)/float64(inMap), "x-map")
		runtime.KeepAlive(plain)
		runtime.KeepAlive(sum)
		runtime.KeepAlive(yes)
	})
}

func BenchmarkFind(b *testing.B) {
	eachSize(b, func(b *testing.B, x *Index) {
		codes := randomCodes(x, benchCodes)
		b.ResetTimer()
		for i := range b.N {
			if _, ok := x.Find(codes[i%benchCodes]); !ok {
				b.Fatal(codes[i%benchCodes])
			}
		}
	})
}

func BenchmarkIsAncestor(b *testing.B) {
	eachSize(b, func(b *testing.B, x *Index) {
		rnd := rand.New(rand.NewPCG(3, 4))
		ords := make([]Ord, benchCodes)
		for i := range ords {
			ords[i] = uint32(rnd.IntN(x.Len()))
		}
		b.ResetTimer()
		yes := 0
		for i := range b.N {
			if x.IsAncestor(ords[2*i%benchCodes], ords[(2*i+1)%benchCodes]) {
				yes++
			}
		}
		runtime.KeepAlive(yes)
	})
}

// BenchmarkDescendants opens the sets of random concepts that have descendants.
func BenchmarkDescendants(b *testing.B) {
	eachSize(b, func(b *testing.B, x *Index) {
		rnd := rand.New(rand.NewPCG(5, 6))
		var ords []Ord
		for len(ords) < 1024 {
			if o := uint32(rnd.IntN(x.Len())); !x.Leaf(o) {
				ords = append(ords, o)
			}
		}
		b.ResetTimer()
		for i := range b.N {
			if x.Descendants(ords[i%1024]).IsEmpty() {
				b.Fatal("no descendants")
			}
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1_000, 50_000, 350_000} {
		b.Run(strconv.Itoa(n/1000)+"k", func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for range b.N {
				b.StopTimer()
				builder := syntheticBuilder(b, n)
				b.StartTimer()
				x, err := builder.Build(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				size = len(x.Bytes())
			}
			b.ReportMetric(float64(size)/float64(n), "bytes/concept")
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	eachSize(b, func(b *testing.B, x *Index) {
		path := b.TempDir() + "/snapshot"
		if err := os.WriteFile(path, x.Bytes(), 0o600); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(x.Bytes())))
		b.ResetTimer()
		start := time.Now()
		for range b.N {
			if _, err := Open(path); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(time.Since(start).Microseconds())/float64(b.N), "µs/open")
	})
}
