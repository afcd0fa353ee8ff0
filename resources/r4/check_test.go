package r4

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// checkStream is Check on a reader, to compare both modes of the scanner.
func checkStream(r io.Reader, lim Limits) error {
	var s Scanner
	s.Reset(r, lim)
	s.Skip()
	return s.End()
}

func TestCheckErrors(t *testing.T) {
	tests := []struct {
		name, input  string
		line, column int
		expression   string
		code         string
		msg          string
	}{
		{"empty", "", 1, 1, "", "structure", "ends too early"},
		{"space", " \n ", 2, 2, "", "structure", "ends too early"},
		{"truncated object", "{\"a\":\n", 2, 1, "a", "structure", "ends too early"},
		{"truncated string", "{\"a\":\"xy", 1, 9, "a", "structure", "inside a string"},
		{"truncated name", "{\"a", 1, 4, "", "structure", "inside a string"},
		{"truncated literal", "[tru", 1, 5, "[0]", "structure", "true"},
		{"truncated escape", `["\u12`, 1, 7, "[0]", "structure", "inside a string"},
		{"truncated number", `[-`, 1, 3, "[0]", "structure", "inside a number"},
		{"wrong literal", "[trux]", 1, 2, "[0]", "structure", "expected true"},
		{"duplicate", `{"a":1,"b":2,"a":3}`, 1, 17, "a", "structure", "occurs twice"},
		{"duplicate escaped", `{"a":1,"\u0061":3}`, 1, 16, "a", "structure", "occurs twice"},
		{"duplicate deep", "{\"x\":[{},\n{\"y\":{\"k\":1,\"k\":1}}]}", 2, 16, "x[1].y.k", "structure", "occurs twice"},
		{"not UTF-8", "[\"a\xffb\"]", 1, 4, "[0]", "structure", "not valid UTF-8"},
		{"not UTF-8 in name", "{\"\xc3\x28\":1}", 1, 3, "", "structure", "not valid UTF-8"},
		{"surrogate alone", `["\ud800x"]`, 1, 3, "[0]", "structure", "surrogate"},
		{"surrogate low first", `["\udc00\ud800"]`, 1, 3, "[0]", "structure", "surrogate"},
		{"unknown escape", `["\x"]`, 1, 3, "[0]", "structure", "unknown escape"},
		{"bad hex", `["\u00g0"]`, 1, 3, "[0]", "structure", "hexadecimal"},
		{"control", "[\"a\nb\"]", 1, 4, "[0]", "structure", "a line break, which must be escaped"},
		{"leading zero", `[012]`, 1, 2, "[0]", "structure", "malformed number"},
		{"no fraction", `[1.]`, 1, 2, "[0]", "structure", "malformed number"},
		{"trailing comma in array", `[1,]`, 1, 4, "[0]", "structure", "expected a value"},
		{"trailing comma in object", `{"a":1,}`, 1, 8, "a", "structure", "member name"},
		{"missing comma", `[1 2]`, 1, 4, "[0]", "structure", "',' or ']'"},
		{"missing colon", `{"a" 1}`, 1, 6, "a", "structure", "':'"},
		{"wrong close", `[1}`, 1, 3, "[0]", "structure", "',' or ']'"},
		{"after the end", `{} {}`, 1, 4, "", "structure", "end of the input"},
		{"control in name", "{\"a\tb\":1}", 1, 4, "", "structure", "a tab, which"},
		{"blank after a backslash", `["\ "]`, 1, 3, "[0]", "structure", "escape in a string: ' '"},
		{"DEL", "\x7f", 1, 1, "", "structure", "a control character"},
		{"NUL", "\x00", 1, 1, "", "structure", "NUL character"},
		{"BOM", "\ufeff{}", 1, 1, "", "structure", "found a byte order mark"},
		{"UTF-16", "\xff\xfe{\x00}\x00", 1, 1, "", "structure", "found UTF-16"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for way, err := range map[string]error{
				"memory": Check([]byte(test.input), Limits{}),
				"stream": checkStream(strings.NewReader(test.input), Limits{}),
				"bytes":  checkStream(iotest.OneByteReader(strings.NewReader(test.input)), Limits{}),
			} {
				var se *SyntaxError
				if !errors.As(err, &se) {
					t.Fatalf("%s: error %v, want a *SyntaxError", way, err)
				}
				if se.Line != test.line || se.Column != test.column || se.Expression != test.expression || se.Code != test.code {
					t.Errorf("%s: got %d:%d %q %s, want %d:%d %q %s (%v)", way, se.Line, se.Column,
						se.Expression, se.Code, test.line, test.column, test.expression, test.code, err)
				}
				if !strings.Contains(se.Error(), test.msg) {
					t.Errorf("%s: message %q lacks %q", way, se, test.msg)
				}
			}
		})
	}
}

