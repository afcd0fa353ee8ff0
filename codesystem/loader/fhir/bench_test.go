package fhir

import (
	"os"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

// counts is a sink that counts.
type counts struct {
	systems, concepts, valueSets, conceptMaps int
	indexes                                   map[string]*codesystem.Index
}

func (c *counts) CodeSystem(x *codesystem.Index, _ Origin) error {
	c.systems++
	c.concepts += x.Len()
	if c.indexes != nil {
		c.indexes[x.URL()] = x
	}
	return nil
}

func (c *counts) Document(kind string, _ *r4.Header, _ []byte, _ Origin) error {
	if kind == "ValueSet" {
		c.valueSets++
	} else {
		c.conceptMaps++
	}
	return nil
}

// BenchmarkLoad reads the file that ROGET_BENCH_LOAD names, or else a code system of the test data,
// with all steps of loading.
func BenchmarkLoad(b *testing.B) {
	path := os.Getenv("ROGET_BENCH_LOAD")
	if path == "" {
		path = sharedtest.Path(b, "data/chebi/CodeSystem-chebi.json.gz")
	}
	b.ReportAllocs()
	for b.Loop() {
		c := &counts{}
		if err := Load(b.Context(), path, Options{}, c); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(c.concepts), "concepts")
	}
}

// BenchmarkParse is loading without the building of the index.
func BenchmarkParse(b *testing.B) {
	path := os.Getenv("ROGET_BENCH_LOAD")
	if path == "" {
		path = sharedtest.Path(b, "data/chebi/CodeSystem-chebi.json.gz")
	}
	b.ReportAllocs()
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		l := newReader(b.Context(), Options{}, &counts{})
		src, err := l.open(f, Origin{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		l.scanner.Reset(src.in, r4.Limits{MaxBytes: 1 << 40})
		if res := l.resource(Origin{}, false); res == nil {
			b.Fatal(l.scanner.Err())
		}
		b.SetBytes(src.Decompressed())
		src.Close()
		f.Close()
	}
}
