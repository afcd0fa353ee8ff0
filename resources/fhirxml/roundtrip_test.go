package fhirxml_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

func codec() *fhirxml.Codec { return fhirxml.New(definitions.R4(), r4.Limits{}) }

// tree returns JSON as maps, lists and text, in which numbers keep their digits.
func tree(t testing.TB, text []byte) any {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

// difference returns the first place at which two trees differ, "" if they are equal.
func difference(path string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, _ := b.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if d := difference(path+"."+name, a[name], b[name]); d != "" {
				return d
			}
		}
		for name := range b {
			if _, found := a[name]; !found {
				return path + "." + name + " was added"
			}
		}
		return ""
	case []any:
		if b, is := b.([]any); is && len(a) == len(b) {
			for i := range a {
				if d := difference(fmt.Sprintf("%s[%d]", path, i), a[i], b[i]); d != "" {
					return d
				}
			}
			return ""
		}
	}
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return fmt.Sprintf("%s: %.300q became %.300q", path, fmt.Sprint(a), fmt.Sprint(b))
}

// TestRoundTrip converts everything in R4 core, and histories of patients, to XML and back, and
// compares the result with the original, member by member.
func TestRoundTrip(t *testing.T) {
	c := codec()
	types := map[string]int{}
	both := []fhirxml.Style{fhirxml.Compact, fhirxml.Indented}
	for _, file := range shared(t, "data/r4-core", "*.ndjson.gz") {
		n, styles := 0, both
		if filepath.Base(file) != "examples.ndjson.gz" {
			styles = both[:1]
		}
		for line := range sharedtest.Lines(t, file) {
			n++
			types[roundTrip(t, c, fmt.Sprintf("%s line %d", filepath.Base(file), n), line, styles)]++
		}
	}
	if len(types) < 130 || types["CodeSystem"] < 1062 || types["ValueSet"] < 1316 || types["StructureDefinition"] < 658 {
		t.Errorf("%d types: %v", len(types), types)
	}
	for _, file := range shared(t, "data/r4-core/examples", "*.json") {
		roundTrip(t, c, filepath.Base(file), content(t, file), both)
	}
	for i, file := range shared(t, "data/synthea", "*.json.gz") {
		if i < 4 {
			roundTrip(t, c, filepath.Base(file), content(t, file), both[:1])
		}
	}
}

// roundTrip converts a resource to XML and back. It returns its type.
func roundTrip(t *testing.T, c *fhirxml.Codec, name string, resource []byte, styles []fhirxml.Style) string {
	t.Helper()
	want := tree(t, resource)
	for _, style := range styles {
		xml, err := c.AppendXML(t.Context(), nil, resource, style)
		if err != nil {
			t.Errorf("%s: to XML: %v", name, err)
			break
		}
		back, err := c.AppendJSON(t.Context(), nil, xml)
		if err != nil {
			t.Errorf("%s: from XML: %v", name, err)
			break
		}
		if d := difference("", want, tree(t, back)); d != "" {
			t.Errorf("%s: %s", name, d)
			break
		}
	}
	typ, _ := want.(map[string]any)["resourceType"].(string)
	return typ
}

// content returns a file, unpacked if it is compressed.
func content(t testing.TB, path string) []byte {
	t.Helper()
	if strings.HasSuffix(path, ".gz") {
		return sharedtest.Unzipped(t, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// shared returns the files of a folder of test data.
func shared(t testing.TB, folder, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, folder), pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(files), err)
	}
	return files
}

// patients returns the transaction of a patient's history.
func patients(b *testing.B) []byte {
	b.Helper()
	files := shared(b, "data/synthea", "*.json.gz")
	return content(b, files[len(files)-1])
}

func BenchmarkToXML(b *testing.B) {
	c, json := codec(), patients(b)
	b.SetBytes(int64(len(json)))
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		var err error
		if dst, err = c.AppendXML(b.Context(), dst[:0], json, fhirxml.Compact); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFromXML(b *testing.B) {
	c := codec()
	xml, err := c.AppendXML(b.Context(), nil, patients(b), fhirxml.Compact)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(xml)))
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		if dst, err = c.AppendJSON(b.Context(), dst[:0], xml); err != nil {
			b.Fatal(err)
		}
	}
}
