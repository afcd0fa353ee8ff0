package operation

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// sample is a row with a parameter of every kind.
var sample = &Operation{
	Name: "sample", Type: "ValueSet",
	In: []Param{
		{Name: "url", Type: "uri", Min: 1},
		{Name: "filter", Type: "string"},
		{Name: "count", Type: "integer"},
		{Name: "page", Type: "unsignedInt"},
		{Name: "factor", Type: "decimal"},
		{Name: "activeOnly", Type: "boolean"},
		{Name: "date", Type: "dateTime"},
		{Name: "coding", Type: "Coding"},
		{Name: "codeableConcept", Type: "CodeableConcept"},
		{Name: "valueSet", Type: "ValueSet"},
		{Name: "tx-resource", Type: "Resource", Many: true},
		{Name: "property", Many: true, Part: []Param{{Name: "code", Type: "code"}, {Name: "value", Type: "string"}}},
		{Name: "designation", Type: "string", Many: true},
	},
}

func decodeQuery(t *testing.T, raw string, strict bool) (*Input, error) {
	t.Helper()
	in := new(Input)
	in.Reset(sample)
	return in, in.DecodeQuery(raw, strict)
}

func decodeBody(t *testing.T, body string, strict bool) (*Input, error) {
	t.Helper()
	p, err := r4.DecodeParameters([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	in := new(Input)
	in.Reset(sample)
	return in, in.DecodeParameters(p, strict)
}

func TestAccessors(t *testing.T) {
	raw := "url=http%3A%2F%2Fx.example%2Fvs%7C1&filter=hea+att&count=-5&activeOnly=true&date=2024-02-29" +
		"&coding=http%3A%2F%2Fs%7C2024%7Ca&codeableConcept=http%3A%2F%2Fs%7Cb&designation=one&designation=t%C3%BCwo" +
		"&property=colour%3Dred&property=legs%3D4&valueSet=%7B%22resourceType%22%3A%22ValueSet%22%7D&_format=json&_pretty=true&factor=1.50"
	in, err := decodeQuery(t, raw, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := in.String("url"); got != "http://x.example/vs|1" {
		t.Errorf("url = %q", got)
	}
	if got := in.String("filter"); got != "hea att" {
		t.Errorf("filter = %q", got)
	}
	if got, given := in.Int("count"); got != -5 || !given {
		t.Errorf("count = %d, %v", got, given)
	}
	if _, given := in.Int("page"); given {
		t.Error("page is not given")
	}
	if got, given := in.Bool("activeOnly"); !got || !given {
		t.Errorf("activeOnly = %v, %v", got, given)
	}
	if diff := cmp.Diff(&r4.Coding{System: "http://s", Version: "2024", Code: "a"}, in.Coding("coding")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&r4.CodeableConcept{Coding: []r4.Coding{{System: "http://s", Code: "b"}}}, in.CodeableConcept("codeableConcept")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"one", "tüwo"}, in.Strings("designation")); diff != "" {
		t.Error(diff)
	}
	want := [][]r4.Parameter{
		{{Name: "code", Value: r4.Code("colour")}, {Name: "value", Value: r4.String("red")}},
		{{Name: "code", Value: r4.Code("legs")}, {Name: "value", Value: r4.String("4")}},
	}
	if diff := cmp.Diff(want, in.Parts("property")); diff != "" {
		t.Error(diff)
	}
	if got := string(in.Resource("valueSet")); got != `{"resourceType":"ValueSet"}` {
		t.Errorf("valueSet = %s", got)
	}
	if in.Control != (Control{Format: "json", Pretty: "true"}) {
		t.Errorf("control = %+v", in.Control)
	}
	if !in.Has("url") || in.Has("tx-resource") || in.Resources("tx-resource") != nil {
		t.Error("Has does not tell what is given")
	}
	in.Reset(sample)
	if in.Has("url") || in.Control != (Control{}) || in.ID != "" {
		t.Error("Reset leaves something behind")
	}
}

// TestBadQueries checks that an error names the parameter, the value and what is expected.
func TestBadQueries(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		is   error
		says []string
	}{
		{"count=ten", engine.ErrInvalidParameter, []string{"count", `"ten"`, "integer"}},
		{"count=1.5", engine.ErrInvalidParameter, []string{"count", `"1.5"`}},
		{"count=99999999999", engine.ErrInvalidParameter, []string{"count", `"99999999999"`, "32 bits"}},
		{"count=99999999999", engine.ErrInvalidParameter, []string{"count", "99999999999"}},
		{"count=007", engine.ErrInvalidParameter, []string{"count"}},
		{"count=+-1", engine.ErrInvalidParameter, []string{"count"}},
		{"page=-1", engine.ErrInvalidParameter, []string{"page", `"-1"`, "below 0"}},
		{"factor=1.x", engine.ErrInvalidParameter, []string{"factor", "decimal"}},
		{"factor=NaN", engine.ErrInvalidParameter, []string{"factor", "decimal"}},
		{"activeOnly=yes", engine.ErrInvalidParameter, []string{"activeOnly", `"yes"`, "true nor false"}},
		{"activeOnly=TRUE", engine.ErrInvalidParameter, []string{"activeOnly"}},
		{"date=yesterday", engine.ErrInvalidParameter, []string{"date", `"yesterday"`, "dateTime"}},
		{"date=2024-13", engine.ErrInvalidParameter, []string{"date"}},
		{"url=a&url=b", ErrRepeatedParameter, []string{"url"}},
		{"count=1&count=1", ErrRepeatedParameter, []string{"count"}},
		{"url=%zz", engine.ErrInvalidParameter, []string{"url", "%zz", "percent-encoded"}},
		{"url=%e", engine.ErrInvalidParameter, []string{"url"}},
		{"url=%ff%fe", engine.ErrInvalidParameter, []string{"url", "UTF-8"}},
		{"url=\xff", engine.ErrInvalidParameter, []string{"url", "UTF-8"}},
		{"%ff=x", engine.ErrInvalidParameter, []string{"UTF-8"}},
		{"kount=1", ErrUnknownParameter, []string{"kount", "url", "filter", "tx-resource"}},
		{"=x", ErrUnknownParameter, nil},
		{"_foo=1", ErrUnknownParameter, []string{"_foo"}},
		{"coding={", engine.ErrInvalidParameter, []string{"coding"}},
		{"coding={%22code%22:1}", engine.ErrInvalidParameter, []string{"coding"}},
		{"property=colour", engine.ErrInvalidParameter, []string{"property", "code=value"}},
		{"valueSet=http://x", engine.ErrInvalidParameter, []string{"valueSet", "not a ValueSet in JSON"}},
		{"valueSet={%22resourceType%22:%22CodeSystem%22}", engine.ErrInvalidParameter, []string{"valueSet", "CodeSystem"}},
		{"valueSet={}", engine.ErrInvalidParameter, []string{"valueSet", "resourceType"}},
		{"filter=" + strings.Repeat("%e2%82", 1), engine.ErrInvalidParameter, []string{"filter"}},
	} {
		_, err := decodeQuery(t, tt.raw, true)
		if !errors.Is(err, tt.is) {
			t.Errorf("%s: error %v, want %v", tt.raw, err, tt.is)
			continue
		}
		for _, word := range tt.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: error %q does not say %q", tt.raw, err, word)
			}
		}
	}
}

