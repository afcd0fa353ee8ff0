package index_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

// eachExample calls fn with the examples of R4.
func eachExample(t testing.TB, fn func(body []byte)) {
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		fn(line)
	}
}

// eachPatient calls fn with the resources of some Synthea files.
func eachPatient(t testing.TB, files int, fn func(body []byte)) {
	names, _ := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/synthea"), "*.json.gz"))
	for _, name := range names[:min(files, len(names))] {
		var bundle struct {
			Entry []struct{ Resource json.RawMessage }
		}
		if err := json.Unmarshal(sharedtest.Unzipped(t, name), &bundle); err != nil {
			t.Fatal(err)
		}
		for _, e := range bundle.Entry {
			var body bytes.Buffer
			if err := json.Compact(&body, e.Resource); err != nil {
				t.Fatal(err)
			}
			fn(body.Bytes())
		}
	}
}

func parse(t testing.TB, body []byte) *document.Document {
	t.Helper()
	d, err := document.Parse(body, r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestExtractAll(t *testing.T) {
	x := index.NewExtractor(definitions.R4())
	n := 0
	check := func(body []byte) {
		d := parse(t, body)
		v, err := x.Extract(d)
		if err != nil {
			t.Fatalf("%s: %v", d.ResourceType(), err)
		}
		n++
		_ = v
	}
	eachExample(t, check)
	eachPatient(t, 3, check)
	t.Log(n, "resources")
}

func BenchmarkExtract(b *testing.B) {
	x := index.NewExtractor(definitions.R4())
	var bodies [][]byte
	size := 0
	eachPatient(b, 22, func(body []byte) { bodies = append(bodies, body); size += len(body) })
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			parse(b, bodies[i%len(bodies)])
		}
	})
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		entries, bytes := 0, 0
		terms := &index.Vocabulary{}
		i := 0
		for ; b.Loop(); i++ {
			v, err := x.Extract(parse(b, bodies[i%len(bodies)]))
			if err != nil {
				b.Fatal(err)
			}
			entries += len(v.Entries(terms))
			bytes += len(v.Append(nil))
			terms.Add(v.Terms(terms))
		}
		b.ReportMetric(float64(entries)/float64(i), "entries/op")
		b.ReportMetric(float64(bytes)/float64(i), "bytes/op")
		b.ReportMetric(float64(size)/float64(len(bodies)), "body/op")
	})
}

func BenchmarkView(b *testing.B) {
	x, tables := index.NewExtractor(definitions.R4()), definitions.R4()
	var blobs [][]byte
	eachPatient(b, 3, func(body []byte) {
		if d := parse(b, body); d.ResourceType() == "Observation" {
			v, err := x.Extract(d)
			if err != nil {
				b.Fatal(err)
			}
			blobs = append(blobs, v.Append(nil))
		}
	})
	for _, code := range []string{"code", "subject", "date", "value-quantity", "code-value-quantity"} {
		number := tables.SearchParam("Observation", code).Number
		b.Run(code, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				for v := range index.NewView(blobs[i%len(blobs)]).Param(number) {
					if v.Code == "?" {
						b.Fatal(v)
					}
				}
			}
		})
	}
}
