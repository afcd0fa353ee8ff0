package codesystem

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// naiveScore is the reference implementation of ranking. language is the preferred language, system
// the code system.
func naiveScore(q, language, system string, c *Concept) (best Score, found bool) {
	var other Score // of the text at hand
	take := func(class Score, length int, kind Score) {
		if s := other | class | Score(length)<<1 | kind; !found || s < best {
			best, found = s, true
		}
	}
	folded := string(appendFoldedText(nil, strings.TrimSpace(q)))
	code := string(appendFoldedText(nil, c.Code))
	switch {
	case folded == "":
		return 0, true
	case code == folded:
		take(scoreCode, utf8.RuneCountInString(code), 0)
	case strings.HasPrefix(code, folded):
		take(scoreCodePrefix, utf8.RuneCountInString(code), 0)
	}
	if found {
		return best, true
	}
	normal := string(appendNormal(nil, q))
	if normal == "" {
		return 0, false
	}
	text := func(s string, kind Score, in string) {
		other = 0
		in, _, _ = strings.Cut(strings.ToLower(cmp.Or(in, system)), "-")
		if want, _, _ := strings.Cut(strings.ToLower(language), "-"); want != "" && in != "" && in != want {
			other = scoreOther
		}
		have := string(appendNormal(nil, s))
		n := utf8.RuneCountInString(have)
		switch {
		case have == "":
		case have == normal:
			take(scoreText, n, kind)
		case strings.HasPrefix(have, normal):
			take(scoreTextPrefix, n, kind)
		case naiveMatch(q, s):
			take(scoreWords, n, kind)
		}
	}
	text(c.Display, 0, "")
	for i, d := range c.Designations {
		kind := Score(1)
		if c.Details != nil {
			if c.Details[i].Inactive {
				continue
			}
			if slices.ContainsFunc(c.Details[i].Acceptability, func(a Acceptability) bool { return a.Preferred }) {
				kind = 0
			}
		}
		text(d.Value, kind, d.Language)
	}
	return best, found
}

// naiveSearch is the reference of Search over a flat system.
func naiveSearch(x *Index, concepts []Concept, q, language string, within *roaring.Bitmap, offset, limit int) ([]Hit, int) {
	var all []Hit
	for i := range concepts {
		o, _ := x.Find(concepts[i].Code)
		if within != nil && !within.Contains(o) {
			continue
		}
		if s, ok := naiveScore(q, language, x.Header().Language, &concepts[i]); ok {
			all = append(all, Hit{o, s})
		}
	}
	slices.SortFunc(all, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Concept, b.Concept))
	})
	from := min(offset, len(all))
	return all[from:min(from+limit, len(all))], len(all)
}

var searchWords = []string{
	"a", "ab", "abc", "abd", "b", "ba", "Éa", "ea", "ß", "ss", "1", "12", "of", "OF", "of-of", "高血", "血", "ﬁ", "f", "%", "",
}

var searchLanguages = []string{"", "en", "de", "de-CH", "EN-us"}

func searchTexts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(searchWords), 0, 4).Draw(t, "words"), " ")
	})
}

func searchConcepts() *rapid.Generator[[]Concept] {
	return rapid.Custom(func(t *rapid.T) []Concept {
		texts := searchTexts()
		concepts := make([]Concept, rapid.IntRange(0, 40).Draw(t, "concepts"))
		for i := range concepts {
			code := rapid.SampledFrom(searchWords).Draw(t, "code")
			concepts[i] = Concept{Code: fmt.Sprint(code, "/", i), Display: texts.Draw(t, "display"), Parent: -1}
			again := rapid.OneOf(texts, rapid.Just(concepts[i].Display))
			for range rapid.IntRange(0, 3).Draw(t, "designations") {
				concepts[i].Designations = append(concepts[i].Designations, r4.Designation{
					Language: rapid.SampledFrom(searchLanguages).Draw(t, "language"), Value: again.Draw(t, "designation"),
				})
			}
			if rapid.Bool().Draw(t, "detailed") {
				for range concepts[i].Designations {
					concepts[i].Details = append(concepts[i].Details, DesignationDetail{
						Inactive:      rapid.IntRange(0, 3).Draw(t, "inactive") == 0,
						Acceptability: []Acceptability{{Refset: "r", Preferred: rapid.Bool().Draw(t, "preferred")}},
					})
				}
			}
		}
		return concepts
	})
}

