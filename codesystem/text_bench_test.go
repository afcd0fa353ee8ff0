package codesystem

import (
	"cmp"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

var textSystem struct {
	once sync.Once
	x    *Index
}

// benchText returns the system that the text benchmarks search: the CodeSystem (or
// snapshot) that benchFile names, or 350,000 concepts with made-up words.
func benchText(b *testing.B) *Index {
	textSystem.once.Do(func() {
		path := os.Getenv(benchFile)
		var err error
		switch {
		case path == "":
			textSystem.x = flat(b, largeConcepts(350_000))
		case strings.HasSuffix(path, ".gz"), strings.HasSuffix(path, ".json"):
			textSystem.x, err = readSource(openSource(b, path))
		default:
			textSystem.x, err = Open(path)
		}
		if err != nil {
			b.Fatal(err)
		}
	})
	if textSystem.x == nil {
		b.Skip("no system")
	}
	return textSystem.x
}

// benchWords draws words as people search: from displays, by how many have them.
func benchWords(x *Index) (ranked []string) {
	counts := map[string]int{}
	for o := 0; o < x.Len(); o += 7 {
		for _, w := range strings.Fields(string(appendNormal(nil, x.Display(uint32(o))))) {
			if len(w) >= 4 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" {
				counts[w]++
			}
		}
	}
	for w := range counts {
		ranked = append(ranked, w)
	}
	slices.SortFunc(ranked, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	return ranked
}

func benchSearch(b *testing.B, words func(ranked []string) []string) {
	x := benchText(b)
	var queries []*Query
	for _, w := range words(benchWords(x)) {
		queries = append(queries, CompileQuery(w))
	}
	hits := make([]Hit, 0, 10)
	times := make([]time.Duration, 0, b.N)
	for _, q := range queries {
		x.Search(q, nil, 0, 10, hits[:0])
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		found, _ := x.Search(queries[i%len(queries)], nil, 0, 10, hits[:0])
		times = append(times, time.Since(start))
		if len(found) == 0 {
			b.Fatal(queries[i%len(queries)].normal)
		}
	}
	b.StopTimer()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "p99-µs")
	b.ReportMetric(float64(times[len(times)-1].Nanoseconds())/1e3, "max-µs")
}

func BenchmarkSearchFrequent(b *testing.B) {
	benchSearch(b, func(ranked []string) []string { return ranked[:25] })
}

func BenchmarkSearchMedian(b *testing.B) {
	benchSearch(b, func(ranked []string) []string { return ranked[len(ranked)/3:][:60] })
}

func BenchmarkSearchPrefix(b *testing.B) {
	benchSearch(b, func(ranked []string) []string {
		var prefixes []string
		for _, w := range ranked[25:60] {
			prefixes = append(prefixes, w[:4])
		}
		return prefixes
	})
}

// BenchmarkSearchShort searches by one to three letters: the most words in one query.
func BenchmarkSearchShort(b *testing.B) {
	benchSearch(b, func(ranked []string) []string {
		var prefixes []string
		for _, w := range ranked[:40] {
			prefixes = append(prefixes, w[:1], w[:2], w[:3])
		}
		return prefixes
	})
}

func BenchmarkSearchTwoWords(b *testing.B) {
	benchSearch(b, func(ranked []string) []string {
		x := benchText(b)
		var pairs []string
		for o := 0; len(pairs) < 200; o += 997 {
			words := strings.Fields(string(appendNormal(nil, x.Display(uint32(o)))))
			if len(words) > 2 {
				pairs = append(pairs, words[1]+" "+words[len(words)-1])
			}
		}
		return pairs
	})
}

// BenchmarkSearchWithin searches frequent words in sets of some thousand concepts.
func BenchmarkSearchWithin(b *testing.B) {
	x := benchText(b)
	words := benchWords(x)
	var queries []*Query
	for _, w := range words[:60] {
		queries = append(queries, CompileQuery(w))
	}
	rnd := rand.New(rand.NewPCG(21, 22))
	for _, size := range []int{20, 500, 10_000, 100_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			var sets []*roaring.Bitmap
			for range 16 {
				set := roaring.New()
				for part := range 4 {
					from := uint64(rnd.IntN(x.Len() - size/4 + 1))
					set.AddRange(from, from+uint64(size/4+part))
				}
				set.RemoveRange(uint64(x.Len()), 1<<32)
				set.RunOptimize()
				sets = append(sets, set)
			}
			hits := make([]Hit, 0, 10)
			b.ReportAllocs()
			for i := range b.N {
				x.Search(queries[i%len(queries)], sets[i%len(sets)], 0, 10, hits[:0])
			}
		})
	}
}

// BenchmarkBuildText builds the text sections.
func BenchmarkBuildText(b *testing.B) {
	x := benchText(b)
	b.ReportAllocs()
	size := 0
	for range b.N {
		sections, err := buildText(b.Context(), x)
		if err != nil {
			b.Fatal(err)
		}
		size = 0
		for _, s := range sections {
			size += len(s.data)
		}
	}
	b.ReportMetric(float64(size)/1e6, "MB")
}
