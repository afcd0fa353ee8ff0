package operation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
)

// generator finds the row of $generate of a type.
func generator(t testing.TB, typ string) *operation.Operation {
	t.Helper()
	for _, op := range operation.Generate() {
		if op.Type == typ {
			return op
		}
	}
	t.Fatalf("no row for %s", typ)
	return nil
}

// generate runs $generate by text parameters.
func generate(t testing.TB, env operation.Env, typ string, parameters ...string) ([]byte, error) {
	t.Helper()
	var in operation.Input
	in.Reset(generator(t, typ))
	in.Base = "http://server"
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		if err := in.Add(name, value); err != nil {
			return nil, err
		}
	}
	r, err := in.Op.Run(t.Context(), env, &in)
	if err != nil {
		return nil, err
	}
	if table := r.Table(); len(table.Rows) == 0 || len(table.Rows[0]) != len(table.Header) {
		t.Errorf("table %+v", table)
	}
	return r.AppendJSON(nil), nil
}

// resourcesOf returns the resources of a Bundle, and checks its urls.
func resourcesOf(t testing.TB, bundle []byte) [][]byte {
	t.Helper()
	var doc struct {
		ResourceType, Type string
		Entry              []struct {
			FullURL  string
			Resource json.RawMessage
		}
	}
	if err := json.Unmarshal(bundle, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.ResourceType != "Bundle" || doc.Type != "collection" {
		t.Fatalf("%.80s", bundle)
	}
	var list [][]byte
	for _, e := range doc.Entry {
		h, err := r4.DecodeHeader(e.Resource)
		if err != nil {
			t.Fatal(err)
		}
		if want := "http://server/" + h.ResourceType + "/" + h.ID; e.FullURL != want {
			t.Errorf("fullUrl %q, want %q", e.FullURL, want)
		}
		list = append(list, e.Resource)
	}
	return list
}

// TestGenerateRows has a row for each type, with its options as parameters.
func TestGenerateRows(t *testing.T) {
	rows := operation.Generate()
	if last := rows[len(rows)-1]; last.Type != "" || last.Name != "generate" || !last.AffectsState || len(rows) != len(synth.Types())+1 {
		t.Errorf("%d rows, the last %+v", len(rows), last)
	}
	for _, typ := range synth.Types() {
		i := slices.IndexFunc(rows, func(op *operation.Operation) bool { return op.Type == typ.Name })
		if i < 0 {
			t.Errorf("no row for %s", typ.Name)
			continue
		}
		op := rows[i]
		seen := map[string]bool{}
		for _, p := range op.In {
			if seen[p.Name] || p.Name == "" || p.Doc == "" || p.Type == "" {
				t.Errorf("%s: parameter %q is there twice, or incomplete", typ.Name, p.Name)
			}
			seen[p.Name] = true
		}
		for _, o := range typ.Options {
			if !seen[o.Name] {
				t.Errorf("%s: no parameter %s", typ.Name, o.Name)
			}
		}
		if op.Name != "generate" || !op.AffectsState || op.Instance || op.Summary == "" || op.Doc == "" || op.Spec == "" || seen["codes"] != (len(typ.Codes) > 0) {
			t.Errorf("%+v", op)
		}
	}
	for _, op := range operation.All() {
		if op.Name == "generate" {
			t.Error("the table of all operations has $generate")
		}
	}
}

// TestGenerateAsLibrary makes the same bytes as the library, for every type.
func TestGenerateAsLibrary(t *testing.T) {
	env := operation.Env{Engine: engine.New()}
	for _, typ := range synth.TypeNames() {
		bundle, err := generate(t, env, typ, "seed=18446744073709551615", "count=3", "first=40")
		if err != nil {
			t.Fatal(err)
		}
		g, err := synth.New(typ, synth.Options{Seed: 1<<64 - 1})
		if err != nil {
			t.Fatal(err)
		}
		got := resourcesOf(t, bundle)
		if len(got) != 3 {
			t.Errorf("%s: %d resources", typ, len(got))
		}
		for i, body := range got {
			if want := g.Append(nil, uint64(40+i)); !bytes.Equal(body, want) {
				t.Errorf("%s %d:\n got %s\nwant %s", typ, i, body, want)
			}
		}
	}
}

func TestGenerateOptions(t *testing.T) {
	env := operation.Env{Engine: tableEngine(t)}
	codes := map[string][]synth.Coding{"Condition.code": {{System: "http://s", Code: "a", Display: "Alpha"}, {System: "http://s", Code: "b", Display: "Beta"}}}
	g, err := synth.New("Condition", synth.Options{Seed: 7, Values: map[string]string{"patient_ref": "Patient/anna"}, Codes: codes})
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := generate(t, env, "Condition", "seed=7", "patient_ref=Patient/anna", "codes=Condition.code=valueset:http://v")
	if err != nil {
		t.Fatal(err)
	}
	got := resourcesOf(t, bundle)
	if len(got) != 1 || !bytes.Equal(got[0], g.Append(nil, 0)) || !bytes.Contains(got[0], []byte(`"Patient/anna"`)) || !bytes.Contains(got[0], []byte(`"http://s"`)) {
		t.Errorf("%s", bundle)
	}
}

// TestGenerateWithReferences makes what is referred to, each once.
func TestGenerateWithReferences(t *testing.T) {
	env := operation.Env{Engine: engine.New()}
	bundle, err := generate(t, env, "Condition", "seed=5", "count=3", "with_references=true")
	if err != nil {
		t.Fatal(err)
	}
	there, referred := map[string]bool{}, map[string]string{}
	for _, body := range resourcesOf(t, bundle) {
		h, err := r4.DecodeHeader(body)
		if err != nil {
			t.Fatal(err)
		}
		name := h.ResourceType + "/" + h.ID
		if there[name] {
			t.Errorf("%s is there twice", name)
		}
		there[name] = true
		for _, part := range strings.Split(string(body), `"reference":"`)[1:] {
			ref, _, _ := strings.Cut(part, `"`)
			referred[ref] = name
		}
	}
	for ref, by := range referred {
		if typ, _, _ := strings.Cut(ref, "/"); !there[ref] && slices.Contains(synth.TypeNames(), typ) {
			t.Errorf("%s refers to %s, which is not there", by, ref)
		}
	}
	if !there["Condition/5-2"] || !there["Patient/5-2"] || len(there) < 7 {
		t.Errorf("%v", there)
	}
}

// TestGeneratePopulation makes the same bytes as the library.
func TestGeneratePopulation(t *testing.T) {
	env := operation.Env{Engine: tableEngine(t)}
	codes := map[string][]synth.Coding{"Condition.code": {{System: "http://s", Code: "b", Display: "Beta"}}}
	p, err := synth.NewPopulation(synth.PopulationOptions{Seed: 6, First: 200, Patients: 3, Codes: codes})
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	if err := p.Each(t.Context(), synth.NDJSON, func(c synth.Chunk) error { want = append(want, c.Bytes...); return nil }); err != nil {
		t.Fatal(err)
	}
	bundle, err := generate(t, env, "", "seed=6", "first=200", "patients=3", "codes=Condition.code=ecl:http://s|< s#a")
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for _, body := range resourcesOf(t, bundle) {
		got = append(append(got, body...), '\n')
	}
	if !bytes.Equal(got, want) || !bytes.Contains(got, []byte(`"Beta"`)) {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	for parameter, want := range map[string]string{
		"patients=101":                         "continue with first=100",
		"patients=0":                           "below 1",
		"seed=x":                               "not a decimal",
		"codes=Nothing.code=valueset:http://v": "cannot be chosen",
	} {
		if _, err := generate(t, env, "", parameter); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", parameter, err)
		}
	}

	// Stored, as many as are made at a time.
	e := engine.New()
	env = operation.Env{Engine: e, Resources: resources.NewService(memory.New(), e)}
	bundle, err = generate(t, env, "", "patients=100", "store=true")
	if err != nil {
		t.Fatal(err)
	}
	if all, created := bytes.Count(bundle, []byte(`{"response":`)), bytes.Count(bundle, []byte(`"status":"201 Created"`)); created != all || all < 1000 {
		t.Errorf("%d of %d stored", created, all)
	}
}

// TestGenerateRefused refuses what cannot be made, and changes nothing.
func TestGenerateRefused(t *testing.T) {
	service := resources.NewService(memory.New(), nil)
	env := operation.Env{Engine: tableEngine(t), Resources: service}
	for _, tt := range []struct {
		parameters string
		want       error
		text       string
	}{
		{"count=1001", engine.ErrInvalidParameter, "continue with first=1000"},
		{"count=0", engine.ErrInvalidParameter, "below 1"},
		{"count=many", engine.ErrInvalidParameter, "not an integer"},
		{"first=-1", engine.ErrInvalidParameter, "below 0"},
		{"seed=-1", engine.ErrInvalidParameter, "not an integer from 0"},
		{"seed=1.5", engine.ErrInvalidParameter, "not an integer from 0"},
		{"seed=18446744073709551616", engine.ErrInvalidParameter, "not an integer from 0"},
		{"patient_ref=Group/1", synth.ErrOption, "patient_ref"},
		{"patient_ref=nobody", synth.ErrOption, "patient_ref"},
		{"patient=Patient/1", operation.ErrUnknownParameter, "patient"},
		{"codes=Condition.code", engine.ErrInvalidParameter, "PATH="},
		{"codes=Condition.kode=valueset:http://v", engine.ErrInvalidParameter, "Condition.code"},
		{"codes=Condition.code=valueset:http://nowhere", engine.ErrUnknownValueSet, "http://nowhere"},
	} {
		_, err := generate(t, env, "Condition", "store=true", tt.parameters)
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v", tt.parameters, err)
		}
		if class, _ := operation.Outcome(err); class == issue.ClassInternal || class == issue.ClassUnavailable {
			t.Errorf("%s: class %d", tt.parameters, class)
		}
	}
	if _, err := generate(t, env, "CodeSystem", "store=true", "concepts=10001"); !errors.Is(err, engine.ErrInvalidParameter) || !strings.Contains(err.Error(), "10001 is more than 10000") {
		t.Error(err)
	}
	if err := service.Each(t.Context(), "Condition", func(v resources.Version) error { return fmt.Errorf("%s is stored", v.Key) }); err != nil {
		t.Error(err)
	}
	if _, err := generate(t, operation.Env{Engine: engine.New()}, "Condition", "store=true"); !errors.Is(err, engine.ErrNotSupported) {
		t.Error(err)
	}
}

