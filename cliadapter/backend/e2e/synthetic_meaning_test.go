package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/resources/synth"
)

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
