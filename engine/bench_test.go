package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// The benchmarks run on the CodeSystem file that ROGET_BENCH_CODESYSTEM names (the
// figures of docs/benchmarks.md: the generated system of 350,000 concepts), else on a
// smaller system made here.

// big is the system of the benchmarks, made once.
var big = sync.OnceValues(func() (*bigSystem, error) {
	var b bigSystem
	var err error
	if path := os.Getenv("ROGET_BENCH_CODESYSTEM"); path != "" {
		err = fhir.Load(context.Background(), path, fhir.Options{}, &b)
	} else {
		b.index, err = generate(50_000)
	}
	if err != nil {
		return nil, err
	}
	x := b.index
	b.url = x.URL()
	b.engine = engine.New()
	if err := b.engine.Publish(engine.CodeSystemEntry(x, "benchmark")); err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(1, 2))
	b.codes = make([]string, x.Len())
	for o := range b.codes {
		b.codes[o] = x.Code(codesystem.Ord(o))
	}
	r.Shuffle(len(b.codes), func(i, j int) { b.codes[i], b.codes[j] = b.codes[j], b.codes[i] })
	for o := range codesystem.Ord(x.Len()) {
		if x.Descendants(o).GetCardinality() > 500 {
			b.inner = append(b.inner, b.url+"?fhir_vs=isa/"+x.Code(o))
		}
	}
	r.Shuffle(len(b.inner), func(i, j int) { b.inner[i], b.inner[j] = b.inner[j], b.inner[i] })
	return &b, nil
})

type bigSystem struct {
	engine *engine.Engine
	index  *codesystem.Index
	url    string
	codes  []string
	inner  []string // is-a value sets of more than 500 codes
}

func (b *bigSystem) CodeSystem(x *codesystem.Index, _ fhir.Origin) error { b.index = x; return nil }

func (b *bigSystem) Document(string, *r4.Header, []byte, fhir.Origin) error { return nil }

// generate makes a hierarchy with several parents.
func generate(n int) (*codesystem.Index, error) {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{
		ResourceType: "CodeSystem", URL: "http://example.org/generated", Version: "1", Name: "Generated", Status: "active",
	}, Content: "complete"})
	r := rand.New(rand.NewPCG(3, 4))
	code := func(i int) string { return strconv.Itoa(100_000_000 + 7*i) }
	words := []string{"acute", "chronic", "disorder", "of", "left", "right", "heart", "lung", "renal", "finding", "structure", "open", "procedure"}
	for i := range n {
		c := codesystem.Concept{Code: code(i), Parent: -1}
		for range 3 + r.IntN(3) {
			c.Display += words[r.IntN(len(words))] + " "
		}
		c.Display += strconv.Itoa(i)
		seen := map[int]bool{}
		for range min(i, 1+r.IntN(3)) {
			// A parent far ahead in the list keeps the hierarchy shallow.
			if p := r.IntN(1 + i/8); !seen[p] {
				seen[p] = true
				c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Code(code(p))})
			}
		}
		if _, err := b.Add(&c); err != nil {
			return nil, err
		}
	}
	return b.Build(context.Background())
}

func benchSystem(b *testing.B) *bigSystem {
	b.Helper()
	s, err := big()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	return s
}

// BenchmarkMapLookup2 is what BenchmarkSubsumes is measured against: finding both codes
// in a plain map.
func BenchmarkMapLookup2(b *testing.B) {
	s := benchSystem(b)
	plain := make(map[string]uint32, len(s.codes))
	for o := range codesystem.Ord(s.index.Len()) {
		plain[s.index.Code(o)] = o
	}
	var sum uint32
	i := 0
	for b.Loop() {
		sum += plain[s.codes[i]] + plain[s.codes[len(s.codes)-1-i]]
		if i++; i == len(s.codes) {
			i = 0
		}
	}
	_ = sum
}

// BenchmarkSubsumesIndex is the call for loops: both codes found in the index, and related.
func BenchmarkSubsumesIndex(b *testing.B) {
	s := benchSystem(b)
	x, err := s.engine.System(s.url, "")
	if err != nil {
		b.Fatal(err)
	}
	n, i := 0, 0
	for b.Loop() {
		o, _ := x.Find(s.codes[i])
		p, _ := x.Find(s.codes[len(s.codes)-1-i])
		if engine.Relate(x, o, p) != engine.NotSubsumed {
			n++
		}
		if i++; i == len(s.codes) {
			i = 0
		}
	}
}

