package index_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

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

// A pile is a reader of documents of some sizes, which notes what it loads.
type pile struct {
	index.Reader
	sizes []int
	loads [][]index.Seq
}

var zeros = make([]byte, 2<<20)

func (p *pile) Load(_ context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	records := make([]index.Record, len(seqs))
	for i, seq := range seqs {
		r := index.Record{Seq: seq, Size: p.sizes[seq-1]}
		if parts == index.WithBody || parts == index.WithSmallBody && r.Size <= index.SmallBody {
			r.Body = zeros[:r.Size]
		}
		records[i] = r
	}
	p.loads = append(p.loads, slices.Clone(seqs))
	return records, nil
}

// TestWeigh compares how far documents are weighed with a sum, and which are loaded together with the limit.
func TestWeigh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{0, 1, 2_000, index.SmallBody, index.SmallBody + 1, 1 << 19, 1<<19 + 1, 1 << 20, 1<<20 + 1})
		p := &pile{sizes: rapid.SliceOfN(size, 0, 110).Draw(t, "sizes")}
		seqs := make([]index.Seq, len(p.sizes))
		for i := range seqs {
			seqs[i] = index.Seq(i + 1)
		}
		most := rapid.SampledFrom([]int{1, 5_000, 1 << 20, 1<<20 + 1, 1 << 40}).Draw(t, "most")
		n, sum, largest := 0, 0, 0
		for ; n < len(seqs) && sum < most; n++ {
			sum, largest = sum+p.sizes[n], max(largest, p.sizes[n])
		}
		records, weighed, err := index.Weigh(t.Context(), p, seqs, most)
		if err != nil || len(records) != n || weighed != sum || index.Weight(records) != int64(sum+2*largest) {
			t.Fatalf("%d documents of %d bytes, a weight of %d, %v, want %d of %d and %d", len(records), weighed, index.Weight(records), err, n, sum, sum+2*largest)
		}
		p.loads = nil
		var want [][]index.Seq
		for i, sum := 0, 0; i < n; i++ {
			if records[i].Body == nil && records[i].Size > 0 {
				if sum += records[i].Size; want == nil || sum > 1<<20 {
					want, sum = append(want, nil), records[i].Size
				}
				want[len(want)-1] = append(want[len(want)-1], records[i].Seq)
			}
		}
		if err := index.Fill(t.Context(), p, records); err != nil || !reflect.DeepEqual(p.loads, want) || index.Missing(records) {
			t.Fatalf("%v are loaded, want %v, %v", p.loads, want, err)
		}
		for i := range records {
			if records[i].Seq != seqs[i] || len(records[i].Body) != p.sizes[i] {
				t.Fatalf("document %d is %d of %d bytes", i, records[i].Seq, len(records[i].Body))
			}
		}
	})
}

// forgetful is a reader of a state in which some versions are gone.
type forgetful struct {
	index.Reader
	gone index.Seq
}

func (f forgetful) Load(_ context.Context, seqs []index.Seq, _ index.Parts) ([]index.Record, error) {
	records := make([]index.Record, len(seqs))
	for i, seq := range seqs {
		if seq != f.gone {
			records[i] = index.Record{Type: "Basic", ID: "x", Seq: seq, Size: 2, Body: []byte("{}")}
		}
	}
	return records, nil
}

// TestWeighMissing checks that a version to which the index leads and that is not there is an error.
func TestWeighMissing(t *testing.T) {
	if records, size, err := index.Weigh(t.Context(), forgetful{gone: 9}, []index.Seq{1, 2}, 100); err != nil || len(records) != 2 || size != 4 {
		t.Errorf("%v, %d, %v", records, size, err)
	}
	if records, _, err := index.Weigh(t.Context(), forgetful{gone: 2}, []index.Seq{1, 2}, 100); !errors.Is(err, index.ErrDamaged) {
		t.Errorf("%v, %v, want ErrDamaged", records, err)
	}
	if records, err := index.LoadBodies(t.Context(), forgetful{gone: 2}, []index.Seq{2}); !errors.Is(err, index.ErrDamaged) {
		t.Errorf("%v, %v, want ErrDamaged", records, err)
	}
}

// TestFillForgotten checks that a page is no answer without a document that was removed meanwhile.
func TestFillForgotten(t *testing.T) {
	page := func() []index.Record {
		return []index.Record{{Type: "Basic", ID: "a", Seq: 1, Size: 2}, {Type: "Basic", ID: "b", Seq: 2, Size: 2}}
	}
	records := page()
	if err := index.Fill(t.Context(), forgetful{gone: 9}, records); err != nil || string(records[1].Body) != "{}" {
		t.Errorf("%v, %v", records, err)
	}
	if err := index.Fill(t.Context(), forgetful{gone: 2}, page()); !errors.Is(err, index.ErrForgotten) {
		t.Errorf("%v, want ErrForgotten", err)
	}
}