func TestCheckAccepts(t *testing.T) {
	for _, input := range []string{
		`{}`, `[]`, `null`, ` true `, `"x"`, `-0.5e+10`, `[1,2,{"a":[]}]`,
		`"\ud83d\ude00 \" \\ \/ \b\f\n\r\t"`, "\"\u2028 e\u0301 日本語\"", "{\"a\":{\"a\":{\"a\":1}}}",
	} {
		if err := Check([]byte(input), Limits{}); err != nil {
			t.Errorf("%s: %v", input, err)
		}
		if err := checkStream(iotest.OneByteReader(strings.NewReader(input)), Limits{}); err != nil {
			t.Errorf("%s by bytes: %v", input, err)
		}
	}
}

func TestCheckLimits(t *testing.T) {
	deep := bytes.Repeat([]byte("["), 100_000)
	deepObjects := bytes.Repeat([]byte(`{"concept":[`), 100_000)
	tests := []struct {
		name string
		data []byte
		lim  Limits
		msg  string
	}{
		{"deep arrays", deep, Limits{}, "nested deeper than 8192 levels"},
		{"deep objects", deepObjects, Limits{}, "nested deeper than 8192 levels"},
		{"bytes", []byte(`["0123456789"]`), Limits{MaxBytes: 10}, "larger than 10 bytes"},
		{"names", fmt.Appendf(nil, `{"%s":1}`, strings.Repeat("x", 100)), Limits{MaxToken: 50}, "longer than 50 bytes"},
		{"members", manyMembers(70_000), Limits{}, "too many members"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for way, err := range map[string]error{
				"memory": Check(test.data, test.lim),
				"stream": checkStream(bytes.NewReader(test.data), test.lim),
			} {
				var se *SyntaxError
				if !errors.As(err, &se) || se.Code != "too-long" || !strings.Contains(se.Msg, test.msg) {
					t.Errorf("%s: got %v, want %q", way, err, test.msg)
				}
				if se != nil && len(se.Expression) > 2000 {
					t.Errorf("%s: expression of %d bytes", way, len(se.Expression))
				}
			}
		})
	}
	if err := Check(deep[:500:500], Limits{}); err == nil || strings.Contains(err.Error(), "nested") {
		t.Errorf("500 levels: %v, want only a truncation", err)
	}
}

// TestBounds reads what has just the size of a limit, and refuses it with a limit of one less.
func TestBounds(t *testing.T) {
	for doc, l := range map[string]Limits{
		`{"a":[1]}`: {MaxBytes: 9}, `[{"a":[[]]}]`: {MaxDepth: 4}, `{"1\n345":1}`: {MaxToken: 5}, `[-12.5]`: {MaxToken: 5}, `{"12":{"345":1}}`: {MaxToken: 5},
	} {
		for less := range 2 {
			l := Limits{l.MaxBytes - int64(less), l.MaxDepth - less, l.MaxToken - less}
			var s Scanner
			s.ResetBytes([]byte(doc), Limits{})
			s.Raw(len(doc) - less)
			for _, err := range []error{Check([]byte(doc), l), checkStream(iotest.OneByteReader(strings.NewReader(doc)), l), s.Err()} {
				if (err != nil) != (less == 1) {
					t.Errorf("%s, %d less: %v", doc, less, err)
				}
			}
		}
	}
	most := manyMembers(maxMembers)
	if Check(most, Limits{}) != nil || Check(append(most[:len(most)-1], `,"x":1}`...), Limits{}) == nil {
		t.Error("members")
	}
}

func TestValidID(t *testing.T) {
	for c := range 256 {
		if got := ValidID(string([]byte{byte(c)})); got != strings.ContainsRune("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", rune(c)) {
			t.Errorf("%#x: %v", c, got)
		}
	}
}

func manyMembers(n int) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%d":%d`, i, i)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func TestManyMembersDuplicate(t *testing.T) {
	good := manyMembers(1000)
	if err := Check(good, Limits{}); err != nil {
		t.Fatal(err)
	}
	for _, again := range []int{0, 31, 32, 33, 999} {
		bad := fmt.Appendf(bytes.Clone(good[:len(good)-1]), `,"%d":0}`, again)
		if err := Check(bad, Limits{}); err == nil || !strings.Contains(err.Error(), "occurs twice") {
			t.Errorf("member %d twice: %v", again, err)
		}
	}
}

