package e2e_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/resources/synth"
)

// generate returns count resources of each type that is generated, as lines.
func generate(t *testing.T, seed uint64, count int) [][]byte {
	t.Helper()
	var lines [][]byte
	for _, typ := range synth.TypeNames() {
		g, err := synth.New(typ, synth.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for n := range count {
			lines = append(lines, g.Append(nil, uint64(n)))
		}
	}
	return lines
}

// populate returns patients with their histories, as lines.
func populate(t *testing.T, seed, patients uint64) [][]byte {
	t.Helper()
	p, err := synth.NewPopulation(synth.PopulationOptions{Seed: seed, Patients: patients})
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	err = p.Each(t.Context(), synth.NDJSON, func(c synth.Chunk) error {
		for line := range bytes.Lines(c.Bytes) {
			lines = append(lines, bytes.Clone(bytes.TrimSuffix(line, []byte("\n"))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// datasetOf makes a dataset of resources, with a transaction for each few hundred of them
// that puts them under their ids.
func datasetOf(t *testing.T, lines [][]byte) *dataset {
	t.Helper()
	data := &dataset{byKey: map[string]*record{}}
	for chunk := range slices.Chunk(lines, 500) {
		f := bundleFile{name: fmt.Sprintf("bundle %d", len(data.bundles)), typ: "transaction"}
		var text bytes.Buffer
		text.WriteString(`{"resourceType":"Bundle","type":"transaction","entry":[`)
		for i, line := range chunk {
			r := &record{body: parsed(t, line).apart()}
			r.typ = r.body.first("resourceType")
			r.key = r.typ + "/" + r.body.first("id")
			if data.byKey[r.key] != nil {
				t.Fatalf("%s was made twice", r.key)
			}
			data.records = append(data.records, r)
			data.byKey[r.key] = r
			f.keys = append(f.keys, r.key)
			if i > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, `{"resource":%s,"request":{"method":"PUT","url":"%s"}}`, line, r.key)
		}
		text.WriteString(`]}`)
		f.text = text.Bytes()
		data.bundles = append(data.bundles, f)
	}
	return data
}

// TestGenerated sends 1,000 generated resources of each type and a population to servers, which
// accept all of them and return them unchanged.
func TestGenerated(t *testing.T) {
	count, patients := 1000, uint64(100)
	if raceDetector {
		count, patients = 50, 5
	}
	data := datasetOf(t, slices.Concat(generate(t, 1, count), populate(t, 2, patients)))
	t.Logf("%d resources", len(data.records))
	for _, place := range keptPlaces[:2] { // memory and SQLite
		t.Run(place.name, func(t *testing.T) {
			s := newLoaded(backendtest.Handler(t, append(place.args(t), "--no-base", "--no-samples", "--timeout", "5m")...))
			for _, f := range data.bundles {
				s.send(t, f)
			}
			s.complete(t, data)
		})
	}
}
