package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/synth"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestGenerateThreeWays makes the same bytes from Go, in the terminal and over HTTP.
func TestGenerateThreeWays(t *testing.T) {
	server := backendtest.Serve(t, backendtest.Tested, "--generate", "--no-samples", "--store", "memory:", "--data", t.TempDir())
	eng := engine.New()
	if err := eng.Publish(base.Entries()...); err != nil {
		t.Fatal(err)
	}
	const choice = "Condition.code=valueset:http://hl7.org/fhir/ValueSet/administrative-gender"
	codes, err := operation.GeneratorCodes(t.Context(), eng, []string{"Condition.code"}, []string{choice})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		typ  string
		args []string // name=value
		each synth.Selection
		o    synth.Options
	}{
		{"Condition", []string{"seed=7", "count=3", "first=5", "patient_ref=Patient/anna", "codes=" + choice}, synth.Selection{First: 5, Count: 3}, synth.Options{Seed: 7, Values: map[string]string{"patient_ref": "Patient/anna"}, Codes: codes}},
		{"QuestionnaireResponse", []string{"seed=18446744073709551615", "count=2", "questionnaire_template=gad-7"}, synth.Selection{Count: 2}, synth.Options{Seed: 1<<64 - 1, Values: map[string]string{"questionnaire_template": "gad-7"}}},
		{"DiagnosticReport", []string{"count=2", "with_references=true"}, synth.Selection{Count: 2, References: true}, synth.Options{}},
		{"population", []string{"seed=7", "patients=2", "first=3", "codes=" + choice}, synth.Selection{First: 3, Count: 2}, synth.Options{Seed: 7, Codes: codes}},
	} {
		var want []byte
		take := func(c synth.Chunk) error { want = append(want, c.Bytes...); return nil }
		path, query, command := "/"+tt.typ+"/$generate", url.Values{}, []string{"generate", tt.typ}
		if tt.typ == "population" {
			path = "/$generate"
			p, err := synth.NewPopulation(synth.PopulationOptions{Seed: tt.o.Seed, First: tt.each.First, Patients: tt.each.Count, Codes: tt.o.Codes})
			if err == nil {
				err = p.Each(t.Context(), synth.NDJSON, take)
			}
			if err != nil {
				t.Fatal(err)
			}
		} else {
			g, err := synth.New(tt.typ, tt.o)
			if err == nil {
				err = g.Each(t.Context(), tt.each, take)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, arg := range tt.args {
			name, value, _ := strings.Cut(arg, "=")
			query.Add(name, value)
			command = append(command, "--"+strings.ReplaceAll(name, "_", "-")+"="+value)
		}
		cmd := backendtest.Tested(t, command...)
		cmd.Dir = t.TempDir()
		terminal, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", command, err)
		}
		if !bytes.Equal(terminal, want) {
			t.Errorf("%v: the terminal gives\n%.300s\nthe library\n%.300s", command, terminal, want)
		}
		status, body := server.Do(t, http.MethodPost, path+"?"+query.Encode(), "")
		var bundle struct {
			Entry []struct{ Resource json.RawMessage }
		}
		if err := json.Unmarshal([]byte(body), &bundle); err != nil || status != http.StatusOK {
			t.Fatalf("%s: status %d, %v: %.300s", path, status, err, body)
		}
		var got []byte
		for _, e := range bundle.Entry {
			got = append(append(got, e.Resource...), '\n')
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: HTTP gives\n%.300s\nthe library\n%.300s", path, got, want)
		}
	}
}
