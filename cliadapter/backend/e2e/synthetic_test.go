package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
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
			t.Parallel()
			s := newLoaded(backendtest.Handler(t, append(place.args(t), "--no-base", "--no-samples", "--timeout", "5m")...))
			for _, f := range data.bundles {
				s.send(t, f)
			}
			s.complete(t, data)
		})
	}
}

// A server with the samples has the code system of synthetic resources: conditions are found
// by what their codes are below, and by a value set.
func TestGeneratedAreFoundByMeaning(t *testing.T) {
	var clinic struct {
		Concept []struct {
			Code     string
			Property []struct{ ValueCode string }
		}
	}
	if err := json.Unmarshal(synth.Clinic(), &clinic); err != nil {
		t.Fatal(err)
	}
	infections := map[string]bool{"infection": true} // parents come before their children
	for _, c := range clinic.Concept {
		if len(c.Property) == 1 && infections[c.Property[0].ValueCode] {
			infections[c.Code] = true
		}
	}
	g, err := synth.New("Condition", synth.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	want := 0
	for n := range uint64(200) {
		line := g.Append(nil, n)
		lines = append(lines, line)
		for code := range infections {
			if bytes.Contains(line, []byte(`"code":{"coding":[{"system":"`+synth.ClinicURL+`","code":"`+code+`"`)) {
				want++
			}
		}
	}
	data := datasetOf(t, lines)
	s := newLoaded(backendtest.Handler(t, "--store", "memory:", "--no-base"))
	for _, f := range data.bundles {
		s.send(t, f)
	}
	for _, query := range []string{
		"code:below=" + url.QueryEscape(synth.ClinicURL+"|infection"),
		"code:in=" + url.QueryEscape("https://roget.health/fhir/ValueSet/clinic-infections"),
	} {
		var page searchset
		if !s.get(t, "/baseR4/Condition?_count=0&"+query, &page) || page.Total.String() != strconv.Itoa(want) || want < 5 || want > 150 {
			t.Errorf("%s: %d conditions are of infections; answer %+v", query, want, page)
		}
	}
}

// Responses include the questionnaires they answer.
func TestGeneratedIncludeQuestionnaires(t *testing.T) {
	var lines [][]byte
	for typ, count := range map[string]uint64{"Questionnaire": 5, "QuestionnaireResponse": 30} {
		g, err := synth.New(typ, synth.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for n := range count {
			lines = append(lines, g.Append(nil, n))
		}
	}
	s := newLoaded(backendtest.Handler(t, "--store", "memory:", "--no-base"))
	for _, f := range datasetOf(t, lines).bundles {
		s.send(t, f)
	}
	found := s.list(t, "/baseR4/QuestionnaireResponse?_count=100&_include=QuestionnaireResponse:questionnaire")
	ids := map[string]bool{}
	for _, f := range found.included {
		ids[f.ID] = true
	}
	for _, id := range []string{"1-0", "1-1", "1-2", "1-3", "1-4"} {
		if !ids[id] {
			t.Errorf("questionnaire %s is not included; there are %v", id, ids)
		}
	}
	if len(found.matches) != 30 || len(ids) != 5 {
		t.Errorf("%d responses with %v", len(found.matches), ids)
	}
}
