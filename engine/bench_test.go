package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
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
	for i, code := range b.codes {
		b.codes[i] = strings.Clone(code) // as a request brings it, not the index's own bytes
	}
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

// BenchmarkSubsumes relates random codes: through the engine (ns/op) and through the
// index, the call for loops (index-ns), against finding both codes in a plain map
// (map-ns). The three take turns, so that whatever else the machine
// does weighs on all: x-map and index-x-map are their ratios to the map.
func BenchmarkSubsumes(b *testing.B) {
	s := benchSystem(b)
	ctx := context.Background()
	x, err := s.engine.System(s.url, "")
	if err != nil {
		b.Fatal(err)
	}
	plain := make(map[string]uint32, len(s.codes))
	for o := range codesystem.Ord(x.Len()) {
		plain[strings.Clone(s.index.Code(o))] = o
	}
	const turn = 1024
	var inMap, inIndex, inEngine time.Duration
	var found uint32
	related, from, asked := 0, 0, 0
	third := len(s.codes) / 3
	for b.Loop() {
		if asked%turn != 0 { // b.Loop counts one question; a turn answers many
			asked++
			continue
		}
		asked++
		from = (from + 2*turn) % (third - 2*turn)
		// Each asks codes of its own, so that none finds what another has just fetched.
		at := func(k, i int) (a, c string) { return s.codes[k*third+from+i], s.codes[k*third+from+turn+i] }
		begun := time.Now()
		for i := range turn {
			a, c := at(0, i)
			found += plain[a] + plain[c]
		}
		mapped := time.Now()
		for i := range turn {
			a, c := at(1, i)
			o, _ := x.Find(a)
			p, _ := x.Find(c)
			if engine.Relate(x, o, p) != engine.NotSubsumed {
				related++
			}
		}
		indexed := time.Now()
		for i := range turn {
			a, c := at(2, i)
			r, err := s.engine.Subsumes(ctx, &engine.SubsumesRequest{System: s.url, CodeA: a, CodeB: c})
			if err != nil {
				b.Fatal(err)
			}
			if r.Outcome != engine.NotSubsumed {
				related++
			}
		}
		done := time.Now()
		inMap += mapped.Sub(begun)
		inIndex += indexed.Sub(mapped)
		inEngine += done.Sub(indexed)
	}
	turns := float64((asked + turn - 1) / turn * turn)
	b.ReportMetric(float64(inEngine.Nanoseconds())/turns, "ns/op")
	b.ReportMetric(float64(inIndex.Nanoseconds())/turns, "index-ns")
	b.ReportMetric(float64(inMap.Nanoseconds())/turns, "map-ns")
	b.ReportMetric(float64(inEngine)/float64(inMap), "x-map")
	b.ReportMetric(float64(inIndex)/float64(inMap), "index-x-map")
	_, _ = found, related
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
		_, err := s.engine.Expand(ctx, &engine.ExpandRequest{URL: s.inner[i%len(s.inner)], Offset: ptr(i % 400), Count: ptr(10)})
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
		_, err := e.Expand(ctx, &engine.ExpandRequest{URL: s.inner[i%len(s.inner)], Offset: ptr(i % 400), Count: ptr(10)})
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

// typed returns the beginnings of one, two or three words of a text.
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
