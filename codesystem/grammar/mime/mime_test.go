package mime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, want string
		parameters []Parameter
	}{
		{"image/png", "image/png", nil},
		{"Application/FHIR+JSON", "application/fhir+json", nil},
		{"application/vnd.oasis.opendocument.text-web", "application/vnd.oasis.opendocument.text-web", nil},
		{"text/plain; Charset=UTF-8", "text/plain", []Parameter{{"charset", "UTF-8"}}},
		{"application/dicom; variant=DICOM WADO-RS; b=1", "application/dicom", []Parameter{{"variant", "DICOM WADO-RS"}, {"b", "1"}}},
		{"application/x; variant=XDA/XDS ", "application/x", []Parameter{{"variant", "XDA/XDS"}}},
		{`text/x;a=b ; c="d;\" e"`, "text/x", []Parameter{{"a", "b"}, {"c", `d;" e`}}},
	} {
		got, err := Parse(c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.String() != c.want || !slices.Equal(got.Parameters, c.parameters) {
			t.Errorf("%s: %s %q", c.text, got, got.Parameters)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		at   int
	}{
		{"", 0},
		{"text", 4},
		{"text/", 5},
		{"/plain", 0},
		{"text/plain/x", 10},
		{"text/ plain", 5},
		{"text/pl\u00e4in", 7},
		{"+a/b", 0},
		{"text/plain;", 11},
		{"text/plain; charset", 19},
		{"text/plain; charset=", 20},
		{"text/plain; charset =x", 19},
		{"text/x;a=\u00e4", 9},
		{"text/plain; charset= ;a=b", 21},
		{`text/plain; a=b"c"`, 15},
		{`text/plain; a="b`, 16},
		{`text/plain; a="b\`, 17},
		{"text/" + strings.Repeat("x", 128), 5},
		{"text/x" + strings.Repeat(";a=b", 300), maxLength},
	} {
		got, err := Parse(c.text)
		var e *Error
		if !errors.As(err, &e) || e.At != c.at {
			t.Errorf("%q: %v, %v; want an error at %d", c.text, got, err, c.at)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"text/plain", "a/b; c=d", `a/b;c="\""`, "a/b;;", "A/B+C"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Parse(s)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.At < 0 || e.At > len(s) {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		if !strings.EqualFold(got.String(), s[:len(got.String())]) {
			t.Fatalf("%q is %s", s, got)
		}
		if again, err := Parse(got.String()); err != nil || again.String() != got.String() {
			t.Fatalf("%q is not stable", s)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("text/plain; charset=utf-8"); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleParse() {
	t, err := Parse(`Text/HTML; charset="utf-8"`)
	if err != nil {
		panic(err)
	}
	fmt.Println(t, t.Parameters)
	// Output:
	// text/html [{charset utf-8}]
}
