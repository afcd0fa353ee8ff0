package search

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// TestComparisons compares those of columns with those of spans.
func TestComparisons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Int64Range(-3, 12).Draw(t, "low")
		a := Alternative{Prefix: index.Prefix(rapid.IntRange(int(index.Equal), int(index.Approximately)).Draw(t, "prefix"))}
		a.Time = index.Span[int64]{Low: low, High: low + rapid.Int64Range(1, 5).Draw(t, "length")}
		span := index.Span[int64]{Low: rapid.Int64Range(-3, 14).Draw(t, "value")}
		span.High = span.Low + rapid.Int64Range(1, 4).Draw(t, "value length")
		compared, holds := comparisonOf(&a), a.Time.Holds(a.Prefix, span)
		if compared.holds(&span) != holds {
			t.Fatalf("%+v: %v, want %v", a, !holds, holds)
		}
		for _, far := range []int64{-1 << 40, 1 << 40} {
			if r := a.begins(9); a.Time.Holds(a.Prefix, index.Span[int64]{Low: far, High: far + 1}) != (r.Low <= far && far < r.High) {
				t.Fatalf("%+v begins in %+v", a, r)
			}
		}
		if r := a.begins(span.High - span.Low); holds && (span.Low < r.Low || span.Low >= r.High) {
			t.Fatalf("%+v begins in %+v, not at %d", a, r, span.Low)
		}
	})
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
}

// TestIsURI tries texts that are absolute URIs and that are none.
func TestIsURI(t *testing.T) {
	for _, text := range []string{"a:b", "a0+-.:b", "AZ:z", "z9:://", "", "a", ":b", "a:", "1a:b", "+a:b", "a/:b", "a::b", "a:b\t", "a:<", "[:b", "{:b", "@:b", "\x60:b"} {
		want := slices.Contains([]string{"a:b", "a0+-.:b", "AZ:z", "z9:://", "a::b"}, text)
		if got := isURI(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestMeet compares the intersection of ranges with that of their points.
func TestMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (list []index.Range, has [32]bool) {
			for from := rapid.IntRange(0, 9).Draw(t, name); from < 30; {
				to := rapid.IntRange(from+1, 31).Draw(t, name+" to")
				list = append(list, index.Range{From: []byte{byte(from)}, To: []byte{byte(to)}})
				for i := from; i < to; i++ {
					has[i] = true
				}
				from = rapid.IntRange(to, 40).Draw(t, name+" next")
			}
			return list, has
		}
		a, inA := draw("a")
		b, inB := draw("b")
		var in [32]bool
		for _, r := range meet(a, b) {
			for i := r.From[0]; i < r.To[0]; i++ {
				if in[i] {
					t.Fatalf("%d is there twice", i)
				}
				in[i] = true
			}
		}
		for i := range in {
			if in[i] != (inA[i] && inB[i]) {
				t.Fatalf("%v and %v: %d is in: %v", a, b, i, in[i])
			}
		}
	})
}

// TestAnswersAreBounded keeps more answers than a table has room for.
func TestAnswersAreBounded(t *testing.T) {
	var k answers
	for n := range uint64(70) {
		for range 2 {
			k.put(asked{n}, answer{rows: int(n) + 1})
			if got := k.get(asked{n}).rows; got != int(n)+1 || len(k.of) != min(int(n)+1, 64) {
				t.Fatalf("answer %d has %d rows, and %d are kept", n, got, len(k.of))
			}
		}
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
