package fhirxml_test

import (
	"testing"

	"github.com/roget-health/roget/resources/fhirxml"
)

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
