package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const parameter = 0x01020304

// entriesOf returns the entries of one value of a parameter.
func entriesOf(v Value) [][]byte {
	var w entryWriter
	w.list(parameter, appendValue(nil, &v))
	return w.entries
}

// within reports whether an entry is in one of the ranges. It fails if it is in several, or if they
// are not in order.
func within(t *rapid.T, ranges []Range, entries [][]byte) bool {
	for i := range ranges {
		if bytes.Compare(ranges[i].From, ranges[i].To) >= 0 || i > 0 && bytes.Compare(ranges[i-1].To, ranges[i].From) > 0 {
			t.Fatalf("ranges are not in order: %v", ranges)
		}
	}
	found := false
	for _, e := range entries {
		for _, r := range ranges {
			if bytes.Compare(r.From, e) <= 0 && bytes.Compare(e, r.To) < 0 {
				found = true
			}
		}
	}
	return found
}

func drawPrefix(t *rapid.T) Prefix {
	return Prefix(rapid.IntRange(int(Equal), int(Approximately)).Draw(t, "prefix"))
}

// drawTime draws a span of time, sometimes without an end.
func drawTime(t *rapid.T, name string) Span[int64] {
	low := rapid.Int64Range(-1000, 1000).Draw(t, name) * rapid.SampledFrom([]int64{1, second, day, 366 * day}).Draw(t, name+" unit")
	width := rapid.OneOf(rapid.Int64Range(1, 10), rapid.SampledFrom([]int64{
		1, second, second + 1, minute, day, day + 1, 31 * day, 366 * day, 3660 * day, 4000 * day,
	})).Draw(t, name+" width")
	s := Span[int64]{low, low + width}
	switch rapid.IntRange(0, 9).Draw(t, name+" open") {
	case 0:
		s.Low = Earliest
	case 1:
		s.High = Latest
	case 2:
		s = Span[int64]{Earliest, Latest}
	}
	return s
}

// TestHolds compares prefixes with their definition by points, for all spans of a few points.
func TestHolds(t *testing.T) {
	const end = 5
	var spans []Span[int]
	for low := range end {
		for high := low + 1; high <= end; high++ {
			spans = append(spans, Span[int]{low, high})
		}
	}
	for _, s := range spans {
		for _, v := range spans {
			var below, in, above bool // whether v has such points
			for x := v.Low; x < v.High; x++ {
				below, in, above = below || x < s.Low, in || s.Low <= x && x < s.High, above || x >= s.High
			}
			eq := !below && !above
			for p, want := range map[Prefix]bool{
				Equal: eq, NotEqual: !eq, Greater: above, Less: below, GreaterEqual: above || eq, LessEqual: below || eq,
				StartsAfter: !below && !in, EndsBefore: !in && !above, Approximately: in,
			} {
				if s.Holds(p, v) != want {
					t.Errorf("%v%v %v: %v", p, s, v, !want)
				}
			}
		}
	}
}

func TestDatesAreInTheirRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked, value, p := drawTime(t, "asked"), drawTime(t, "value"), drawPrefix(t)
		if asked.Low == Earliest || asked.High == Latest {
			asked = Span[int64]{0, day}
		}
		if value.Low != Earliest && value.High != Latest && rapid.Bool().Draw(t, "together") {
			value = Span[int64]{asked.Low, asked.Low + value.High - value.Low}
		}
		entries := entriesOf(Value{Kind: Date, Time: value})
		f := NewField(parameter)
		found := within(t, f.Dates(p, asked), entries)
		if asked.Holds(p, value) && !found {
			t.Fatalf("%v %v: %v is missed", p, asked, value)
		}
		// Other results must be near: the ranges are those of a class of widths.
		if found && p == Equal && (value.Low < asked.Low || value.Low >= asked.High) {
			t.Fatalf("%v %v: %v is found", p, asked, value)
		}
		if class := classOf(value); found && p == Equal && class > 0 && class < len(classes)-1 && classes[class-1] >= asked.High-asked.Low {
			t.Fatalf("%v %v: %v is found, which is too long", p, asked, value)
		}
		if !within(t, f.Has(), entries) {
			t.Fatal("it is not there at all")
		}
		limit := classes[rapid.IntRange(0, len(classes)-3).Draw(t, "class")]
		for _, width := range []int64{limit, limit + 1} { // of the class, and longer
			if within(t, f.Dates(Equal, Span[int64]{0, limit}), entriesOf(Value{Kind: Date, Time: Span[int64]{0, width}})) != (width == limit) {
				t.Fatalf("%d as long as %d", width, limit)
			}
		}
	})
}