// strictlyValid is a slow reference for Check.
func strictlyValid(data []byte) bool {
	if !json.Valid(data) || !utf8.Valid(data) {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var walk func(depth int) bool
	walk = func(depth int) bool {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		delim, ok := tok.(json.Delim)
		if !ok {
			return true
		}
		if depth >= DefaultLimits().MaxDepth {
			return false
		}
		names := map[string]bool{}
		for dec.More() {
			if delim == '{' {
				name, err := dec.Token()
				if err != nil || names[name.(string)] {
					return false
				}
				names[name.(string)] = true
			}
			if !walk(depth + 1) {
				return false
			}
		}
		_, err = dec.Token()
		return err == nil
	}
	return walk(0) && !loneSurrogate(data)
}

// loneSurrogate finds \u escapes that are half of a pair.
func loneSurrogate(data []byte) bool {
	high := false
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			if high {
				return true
			}
			continue
		}
		i++
		if data[i] != 'u' {
			if high {
				return true
			}
			continue
		}
		digits := strings.ToLower(string(data[i+1 : i+5]))
		i += 4
		isHigh := digits[0] == 'd' && strings.Contains("89ab", digits[1:2])
		isLow := digits[0] == 'd' && strings.Contains("cdef", digits[1:2])
		if high != isLow {
			return true
		}
		high = isHigh
	}
	return high
}

// sameValue compares what the scanner reads with what encoding/json reads.
func sameValue(t *testing.T, data []byte) {
	t.Helper()
	var s Scanner
	s.Reset(iotest.HalfReader(bytes.NewReader(data)), Limits{})
	got := scanAny(&s)
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var want any
	if err := dec.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func scanAny(s *Scanner) any {
	switch s.Kind() {
	case KindObject:
		m := map[string]any{}
		for s.Object(); s.Member(); {
			name := string(s.Name())
			m[name] = scanAny(s)
		}
		return m
	case KindArray:
		list := []any{}
		for s.Array(); s.Element(); {
			list = append(list, scanAny(s))
		}
		return list
	case KindString:
		return string(s.Text())
	case KindNumber:
		return json.Number(s.Number())
	case KindBoolean:
		return s.Boolean()
	}
	s.Null()
	return nil
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[1,2.5e-3,"x\u00e9\ud83d\ude00",{"a":null,"b":[true,false]}]`, `{"a":1,"a":2}`,
		"\"\xff\"", `["\ud800"]`, ` "a" `, `[1,]`, `{"a":1,}`, `01`, `-`, "{\"\\u0061\":1,\"a\":2}", "nul",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := Check(data, Limits{})
		if want := strictlyValid(data); want != (err == nil) {
			t.Fatalf("Check says %v, the reference %v", err, want)
		}
		if err == nil {
			sameValue(t, data)
		}
		streamed := checkStream(iotest.OneByteReader(bytes.NewReader(data)), Limits{})
		if fmt.Sprint(streamed) != fmt.Sprint(err) {
			t.Fatalf("memory says %v, stream says %v", err, streamed)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	var doc bytes.Buffer
	doc.WriteString(`{"resourceType":"CodeSystem","concept":[`)
	for i := range 5000 {
		if i > 0 {
			doc.WriteByte(',')
		}
		fmt.Fprintf(&doc, `{"code":"%d","display":"Chronic disorder of upper limb number %d","designation":[{"language":"en","use":{"system":"http://example.org/description-type","code":"synonym"},"value":"Disorder of limb"}],"property":[{"code":"parent","valueCode":"%d"},{"code":"inactive","valueBoolean":false}]}`, i, i, i/3)
	}
	doc.WriteString(`]}`)
	b.Run("memory", func(b *testing.B) {
		b.SetBytes(int64(doc.Len()))
		b.ReportAllocs()
		for b.Loop() {
			if err := Check(doc.Bytes(), Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("stream", func(b *testing.B) {
		b.SetBytes(int64(doc.Len()))
		b.ReportAllocs()
		var s Scanner
		r := bytes.NewReader(nil)
		for b.Loop() {
			r.Reset(doc.Bytes())
			s.Reset(r, Limits{})
			s.Skip()
			if err := s.End(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