func TestGoodQueries(t *testing.T) {
	for _, raw := range []string{
		"", "&", "&&url=a&", "url=", "count=", "count=0", "count=%2B5", "url=a%7C1%23b", "url=a|1#b",
		"date=2024", "date=2024-01", "date=2024-01-02", "date=2024-01-02T03:04:05Z", "date=2024-01-02T03:04:05.123%2B02:00",
		"filter=%F0%9F%98%80", "factor=-1.5e3", "_summary=true&_elements=a", "designation=a&designation=a",
	} {
		if _, err := decodeQuery(t, raw, true); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	in, err := decodeQuery(t, "kount=1&url=a", false)
	if err != nil || in.String("url") != "a" {
		t.Errorf("lenient: %v", err)
	}
}

func TestBadParameters(t *testing.T) {
	for _, tt := range []struct {
		entry string
		is    error
		says  string
	}{
		{`{"name":"count","valueString":"10"}`, engine.ErrInvalidParameter, "valueString, where integer is expected"},
		{`{"name":"count","valueDecimal":10}`, engine.ErrInvalidParameter, "valueDecimal"},
		{`{"name":"url","valueBoolean":true}`, engine.ErrInvalidParameter, "valueBoolean, where uri is expected"},
		{`{"name":"activeOnly","valueString":"true"}`, engine.ErrInvalidParameter, "activeOnly"},
		{`{"name":"url","valueCoding":{"code":"a"}}`, engine.ErrInvalidParameter, "valueCoding"},
		{`{"name":"coding","valueString":"a"}`, engine.ErrInvalidParameter, "valueString, where Coding is expected"},
		{`{"name":"coding","resource":{"resourceType":"ValueSet"}}`, engine.ErrInvalidParameter, "a resource, where Coding"},
		{`{"name":"valueSet","resource":{"resourceType":"CodeSystem"}}`, engine.ErrInvalidParameter, "CodeSystem"},
		{`{"name":"valueSet","valueUri":"http://x"}`, engine.ErrInvalidParameter, "valueUri"},
		{`{"name":"property","valueString":"a"}`, engine.ErrInvalidParameter, "where parts is expected"},
		{`{"name":"url"}`, engine.ErrInvalidParameter, "no value"},
		{`{"name":"kount","valueInteger":1}`, ErrUnknownParameter, "kount"},
		{`{"name":"url","valueUri":"a"},{"name":"url","valueUri":"a"}`, ErrRepeatedParameter, "url"},
	} {
		_, err := decodeBody(t, `{"resourceType":"Parameters","parameter":[`+tt.entry+`]}`, true)
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v, want %v saying %q", tt.entry, err, tt.is, tt.says)
		}
	}
	if _, err := decodeBody(t, `{"resourceType":"Parameters","parameter":[{"name":"kount","valueInteger":1}]}`, false); err != nil {
		t.Errorf("lenient: %v", err)
	}
	in, err := decodeBody(t, `{"resourceType":"Parameters","parameter":[{"name":"url"},{"name":"count"},{"name":"coding"}]}`, false)
	if err != nil || in.Has("url") || in.Has("coding") || !in.Empty("url") || in.Empty("filter") {
		t.Errorf("without values: %v, url %t", err, in.Has("url"))
	}
}

