package document_test

import (
	"fmt"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

func TestAbsent(t *testing.T) {
	var v document.Value
	for _, v := range []document.Value{v, v.Get("a"), v.Index(0), v.Parent(), parse(t, "[1]").Root().Index(1), parse(t, "[1]").Root().Get("a"), parse(t, "1").Root().Parent()} {
		if v.Exists() || v.Kind() != document.Absent || v.Name() != "" || v.Len() != 0 || v.Text() != "" || v.Raw() != nil ||
			v.Path("Patient") != "" || v.Offset() != 0 || v.Position() != 0 || v.Is("") || v.Document() != nil {
			t.Errorf("%v is something", v)
		}
		for range v.Children() {
			t.Error("children")
		}
	}
}

func TestPosition(t *testing.T) {
	d := parse(t, "{\n \"a\":\n  [1]}")
	for _, test := range []struct{ offset, line, column int }{{0, 1, 1}, {3, 2, 2}, {10, 3, 3}, {-1, 1, 1}, {99, 3, 7}} {
		if line, column := d.Position(test.offset); line != test.line || column != test.column {
			t.Errorf("%d: %d:%d, want %d:%d", test.offset, line, column, test.line, test.column)
		}
	}
}

func TestResourceType(t *testing.T) {
	for text, want := range map[string]string{`{"resourceType":"Patient"}`: "Patient", `{"resourceType":1}`: "", `{}`: "", `[]`: "", `"resourceType"`: ""} {
		if got := parse(t, text).ResourceType(); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestTextAllocates(t *testing.T) {
	d := parse(t, `{"resourceType":"Patient","name":[{"family":"Doe","given":["John","J."]}],"x":1.50}`)
	if n := testing.AllocsPerRun(100, func() {
		for name := range d.Root().Get("name").Items() {
			for given := range name.Get("given").Items() {
				_ = given.Text()
			}
		}
		_ = d.Root().Get("x").Text()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleParse() {
	d, err := document.Parse([]byte(`{"resourceType":"Patient","name":[{"family":"Doe","given":["John","J."]}]}`), r4.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for name := range d.Root().Get("name").Items() {
		for given := range name.Get("given").Items() {
			fmt.Println(given.Path(d.ResourceType()), given.Text())
		}
	}
	// Output:
	// Patient.name[0].given[0] John
	// Patient.name[0].given[1] J.
}

func ExampleEditor() {
	d, err := document.Parse([]byte(`{"resourceType":"Observation", "valueQuantity":{"value":1.50, "unit":"kg"}}`), r4.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	quantity := d.Root().Get("valueQuantity")
	e := d.Edit()
	e.Replace(quantity.Get("unit"), []byte(`"g"`))
	e.Add(d.Root(), "status", []byte(`"final"`))
	text, err := e.Bytes()
	fmt.Println(string(text), err)
	// Output:
	// {"resourceType":"Observation", "valueQuantity":{"value":1.50, "unit":"g"}, "status":"final"} <nil>
}
