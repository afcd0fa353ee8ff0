package operation_test

import (
	"errors"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/score"
)

// TestGeneratedScores scores the responses that are generated: each that is completed has
// a score, and those that are not say what is missing.
func TestGeneratedScores(t *testing.T) {
	env := operation.Env{Engine: engine.New()}
	for _, template := range score.Codes() {
		bundle, err := generate(t, env, "QuestionnaireResponse", "count=400", "questionnaire_template="+template)
		if err != nil {
			t.Fatal(err)
		}
		bands := map[string]bool{}
		for _, body := range resourcesOf(t, bundle) {
			doc, err := document.Parse(body, r4.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			status := doc.Root().Get("status").Text()
			r, err := operation.Score(doc.Root(), "")
			switch {
			case status == "entered-in-error":
				if !errors.Is(err, score.ErrEnteredInError) {
					t.Errorf("%v: %s", err, body)
				}
			case err != nil || r.Instrument.Code != template || !r.Complete && (status == "completed" || status == "amended"):
				t.Errorf("%+v, %v: %s", r, err, body)
			default:
				bands[r.Band] = true
			}
		}
		in, _ := score.Find(template)
		for _, b := range in.Bands {
			if !bands[b.Name] {
				t.Errorf("%s: none is %s", template, b.Name)
			}
		}
	}
}
