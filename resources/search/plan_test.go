package search

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// lists is a reader whose entries have one byte each, and counts its scans.
type lists struct {
	index.Reader
	of    map[byte][]index.Seq
	scans int
}

func (l *lists) Scan(_ context.Context, rng index.Range, fn func([]byte, index.Seq) bool) error {
	l.scans++
	seqs := slices.Clone(l.of[rng.From[0]])
	if rng.Reverse {
		slices.Reverse(seqs)
	}
	for _, seq := range seqs {
		if after := rng.After == nil || seq > rng.AfterSeq != rng.Reverse && seq != rng.AfterSeq; after && !fn(rng.From, seq) {
			break
		}
	}
	return nil
}

// TestStreams compares what streams of lists and ranges yield, united, intersected and within limits, with
// sets, in both directions and for places that are jumped to.
func TestStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		up := rapid.Bool().Draw(t, "up")
		l := &lists{of: map[byte][]index.Seq{}}
		r := &run{reader: l, bounds: &bounds{minChunk: rapid.IntRange(1, 3).Draw(t, "min"), maxChunk: rapid.IntRange(3, 9).Draw(t, "max")}}
		of := func() (stream, map[index.Seq]bool) {
			seqs, is := rapid.SliceOfN(rapid.Map(rapid.IntRange(1, 60), func(i int) index.Seq { return index.Seq(i) }), 0, 50).Draw(t, "seqs"), map[index.Seq]bool{}
			for _, seq := range seqs {
				is[seq] = true
			}
			if rapid.Bool().Draw(t, "list") {
				return newListStream(seqs, up), is
			}
			slices.Sort(seqs)
			entry := byte(len(l.of))
			l.of[entry] = slices.Compact(seqs)
			return &rangeStream{run: r, entry: []byte{entry}, up: up}, is
		}
		var streams []stream
		var sets []map[index.Seq]bool
		for range rapid.IntRange(1, 4).Draw(t, "streams") {
			s, is := of()
			streams, sets = append(streams, s), append(sets, is)
		}
		united := rapid.Bool().Draw(t, "united")
		w := &within{stream: intersectionOf(streams), first: firstPlace, last: lastPlace}
		if united {
			w.stream = unionOf(streams)
		}
		low, high := index.Seq(rapid.IntRange(0, 20).Draw(t, "low")), index.Seq(rapid.IntRange(20, 70).Draw(t, "high"))
		w.limit(low, high, up)
		from := firstPlace
		for range 70 {
			var want []position
			for seq := low; seq <= high; seq++ {
				n := 0
				for _, is := range sets {
					if is[seq] {
						n++
					}
				}
				if at := positionOf(seq, up); at >= from && (n == len(sets) || united && n > 0) {
					want = append(want, at)
				}
			}
			at, ok, err := w.seek(t.Context(), from)
			if err != nil || ok != (len(want) > 0) || ok && at != slices.Min(want) {
				t.Fatalf("from %d: %d %v, want one of %d", from, at, ok, want)
			}
			if !ok {
				break
			}
			from = at + position(rapid.SampledFrom([]int{0, 1, 1, 1, 20}).Draw(t, "step"))
		}
	})
}

// TestChunks counts the scans of a stream that passes 100 versions. A chunk is twice as large as the one before,
// up to the maximum, and small again after a jump.
func TestChunks(t *testing.T) {
	l := &lists{of: map[byte][]index.Seq{}}
	for i := range index.Seq(100) {
		l.of[0] = append(l.of[0], 10*i)
	}
	for _, row := range []struct {
		up   bool
		jump position
		want int
	}{{true, 1, 14}, {false, 1, 14}, {true, 150, 8}} {
		l.scans = 0
		s := &rangeStream{run: &run{reader: l, bounds: &bounds{minChunk: 2, maxChunk: 8}}, entry: []byte{0}, up: row.up}
		for at, ok := firstPlace, true; ok; at += row.jump {
			at, ok, _ = s.seek(t.Context(), at)
		}
		if l.scans != row.want {
			t.Errorf("%+v: %d scans", row, l.scans)
		}
	}
}

// TestMeet compares the meeting of two lists of ranges with their members.
func TestMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranges := func() (list []index.Range) {
			ends := rapid.SliceOfNDistinct(rapid.Byte(), 0, 12, rapid.ID).Draw(t, "ends")
			slices.Sort(ends)
			for at := 0; at+1 < len(ends); at += rapid.IntRange(1, 2).Draw(t, "gap") {
				list = append(list, index.Range{From: ends[at : at+1], To: ends[at+1 : at+2]})
			}
			return list
		}
		in := func(list []index.Range, b byte) (n int) {
			for _, r := range list {
				if bytes.Compare(r.From, []byte{b}) <= 0 && bytes.Compare([]byte{b}, r.To) < 0 {
					n++
				}
			}
			return n
		}
		a, b := ranges(), ranges()
		both := meet(a, b)
		for c := range 256 {
			if want := in(a, byte(c)) * in(b, byte(c)); in(both, byte(c)) != want {
				t.Fatalf("%d is in %d, want %d of %v", c, in(both, byte(c)), want, both)
			}
		}
		for _, r := range both {
			if bytes.Compare(r.From, r.To) >= 0 {
				t.Fatalf("%v is empty", r)
			}
		}
	})
}