func flat(t testing.TB, concepts []Concept) *Index { return flatIn(t, "", concepts) }

func flatIn(t testing.TB, language string, concepts []Concept) *Index {
	h := header("http://example.org/flat")
	h.Language = language
	b := NewBuilder(h)
	for i := range concepts {
		if _, err := b.Add(&concepts[i]); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Search finds, counts and ranks as the definition says, whichever way it goes.
func TestSearchParity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		concepts := searchConcepts().Draw(rt, "system")
		x := flatIn(t, rapid.SampledFrom(searchLanguages).Draw(rt, "system language"), concepts)
		for range 8 {
			text := searchTexts().Draw(rt, "query")
			language := rapid.SampledFrom([]string{"", "", "en", "de", "de-AT", "fr", "*"}).Draw(rt, "prefers")
			var within *roaring.Bitmap
			if rapid.Bool().Draw(rt, "limited") {
				within = roaring.BitmapOf(rapid.SliceOf(rapid.Uint32Range(0, uint32(len(concepts)+1))).Draw(rt, "within")...)
			}
			offset, limit := rapid.IntRange(0, 6).Draw(rt, "offset"), rapid.IntRange(0, 12).Draw(rt, "limit")
			checkSearch(rt, x, concepts, text, language, within, offset, limit)
		}
	})
}

func checkSearch(t rapid.TB, x *Index, concepts []Concept, text, language string, within *roaring.Bitmap, offset, limit int) {
	t.Helper()
	inside := within
	if within != nil {
		inside = roaring.And(within, x.All())
	}
	want, total := naiveSearch(x, concepts, text, strings.TrimSuffix(language, "*"), inside, offset, limit)
	for _, way := range []int{byCost, byMerging, byScoring, byRarest} {
		got, n := x.search(CompileQuery(text).In(language), inside, offset, limit, []Hit{{9, 9}}, way)
		if got[0] != (Hit{9, 9}) || n != total || !slices.Equal(got[1:], want) {
			t.Fatalf("%q in %q way %d from %d limit %d: %d %v\nwant %d %v", text, language, way, offset, limit, n, got[1:], total, want)
		}
	}
	if x.Len() > 0 {
		checkMatching(t, x, concepts, text)
		checkScratch(t, x, text)
	}
}

// checkMatching compares the sets of a query with its hits, and its texts with those
// that it finds one by one.
func checkMatching(t rapid.TB, x *Index, concepts []Concept, text string) {
	t.Helper()
	q := CompileQuery(text)
	hits, _ := x.Search(q, nil, 0, x.Len(), nil)
	want := roaring.New()
	for _, h := range hits {
		want.Add(h.Concept)
	}
	if got := x.Matching(q); !got.Equals(want) {
		t.Fatalf("%q matches %v, search finds %v", text, got, want)
	}
	if q.Empty() {
		return
	}
	found := roaring.New()
	x.MatchingTexts(q, func(o Ord, source uint32) {
		value := x.Display(o)
		if source != DisplayText {
			value = x.Designation(source).Value
			if first, end := x.DesignationRange(o); source < first || source >= end || x.designations.hidden(source) {
				t.Fatalf("%q: text %d of concept %d", text, source, o)
			}
		}
		if _, ok := q.MatchDesignation("", value); !ok {
			t.Fatalf("%q finds text %q", text, value)
		}
		found.Add(o)
	})
	byText := roaring.New()
	for o := range uint32(x.Len()) {
		c := &concepts[o]
		_, ok := q.MatchDesignation("", c.Display)
		for i, d := range c.Designations {
			_, hit := q.MatchDesignation("", d.Value)
			ok = ok || hit && (c.Details == nil || !c.Details[i].Inactive)
		}
		if ok {
			byText.Add(o)
		}
	}
	if !found.Equals(byText) {
		t.Fatalf("%q: texts of %v, want %v", text, found, byText)
	}
}

