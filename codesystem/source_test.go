package codesystem

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

// sourceConcept is a concept as JSON, for the plain reader of these tests.
type sourceConcept struct {
	Code        string           `json:"code"`
	Display     string           `json:"display"`
	Definition  string           `json:"definition"`
	Designation []r4.Designation `json:"designation"`
	Property    []sourceProperty `json:"property"`
	Extension   r4.Extensions    `json:"extension"`
	Concept     []sourceConcept  `json:"concept"`
}

type sourceProperty struct {
	Code          string       `json:"code"`
	ValueCode     *string      `json:"valueCode"`
	ValueString   *string      `json:"valueString"`
	ValueBoolean  *bool        `json:"valueBoolean"`
	ValueInteger  *json.Number `json:"valueInteger"`
	ValueDecimal  *json.Number `json:"valueDecimal"`
	ValueDateTime *string      `json:"valueDateTime"`
	ValueCoding   *r4.Coding   `json:"valueCoding"`
}

func (p *sourceProperty) property() Property {
	v := r4.Value{}
	switch {
	case p.ValueCode != nil:
		v = r4.Code(*p.ValueCode)
	case p.ValueString != nil:
		v = r4.String(*p.ValueString)
	case p.ValueBoolean != nil:
		v = r4.Boolean(*p.ValueBoolean)
	case p.ValueInteger != nil:
		v = r4.Value{Type: "Integer", Text: p.ValueInteger.String()}
	case p.ValueDecimal != nil:
		v = r4.Value{Type: "Decimal", Text: p.ValueDecimal.String()}
	case p.ValueDateTime != nil:
		v = r4.Value{Type: "DateTime", Text: *p.ValueDateTime}
	case p.ValueCoding != nil:
		v = r4.Value{Type: "Coding", Coding: p.ValueCoding}
	}
	return Property{Code: p.Code, Value: v}
}

// readSource reads one CodeSystem, concept by concept.
func readSource(dec *json.Decoder) (*Index, error) {
	b := NewBuilder(nil)
	head := map[string]json.RawMessage{}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if name == "concept" {
			if _, err := dec.Token(); err != nil {
				return nil, err
			}
			for dec.More() {
				var c sourceConcept
				if err := dec.Decode(&c); err != nil {
					return nil, err
				}
				if err := addSource(b, &c, -1); err != nil {
					return nil, err
				}
			}
			if _, err := dec.Token(); err != nil {
				return nil, err
			}
			continue
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		head[name.(string)] = raw
		all, err := json.Marshal(head)
		if err != nil {
			return nil, err
		}
		header := new(r4.CodeSystem)
		if err := json.Unmarshal(all, header); err != nil {
			return nil, err
		}
		b.SetHeader(header)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func addSource(b *Builder, c *sourceConcept, parent int) error {
	concept := Concept{
		Code: c.Code, Display: c.Display, Definition: c.Definition, Designations: c.Designation, Extensions: c.Extension, Parent: parent,
		Where: fmt.Sprint("concept ", b.Len()),
	}
	for i := range c.Property {
		concept.Properties = append(concept.Properties, c.Property[i].property())
	}
	number, err := b.Add(&concept)
	if err != nil {
		return err
	}
	for i := range c.Concept {
		if err := addSource(b, &c.Concept[i], number); err != nil {
			return err
		}
	}
	return nil
}

// openSource opens a JSON file, gzip or not.
func openSource(t testing.TB, path string) *json.Decoder {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	var r io.Reader = bufio.NewReaderSize(f, 1<<16)
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	}
	return json.NewDecoder(r)
}

// The figures of all code systems in the test data agree with those of their publishers.
func TestPublishedFigures(t *testing.T) {
	for _, test := range []struct {
		file string
		want Stats
	}{
		{"icd10cm/CodeSystem-icd-10-cm.json.gz", Stats{Concepts: 95676, Active: 95676, Edges: 95654, Roots: 22, MaxDepth: 8, MeanAncestors: 5.41, MaxAncestors: 8, ClosurePairs: 517155}},
		{"chebi/CodeSystem-chebi.json.gz", Stats{Concepts: 41136, Active: 41099, Edges: 60470, Roots: 3, MaxDepth: 28, MeanAncestors: 22.63, MaxAncestors: 92, ClosurePairs: 929867}},
		{"hpo/CodeSystem-hpo.json.gz", Stats{Concepts: 18961, Active: 18536, Edges: 22932, Roots: 1, MaxDepth: 17, MeanAncestors: 10.34, MaxAncestors: 42, ClosurePairs: 191670}},
		{"so/CodeSystem-so.json.gz", Stats{Concepts: 2151, Active: 1951, Edges: 2025, Roots: 4, MaxDepth: 11, MeanAncestors: 5.86, MaxAncestors: 13, ClosurePairs: 11433}},
		{"iso-codes/CodeSystem-iso-3166-2.json.gz", Stats{Concepts: 5127, Active: 5127, Edges: 1412, Roots: 3715, MaxDepth: 1, MeanAncestors: 0.28, MaxAncestors: 1, ClosurePairs: 1412}},
		{"iso-codes/CodeSystem-iso-639-3.json.gz", Stats{Concepts: 7910, Active: 7910, Roots: 7910}},
		{"iso-codes/CodeSystem-iso-3166-1.json.gz", Stats{Concepts: 249, Active: 249, Roots: 249}},
		{"icd-gem/CodeSystem-icd-9-cm.json.gz", Stats{Concepts: 14567, Active: 14567, Roots: 14567}},
	} {
		t.Run(filepath.Base(test.file), func(t *testing.T) {
			if raceEnabled && test.want.Concepts > 10_000 {
				t.Skip("large systems are built without the race detector only")
			}
			t.Parallel()
			x, err := readSource(openSource(t, sharedtest.Path(t, "data/"+test.file)))
			if err != nil {
				t.Fatal(err)
			}
			got := x.Stats()
			if got.URL == "" || got.Version == "" {
				t.Errorf("url %q, version %q", got.URL, got.Version)
			}
			got.URL, got.Version = "", ""
			if got != test.want {
				t.Errorf("\n got %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// All code systems of FHIR R4 build.
func TestCoreCodeSystems(t *testing.T) {
	if raceEnabled {
		t.Skip("many systems are built without the race detector only")
	}
	dec := openSource(t, sharedtest.Path(t, "data/r4-core/codesystems.ndjson.gz"))
	systems, concepts := 0, 0
	for dec.More() {
		x, err := readSource(dec)
		if err != nil {
			t.Fatalf("system %d: %v", systems, err)
		}
		systems++
		concepts += x.Len()
	}
	if systems != 1062 || concepts != 20731 {
		t.Errorf("%d systems, %d concepts", systems, concepts)
	}
}
