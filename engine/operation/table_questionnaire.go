package operation

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/score"
)

// typeResponse is the resource type of $score.
const typeResponse = "QuestionnaireResponse"

func scoreRow() *Operation {
	return &Operation{
		Name: "score", Type: typeResponse, Instance: true,
		Example: []Argument{{"instrument", "gad-7"}, {"resource", `{"resourceType":"QuestionnaireResponse","status":"completed","item":[{"linkId":"1","answer":[{"valueInteger":1}]},{"linkId":"2","answer":[{"valueInteger":2}]},{"linkId":"3","answer":[{"valueInteger":0}]},{"linkId":"4","answer":[{"valueInteger":1}]},{"linkId":"5","answer":[{"valueInteger":2}]},{"linkId":"6","answer":[{"valueInteger":0}]},{"linkId":"7","answer":[{"valueInteger":1}]}]}`}},
		Summary: "Add up the answers to a questionnaire",
		Doc: "Returns the score of the answers to PHQ-9 or GAD-7: the sum of valueInteger over the items with linkId 1 to 9, or " +
			"1 to 7, at any depth, and its severity band. If an item has no answer, there is no total and no band. An answer " +
			"that is not an integer from 0 to 3, and whatever else makes the score doubtful, is an error that names the item.",
		Spec: "clinical document 2.19",
		In: []Param{
			{Name: "resource", Type: typeResponse, HTTPOnly: true, Doc: "The response to score. A request for an instance scores the stored response."},
			{Name: "instrument", Type: "code", Codes: score.Codes(), Doc: "The questionnaire: " + strings.Join(score.Codes(), " or ") + ". Required unless the last segment of QuestionnaireResponse.questionnaire names it."},
		},
		Out: []Param{
			{Name: "instrument", Type: "code", Codes: score.Codes(), Min: 1, Doc: "The questionnaire that was scored."},
			{Name: "total", Type: "integer", Doc: "The score, if every item has an answer."},
			{Name: "band", Type: "string", Doc: "The severity that the total stands for: minimal, mild, moderate, moderately severe or severe."},
			{Name: "complete", Type: "boolean", Min: 1, Doc: "Whether every item has an answer."},
			{Name: "answered", Type: "integer", Min: 1, Doc: "The number of items with an answer."},
			{Name: "partial", Type: "integer", Doc: "The sum of the answers, if some are missing."},
			{Name: "missing", Type: "string", Many: true, Doc: "The linkId of an item without an answer."},
		},
		Run: runScore,
	}
}

func runScore(ctx context.Context, env Env, in *Input) (Result, error) {
	body := []byte(in.Resource("resource"))
	switch {
	case in.ID != "" && body != nil:
		return nil, Invalid("resource", "a request for an instance scores the stored response; to score another one, send it to "+typeResponse+"/$score")
	case in.ID == "" && body == nil:
		return nil, Missing("resource", "the "+typeResponse+" to score")
	}
	name := in.String("instrument")
	if _, known := score.Find(name); name != "" && !known {
		return nil, Invalid("instrument", strconv.Quote(name)+" is none of "+strings.Join(score.Codes(), ", "))
	}
	if in.ID != "" {
		var err error
		if body, err = env.read(ctx, typeResponse, in.ID); err != nil {
			return nil, err
		}
	}
	doc, err := document.Parse(body, r4.Limits{})
	if err != nil {
		return nil, err
	}
	r, err := Score(doc.Root(), name)
	if err != nil {
		return nil, err
	}
	return scored{r}, nil
}

// Score is score.Score with an engine.OutcomeError for a response that cannot be scored.
func Score(response document.Value, instrument string) (*score.Result, error) {
	r, err := score.Score(response, score.Options{Instrument: instrument})
	if invalid, ok := errors.AsType[*score.Invalid](err); ok {
		return nil, unscored{invalid}
	}
	return r, err
}

// scored is the answer of $score.
type scored struct{ *score.Result }

// Yes reports whether the score is complete.
func (s scored) Yes() bool { return s.Complete }

// Table returns the score for people.
func (s scored) Table() *Table {
	t := &Table{Title: s.Instrument.Title, Header: []string{"TOTAL", "BAND", "ANSWERED", "MISSING"}}
	total := strconv.Itoa(s.Partial)
	if !s.Complete {
		total += " so far"
	}
	t.Rows = [][]string{{total, s.Band, strconv.Itoa(s.Answered), strings.Join(s.Missing, ", ")}}
	return t
}

// unscored is the error of a response that cannot be scored. It has all its problems.
type unscored struct{ *score.Invalid }

// Class is issue.ClassUnprocessable.
func (unscored) Class() issue.Class { return issue.ClassUnprocessable }

// Issues returns the problems.
func (e unscored) Issues() []r4.Issue {
	issues := make([]r4.Issue, len(e.Problems))
	for i := range e.Problems {
		p := &e.Problems[i]
		issues[i] = r4.Issue{Severity: "error", Code: p.Code(), Diagnostics: p.Error(), Expression: []string{p.Expression}}
	}
	return issues
}

// Unwrap returns the problems as errors.
func (e unscored) Unwrap() error { return e.Invalid }
