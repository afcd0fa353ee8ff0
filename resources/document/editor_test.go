package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"pgregory.net/rapid"
)

func TestEditor(t *testing.T) {
	const pretty = "{\n  \"a\": 1,\n  \"b\": [ 1.50, 2 ],\n  \"c\": {}\n}\n"
	for _, test := range []struct {
		name, text, want string
		edit             func(root document.Value, e *document.Editor)
	}{
		{"nothing", pretty, pretty, func(document.Value, *document.Editor) {}},
		{
			"replace", pretty, "{\n  \"a\": true,\n  \"b\": [ 1.50, \"x\" ],\n  \"c\": {}\n}\n",
			func(root document.Value, e *document.Editor) {
				e.Replace(root.Get("a"), []byte("true"))
				e.Replace(root.Get("b").Index(1), []byte(`"x"`))
			},
		},
		{
			"remove first, add last", pretty, "{\n  \"b\": [ 1.50, 2 ],\n  \"c\": {},\n  \"d\":0\n}\n",
			func(root document.Value, e *document.Editor) {
				e.Remove(root.Get("a"))
				e.Set(root, "d", []byte("0"))
			},
		},
		{
			"remove last two", pretty, "{\n  \"a\": 1\n}\n",
			func(root document.Value, e *document.Editor) {
				e.Remove(root.Get("c"))
				e.Remove(root.Get("b"))
			},
		},
		{
			"remove all", pretty, "{}\n",
			func(root document.Value, e *document.Editor) {
				for v := range root.Members() {
					e.Remove(v)
				}
			},
		},
		{
			"into empty", `{"a":{},"b":[ ]}`, `{"a":{"x\"":1,"y":2},"b":[ 1,2]}`,
			func(root document.Value, e *document.Editor) {
				e.Add(root.Get("a"), `x"`, []byte("1"))
				e.Set(root.Get("a"), "y", []byte("2"))
				e.Insert(root.Get("b"), 0, []byte("1"))
				e.Insert(root.Get("b"), 0, []byte("2"))
			},
		},
		{
			"around one that goes", `[0, 1, 2]`, `[0, "a", "b", 2, "c"]`,
			func(root document.Value, e *document.Editor) {
				e.Insert(root, 3, []byte(`"c"`))
				e.Insert(root, 1, []byte(`"a"`))
				e.Remove(root.Index(1))
				e.Insert(root, 2, []byte(`"b"`))
			},
		},
		{
			"escaped name", `{"\u0061":1,"b":2}`, `{"b":2}`,
			func(root document.Value, e *document.Editor) { e.Remove(root.Get("a")) },
		},
		{
			"root", ` 1 `, ` {} `,
			func(root document.Value, e *document.Editor) { e.Replace(root, []byte("{}")) },
		},
	} {
		d := parse(t, test.text)
		e := d.Edit()
		test.edit(d.Root(), e)
		got, err := e.Bytes()
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v; want %s", test.name, got, err, test.want)
		}
		if string(d.Source()) != test.text {
			t.Errorf("%s: the document changed", test.name)
		}
	}
}

func TestEditorErrors(t *testing.T) {
	d := parse(t, `{"a":[1]}`)
	for name, edit := range map[string]func(e *document.Editor){
		"remove root":    func(e *document.Editor) { e.Remove(d.Root()) },
		"absent":         func(e *document.Editor) { e.Remove(d.Root().Get("x")) },
		"other document": func(e *document.Editor) { e.Replace(parse(t, "1").Root(), nil) },
		"twice": func(e *document.Editor) {
			e.Replace(d.Root().Get("a"), []byte("1"))
			e.Remove(d.Root().Get("a"))
		},
		"replaced twice": func(e *document.Editor) {
			e.Replace(d.Root().Get("a"), []byte("1"))
			e.Replace(d.Root().Get("a"), []byte("1"))
		},
		"into what goes": func(e *document.Editor) {
			e.Remove(d.Root().Get("a"))
			e.Insert(d.Root().Get("a"), 0, []byte("1"))
		},
		"beyond":         func(e *document.Editor) { e.Insert(d.Root().Get("a"), 2, []byte("1")) },
		"not an array":   func(e *document.Editor) { e.Insert(d.Root(), 0, []byte("1")) },
		"not an object":  func(e *document.Editor) { e.Add(d.Root().Get("a"), "x", []byte("1")) },
		"set, no object": func(e *document.Editor) { e.Set(d.Root().Get("a"), "x", []byte("1")) },
	} {
		e := d.Edit()
		edit(e)
		if _, err := e.Bytes(); !errors.Is(err, document.ErrEdit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEditorLaw compares edits of an array with those of a slice.
func TestEditorLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.StringMatching(`[0-9]|"[a-z]"`), 0, 6).Draw(t, "items")
		separator := rapid.SampledFrom([]string{",", " , ", ",\n\t"}).Draw(t, "separator")
		d, err := document.Parse([]byte("[ "+strings.Join(items, separator)+" ]"), r4.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		e := d.Edit()
		var want []string
		for i := 0; i <= len(items); i++ {
			for range rapid.IntRange(0, 2).Draw(t, "inserts") {
				e.Insert(d.Root(), i, []byte(`null`))
				want = append(want, "null")
			}
			if i == len(items) {
				break
			}
			switch rapid.IntRange(0, 2).Draw(t, "edit") {
			case 0:
				want = append(want, items[i])
			case 1:
				e.Replace(d.Root().Index(i), []byte("true"))
				want = append(want, "true")
			case 2:
				e.Remove(d.Root().Index(i))
			}
		}
		text, err := e.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		got, err := document.Parse(text, r4.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		expected, err := document.Parse([]byte("["+strings.Join(want, ",")+"]"), r4.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if !document.Equal(got.Root(), expected.Root()) {
			t.Fatalf("got %s, want %v", text, want)
		}
	})
}

func TestEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`100`, `1e2`, true},
		{`1`, `"1"`, false},
		{`true`, `false`, false},
		{`"\u0061"`, `"a"`, true},
		{`{"a":1,"b":[2]}`, `{"b":[2.0],"a":1}`, true},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`[1,[2,{}]]`, `[1,[2,{}]]`, true},
		{`[1,2]`, `[2,1]`, false},
		{`null`, `null`, true},
		{`1e99999`, `1e99999`, true},
		{`1e99999`, `10e99998`, false},
	} {
		if got := document.Equal(parse(t, test.a).Root(), parse(t, test.b).Root()); got != test.want {
			t.Errorf("%s and %s: %v", test.a, test.b, got)
		}
	}
	if !document.Equal(document.Value{}, document.Value{}) || document.Equal(document.Value{}, parse(t, "null").Root()) {
		t.Error("absent values")
	}
}