// TestPrimitivesStandForEachOther checks which types of value fit a text parameter.
func TestPrimitivesStandForEachOther(t *testing.T) {
	for _, typ := range []string{"Uri", "Url", "Canonical", "String", "Code", "Id", "Markdown"} {
		in, err := decodeBody(t, `{"resourceType":"Parameters","parameter":[{"name":"url","value`+typ+`":"http://x"}]}`, true)
		if err != nil || in.String("url") != "http://x" {
			t.Errorf("value%s: %v", typ, err)
		}
	}
}

func TestAdd(t *testing.T) {
	in := new(Input)
	in.Reset(sample)
	for _, pair := range [][2]string{{"url", "http://x"}, {"coding", "http://s|a"}, {"count", "3"}, {"property", "a=b=c"}} {
		if err := in.Add(pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Add("nope", "1"); !errors.Is(err, ErrUnknownParameter) {
		t.Errorf("unknown parameter: %v", err)
	}
	if got := in.Parts("property")[0][1].Value.Text; got != "b=c" {
		t.Errorf("value of a property = %q", got)
	}
}

// TestNoAllocation checks that a plain query costs no memory.
func TestNoAllocation(t *testing.T) {
	in := new(Input)
	raw := "system=http://example.org/cs&code=A01.1&version=2024"
	op := &Operation{Name: "lookup", In: []Param{{Name: "code", Type: "code"}, {Name: "system", Type: "uri"}, {Name: "version", Type: "string"}}}
	if n := testing.AllocsPerRun(100, func() {
		in.Reset(op)
		if err := in.DecodeQuery(raw, true); err != nil {
			t.Fatal(err)
		}
		if in.String("code") != "A01.1" || in.String("nope") != "" {
			t.Fatal("wrong")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecodeQuery(b *testing.B) {
	op := &Operation{Name: "lookup", In: []Param{{Name: "code", Type: "code"}, {Name: "system", Type: "uri"}, {Name: "version", Type: "string"}}}
	for name, raw := range map[string]string{
		"plain":   "system=http://example.org/cs&code=A01.1",
		"escaped": "system=" + url.QueryEscape("http://example.org/cs") + "&code=A01.1",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			in := new(Input)
			for b.Loop() {
				in.Reset(op)
				if err := in.DecodeQuery(raw, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
