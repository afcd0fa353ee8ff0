package synth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
	"github.com/roget-health/roget/resources/validate"
)

// population returns a population.
func population(t testing.TB, o synth.PopulationOptions) *synth.Population {
	t.Helper()
	p, err := synth.NewPopulation(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// text returns the whole output of a population.
func text(t *testing.T, form synth.Form, o synth.PopulationOptions) []byte {
	t.Helper()
	var all []byte
	next := o.First
	err := population(t, o).Each(t.Context(), form, func(c synth.Chunk) error {
		if c.Patient != next {
			t.Fatalf("patient %d comes where %d should", c.Patient, next)
		}
		next++
		all = append(all, c.Bytes...)
		return nil
	})
	if err != nil || next != o.First+o.Patients {
		t.Fatalf("%v after patient %d", err, next)
	}
	return all
}

// The output of a population does not depend on the number of workers, and equals that of its
// patients one by one.
func TestPopulationWorkers(t *testing.T) {
	t.Parallel()
	patients := synth.PatientsPerStudy + uint64(many(50))
	for _, form := range []synth.Form{synth.NDJSON, synth.Transactions} {
		o := synth.PopulationOptions{Seed: 11, Patients: patients, Workers: 1}
		want := text(t, form, o)
		for _, workers := range []int{2, 7} {
			o.Workers = workers
			if got := text(t, form, o); !bytes.Equal(got, want) {
				t.Errorf("form %d: other bytes with %d workers", form, workers)
			}
		}
		p := population(t, o)
		var got []byte
		for _, patient := range []uint64{patients - 1, 3, synth.PatientsPerStudy} { // the last one first: no state is carried over
			got, _ = p.Append(got[:0], form, patient)
			if !bytes.Contains(want, got) {
				t.Errorf("form %d: patient %d alone is another", form, patient)
			}
		}
	}
}

// A larger population starts like a smaller one, except for the last Group, and can be generated
// in parts.
func TestPopulationPrefix(t *testing.T) {
	t.Parallel()
	o := synth.PopulationOptions{Seed: 5, Patients: 500}
	all := text(t, synth.NDJSON, o)
	o.Patients = 330
	part := text(t, synth.NDJSON, o)
	part = part[:bytes.LastIndexByte(part[:len(part)-1], '\n')+1] // the Group
	if !bytes.HasPrefix(all, part) {
		t.Error("330 patients are not the beginning of 500")
	}
	o.Patients = 200
	first := text(t, synth.NDJSON, o)
	o.First, o.Patients = 200, 300
	if rest := text(t, synth.NDJSON, o); !bytes.Equal(append(first, rest...), all) {
		t.Error("200 patients and 300 are not 500")
	}
}

// A transaction contains the same resources as the lines of its patient.
func TestPopulationTransactions(t *testing.T) {
	p := population(t, synth.PopulationOptions{Seed: 9, Patients: 30})
	for patient := range uint64(30) {
		lines, count := p.Append(nil, synth.NDJSON, patient)
		body, entries := p.Append(nil, synth.Transactions, patient)
		var b bundle
		if err := json.Unmarshal(body, &b); err != nil || b.Type != "transaction" || len(b.Entry) != count || entries != count {
			t.Fatalf("patient %d: %v, %d entries, not %d", patient, err, len(b.Entry), count)
		}
		for i, line := range bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")) {
			e := b.Entry[i]
			root := parse(t, line)
			name := root.Get("resourceType").Text() + "/" + root.Get("id").Text()
			if !bytes.Equal(e.Resource, line) || e.Request.Method != http.MethodPut || e.Request.URL != name || e.FullURL != "https://roget.health/fhir/"+name {
				t.Fatalf("patient %d, entry %d: %+v", patient, i, e)
			}
		}
	}
}

// Each stops when fn returns an error, and when the context ends.
func TestPopulationEnds(t *testing.T) {
	p := population(t, synth.PopulationOptions{Patients: 1 << 39, Workers: 3})
	full := errors.New("full")
	calls := 0
	err := p.Each(t.Context(), synth.NDJSON, func(synth.Chunk) error {
		if calls++; calls == 40 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || calls != 40 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	err = p.Each(ctx, synth.NDJSON, func(synth.Chunk) error {
		if calls++; calls == 40 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls > 41 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if text := text(t, synth.NDJSON, synth.PopulationOptions{}); len(text) > 0 {
		t.Errorf("nobody: %s", text)
	}
}

// Errors name the invalid option, and chosen codes are drawn.
func TestPopulationOptions(t *testing.T) {
	for _, o := range []synth.PopulationOptions{
		{Patients: synth.MaxPatients + 1},
		{First: synth.MaxPatients + 1},
		{Codes: map[string][]synth.Coding{"Basic.code": {{Code: "x"}}}},
		{Codes: map[string][]synth.Coding{"Condition.kode": {{Code: "x"}}}},
		{Codes: map[string][]synth.Coding{"Condition.code": nil}},
	} {
		if _, err := synth.NewPopulation(o); !errors.Is(err, synth.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	chosen := synth.Coding{System: "http://example.org/diseases", Code: "d1", Display: "A disease"}
	all := text(t, synth.NDJSON, synth.PopulationOptions{Patients: 20, Codes: map[string][]synth.Coding{"Condition.code": {chosen}}})
	conditions := 0
	for line := range bytes.Lines(all) {
		if root := parse(t, line); root.Get("resourceType").Text() == "Condition" {
			conditions++
			if code := root.Get("code").Get("coding").Index(0).Get("code").Text(); code != "d1" {
				t.Errorf("the code %s", code)
			}
		}
	}
	if conditions == 0 {
		t.Error("there are no conditions")
	}
}

// Any twenty patients have resources of all types, whatever the seed.
func TestPopulationTypes(t *testing.T) {
	t.Parallel()
	want := slices.Sorted(slices.Values(synth.TypeNames()))
	for seed := range uint64(25) {
		var types []string
		for line := range bytes.Lines(text(t, synth.NDJSON, synth.PopulationOptions{Seed: seed, Patients: 20})) {
			const before = `{"resourceType":"`
			typ, _, _ := strings.Cut(string(line[len(before):]), `"`)
			types = append(types, typ)
		}
		slices.Sort(types)
		types = slices.Compact(types)
		for _, typ := range want {
			if _, found := slices.BinarySearch(types, typ); !found {
				t.Errorf("seed %d: there is no %s", seed, typ)
			}
		}
	}
}

// Patients and shared resources equal those of their generators.
func TestPopulationIsOfGenerators(t *testing.T) {
	t.Parallel()
	makers := map[string]*synth.Generator{}
	checked := 0
	for line := range bytes.Lines(text(t, synth.NDJSON, synth.PopulationOptions{Seed: 3, Patients: 150})) {
		root := parse(t, line)
		typ := root.Get("resourceType").Text()
		seed, number, _ := strings.Cut(root.Get("id").Text(), "-")
		if seed != "3" || strings.Contains(number, "-") || typ == "Group" {
			continue
		}
		if makers[typ] == nil {
			g, err := synth.New(typ, synth.Options{Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			makers[typ] = g
		}
		n := uint64(0)
		for _, digit := range number {
			n = n*10 + uint64(digit-'0')
		}
		if want := makers[typ].Append(nil, n); !bytes.Equal(bytes.TrimSuffix(line, []byte("\n")), want) {
			t.Errorf("%s %d is\n%s\nnot\n%s", typ, n, line, want)
		}
		checked++
	}
	if checked < 150+5+5+7+10 || len(makers) < 11 {
		t.Errorf("%d resources of %d types", checked, len(makers))
	}
}

// All resources of a population are valid.
func TestPopulationValid(t *testing.T) {
	t.Parallel()
	v := validate.New(definitions.R4())
	for line := range bytes.Lines(text(t, synth.NDJSON, synth.PopulationOptions{Seed: 21, Patients: uint64(many(500))})) {
		doc, err := document.Parse(line, r4.Limits{})
		if err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		for _, issue := range v.Validate(doc) {
			if strings.HasPrefix(issue.Text, "dom-6: ") {
				continue // they have no narrative
			}
			t.Fatalf("%s: %s\n%s", issue.Expression, issue.Text, line)
		}
	}
}

func BenchmarkPopulation(b *testing.B) {
	for _, form := range []struct {
		name string
		synth.Form
	}{{"ndjson", synth.NDJSON}, {"transactions", synth.Transactions}} {
		b.Run(form.name, func(b *testing.B) {
			b.ReportAllocs()
			p := population(b, synth.PopulationOptions{Patients: uint64(b.N)})
			resources, size := 0, 0
			err := p.Each(b.Context(), form.Form, func(c synth.Chunk) error {
				resources += c.Resources
				size += len(c.Bytes)
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(resources)/b.Elapsed().Seconds(), "resources/s")
			b.ReportMetric(float64(resources)/float64(b.N), "resources/patient")
			b.SetBytes(int64(size / b.N))
		})
	}
}