// TestUpdated compares the window of _lastUpdated with what matches, and TestBetween's sibling for times the
// comparisons of columns with those of spans.
func TestUpdated(t *testing.T) {
	updated := definitions.R4().SearchParam("Patient", "_lastUpdated")
	rapid.Check(t, func(t *rapid.T) {
		exact := true
		c := Criterion{Param: updated}
		for range rapid.IntRange(1, 2).Draw(t, "alternatives") {
			low := rapid.Int64Range(-3, 12).Draw(t, "low")
			a := Alternative{Param: updated, Kind: definitions.Date, Prefix: index.Prefix(rapid.IntRange(int(index.Equal), int(index.Approximately)).Draw(t, "prefix"))}
			a.Time = index.Span[int64]{Low: low, High: low + rapid.Int64Range(1, 5).Draw(t, "length")}
			exact = exact && a.Prefix != index.NotEqual && a.Prefix != index.Approximately
			c.Alternatives = append(c.Alternatives, a)
			span := index.Span[int64]{Low: rapid.Int64Range(-3, 14).Draw(t, "value")}
			span.High = span.Low + rapid.Int64Range(1, 4).Draw(t, "value length")
			compared, holds := comparisonOf(&a), a.Time.Holds(a.Prefix, span)
			if compared.holds(&span) != holds {
				t.Fatalf("%+v: %v, want %v", a, !holds, holds)
			}
			if r := a.begins(span.High - span.Low); holds && (span.Low < r.Low || span.Low >= r.High) {
				t.Fatalf("%+v begins in %+v, not at %d", a, r, span.Low)
			}
		}
		for _, up := range []bool{false, true} {
			w := &within{first: firstPlace, last: lastPlace}
			w.limit(0, index.Current, up)
			w.updated(&c, up)
			for ms := range int64(20) {
				match := false
				for i := range c.Alternatives {
					match = match || c.Alternatives[i].matchRecord(Plain, &index.Record{LastUpdated: seqOf(ms).Time()})
				}
				for _, seq := range []index.Seq{seqOf(ms), seqOf(ms+1) - 1} {
					at := positionOf(seq, up)
					if in := w.first <= at && at <= w.last; match && !in || in && !match && exact && len(c.Alternatives) == 1 {
						t.Fatalf("%+v: %d is in %v, want %v", c.Alternatives, ms, in, match)
					}
				}
			}
		}
	})
}

// TestBest compares the best of matches, those of several types merged, and what is left with all in order.
func TestBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := order{up: rapid.Bool().Draw(t, "up"), back: rapid.Bool().Draw(t, "back"), keys: []SortKey{{Desc: rapid.Bool().Draw(t, "desc")}}}
		n := rapid.IntRange(0, 5).Draw(t, "n")
		var all []match
		together := &merged{order: o, first: -1}
		left, seq := 0, index.Seq(0)
		for range rapid.IntRange(1, 3).Draw(t, "types") {
			b := best{order: &o, n: n}
			for _, key := range rapid.SliceOfN(rapid.SampledFrom([][]byte{nil, {}, {1}, {2}}), 0, 9).Draw(t, "keys") {
				seq++
				all = append(all, match{rec: index.Record{Seq: seq}, keys: [][]byte{key}})
				b.add(all[len(all)-1])
			}
			if kept := len(b.matches); n > 0 && kept > n {
				t.Fatalf("%d are kept, not %d", kept, n)
			}
			left += b.total - len(b.matches)
			together.of = append(together.of, &gathered{b.matches, b.total - len(b.matches)})
		}
		slices.SortFunc(all, func(a, b match) int { return o.compare(&a, &b) })
		got := 0
		for ; ; got++ {
			m, _ := together.peek(t.Context())
			if again, _ := together.peek(t.Context()); again != m {
				t.Fatal("the next match is another one")
			}
			if together.dropped() != left {
				t.Fatalf("%d are left, want %d", together.dropped(), left)
			}
			if m == nil {
				break
			}
			if (n == 0 || got < n) && m.rec.Seq != all[got].rec.Seq {
				t.Fatalf("%d. is %d, want %d", got, m.rec.Seq, all[got].rec.Seq)
			}
			together.pop()
		}
		if got+left != len(all) {
			t.Fatalf("%d and %d of %d", got, left, len(all))
		}
	})
}