func BenchmarkSubsumes(b *testing.B) {
	s := benchSystem(b)
	ctx := context.Background()
	i := 0
	for b.Loop() {
		_, err := s.engine.Subsumes(ctx, &engine.SubsumesRequest{System: s.url, CodeA: s.codes[i], CodeB: s.codes[len(s.codes)-1-i]})
		if err != nil {
			b.Fatal(err)
		}
		if i++; i == len(s.codes) {
			i = 0
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	s := benchSystem(b)
	ctx := context.Background()
	buf := make([]byte, 0, 64<<10)
	i := 0
	for b.Loop() {
		r, err := s.engine.Lookup(ctx, &engine.LookupRequest{System: s.url, Code: s.codes[i]})
		if err != nil {
			b.Fatal(err)
		}
		buf = r.AppendJSON(buf[:0])
		if i++; i == len(s.codes) {
			i = 0
		}
	}
}

// BenchmarkValidateCode asks random codes of one is-a value set.
func BenchmarkValidateCode(b *testing.B) {
	s := benchSystem(b)
	ctx := context.Background()
	r := rand.New(rand.NewPCG(5, 6))
	vs := s.inner[0]
	set, err := s.engine.Expand(ctx, &engine.ExpandRequest{URL: vs, Count: ptr(10_000)})
	if err != nil {
		b.Fatal(err)
	}
	r.Shuffle(len(set.Entries), func(i, j int) { set.Entries[i], set.Entries[j] = set.Entries[j], set.Entries[i] })
	i := 0
	for b.Loop() {
		v, err := s.engine.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: vs, System: s.url, Code: set.Entries[i].Code})
		if err != nil || !v.Result {
			b.Fatal(v, err)
		}
		if i++; i == len(set.Entries) {
			i = 0
		}
	}
}

// BenchmarkMemberOf asks random codes, mostly not members, of many is-a value sets.
func BenchmarkMemberOf(b *testing.B) {
	s := benchSystem(b)
	ctx := context.Background()
	i := 0
	for b.Loop() {
		_, err := s.engine.MemberOf(ctx, &engine.MemberOfRequest{ValueSetURL: s.inner[i%len(s.inner)], System: s.url, Code: s.codes[i]})
		if err != nil {
			b.Fatal(err)
		}
		if i++; i == len(s.codes) {
			i = 0
		}
	}
}

// BenchmarkExpandIsA lists ten codes somewhere in a random is-a value set.
func BenchmarkExpandIsA(b *testing.B) {
	s := benchSystem(b)
	ctx := context.Background()
	i := 0
	for b.Loop() {
		_, err := s.engine.Expand(ctx, &engine.ExpandRequest{URL: s.inner[i%len(s.inner)], Offset: i % 400, Count: ptr(10)})
		if err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkExpandIsACold does so with a cache that keeps nothing.
func BenchmarkExpandIsACold(b *testing.B) {
	s := benchSystem(b)
	e := engine.New(engine.WithCacheBytes(0))
	publish(b, e, engine.CodeSystemEntry(s.index, "benchmark"))
	ctx := context.Background()
	i := 0
	for b.Loop() {
		_, err := e.Expand(ctx, &engine.ExpandRequest{URL: s.inner[i%len(s.inner)], Offset: i % 400, Count: ptr(10)})
		if err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkExpandFilter seeks ten hits of a text among all codes, as someone types: the
// beginnings of words of random displays.
func BenchmarkExpandFilter(b *testing.B) {
	s := benchSystem(b)
	ctx := context.Background()
	vs := s.url + "?fhir_vs"
	filters := make([]string, 1000)
	for i := range filters {
		o, _ := s.index.Find(s.codes[i])
		filters[i] = typed(s.index.Display(o), i)
	}
	took := make([]time.Duration, 0, 1<<16)
	i := 0
	for b.Loop() {
		begun := time.Now()
		_, err := s.engine.Expand(ctx, &engine.ExpandRequest{URL: vs, Filter: filters[i%len(filters)], Count: ptr(10)})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
		i++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns/op")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns/op")
}

// typed gives the beginnings of one, two or three words of a text.
func typed(text string, i int) string {
	var words []string
	for w := range splitWords(text) {
		words = append(words, w)
	}
	out := ""
	for n := range 1 + i%3 {
		w := words[(i+n)%len(words)]
		out += w[:min(len(w), 3+i%3)] + " "
	}
	return out
}

func splitWords(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		word := ""
		for _, r := range text + " " {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				word += string(r)
			} else if word != "" {
				if !yield(word) {
					return
				}
				word = ""
			}
		}
	}
}

func BenchmarkAppendExpansion(b *testing.B) {
	s := benchSystem(b)
	r, err := s.engine.Expand(context.Background(), &engine.ExpandRequest{URL: s.url + "?fhir_vs", Count: ptr(1000)})
	if err != nil {
		b.Fatal(err)
	}
	buf := r.AppendJSON(nil)
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		buf = r.AppendJSON(buf[:0])
	}
}

func BenchmarkPublish(b *testing.B) {
	s := benchSystem(b)
	entries := make([]*engine.Entry, 1000)
	for i := range entries {
		entries[i] = valueSet(fmt.Sprintf(`{"id":"vs%d","url":"http://example.org/vs/%d","status":"active"}`, i, i))
	}
	e := engine.New()
	publish(b, e, entries...)
	publish(b, e, engine.CodeSystemEntry(s.index, ""))
	for b.Loop() {
		publish(b, e, entries[0])
	}
}