// TestGenerateStored stores what was made and tells where; a second time nothing changes.
func TestGenerateStored(t *testing.T) {
	service := resources.NewService(memory.New(), nil)
	env := operation.Env{Engine: engine.New(), Resources: service}
	for _, want := range []string{"201 Created", "200 OK"} {
		bundle, err := generate(t, env, "Patient", "seed=3", "count=2", "store=true")
		if err != nil {
			t.Fatal(err)
		}
		if text := string(bundle); !strings.HasPrefix(text, `{"resourceType":"Bundle","type":"batch-response","entry":[{"response":{"status":"`+want+`","location":"http://server/Patient/3-0/_history/1","etag":"W/\"1\"","lastModified":"`) ||
			!strings.Contains(text, "http://server/Patient/3-1/_history/1") {
			t.Errorf("%s", text)
		}
	}
	g, err := synth.New("Patient", synth.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		v, err := service.Read(t.Context(), "Patient", fmt.Sprintf("3-%d", n))
		if err != nil {
			t.Fatal(err)
		}
		var stored, made map[string]any
		if err := errors.Join(json.Unmarshal(v.Body, &stored), json.Unmarshal(g.Append(nil, uint64(n)), &made)); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(stored["name"]) != fmt.Sprint(made["name"]) {
			t.Errorf("%s", v.Body)
		}
	}
}