// checkScratch verifies that a search leaves its memory zero for the next.
func checkScratch(t rapid.TB, x *Index, text string) {
	t.Helper()
	s := x.text.scratch.Get().(*searchScratch)
	defer x.text.scratch.Put(s)
	for part, words := range [][]uint64{s.union, s.within, s.seen, s.marks, s.acc[:], s.word[:]} {
		if i := slices.IndexFunc(words, func(w uint64) bool { return w != 0 }); i >= 0 {
			t.Fatalf("%q: part %d of the scratch is not clean: word %d", text, part, i)
		}
	}
}

// largeConcepts makes descriptions beyond one chunk, with words frequent enough for
// bitmaps, by a distribution with a long tail.
func largeConcepts(n int) []Concept {
	rnd := rand.New(rand.NewPCG(11, 12))
	zipf := rand.NewZipf(rnd, 1.1, 2, 3000)
	word := func() string {
		v := zipf.Uint64()
		return string([]byte{'a' + byte(v%7), 'a' + byte(v/7%23), 'a' + byte(v/161)}) + []string{"", "x", "xy"}[v%3]
	}
	concepts := make([]Concept, n)
	for i := range concepts {
		texts := make([]string, 1+rnd.IntN(3))
		for j := range texts {
			for range 1 + rnd.IntN(6) {
				texts[j] += word() + " "
			}
		}
		concepts[i] = Concept{Code: fmt.Sprint(1000 + i*7), Display: texts[0], Parent: -1}
		for _, d := range texts[1:] {
			concepts[i].Designations = append(concepts[i].Designations, r4.Designation{
				Language: searchLanguages[rnd.IntN(len(searchLanguages))], Value: d,
			})
		}
	}
	return concepts
}

func TestSearchParityLarge(t *testing.T) {
	n := 70_000
	concepts := largeConcepts(n)
	x := flat(t, concepts)
	dense := 0
	for _, c := range x.text.sets.chunks {
		if chunkIsDense(c) {
			dense++
		}
	}
	if dense < 10 || len(x.text.owners) < 2<<chunkBits {
		t.Fatalf("%d bitmaps, %d descriptions: the test is too small", dense, len(x.text.owners))
	}
	rnd := rand.New(rand.NewPCG(13, 14))
	half := roaring.New()
	for o := range uint32(n) {
		if rnd.IntN(2) == 0 || o < 20_000 {
			half.Add(o)
		}
	}
	half.RunOptimize()
	sets := []*roaring.Bitmap{nil, half, roaring.BitmapOf(1, 5, 60000, 69_999), x.All()}
	texts := []string{
		"aaa", "a", "aa b", "15 a", "aaa", "a", "aa b", "c d e", "aaa baax", "10", "baax", "a zzz", "f e d c b a",
		strings.TrimSpace(concepts[7].Display), strings.TrimSpace(concepts[7].Display)[:2],
	}
	if raceEnabled {
		texts = texts[:4]
	}
	for i, text := range texts {
		within := sets[i%len(sets)]
		q := CompileQuery(text).In([]string{"", "de", "en", "fr"}[i/len(sets)%4])
		var want []Hit
		for o := range uint32(n) {
			if within != nil && !within.Contains(o) {
				continue
			}
			if s, ok := x.score(q, o); ok {
				want = append(want, Hit{o, s})
			}
		}
		slices.SortFunc(want, compareHits)
		for _, page := range [][2]int{{0, 10}, {3, 0}, {len(want) / 2, 50}, {0, n}} {
			from := min(page[0], len(want))
			part := want[from:min(from+page[1], len(want))]
			for _, way := range []int{byCost, byMerging} {
				got, total := x.search(q, within, page[0], page[1], nil, way)
				if total != len(want) || !slices.Equal(got, part) {
					t.Fatalf("%q set %d way %d page %v: %d hits of %d, want %d of %d", text, i%len(sets), way, page, len(got), total, len(part), len(want))
				}
			}
		}
		checkScratch(t, x, text)
		if i < 2 {
			checkMatching(t, x, concepts, text)
		}
	}
}

func TestSearchAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("pools drop what they hold under the race detector")
	}
	x := flat(t, largeConcepts(20_000))
	within := roaring.New()
	within.AddRange(100, 15_000)
	hits := make([]Hit, 0, 10)
	for i, text := range []string{"aaa", "a", "aaa b", "1", "zzz", "gbc baax", ""} {
		q := CompileQuery(text).In([]string{"", "de"}[i%2])
		for _, set := range []*roaring.Bitmap{nil, within} {
			if q.Empty() && set != nil {
				continue // the iterator of a set allocates
			}
			if n := testing.AllocsPerRun(50, func() { x.Search(q, set, 0, 10, hits[:0]) }); n > 0 {
				t.Errorf("%q: %v allocations", text, n)
			}
		}
	}
}

