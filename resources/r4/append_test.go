package r4

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppendString(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", `""`},
		{"plain é 日本 😀 \u2028", "\"plain é 日本 😀 \u2028\""},
		{"a\"b\\c/d", `"a\"b\\c/d"`},
		{"\n\r\t\x00\x1f\x7f\b", `"\n\r\t\u0000\u001f\u007f\u0008"`},
		{"a\xffb\xc3", "\"a\uFFFDb\uFFFD\""},
		{"<&>", `"<&>"`},
	} {
		if got := string(AppendString(nil, test.in)); got != test.want {
			t.Errorf("%q: got %s, want %s", test.in, got, test.want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "a\"\\\n", "\u2028é", "\xff\xc3\x28", "\x00\x7f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		written := AppendString([]byte("x"), in)[1:]
		if err := Check(written, Limits{}); err != nil {
			t.Fatalf("%q: %v", written, err)
		}
		var out string
		if err := json.Unmarshal(written, &out); err != nil {
			t.Fatal(err)
		}
		want := in
		if !utf8.ValidString(in) {
			want = string([]rune(in)) // each bad byte becomes U+FFFD
		}
		if out != want {
			t.Fatalf("got %q, want %q", out, want)
		}
	})
}

func TestAppendValue(t *testing.T) {
	yes := true
	for _, test := range []struct {
		v    Value
		want string
	}{
		{Value{}, ``},
		{String(`a"b`), `"valueString":"a\"b"`},
		{Boolean(true), `"valueBoolean":true`},
		{Value{Type: "Decimal", Text: "1.50"}, `"valueDecimal":1.50`},
		{Value{Type: "Decimal"}, `"valueDecimal":""`},
		{Value{Type: "Integer", Text: `1,"x":2`}, `"valueInteger":"1,\"x\":2"`},
		{Value{Type: "Boolean", Text: "yes"}, `"valueBoolean":"yes"`},
		{Value{Type: "Coding"}, `"valueCoding":{}`},
		{Value{Type: "Coding", Coding: &Coding{System: "s", Code: "c", UserSelected: &yes}}, `"valueCoding":{"system":"s","code":"c","userSelected":true}`},
		{Value{Type: "CodeableConcept", Concept: &CodeableConcept{Coding: []Coding{{Code: "a"}, {Code: "b"}}, Text: "t"}}, `"valueCodeableConcept":{"coding":[{"code":"a"},{"code":"b"}],"text":"t"}`},
		{Value{Type: "Period", Raw: json.RawMessage(`{"start":"2020"}`)}, `"valuePeriod":{"start":"2020"}`},
	} {
		if got := string(AppendValue(nil, "value", test.v)); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestParametersWriter(t *testing.T) {
	w := NewParametersWriter([]byte("before "))
	w.Boolean("result", true)
	w.Integer("n", -3)
	w.Begin("match")
	w.Code("equivalence", "equal")
	w.Begin("inner")
	w.URI("u", "urn:x")
	w.End()
	w.Begin("nothing")
	w.End()
	w.Value("concept", Value{Type: "Coding", Coding: &Coding{Code: "c"}})
	w.End()
	w.End() // one too many does nothing
	w.Canonical("canon", "http://x|1")
	w.DateTime("when", "2024")
	w.Resource("issues", (&OperationOutcome{Issue: []Issue{{Severity: "error", Code: "not-found", Expression: []string{"a.b"}}}}).AppendJSON)
	w.Value("none", Value{})
	w.Begin("open")
	w.String("s", "é")
	got := string(w.Finish())
	want := `before {"resourceType":"Parameters","parameter":[{"name":"result","valueBoolean":true},{"name":"n","valueInteger":-3},` +
		`{"name":"match","part":[{"name":"equivalence","valueCode":"equal"},{"name":"inner","part":[{"name":"u","valueUri":"urn:x"}]},` +
		`{"name":"nothing"},{"name":"concept","valueCoding":{"code":"c"}}]},{"name":"canon","valueCanonical":"http://x|1"},` +
		`{"name":"when","valueDateTime":"2024"},{"name":"issues","resource":{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"not-found","expression":["a.b"]}]}},` +
		`{"name":"none"},{"name":"open","part":[{"name":"s","valueString":"é"}]}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	empty := NewParametersWriter(nil)
	if got := string(empty.Finish()); got != `{"resourceType":"Parameters"}` {
		t.Errorf("empty: %s", got)
	}
}

func TestParametersWriterAllocates(t *testing.T) {
	buf := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { buf = writeLookup(buf[:0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// writeLookup writes a result of the size of a $lookup.
func writeLookup(dst []byte) []byte {
	w := NewParametersWriter(dst)
	w.String("name", "Synthetic clinical terminology")
	w.String("version", "20250101")
	w.String("display", "Chronic disorder of the \"upper\" limb, änderung")
	for range 3 {
		w.Begin("designation")
		w.Code("language", "en-US")
		w.Value("use", Value{Type: "Code", Text: "synonym"})
		w.String("value", "Disorder of limb")
		w.End()
		w.Begin("property")
		w.Code("code", "parent")
		w.Value("value", Code("138875005"))
		w.End()
	}
	return w.Finish()
}

func BenchmarkParametersWriter(b *testing.B) {
	buf := writeLookup(nil)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = writeLookup(buf[:0])
	}
}

func TestSplitCanonical(t *testing.T) {
	for _, test := range []struct {
		in, url, version, fragment string
		bad                        bool
	}{
		{in: "http://x/vs", url: "http://x/vs"},
		{in: "http://x/vs|1.0", url: "http://x/vs", version: "1.0"},
		{in: "http://x/vs|1.0#a", url: "http://x/vs", version: "1.0", fragment: "a"},
		{in: "http://x/vs#a", url: "http://x/vs", fragment: "a"},
		{in: "#a", fragment: "a"},
		{in: "urn:oid:1.2.3|2", url: "urn:oid:1.2.3", version: "2"},
		{in: "", bad: true},
		{in: "#", bad: true},
		{in: "|", bad: true},
		{in: "|1", bad: true},
		{in: "|1#a", bad: true},
		{in: "http://x|", bad: true},
		{in: "http://x|#a", bad: true},
		{in: "http://x#", bad: true},
		{in: "http://x|1|2", bad: true},
		{in: "http://x#a|1", bad: true},
		{in: "http://x#a#b", bad: true},
		{in: "http://x |1", bad: true},
	} {
		url, version, fragment, err := SplitCanonical(test.in)
		if (err != nil) != test.bad || err != nil && !errors.Is(err, ErrCanonical) {
			t.Errorf("%q: error %v", test.in, err)
		}
		if url != test.url || version != test.version || fragment != test.fragment {
			t.Errorf("%q: got %q %q %q", test.in, url, version, fragment)
		}
	}
}

func TestJoinCanonical(t *testing.T) {
	for _, test := range [][3]string{{"u", "1", "u|1"}, {"u", "", "u"}, {"", "1", ""}, {"", "", ""}} {
		if got := JoinCanonical(test[0], test[1]); got != test[2] {
			t.Errorf("%q and %q: %q, want %q", test[0], test[1], got, test[2])
		}
	}
}

func FuzzSplitCanonical(f *testing.F) {
	for _, seed := range []string{"http://x|1#a", "#a", "|", "a|b|c", "a#b|c", "a\x00b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		url, version, fragment, err := SplitCanonical(in)
		if err != nil {
			if url+version+fragment != "" {
				t.Fatal("parts beside an error")
			}
			return
		}
		joined := JoinCanonical(url, version)
		if fragment != "" {
			joined += "#" + fragment
		}
		if joined != in || strings.ContainsAny(url+version+fragment, "|#") {
			t.Fatalf("%q: %q %q %q", in, url, version, fragment)
		}
	})
}

func TestDecimal(t *testing.T) {
	parse := func(s string) Decimal {
		d, err := ParseDecimal(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, test := range []struct {
		a, b string
		cmp  int
	}{
		{"1.50", "1.5", 0},
		{"1e2", "100", 0},
		{"-0.1", "0", -1},
		{"0.1", "0.10000000000000000001", -1},
		{"9007199254740993", "9007199254740992", 1},
	} {
		if got := parse(test.a).Cmp(parse(test.b)); got != test.cmp {
			t.Errorf("%s and %s: %d", test.a, test.b, got)
		}
	}
	if got := parse("1.50").String(); got != "1.50" {
		t.Errorf("literal %s", got)
	}
	if got := (Decimal{}).Cmp(parse("0.0")); got != 0 {
		t.Errorf("zero Decimal compares %d with 0.0", got)
	}
	for _, bad := range []string{"", "x", "01", "1.", ".5", "+1", "1e", "1e99999", "0x10", "1/2", "Inf", strings.Repeat("1", 2000)} {
		if _, err := ParseDecimal(bad); !errors.Is(err, ErrDecimal) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}