// codings returns a list of n codings.
func codings(prefix string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"code":"%s%d"}`, prefix, i)
	}
	return `{"coding":[` + strings.Join(list, ",") + `]}`
}

// TestPairsAreBounded checks that the number of composite entries is limited.
func TestPairsAreBounded(t *testing.T) {
	x := index.NewExtractor(definitions.R4())
	for _, row := range []struct {
		n    int
		want error
	}{{20, nil}, {150, nil}, {4000, index.ErrTooMany}} {
		body := `{"resourceType":"Observation","code":` + codings("a", row.n) + `,"valueCodeableConcept":` + codings("b", row.n) + `}`
		d, err := document.Parse([]byte(body), r4.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		v, err := x.Extract(d)
		if !errors.Is(err, row.want) {
			t.Errorf("%d codings: %v, want %v", row.n, err, row.want)
		}
		if err == nil && len(v.Entries(nil)) < row.n*row.n {
			t.Errorf("%d codings: %d entries", row.n, len(v.Entries(nil)))
		}
	}
}

// TestMaxEntries checks that a resource with too many values is refused with a text that names the
// element and the limit, and that one with repeated values is not.
func TestMaxEntries(t *testing.T) {
	x := index.NewExtractor(definitions.R4())
	patient := func(n, distinct int) string {
		var b strings.Builder
		b.WriteString(`{"resourceType":"Patient","identifier":[{"value":"x"}`)
		for i := range n {
			fmt.Fprintf(&b, `,{"value":"%d"}`, i%distinct)
		}
		return b.String() + `]}`
	}
	var all strings.Builder
	all.WriteString(`{"resourceType":"CodeSystem","status":"active","content":"complete","concept":[{"code":"x"}`)
	for i := range index.MaxEntries {
		fmt.Fprintf(&all, `,{"code":"%d"}`, i)
	}
	for _, row := range []struct {
		name, text string
		refused    bool
	}{
		{"few", patient(100, 100), false},
		{"many", patient(index.MaxEntries/2-100, index.MaxEntries), false},
		{"too many", patient(index.MaxEntries, index.MaxEntries), true},
		{"many times the same", patient(4*index.MaxEntries, 100), false},
		{"a code system", all.String() + `]}`, false},
	} {
		doc, err := document.Parse([]byte(row.text), r4.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Extract(doc)
		if errors.Is(err, index.ErrTooManyValues) != row.refused || !row.refused && err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if row.refused && (!strings.Contains(err.Error(), "Patient.identifier") || !strings.Contains(err.Error(), "50000")) {
			t.Errorf("%s: the text names neither the element nor the limit: %v", row.name, err)
		}
	}
}

// TestOwners checks which patients a document names as its owners, and which it only mentions.
func TestOwners(t *testing.T) {
	owners := index.NewOwners(definitions.R4(), "Patient")
	bases := []string{"https://own.example/fhir"}
	for _, tt := range []struct {
		name, typ, id, body string
		want                []string
	}{
		{"itself", "Patient", "a", `{"resourceType":"Patient"}`, []string{"a"}},
		{"itself, deleted", "Patient", "a", ``, []string{"a"}},
		{"linked", "Patient", "a", `{"resourceType":"Patient","link":[{"other":{"reference":"Patient/b"}},{"other":{"reference":"Patient/a"}}]}`, []string{"a", "b"}},
		{"subject", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Patient/a"}}`, []string{"a"}},
		{"each once", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Patient/a"},"performer":[{"reference":"Patient/a"},{"reference":"Patient/b"}]}`, []string{"a", "b"}},
		{"version", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Patient/a/_history/3"}}`, []string{"a"}},
		{"own address", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"https://own.example/fhir/Patient/a"}}`, []string{"a"}},
		{"foreign address", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"https://other.example/fhir/Patient/a"}}`, nil},
		{"escaped", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Patient\/a"}}`, []string{"a"}},
		{"another type", "Observation", "o", `{"resourceType":"Observation","subject":{"reference":"Group/a"}}`, nil},
		{"logical", "Observation", "o", `{"resourceType":"Observation","subject":{"type":"Patient","identifier":{"value":"a"}}}`, nil},
		{"mentioned in text", "Observation", "o", `{"resourceType":"Observation","note":[{"text":"Patient/a"}]}`, nil},
		{"not in the compartment", "Organization", "g", `{"resourceType":"Organization","partOf":{"reference":"Patient/a"}}`, nil},
		{"several parameters", "Appointment", "x", `{"resourceType":"Appointment","participant":[{"actor":{"reference":"Patient/b"}},{"actor":{"reference":"Practitioner/a"}},{"actor":{"reference":"Patient/a"}}]}`, []string{"a", "b"}},
		{"group", "Group", "g", `{"resourceType":"Group","member":[{"entity":{"reference":"Patient/a"}},{"entity":{"reference":"Patient/b"}}]}`, []string{"a", "b"}},
		{"audit event", "AuditEvent", "e", `{"resourceType":"AuditEvent","entity":[{"what":{"reference":"Patient/a"}}],"agent":[{"who":{"reference":"Patient/b"}}]}`, []string{"a", "b"}},
	} {
		dst := []string{"kept"}
		got, err := owners.Of(dst, tt.typ, tt.id, []byte(tt.body), bases)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if len(got) == 0 || got[0] != "kept" {
			t.Fatalf("%s: %v lacks what was there", tt.name, got)
		}
		got = slices.Sorted(slices.Values(got[1:]))
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if _, err := owners.Of(nil, "Observation", "o", []byte(`{"subject":"Patient`), nil); err == nil {
		t.Error("a document that is cut off is no error")
	}
	if index.NewOwners(definitions.R4(), "Observation") != nil {
		t.Error("Observation has no compartment")
	}
}
