package document_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
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

// TestExamples parses the examples of R4 and compares them with encoding/json.
func TestExamples(t *testing.T) {
	read := 0
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		d, err := document.Parse(line, r4.Limits{})
		if err != nil {
			t.Fatalf("line %d: %v", read+1, err)
		}
		if d.ResourceType() == "" {
			t.Errorf("line %d has no resourceType", read+1)
		}
		if d.Size() < 2000 { // a few are of megabytes
			check(t, d)
		}
		read++
	}
	if read < 700 {
		t.Errorf("%d examples", read)
	}
}

// TestBundles parses bundles of patients, which are large documents.
func TestBundles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/synthea"), "*.json.gz"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files[:4] {
		d, err := document.Parse(sharedtest.Unzipped(t, file), r4.Limits{})
		if err != nil || d.ResourceType() != "Bundle" {
			t.Errorf("%s: %v", file, err)
		}
	}
}
