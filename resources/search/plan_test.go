package search

import (
	"bytes"
	"context"
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

