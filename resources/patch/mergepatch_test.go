package patch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/r4"
	"pgregory.net/rapid"
)

func TestMergePatch(t *testing.T) {
	for _, test := range []struct{ doc, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b",null]}`, `{"a":["b",null]}`},
		{`{"a":{"b":"c", "x":1.0}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d", "x":1.0}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":1}`, `{"a":{"b":null,"c":{"d":1,"e":null}}}`, `{"a":{"c":{"d":1}}}`},
		{"{\n  \"a\": 1.50,\n  \"b\": 2\n}", `{"c":3}`, "{\n  \"a\": 1.50,\n  \"b\": 2,\n  \"c\":3\n}"},
		{`{"a":1}`, `{}`, `{"a":1}`},
	} {
		p, err := patch.MergePatch([]byte(test.patch))
		if err != nil {
			t.Errorf("%s: %v", test.patch, err)
			continue
		}
		got, err := p.Apply([]byte(test.doc))
		if err != nil || string(got) != test.want {
			t.Errorf("%s on %s: got %s, %v; want %s", test.patch, test.doc, got, err, test.want)
		}
	}
}

func TestMergePatchErrors(t *testing.T) {
	for _, test := range []struct {
		doc, patch string
		want       error
	}{
		{`{}`, `[]`, patch.ErrMalformed},
		{`{}`, `{"a"}`, patch.ErrMalformed},
		{`{"id":"a"}`, `{"id":"b"}`, patch.ErrPath},
		{`{"resourceType":"Patient"}`, `{"resourceType":null}`, patch.ErrPath},
		{`[]`, `{}`, patch.ErrPath},
	} {
		p, err := patch.MergePatch([]byte(test.patch))
		if err == nil {
			_, err = p.Apply([]byte(test.doc))
		}
		if !errors.Is(err, test.want) || !json.Valid([]byte(test.patch)) && !errors.As(err, new(*r4.SyntaxError)) {
			t.Errorf("%s on %s: %v, want %v", test.patch, test.doc, err, test.want)
		}
	}
}

// naive is the algorithm of RFC 7396 section 2.
func naive(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, value := range changes {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = naive(object[name], value)
		}
	}
	return object
}

func TestMergePatchLaw(t *testing.T) {
	object := rapid.Custom(func(t *rapid.T) map[string]any { return drawObject(t, 3) })
	rapid.Check(t, func(t *rapid.T) {
		doc, body := object.Draw(t, "doc"), object.Draw(t, "patch")
		docText, bodyText := encode(t, doc), encode(t, body)
		p, err := patch.MergePatch(bodyText)
		if err != nil {
			t.Fatal(err)
		}
		text, err := p.Apply(docText)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if want := naive(doc, body); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func encode(t *rapid.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func drawObject(t *rapid.T, depth int) map[string]any {
	m := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
		switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
		case kind == 0 && depth > 0:
			m[name] = drawObject(t, depth-1)
		case kind == 1:
			m[name] = nil
		case kind == 2:
			m[name] = []any{nil, map[string]any{"x": nil}}
		default:
			m[name] = float64(kind)
		}
	}
	return m
}

func FuzzMergePatch(f *testing.F) {
	f.Add([]byte(`{"a":{"b":1}}`), []byte(`{"a":{"b":null,"c":[1]}}`))
	f.Fuzz(func(t *testing.T, doc, body []byte) {
		p, err := patch.MergePatch(body)
		applied(t, p, err, doc)
	})
}

func ExampleMergePatch() {
	p, err := patch.MergePatch([]byte(`{"active":false,"gender":null}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := p.Apply([]byte(`{"resourceType":"Patient", "active":true, "gender":"male"}`))
	fmt.Println(string(text), err)
	// Output:
	// {"resourceType":"Patient", "active":false} <nil>
}
