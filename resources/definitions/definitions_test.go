package definitions_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sync"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/r4"
)

// TestPins checks the generated files: a change of them changes the answers of Roget.
func TestPins(t *testing.T) {
	for name, want := range map[string]string{
		"headers.tsv.lzma":      "06524c0c5e24d8373a50ba838d1cb2b8f5969602d9ebbbbf819f425f688c1993",
		"documents.ndjson.lzma": "4d4b17575786a2583d84d5e3cac0857b09b0f7b4fe932f39edbfb31f232d2962",
		"r5.tsv.lzma":           "0b4cbedb7f3479cae7c35d7f87216cbd649ba2b19db0a9704ba52867b31a6afd",
		"tables.tsv.lzma":       "059578b91ecd3b4c487af259dc6b107d354695d09aa81ead6a544a0624af394e",
	} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s has SHA-256 %s, want %s", name, got, want)
		}
	}
	var systems, sets, concepts int
	for _, d := range definitions.All() {
		if d.Header.ResourceType == "CodeSystem" {
			systems++
			concepts += d.Concepts
		} else {
			sets++
		}
	}
	if got := [3]int{systems, sets, concepts}; got != [3]int{1042, 1275, 17366} {
		t.Errorf("code systems, value sets, concepts: %v", got)
	}
}

// TestHeaders checks that the rows of the table agree with the documents.
func TestHeaders(t *testing.T) {
	for _, d := range definitions.All() {
		document, err := d.Document()
		if err != nil {
			t.Fatal(err)
		}
		h, err := r4.DecodeHeader(document)
		if err != nil {
			t.Fatalf("%s: %v", d.Header.URL, err)
		}
		if !reflect.DeepEqual(*h, d.Header) {
			t.Errorf("the row says %+v, the document %+v", d.Header, *h)
		}
		if d.Header.ResourceType != "CodeSystem" {
			continue
		}
		system, err := r4.DecodeCodeSystem(document)
		if err != nil {
			t.Fatalf("%s: %v", d.Header.URL, err)
		}
		if system.Content != d.Content || system.ValueSet != d.AllCodes {
			t.Errorf("%s: the row says %q, %q; the document %q, %q", d.Header.URL, d.Content, d.AllCodes, system.Content, system.ValueSet)
		}
		if n := countConcepts(t, document); n != d.Concepts {
			t.Errorf("%s: the row says %d concepts, the document has %d", d.Header.URL, d.Concepts, n)
		}
	}
}

func countConcepts(t *testing.T, document []byte) int {
	type concept struct{ Concept []json.RawMessage }
	var system concept
	if err := json.Unmarshal(document, &system); err != nil {
		t.Fatal(err)
	}
	n := len(system.Concept)
	for _, below := range system.Concept {
		n += countConcepts(t, below)
	}
	return n
}

// TestDocumentConcurrently checks that concurrent readers get complete documents, which they may
// change.
func TestDocumentConcurrently(t *testing.T) {
	list := definitions.All()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := 0; i < len(list); i += 37 {
				document, err := list[i].Document()
				if err != nil || !json.Valid(document) {
					t.Errorf("%s: %v", list[i].Header.URL, err)
				}
				clear(document)
			}
		})
	}
	wg.Wait()
}

func ExampleAll() {
	for _, d := range definitions.All() {
		if d.Header.URL == "http://hl7.org/fhir/administrative-gender" {
			fmt.Println(d.Header.Version, d.Header.Name, d.Concepts)
		}
	}
	// Output: 4.0.1 AdministrativeGender 4
}

func BenchmarkAll(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		definitions.All()
	}
}

func BenchmarkDocument(b *testing.B) {
	list := definitions.All()
	b.ReportAllocs()
	for b.Loop() {
		for _, i := range []int{0, len(list) - 1} {
			if _, err := list[i].Document(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