func TestVisibleAt(t *testing.T) {
	for at := range Seq(5) {
		for _, deleted := range []bool{false, true} {
			r := Record{Seq: 1, Until: 3, Deleted: deleted}
			if got := r.VisibleAt(at); got != (!deleted && (at == 1 || at == 2)) {
				t.Errorf("from 1 to 3, deleted %t: visible at %d is %t", deleted, at, got)
			}
		}
	}
}

// TestUnitsAreBounded fills the cache of units: one more begins it anew.
func TestUnitsAreBounded(t *testing.T) {
	u := units{known: map[string]*unit{}}
	for i := range maxUnits - 1 {
		u.known[strconv.Itoa(i)] = nil
	}
	for _, want := range []int{maxUnits, 1, 2} {
		if u.of("m" + strconv.Itoa(want)); len(u.known) != want {
			t.Fatalf("%d units, want %d", len(u.known), want)
		}
	}
}

// drawLiteral draws a decimal.
func drawLiteral(t *rapid.T, name string) string {
	return rapid.OneOf(
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?`),
		rapid.StringMatching(`-?[1-9](\.[0-9]{1,3})?[eE][+-]?[0-9]{1,2}`),
		rapid.StringMatching(`-?[1-9][0-9]{0,39}(\.[0-9]{1,20})?`),
		rapid.SampledFrom([]string{"0", "-0", "0.0", "1", "1.0", "10", "0.1", "99.5", "100", "100.5", "1e2"}),
	).Draw(t, name)
}

func rat(t *rapid.T, literal string) *big.Rat {
	r, ok := new(big.Rat).SetString(literal)
	if !ok {
		t.Fatal(literal)
	}
	return r
}

func TestNumbersCompareAsNumbers(t *testing.T) {
	for exponent := -600; exponent < 600; exponent++ { // digits that are rounded, on either side of the point
		literal := fmt.Sprintf("-99999999999999999999999999999999985e%d", exponent)
		m, err := ParseNumber(literal)
		if r, _ := new(big.Rat).SetString(literal); err != nil || numberOf(r) != m {
			t.Errorf("%s: %x as a literal, %x as a number, %v", literal, m, numberOf(r), err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawLiteral(t, "a"), drawLiteral(t, "b")
		m, err1 := ParseNumber(a)
		n, err2 := ParseNumber(b)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		want, got := rat(t, a).Cmp(rat(t, b)), strings.Compare(string(m), string(n))
		// Numbers with more than 34 digits may be rounded to the same Number.
		if got != want && (got != 0 || len(a) <= maxDigits && len(b) <= maxDigits) {
			t.Fatalf("%s and %s: %d, want %d", a, b, got, want)
		}
		if r := numberOf(rat(t, a)); r != m {
			t.Fatalf("%s: %x as a literal, %x as a number", a, m, r)
		}
		if r, ok := rational(a); len(a) <= maxDigits && (!ok || r.Cmp(rat(t, a)) != 0) {
			t.Fatalf("%s: %v", a, r)
		}
		if m <= Least || m >= Greatest || m.next() <= m || m < n && m.next() > n {
			t.Fatalf("%s: %x", a, m)
		}
	})
}

// drawNumbers draws a span of numbers, usually of one number.
func drawNumbers(t *rapid.T, name string) Span[Number] {
	low, _ := ParseNumber(drawLiteral(t, name))
	high, _ := ParseNumber(drawLiteral(t, name+" end"))
	low, high = min(low, high), max(low, high)
	switch rapid.IntRange(0, 9).Draw(t, name+" form") {
	case 0:
		return Span[Number]{low, high.next()}
	case 1:
		return Span[Number]{Least, high}
	case 2:
		return Span[Number]{low.next(), Greatest}
	}
	return Exactly(low)
}

func TestNumbersAreInTheirRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, value := drawPrefix(t), drawNumbers(t, "value")
		asked, err := NumberAsked(p, drawLiteral(t, "asked"))
		if err != nil {
			t.Fatal(err)
		}
		f := NewField(parameter)
		for _, c := range []struct {
			v      Value
			ranges []Range
		}{
			{Value{Kind: NumberKind, Number: value}, f.Numbers(p, asked)},
			{Value{Kind: Quantity, Number: value, Unit: "cm"}, f.Numbers(p, asked)},
			{Value{Kind: Quantity, Number: Exactly(Number("\x02")), Canonical: value, CanonicalUnit: "m"}, f.Canonical(p, asked, "m")},
		} {
			found, holds := within(t, c.ranges, entriesOf(c.v)), asked.Holds(p, value)
			if holds && !found || single(value) && found && !holds {
				t.Fatalf("%v %x: %x: found %v", p, asked, value, found)
			}
			if within(t, f.Canonical(p, asked, "g"), entriesOf(c.v)) {
				t.Fatal("found in another unit")
			}
		}
	})
}

func TestTokensAreInTheirRanges(t *testing.T) {
	texts := rapid.SampledFrom([]string{"", "a", "b", "A", "http://loinc.org", "urn:x", "8480-6", "ä", "84806", "+8480-6", " 8480 6", "-"})
	rapid.Check(t, func(t *rapid.T) {
		v := Value{Kind: Token, System: texts.Draw(t, "system"), Code: texts.Draw(t, "code"), Text: texts.Draw(t, "text")}
		system, code := texts.Draw(t, "system asked"), texts.Draw(t, "code asked")
		entries, f := entriesOf(v), NewField(parameter)
		if got := within(t, f.Token(system, code), entries); got != (v.System == system && v.Code == code) {
			t.Fatalf("%s|%s: %v", system, code, got)
		}
		if got := within(t, f.Code(code), entries); got != (v.Code == code) {
			t.Fatalf("%s: %v", code, got)
		}
		ranges, may := f.System(system)
		if got := within(t, ranges, entries) && may(entries[0]); got != (v.System == system) {
			t.Fatalf("%s|: %v", system, got)
		}
		loose := Value{Kind: Token, System: v.System, Code: v.Code, Form: rapid.SampledFrom([]Form{FormOther, FormIdentifier, FormPhone}).Draw(t, "form")}
		f.strings, f.phones = true, true
		if loose.HasCode(code) && !within(t, f.Code(code), entriesOf(loose)) || loose.HasCode(code) && v.System == system && !within(t, f.Token(system, code), entriesOf(loose)) {
			t.Fatalf("%s|%s of %+v is missed", system, code, loose)
		}
		ref := Value{Kind: Reference, Type: "Patient", ID: code, System: v.System, Code: v.Code}
		if got := within(t, f.Reference(Key{"Patient", v.Code}), entriesOf(ref)); got != (code != "" && v.Code == code) {
			t.Fatalf("%s: %v", v.Code, got)
		}
		if got := within(t, f.ReferenceID(v.Code), entriesOf(ref)); got != (code != "" && v.Code == code) {
			t.Fatalf("%s: %v", v.Code, got)
		}
		if within(t, f.Reference(Key{"Group", code}), entriesOf(ref)) {
			t.Fatal("found as another type")
		}
		if got := within(t, f.Identifier(system, code), entriesOf(ref)); got != ((v.Code != "" || ref.ID == "") && v.System == system && strings.EqualFold(v.Code, code)) {
			t.Fatalf("%s|%s: %v", system, code, got)
		}
		if got := within(t, f.IdentifierValue(code), entriesOf(ref)); got != ((v.Code != "" || ref.ID == "") && strings.EqualFold(v.Code, code)) {
			t.Fatalf("%s: %v", code, got)
		}
		for _, kind := range []Kind{URI, Reference} {
			url := Value{Kind: kind, URL: v.Code, Version: system}
			if got := within(t, f.URL(code), entriesOf(url)); v.Code != "" && got != (v.Code == code) {
				t.Fatalf("%s: %v", code, got)
			}
		}
	})
}

func TestTextsAreInTheirRanges(t *testing.T) {
	text := rapid.OneOf(
		rapid.StringOf(rapid.RuneFrom([]rune("aAbBäÄßéeEσς  \t-'\u0301\u0000Ωﬁ가𝒜"))),
		rapid.StringMatching(`[a-cä ]{30,70}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		value, asked := text.Draw(t, "value"), text.Draw(t, "asked")
		if rapid.Bool().Draw(t, "prefix") {
			asked = Fold(value)[:rapid.IntRange(0, len(Fold(value))).Draw(t, "n")]
			asked = strings.ToValidUTF8(asked, "")
		}
		v, f := Value{Kind: String, Text: value}, NewField(parameter)
		entries := entriesOf(v)
		a, b := Fold(value), Fold(asked)
		v.Form = rapid.SampledFrom([]Form{FormOther, FormWords}).Draw(t, "form")
		begins := v.Begins(b, Spaced(asked))
		if got := within(t, f.Prefix(asked), entriesOf(v)); begins && !got || got && !begins && len(b) <= textCap && (v.Form == FormWords || b == Spaced(asked)) {
			t.Fatalf("%q begins with %q: %v", value, asked, got)
		}
		if got := within(t, f.Text(asked), entries); a == b && !got || got && a != b && len(b) <= textCap {
			t.Fatalf("%q is %q: %v", value, asked, got)
		}
		ranges, folded := f.Texts()
		if !within(t, ranges, entries) {
			t.Fatal("not among all")
		}
		if got, capped := folded(entries[0]); string(got) != a[:len(got)] || capped == (len(got) == len(a)) {
			t.Fatalf("%q: %q, cut %v", value, got, capped)
		}
	})
}

