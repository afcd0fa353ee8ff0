package document_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// parse parses a well-formed document.
func parse(t testing.TB, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text), r4.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

// plain returns a value as encoding/json would decode it.
func plain(v document.Value) any {
	switch v.Kind() {
	case document.Object:
		m := map[string]any{}
		for member := range v.Members() {
			m[member.Name()] = plain(member)
		}
		return m
	case document.Array:
		list := []any{}
		for item := range v.Items() {
			list = append(list, plain(item))
		}
		return list
	case document.String:
		return v.Text()
	case document.Number:
		return json.Number(v.Text())
	case document.Bool:
		return v.Text() == "true"
	}
	return nil
}

func decode(t testing.TB, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// check compares a document with encoding/json, and checks the places of all values.
func check(t testing.TB, d *document.Document) {
	t.Helper()
	if got, want := plain(d.Root()), decode(t, d.Source()); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	seen := 0
	var walk func(v document.Value)
	walk = func(v document.Value) {
		if v.Ordinal() != seen {
			t.Fatalf("%s has ordinal %d, want %d", v.Path("X"), v.Ordinal(), seen)
		}
		seen++
		if !bytes.Equal(v.Raw(), d.Source()[v.Offset():v.End()]) {
			t.Fatal("Raw is not the source")
		}
		i := 0
		for child := range v.Children() {
			if child.Parent() != v || child.Position() != i {
				t.Fatalf("%s: parent or position", child.Path("X"))
			}
			if v.Kind() == document.Object && v.Get(child.Name()) != child {
				t.Fatalf("%s: Get", child.Path("X"))
			}
			if v.Kind() == document.Array && v.Index(i) != child {
				t.Fatalf("%s: Index", child.Path("X"))
			}
			walk(child)
			i++
		}
		if v.Len() != i {
			t.Fatalf("%s has %d children, Len says %d", v.Path("X"), i, v.Len())
		}
	}
	walk(d.Root())
	if d.Size() != seen {
		t.Fatalf("%d values, Size says %d", seen, d.Size())
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{
		`null`, ` true `, `-0.50e+10`, `"é\n\u00e9\ud83d\ude00\/\b\f\r\t\"\\"`, `{}`, `[]`, "\n[ ]\t",
		`{"a":[{},[],1,"x",null,{"b":{"c":[[[0]]]}}],"":false}`,
		`{"\u0061b":1,"ab\"":{"\u0063":2}}`,
		"{\r\n  \"resourceType\" : \"Patient\" ,\n  \"x\" : [ 1 , 2 ] }",
	} {
		check(t, parse(t, text))
	}
}

func TestParseManyMembers(t *testing.T) {
	for _, n := range []int{31, 32, 33, 200} {
		var b strings.Builder
		b.WriteString(`{"first":0`)
		for i := range n {
			b.WriteString(`,"`)
			b.WriteString(strings.Repeat("n", i+1))
			b.WriteString(`":0`)
		}
		check(t, parse(t, b.String()+`}`))
		for _, twice := range []string{"first", "n", "fir\\u0073t", strings.Repeat("n", n)} {
			text := b.String() + `,"` + twice + `":1}`
			if _, err := document.Parse([]byte(text), r4.Limits{}); err == nil || !strings.Contains(err.Error(), "twice") {
				t.Errorf("%d members and %s again: %v", n, twice, err)
			}
		}
	}
}

// TestParseErrors checks that errors are exactly those of r4.Check.
func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"", " ", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a" 1}`, `{"a":1 "b":2}`, `{a:1}`, `[`, `[1`, `[1,`, `[1,]`, `[1 2]`, `[1}`,
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"`, `"a`, "\"a\nb\"", `"\x"`, `"\u12"`, `"\ud800"`, `"\udc00\ud800"`, `"\ud800\u0041"`, "\"\xff\"",
		`01`, `1.`, `-`, `+1`, `1e`, `.5`, `tru`, `nul`, `falsy`, `{} {}`, `1 2`, "\ufeff{}", "\x00", "{\"\xc3(\":1}",
	} {
		_, err := document.Parse([]byte(text), r4.Limits{})
		want := r4.Check([]byte(text), r4.Limits{})
		var syntax *r4.SyntaxError
		if !errors.As(err, &syntax) || syntax.Line == 0 {
			t.Errorf("%q: %v", text, err)
		} else if err.Error() != want.Error() {
			t.Errorf("%q: got %v, want %v", text, err, want)
		}
	}
}

func TestParseLimits(t *testing.T) {
	deep := strings.Repeat("[", 20) + strings.Repeat("]", 20)
	for _, test := range []struct {
		text string
		lim  r4.Limits
		ok   bool
	}{
		{deep, r4.Limits{MaxDepth: 20}, true},
		{deep, r4.Limits{MaxDepth: 19}, false},
		{deep, r4.Limits{MaxBytes: 40}, true},
		{deep, r4.Limits{MaxBytes: 39}, false},
		{strings.Repeat("[", 100_000), r4.Limits{}, false},
	} {
		_, err := document.Parse([]byte(test.text), test.lim)
		var syntax *r4.SyntaxError
		if test.ok != (err == nil) || err != nil && (!errors.As(err, &syntax) || syntax.Code != "too-long") {
			t.Errorf("%.50s with %+v: %v", test.text, test.lim, err)
		}
	}
	for values, ok := range map[int]bool{5: true, 4: false} {
		_, err := document.ParseMost([]byte(`[0,{"a":[]}, 1]`), r4.Limits{}, values)
		var syntax *r4.SyntaxError
		if ok != (err == nil) || !ok && (!errors.As(err, &syntax) || syntax.Code != "too-long" || syntax.Column != 14) {
			t.Errorf("at most %d values: %v", values, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"b\u00e9",null,{"c":true}],"d":{}}`, `{"a":1,"\u0061":2}`, `[1.50e3,-0]`, "\"\xc3\xa9\"", `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := r4.Limits{MaxDepth: 64}
		d, err := document.Parse(data, lim)
		if want := r4.Check(data, lim); (err == nil) != (want == nil) {
			t.Fatalf("%q: %v, but r4.Check says %v", data, err, want)
		}
		if err == nil {
			check(t, d)
		}
	})
}

// BenchmarkParse parses an Observation of 2 KB.
func BenchmarkParse(b *testing.B) {
	for name, indent := range map[string]string{"compact": "", "indented": "  "} {
		data := observation(indent)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := document.Parse(data, r4.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// observation returns an Observation with components, of about 2 KB without white space.
func observation(indent string) []byte {
	coding := func(system, code, display string) any {
		return map[string]any{"coding": []any{map[string]any{"system": system, "code": code, "display": display}}, "text": display}
	}
	quantity := func() any {
		return map[string]any{"value": json.Number("107.50"), "unit": "mm[Hg]", "system": "http://unitsofmeasure.org", "code": "mm[Hg]"}
	}
	random := rand.New(rand.NewPCG(1, 2))
	var components []any
	for range 5 {
		components = append(components, map[string]any{"code": coding("http://loinc.org", "8480-6", "Systolic Blood Pressure "+strings.Repeat("x", random.IntN(8))), "valueQuantity": quantity()})
	}
	data, err := json.Marshal(map[string]any{
		"resourceType": "Observation", "id": "f1a2b3c4-0000-4000-8000-000000000001", "status": "final",
		"meta":     map[string]any{"profile": []any{"http://hl7.org/fhir/StructureDefinition/vitalsigns"}, "versionId": "1"},
		"category": []any{coding("http://terminology.hl7.org/CodeSystem/observation-category", "vital-signs", "Vital signs")},
		"code":     coding("http://loinc.org", "85354-9", "Blood pressure panel with all children optional"),
		"subject":  map[string]any{"reference": "Patient/8d2b1c1e-0000-4000-8000-000000000002"}, "encounter": map[string]any{"reference": "Encounter/8d2b1c1e-0000-4000-8000-000000000003"},
		"effectiveDateTime": "2011-04-05T12:13:14+02:00", "issued": "2011-04-05T12:13:14.123+02:00", "component": components,
	})
	if err != nil {
		panic(err)
	}
	if indent != "" {
		var b bytes.Buffer
		_ = json.Indent(&b, data, "", indent)
		return b.Bytes()
	}
	return data
}