// TestSample takes samples of 1,000 versions. Small ones are whole, and of large ones about a tenth is of each tenth.
func TestSample(t *testing.T) {
	for _, size := range []int{1000, 2000, 100} {
		s := sample{size: size}
		for i := range index.Seq(1000) {
			s.add(i)
		}
		slices.Sort(s.seqs)
		if len(slices.Compact(s.seqs)) != min(size, 1000) || s.seen != 1000 {
			t.Errorf("%d of %d, %d seen", len(s.seqs), size, s.seen)
		}
		for tenth := range 10 {
			n := 0
			for _, seq := range s.seqs {
				if int(seq)/100 == tenth {
					n++
				}
			}
			if want := float64(len(s.seqs)) / 10; math.Abs(float64(n)-want) > want*0.7 {
				t.Errorf("%d of the %d. tenth of a sample of %d", n, tenth, size)
			}
		}
	}
}

// TestTablesInOrder adds types to a search by columns, which locks their tables in the order of names.
func TestTablesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &columnar{run: &run{searcher: New(definitions.R4())}}
		want := map[string]bool{}
		for _, typ := range rapid.SliceOf(rapid.SampledFrom([]string{"A", "B", "C", "D"})).Draw(t, "types") {
			added, _ := c.add(typ)
			if want[typ] = true; added.typ != typ || c.tables.get(typ) != added {
				t.Fatalf("the table of %s is that of %s", typ, added.typ)
			}
		}
		names := slices.Sorted(maps.Keys(want))
		if !slices.EqualFunc(c.tables, names, func(n tableNeed, name string) bool { return n.typ == name }) {
			t.Fatalf("%v, want those of %q", c.tables, names)
		}
	})
}

// TestWords splits texts and markup into words.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"B12, x-ray\u00a0(2) Ärger": "[b12 x ray 2 arger]", "": "[]", " - ": "[]",
		"<p>a<b>c</b></p>&lt;d&gt;&amp;lt;<i": "[p a b c b p lt d gt amp lt i]",
	} {
		if got := fmt.Sprint(wordsOf(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := plainText("<p>a<b>c</b></p>&lt;d&gt;&amp;lt;&nbsp;&#160;&quot;&apos;<i"); got != " a c  <d>&lt;  \"' " {
		t.Errorf("%q", got)
	}
}

// some are codes, with composed ones that are not listed.
type some struct {
	listed, composed map[term]bool
	systems          []string
	numbered         bool
}

func (c *some) Len() int { return len(c.listed) }

func (c *some) Contains(system, code string) bool {
	t := term{uint32(slices.Index(c.systems, system)), code}
	return c.listed[t] || c.composed[t]
}

func (c *some) Each(fn func(system, code string) bool) {
	for t := range c.listed {
		if !fn(c.systems[t.system], t.code) {
			break
		}
	}
}

func (c *some) Numbering(system string) (any, func(string) (uint32, bool), func(uint32) bool) {
	if !c.numbered {
		return nil, nil, nil
	}
	number := func(code string) (uint32, bool) { return uint32(code[0]), len(code) == 1 && code < "f" }
	return c, number, func(n uint32) bool { return c.Contains(system, string(rune(n))) }
}

func (c *some) Composes() bool { return c.composed != nil }

// TestUsed compares the tokens in use that are in a set of codes with all tokens one by one.
func TestUsed(t *testing.T) {
	s := New(definitions.R4())
	field := s.extractor.Field(s.tables.SearchParam("Observation", "code"))
	rapid.Check(t, func(t *rapid.T) {
		c := &some{listed: map[term]bool{}, systems: []string{"s", "t", "u"}, numbered: rapid.Bool().Draw(t, "numbered")}
		if rapid.Bool().Draw(t, "composes") {
			c.composed = map[term]bool{}
		}
		draw := func() term {
			return term{uint32(rapid.IntRange(0, 2).Draw(t, "system")), rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "a+b", "c:d"}).Draw(t, "code")}
		}
		for range rapid.IntRange(0, 9).Draw(t, "size") {
			if of := draw(); c.composed != nil && len(of.code) > 1 {
				c.composed[of] = true
			} else if !c.numbered || len(of.code) == 1 {
				c.listed[of] = true
			}
		}
		v := &vocabulary{numbers: map[term]struct{}{}}
		want := map[string]bool{}
		for range rapid.IntRange(0, 12).Draw(t, "used") {
			of := draw()
			system := c.systems[of.system]
			v.add(index.Term{System: system, Code: of.code})
			for _, r := range field.Token(system, of.code) {
				if c.Contains(system, of.code) {
					want[string(r.From)] = true
				}
			}
		}
		for range 2 {
			got := v.used(c, field)
			for _, r := range got {
				if !want[string(r.From)] {
					t.Fatalf("%q is not among %d", r.From, len(want))
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%d ranges, want %d", len(got), len(want))
			}
		}
	})
}
