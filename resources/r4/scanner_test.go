package r4

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestScannerReaderError(t *testing.T) {
	broken := errors.New("disk on fire")
	err := checkStream(io.MultiReader(strings.NewReader("{\n\"a\":"), iotest.ErrReader(broken)), Limits{})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v", err)
	}
	err = checkStream(stuck{}, Limits{})
	if !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
	var s Scanner
	ended := bytes.NewBufferString("1")
	s.Reset(ended, Limits{})
	s.Skip()
	ended.WriteString("2")
	if s.More() {
		t.Error("more after the end")
	}
	for _, errs := range [][2]error{{broken, &SyntaxError{}}, {&SyntaxError{}, broken}} {
		s.ResetBytes(nil, Limits{})
		s.FailWith("value", errs[0])
		s.FailWith("value", errs[1])
		if err := s.Err(); !errors.Is(err, errs[0]) || errors.Is(err, errs[1]) {
			t.Errorf("%v: %v", errs, err)
		}
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestScannerText(t *testing.T) {
	long := strings.Repeat("abcdefg—", 40_000)
	for _, want := range []string{"", "x", "\"\\/\b\f\n\r\t", "é日本😀", "\u2028\u2029", "\x7f", long, long + "\n" + long} {
		quoted, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range []io.Reader{bytes.NewReader(quoted), iotest.HalfReader(bytes.NewReader(quoted)), iotest.DataErrReader(bytes.NewReader(quoted))} {
			var s Scanner
			s.Reset(r, Limits{})
			if got := string(s.Text()); got != want || s.End() != nil {
				t.Errorf("reader %d: got %.40q (%v), want %.40q", i, got, s.Err(), want)
			}
		}
	}
}

func TestScannerRaw(t *testing.T) {
	value := `{"b": ["` + strings.Repeat("x", 200_000) + `", 1.50, null]}`
	doc := `{"a":` + value + `,"c":` + value + `,"d":7}`
	for _, r := range []io.Reader{strings.NewReader(doc), iotest.HalfReader(strings.NewReader(doc))} {
		var s Scanner
		s.Reset(r, Limits{})
		s.Object()
		for s.Member() {
			switch string(s.Name()) {
			case "a", "c":
				if got := string(s.Raw(0)); got != value {
					t.Errorf("got %.60q", got)
				}
			default:
				s.Skip()
			}
		}
		if err := s.End(); err != nil {
			t.Error(err)
		}
	}
	for _, limit := range []int{5, 100, 199_999} {
		var s Scanner
		s.Reset(strings.NewReader(doc), Limits{})
		s.Object()
		s.Member()
		s.Raw(limit)
		if err := s.Err(); err == nil || !strings.Contains(err.Error(), "larger than") {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

func TestScannerSeveralValues(t *testing.T) {
	var s Scanner
	s.Reset(strings.NewReader("{\"a\":1}\n\n{\"a\":2}\r\n[3]\n"), Limits{})
	n := 0
	var lines []int
	for s.More() {
		lines = append(lines, s.Line())
		s.Skip()
		n++
	}
	if err := s.End(); err != nil || n != 3 || fmt.Sprint(lines) != "[1 3 4]" {
		t.Errorf("%d values on lines %v, error %v", n, lines, err)
	}
}

// TestScannerStreamPositions checks lines, columns and expressions far into a stream.
func TestScannerStreamPositions(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"concept":[` + "\n")
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"code":"c%d"},`+"\n", i)
	}
	b.WriteString(`  {"code":"x","code":"y"}]}`)
	for _, err := range []error{Check(b.Bytes(), Limits{}), checkStream(&b, Limits{})} {
		var se *SyntaxError
		if !errors.As(err, &se) || se.Line != 20_002 || se.Column != 21 || se.Expression != "concept[20000].code" {
			t.Errorf("got %+v", err)
		}
	}
}

func TestScannerRewind(t *testing.T) {
	doc := `{"list":[{"z":"` + strings.Repeat("z", 150_000) + `","resourceType":"X","y":[1,2]},{"k":5}]}`
	for _, r := range []io.Reader{strings.NewReader(doc), iotest.HalfReader(strings.NewReader(doc))} {
		var s Scanner
		s.Reset(r, Limits{})
		s.Object()
		s.Member()
		s.Array()
		s.Element()
		s.Mark(0)
		s.Object()
		for s.Member() && string(s.Name()) != "resourceType" {
			s.Skip()
		}
		if got := string(s.Text()); got != "X" || s.Depth() != 3 {
			t.Fatalf("got %q at depth %d", got, s.Depth())
		}
		s.Rewind()
		if s.Depth() != 2 || s.Expression() != "list[0]" {
			t.Fatalf("back at depth %d, %s", s.Depth(), s.Expression())
		}
		if m, ok := scanAny(&s).(map[string]any); !ok || len(m) != 3 {
			t.Fatalf("read again: %v", m)
		}
		for s.Element() {
			s.Skip()
		}
		if s.Member() || s.End() != nil {
			t.Fatal(s.Err())
		}
	}
}

// TestScannerRecoverAnywhere recovers from an error before and after each value inside another.
func TestScannerRecoverAnywhere(t *testing.T) {
	for n := range 24 {
		var s Scanner
		s.ResetBytes([]byte(`[[{"a":[1,{"b":[[],2]},[3]],"c":{"d":null,"e":{}}},"next"]]`), Limits{})
		s.Array()
		s.Element()
		s.Array()
		s.Element()
		left := n
		fail := func() {
			if left--; left == -1 {
				s.Fail("value", "here")
			}
		}
		var visit func()
		visit = func() {
			fail()
			switch s.Kind() {
			case KindObject:
				for s.Object(); s.Member(); {
					visit()
				}
			case KindArray:
				for s.Array(); s.Element(); {
					visit()
				}
			default:
				s.Skip()
			}
			fail()
		}
		s.Mark(0)
		visit()
		if s.Err() == nil || !s.Recover(2) || s.Marked() != nil || !s.Element() || s.Index() != 1 || string(s.Text()) != "next" || s.Element() || s.Element() || s.End() != nil || s.Index() != 0 {
			t.Errorf("error %d: %v", n, s.Err())
		}
	}
}

func TestScannerRecover(t *testing.T) {
	// Each document has an element x that is not a string.
	for _, x := range []string{`1`, `null`, `[1,{"a":[2]}]`, `{"a":{"b":1}}`, `true`} {
		doc := `{"list":[{"a":1,"x":` + x + `,"b":{"c":2}},{"x":"fine"}],"after":true}`
		var s Scanner
		s.ResetBytes([]byte(doc), Limits{})
		s.Object()
		s.Member()
		s.Array()
		var got []string
		failed := 0
		for s.Element() {
			depth := s.Depth()
			s.Object()
			for s.Member() {
				if string(s.Name()) == "x" {
					got = append(got, string(s.Text()))
				} else {
					s.Skip()
				}
			}
			if s.Err() != nil {
				failed++
				if !s.Recover(depth) {
					t.Fatalf("%s: no recovery", x)
				}
			}
		}
		for s.Member() {
			s.Skip()
		}
		if err := s.End(); err != nil || failed != 1 || fmt.Sprint(got) != "[ fine]" {
			t.Errorf("%s: %v, %d failed, got %v", x, err, failed, got)
		}
	}
	var s Scanner
	s.ResetBytes([]byte("[1,,2]\n{\"ok\":true}"), Limits{})
	s.Skip()
	if s.Recover(0) {
		t.Error("recovered from malformed JSON")
	}
	if !s.RecoverLine() || !s.More() {
		t.Fatal("no next line")
	}
	if s.Skip(); s.End() != nil {
		t.Error(s.Err())
	}
}

// TestConceptMapOfR5 checks that a map with the names of R5 equals the same map with those of R4.
func TestConceptMapOfR5(t *testing.T) {
	const inR5 = `{"resourceType":"ConceptMap","url":"http://m","versionAlgorithmString":"natural","sourceScopeCanonical":"http://vs/a","targetScopeUri":"http://vs/b","property":[{"code":"p"}],"group":[{"source":"http://a","target":"http://b",
		"element":[{"code":"1","target":[{"code":"x","relationship":"source-is-narrower-than-target"},{"code":"y","relationship":"source-is-broader-than-target"},{"code":"z","relationship":"equivalent"},
		{"code":"r","relationship":"related-to"},{"code":"d","relationship":"not-related-to"}]},{"code":"2","noMap":true}],"unmapped":{"mode":"other-map","otherMap":"http://n"}},{"unmapped":{"mode":"use-source-code"}}]}`
	const inR4 = `{"resourceType":"ConceptMap","url":"http://m","sourceCanonical":"http://vs/a","targetUri":"http://vs/b","group":[{"source":"http://a","target":"http://b",
		"element":[{"code":"1","target":[{"code":"x","equivalence":"wider"},{"code":"y","equivalence":"narrower"},{"code":"z","equivalence":"equivalent"},
		{"code":"r","equivalence":"relatedto"},{"code":"d","equivalence":"disjoint"}]},{"code":"2","target":[{"equivalence":"unmatched"}]}],"unmapped":{"mode":"other-map","url":"http://n"}},{"unmapped":{"mode":"provided"}}]}`
	got, err := DecodeConceptMap([]byte(inR5))
	if err != nil {
		t.Fatal(err)
	}
	want, err := DecodeConceptMap([]byte(inR4))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzDecodeExtensions decodes any text as extensions, which must fail, or yield extensions that
// are unchanged by encoding and decoding.
func FuzzDecodeExtensions(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[{"url":"http://e","valueString":"x"}]`,
		`[{"url":"u","extension":[{"url":"v","valueCoding":{"system":"s","code":"c"}},{"valueBoolean":true}]}]`,
		`[{"url":"u","valueCode":"a","valueCode2":"b","_valueCode":{"id":"x"}}]`, `[{"valueQuantity":{"value":1.50}}]`, `[null]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := DecodeExtensions(text)
		if err != nil {
			return
		}
		written := []byte("[")
		for i := range list {
			if i > 0 {
				written = append(written, ',')
			}
			written = AppendExtension(written, &list[i])
		}
		again, err := DecodeExtensions(append(written, ']'))
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if d := cmp.Diff(list, again); d != "" {
			t.Errorf("%s: %s", written, d)
		}
	})
}
