package patch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/r4"
)

func TestJSONPatch(t *testing.T) {
	for _, test := range []struct{ doc, patch, want string }{
		{`{"a": 1.50}`, `[]`, `{"a": 1.50}`},
		{`{ "a": 1.50 }`, `[{"op":"add","path":"/b","value":[null]}]`, `{ "a": 1.50, "b":[null] }`},
		{`{"a":1}`, `[{"op":"add","path":"/a","value":2}]`, `{"a":2}`},
		{`{"a":[1,2]}`, `[{"op":"add","path":"/a/1","value":"x"}]`, `{"a":[1,"x",2]}`},
		{`{"a":[1,2]}`, `[{"op":"add","path":"/a/-","value":3},{"op":"add","path":"/a/3","value":4}]`, `{"a":[1,2,3,4]}`},
		{`{"a":1}`, `[{"op":"add","path":"","value":{"b":2}}]`, `{"b":2}`},
		{`{"a":1,"b":2}`, `[{"op":"remove","path":"/a"}]`, `{"b":2}`},
		{`{"a":[1,2,3]}`, `[{"op":"remove","path":"/a/1"},{"op":"remove","path":"/a/1"}]`, `{"a":[1]}`},
		{`{"a":{"b":null}}`, `[{"op":"replace","path":"/a/b","value":1e2}]`, `{"a":{"b":1e2}}`},
		{`{"a":{"b":1},"c":2}`, `[{"op":"move","from":"/a/b","path":"/d"}]`, `{"a":{},"c":2,"d":1}`},
		{`{"a":[1,2,3]}`, `[{"op":"move","from":"/a/0","path":"/a/2"}]`, `{"a":[2,3,1]}`},
		{`{"a":[1]}`, `[{"op":"move","from":"/a/0","path":"/a/0"}]`, `{"a":[1]}`},
		{`{"a":1,"b":2}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1,"b":2}`},
		{`{"a":{"x":[1.0]}}`, `[{"op":"copy","from":"/a","path":"/b"}]`, `{"a":{"x":[1.0]},"b":{"x":[1.0]}}`},
		{`{"a":1,"b":[1]}`, `[{"op":"test","path":"/a","value":1.0},{"op":"test","path":"","value":{"b":[1],"a":1}}]`, `{"a":1,"b":[1]}`},
		{`{"a/b":1,"m~n":2,"":3,"~1":4}`, `[{"op":"test","path":"/a~1b","value":1},{"op":"test","path":"/m~0n","value":2},{"op":"test","path":"/","value":3},{"op":"test","path":"/~01","value":4}]`, `{"a/b":1,"m~n":2,"":3,"~1":4}`},
		{`{"a":1}`, `[{"op":"add","path":"/b","value":2,"unknown":true}]`, `{"a":1,"b":2}`},
	} {
		p, err := patch.JSONPatch([]byte(test.patch))
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

func TestJSONPatchErrors(t *testing.T) {
	const doc = `{"resourceType":"Patient","id":"p","a":[1],"b":{"c":"d"}}`
	for _, test := range []struct {
		patch string
		want  error
	}{
		{``, patch.ErrMalformed},
		{`{}`, patch.ErrMalformed},
		{`[1]`, patch.ErrMalformed},
		{`[{}]`, patch.ErrMalformed},
		{`[{"op":"add"}]`, patch.ErrMalformed},
		{`[{"op":"add","path":"/x"}]`, patch.ErrMalformed},
		{`[{"op":"add","path":1,"value":1}]`, patch.ErrMalformed},
		{`[{"op":"add","path":"x","value":1}]`, patch.ErrMalformed},
		{`[{"op":"add","path":"/~2","value":1}]`, patch.ErrMalformed},
		{`[{"op":"add","path":"/a~","value":1}]`, patch.ErrMalformed},
		{`[{"op":"move","path":"/x"}]`, patch.ErrMalformed},
		{`[{"op":"move","from":"/b","path":"/b/c"}]`, patch.ErrMalformed},
		{`[{"op":"spoil","path":"/x"}]`, patch.ErrMalformed},
		{`[{"op":"add","op":"test","path":"/x","value":1}]`, patch.ErrMalformed},
		{`[` + strings.Repeat(`{"op":"remove","path":"/a"},`, 10000) + `{"op":"remove","path":"/a"}]`, patch.ErrMalformed},
		{`[{"op":"test","path":"/a","value":[2]}]`, patch.ErrTest},
		{`[{"op":"test","path":"/x","value":null}]`, patch.ErrTest},
		{`[{"op":"remove","path":"/x"}]`, patch.ErrPath},
		{`[{"op":"remove","path":""}]`, patch.ErrPath},
		{`[{"op":"remove","path":"/a/1"}]`, patch.ErrPath},
		{`[{"op":"remove","path":"/a/-"}]`, patch.ErrPath},
		{`[{"op":"replace","path":"/x","value":1}]`, patch.ErrPath},
		{`[{"op":"add","path":"/x/y","value":1}]`, patch.ErrPath},
		{`[{"op":"add","path":"/b/c/d","value":1}]`, patch.ErrPath},
		{`[{"op":"add","path":"/a/2","value":1}]`, patch.ErrPath},
		{`[{"op":"add","path":"/a/01","value":1}]`, patch.ErrPath},
		{`[{"op":"add","path":"/a/x","value":1}]`, patch.ErrPath},
		{`[{"op":"copy","from":"/x","path":"/y"}]`, patch.ErrPath},
		{`[{"op":"replace","path":"/id","value":"q"}]`, patch.ErrPath},
		{`[{"op":"remove","path":"/resourceType"}]`, patch.ErrPath},
		{`[{"op":"replace","path":"","value":[]}]`, patch.ErrPath},
	} {
		p, err := patch.JSONPatch([]byte(test.patch))
		if err == nil {
			_, err = p.Apply([]byte(doc))
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%.100s: %v, want %v", test.patch, err, test.want)
		}
	}
	p, err := patch.JSONPatch([]byte(`[]`))
	if err != nil {
		t.Fatal(err)
	}
	var syntax *r4.SyntaxError
	if _, err := p.Apply([]byte(`{`)); !errors.As(err, &syntax) {
		t.Errorf("a document that is no JSON: %v", err)
	}
}

func FuzzJSONPatch(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":[1,{"b":2}]}`, `[{"op":"move","from":"/a/0","path":"/c"}]`},
		{`{"id":"x","a":{}}`, `[{"op":"copy","from":"/a","path":"/a/b"},{"op":"test","path":"/id","value":"x"}]`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, doc, body []byte) {
		p, err := patch.JSONPatch(body)
		applied(t, p, err, doc)
	})
}

// applied checks the properties of every patch of every document.
func applied(t *testing.T, p patch.Patch, err error, doc []byte) {
	if err != nil {
		if !errors.Is(err, patch.ErrMalformed) {
			t.Fatalf("%v is not ErrMalformed", err)
		}
		return
	}
	before, parseErr := document.Parse(doc, r4.Limits{})
	text, err := p.Apply(doc)
	if err != nil {
		if parseErr == nil && !errors.Is(err, patch.ErrPath) && !errors.Is(err, patch.ErrTest) {
			t.Fatalf("%v has no kind", err)
		}
		return
	}
	after, err := document.Parse(text, r4.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !document.Equal(before.Root().Get("id"), after.Root().Get("id")) {
		t.Fatalf("the id changed: %s", text)
	}
}

func ExampleJSONPatch() {
	p, err := patch.JSONPatch([]byte(`[{"op":"replace","path":"/valueQuantity/unit","value":"g"}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := p.Apply([]byte(`{"resourceType":"Observation", "valueQuantity":{"value":1.50, "unit":"kg"}}`))
	fmt.Println(string(text), err)
	// Output:
	// {"resourceType":"Observation", "valueQuantity":{"value":1.50, "unit":"g"}} <nil>
}