func TestFold(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"  ", ""},
		{"Müller", "muller"},
		{" A  b\tC\n", "a b c"},
		{"É", "e"},
		{"e\u0301", "e"},
		{"ΣΑΣ", "σασ"},
		{"σας", "σασ"},
		{"\u0301", ""},
		{"A\u0301 B", "a b"},
		{"a\u00a0b", "a b"},
		{"İ", "i"},
		{"O'Brien-Smith", "obriensmith"},
		{"O\u2019Brien, O\u02bcNeil, O\u00b4Hara & D`Arcy", "obrien oneil ohara darcy"},
		{"Strauß, Łukasz Ørsted; Þór Æsop Œuvre đ", "strauss lukasz orsted thor aesop oeuvre d"},
		{"C++ \u2014 100 %", "c++ 100"},
		{"a\x00b", "a b"},
		{"\xff", "\ufffd"},
	} {
		if got := Fold(c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		once := Fold(s)
		if twice := Fold(once); twice != once {
			t.Fatalf("%q: %q, then %q", s, once, twice)
		}
		if strings.ContainsFunc(once, func(r rune) bool { return r < ' ' }) || strings.TrimSpace(once) != once {
			t.Fatalf("%q: %q", s, once)
		}
	})
}

func TestCompositesAreInTheirRanges(t *testing.T) {
	list := func(values ...Value) []byte {
		var dst []byte
		for _, v := range values {
			dst = appendValue(dst, &v)
		}
		return dst
	}
	lit := func(s string) Span[Number] { n, _ := ParseNumber(s); return Exactly(n) }
	sys := Value{Kind: Token, System: "http://loinc.org", Code: "8480-6"}
	dia := Value{Kind: Token, System: "http://loinc.org", Code: "8462-4"}
	pair := func(first, second Value) Value {
		return Value{Kind: Composite, components: appendBytes(appendBytes(nil, list(first)), list(second))}
	}
	high := pair(sys, Value{Kind: Quantity, Number: lit("140")})
	low := pair(dia, Value{Kind: Quantity, Number: lit("80")})
	var w entryWriter
	w.list(parameter, list(high, low))
	f := NewField(parameter)
	asked, _ := NumberAsked(Greater, "100")
	count := func(ranges []Range) (n int) {
		for _, e := range w.entries {
			if slices.ContainsFunc(ranges, func(r Range) bool { return bytes.Compare(r.From, e) <= 0 && bytes.Compare(e, r.To) < 0 }) {
				n++
			}
		}
		return n
	}
	for i, c := range []struct {
		ranges []Range
		want   int
	}{
		{f.First(sys.System, sys.Code).Numbers(Greater, asked), 1},
		{f.First(dia.System, dia.Code).Numbers(Greater, asked), 0},
		{f.First(dia.System, dia.Code).Has(), 1},
		{f.First("", sys.Code).Has(), 0},
		{f.FirstCode(dia.Code).Numbers(Greater, asked), 1}, // not narrowed down
		{f.FirstCode("x").Numbers(Greater, asked), 0},
		{f.Has(), 2},
	} {
		if got := count(c.ranges); got != c.want {
			t.Errorf("%d: %d, want %d", i, got, c.want)
		}
	}
	for v := range values(list(high)) {
		n := 0
		for c := range v.Components(0) {
			if c.Code != sys.Code {
				t.Errorf("%+v", c)
			}
			n++
		}
		for c := range v.Components(1) {
			if c.Number != lit("140") {
				t.Errorf("%+v", c)
			}
			n++
		}
		for range v.Components(2) {
			n++
		}
		if n != 2 {
			t.Errorf("%d components", n)
		}
	}
}

func TestPositionsAreInTheirRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lat := rapid.Float64Range(-90, 90).Draw(t, "latitude")
		at := rapid.Float64Range(-90, 90).Draw(t, "from")
		km := rapid.Float64Range(0, 20000).Draw(t, "km")
		entries := entriesOf(Value{Kind: Position, Latitude: lat, Longitude: 13})
		// On a meridian the distance is that of the latitudes, 111.195 km a degree on a sphere.
		if d := lat - at; max(d, -d)*111.195 <= km && !within(t, NewField(parameter).Near(at, km), entries) {
			t.Fatalf("%v is not within %v of %v", lat, km, at)
		}
	})
}

// drawValue draws a value of any kind.
func drawValue(t *rapid.T) Value {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "http://loinc.org", "a", "Müller"}), rapid.String())
	v := Value{Kind: Kind(rapid.IntRange(int(Token), int(Position)).Draw(t, "kind"))}
	switch v.Kind {
	case Token:
		v.Form = Form(rapid.IntRange(0, int(FormBoolean)).Draw(t, "form"))
		v.System, v.Code, v.Text = text.Draw(t, "system"), text.Draw(t, "code"), text.Draw(t, "text")
		if rapid.Bool().Draw(t, "of type") {
			v.components = appendBytes(nil, appendValue(nil, &Value{Kind: Token, Code: "MR"}))
		}
	case String:
		v.Text = text.Draw(t, "text")
	case Date:
		v.Time = drawTime(t, "time")
	case Reference:
		v.System, v.Code, v.Text = text.Draw(t, "system"), text.Draw(t, "code"), text.Draw(t, "text")
		v.Type, v.ID, v.Version, v.URL = text.Draw(t, "type"), text.Draw(t, "id"), text.Draw(t, "version"), text.Draw(t, "url")
	case Quantity:
		v.System, v.Code, v.Unit = text.Draw(t, "system"), text.Draw(t, "code"), text.Draw(t, "unit")
		v.Number = drawNumbers(t, "number")
		if v.CanonicalUnit = text.Draw(t, "canonical"); v.CanonicalUnit != "" {
			v.Canonical = drawNumbers(t, "canonical number")
		}
	case NumberKind:
		v.Number = drawNumbers(t, "number")
	case URI:
		v.URL, v.Version = text.Draw(t, "url"), text.Draw(t, "version")
	case Composite:
		v.components = appendBytes(nil, appendValue(nil, &Value{Kind: String, Text: text.Draw(t, "part")}))
	case Position:
		v.Latitude, v.Longitude = rapid.Float64().Draw(t, "latitude"), rapid.Float64().Draw(t, "longitude")
	}
	return v
}

func TestValuesAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []byte
		var want []string
		ends := []int{0}
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			v := drawValue(t)
			list = appendValue(list, &v)
			want, ends = append(want, fmt.Sprintf("%+v", v)), append(ends, len(list))
		}
		for _, end := range []int{len(list), rapid.IntRange(0, len(list)).Draw(t, "end")} {
			var got []string
			for v := range values(list[:end:end]) {
				got = append(got, fmt.Sprintf("%+v", v))
			}
			if n, whole := slices.BinarySearch(ends, end); whole && !slices.Equal(got, want[:n]) || !whole && !slices.Equal(got, want[:n-1]) {
				t.Fatalf("%d bytes: %v\n%v", end, got, want)
			}
		}
		low := drawTime(t, "time").Low
		for i, width := range widths {
			if got := appendTimes(nil, Span[int64]{low, low + width}); !bytes.Equal(got, binary.AppendVarint([]byte{byte(i)}, low)) {
				t.Fatalf("%d milliseconds from %d take %d bytes", width, low, len(got))
			}
		}
	})
	for _, n := range []uint64{uint64(len(systems)), math.MaxInt64} {
		for v := range values(binary.AppendUvarint([]byte{byte(String)}, n<<1|1)) {
			t.Errorf("the system %d, of which there is none, is read as %q", n, v.Text)
		}
	}
}

func TestOrderKeysAreSortKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t)
		ranges, key, ok := NewField(parameter).Order(v.Kind)
		if !ok {
			return
		}
		entries := entriesOf(v)
		if !within(t, ranges, entries) {
			t.Fatal("not among all")
		}
		want := appendSortKey(nil, &v)
		if !slices.ContainsFunc(entries, func(e []byte) bool { return bytes.Equal(key(e), want) }) {
			t.Fatalf("%x: %x", want, entries)
		}
	})
}

func FuzzView(f *testing.F) {
	v := Value{Kind: Quantity, Number: Exactly("\x02"), Code: "mg", System: UCUM}
	list := appendBytes(nil, appendValue(nil, &v))
	f.Add(append([]byte{valuesFormat, 1, 0, 4, 3, 2, 1, 0, 0, 0, 0}, list...))
	f.Fuzz(func(t *testing.T, data []byte) {
		view := NewView(data)
		for _, number := range []uint32{0, parameter, 1 << 31} {
			n := 0
			for v := range view.Param(number) {
				for range v.Components(1) {
					n++
				}
				n++
				entriesOf(v)
			}
			if n > len(data) {
				t.Errorf("%d values in %d bytes", n, len(data))
			}
			view.SortKey(number, true)
		}
	})
}
