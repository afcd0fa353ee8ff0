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

// typeResponse is the type that $score is of.
const typeResponse = "QuestionnaireResponse"

func scoreRow() *Operation {
	return &Operation{
		Name: "score", Type: typeResponse, Instance: true,
		Summary: "Add up the answers to a questionnaire",
		Doc: "Gives the score of the answers to PHQ-9 or GAD-7, the sum of valueInteger over the items with linkId 1 to 9, or " +
			"1 to 7, at any depth, and the band it is in. While an item has no answer there is neither total nor band. An answer " +
			"that is not an integer from 0 to 3, and whatever else makes the score doubtful, is an error that names the item.",
		Spec: "clinical document 2.19",
		In: []Param{
			{Name: "resource", Type: typeResponse, HTTPOnly: true, Doc: "The response to score. At an instance, the stored one is scored."},
			{Name: "instrument", Type: "code", Doc: "The questionnaire: " + strings.Join(score.Codes(), " or ") + ". Required unless the last segment of QuestionnaireResponse.questionnaire says so."},
		},
		Out: []Param{
			{Name: "instrument", Type: "code", Min: 1, Doc: "The questionnaire that was scored."},
			{Name: "total", Type: "integer", Doc: "The score, when every item is answered."},
			{Name: "band", Type: "string", Doc: "What the total stands for: minimal, mild, moderate, moderately severe or severe."},
			{Name: "complete", Type: "boolean", Min: 1, Doc: "Whether every item is answered."},
			{Name: "answered", Type: "integer", Min: 1, Doc: "How many items are."},
			{Name: "partial", Type: "integer", Doc: "The sum of the answers there are, when some are missing."},
			{Name: "missing", Type: "string", Many: true, Doc: "The linkId of an item without an answer."},
		},
		Run: runScore,
	}
}

func runScore(ctx context.Context, env Env, in *Input) (Result, error) {
	body := []byte(in.Resource("resource"))
	switch {
	case in.ID != "" && body != nil:
		return nil, Invalid("resource", "at an instance the stored response is scored; score another one at the type, "+typeResponse+"/$score")
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

// Score is score.Score, with errors as clients see them: engine.OutcomeError.
func Score(response document.Value, instrument string) (*score.Result, error) {
	r, err := score.Score(response, score.Options{Instrument: instrument})
	if invalid, ok := errors.AsType[*score.Invalid](err); ok {
		return nil, unscored{invalid}
	}
	return r, err
}

// scored is a score as an answer.
type scored struct{ *score.Result }

// Yes is true for a score that is complete.
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

// unscored is a response that cannot be scored, as a client sees it: all its problems.
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