// Descriptions with the same words as another of their concept are kept once.
func TestDescriptionsOnce(t *testing.T) {
	x := flat(t, []Concept{{Code: "1", Display: "Big toe", Parent: -1, Designations: []r4.Designation{
		{Value: "big-toe"}, {Value: "Hallux"}, {Value: "BIG TOE"}, {Value: "hallux"}, {Value: "!"},
	}}})
	if n := len(x.text.owners); n != 2 {
		t.Errorf("%d descriptions, want 2", n)
	}
}

func TestIDSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 3<<chunkBits - 1000
		var b idSetsBuilder
		b.first, b.totals = []uint32{0}, []uint32{0}
		var want [][]uint32
		for range rapid.IntRange(0, 5).Draw(t, "sets") {
			var set []uint32
			from := rapid.Uint32Range(0, limit-1).Draw(t, "from")
			step := rapid.Uint32Range(1, 40_000).Draw(t, "step")
			most := rapid.SampledFrom([]int{denseChunk, denseChunk + 1, 9000}).Draw(t, "most")
			for id, n := from, 0; id < limit && n < most; id, n = id+1+(step*uint32(n))%step, n+1 {
				set = append(set, id)
			}
			if rapid.Bool().Draw(t, "empty") {
				set = nil
			}
			want = append(want, set)
			b.add(set)
		}
		if err := b.check(0, uint32(len(want)), limit); err != nil {
			t.Fatal(err)
		}
		union := make([]uint64, wholeChunks(limit))
		total := 0
		for i, set := range want {
			if got := b.appendTo(nil, uint32(i)); !slices.Equal(got, set) {
				t.Fatalf("set %d: %d numbers, want %d", i, len(got), len(set))
			}
			total += len(set)
			clear(union)
			b.addSets(union, uint32(i), uint32(i)+1)
			for _, id := range set {
				if union[id/64]>>(id%64)&1 == 0 {
					t.Fatalf("set %d lacks %d", i, id)
				}
			}
			if len(set) > 0 && b.check(uint32(i), uint32(i)+1, int(set[len(set)-1])) == nil {
				t.Fatalf("set %d is said to be below %d", i, set[len(set)-1])
			}
		}
		if b.count(0, uint32(len(want))) != total {
			t.Fatalf("%d numbers, want %d", b.count(0, uint32(len(want))), total)
		}
		for lo := range want { // a search for a word with the tokens from lo on
			f := finder{v: &textView{sets: b.idSets}, s: &searchScratch{ranges: []wordRange{{spans: []span{{uint32(lo), uint32(lo + 1 + lo%2*(len(want)-lo-1))}}}}}}
			f.startCursors()
			for key := range uint32(3) {
				f.chunk(key)
				at := int(key) * chunkWords
				clear(union)
				b.addSets(union, f.s.ranges[0].spans[0].lo, f.s.ranges[0].spans[0].hi)
				if !slices.Equal(f.s.acc[:], union[at:at+chunkWords]) {
					t.Fatalf("sets from %d, chunk %d", lo, key)
				}
				clear(f.s.acc[:])
			}
		}
	})
}

func ExampleIndex_Search() {
	b := NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/toes"}})
	for _, c := range []Concept{
		{Code: "toe", Display: "Toe", Parent: -1},
		{Code: "b1", Display: "Big toe", Parent: -1, Designations: []r4.Designation{{Language: "de", Value: "Große Zehe"}}},
	} {
		if _, err := b.Add(&c); err != nil {
			fmt.Println(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		fmt.Println(err)
	}
	for _, text := range []string{"toe", "grosse", "zehe g"} {
		hits, total := x.Search(CompileQuery(text), nil, 0, 10, nil)
		for _, h := range hits {
			fmt.Println(text, total, x.Code(h.Concept))
		}
	}
	// Output:
	// toe 2 toe
	// toe 2 b1
	// grosse 1 b1
	// zehe g 1 b1
}