// TestGenerateStoresEveryType has nothing refused.
func TestGenerateStoresEveryType(t *testing.T) {
	e := engine.New()
	env := operation.Env{Engine: e, Resources: resources.NewService(memory.New(), e)}
	for _, typ := range synth.TypeNames() {
		bundle, err := generate(t, env, typ, "seed=11", "count=10", "store=true")
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(bundle, []byte(`{"response":{"status":"201 Created"`)); n != 10 {
			t.Errorf("%s: %d of 10 stored: %.800s", typ, n, bundle)
		}
	}
}

// TestGenerateAtOnce makes the same whoever else makes something.
func TestGenerateAtOnce(t *testing.T) {
	service := resources.NewService(memory.New(), nil)
	env := operation.Env{Engine: engine.New(), Resources: service}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			seed, typ := fmt.Sprintf("seed=%d", i%2), synth.TypeNames()[i%len(synth.TypeNames())]
			first, err := generate(t, env, typ, seed, "count=20")
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := generate(t, env, typ, seed, "count=20", "store=true"); err != nil {
				t.Error(err)
			}
			if again, err := generate(t, env, typ, seed, "count=20"); err != nil || !bytes.Equal(first, again) {
				t.Errorf("%s: other bytes, or %v", typ, err)
			}
		})
	}
	wg.Wait()
}
