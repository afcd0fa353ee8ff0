package score

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// resourceType is the type of resources that can be scored.
const resourceType = "QuestionnaireResponse"

// Options configure Score.
type Options struct {
	// Instrument is the code of an instrument, as for Find. "" means the instrument in the last
	// path segment of QuestionnaireResponse.questionnaire.
	Instrument string
}

// Score scores a QuestionnaireResponse, which may be part of a larger document. The result lists
// missing items: those that are absent or have no answer. Errors are *Invalid.
func Score(response document.Value, o Options) (*Result, error) {
	s := scorer{response: response}
	if s.instrument = s.begin(o); s.instrument == nil {
		return nil, &Invalid{s.problems}
	}
	s.answers = make([]answer, s.instrument.Items)
	s.items(response.Get("item"))
	if len(s.problems) > 0 {
		return nil, &Invalid{s.problems}
	}
	r := &Result{Instrument: s.instrument}
	for i, a := range s.answers {
		if !a.given {
			r.Missing = append(r.Missing, strconv.Itoa(i+1))
			continue
		}
		r.Answered++
		r.Partial += a.score
	}
	if r.Complete = len(r.Missing) == 0; r.Complete {
		r.Total, r.Band = r.Partial, s.instrument.Band(r.Partial)
	}
	return r, nil
}

// A scorer is the state of one call of Score.
type scorer struct {
	response   document.Value
	instrument *Instrument
	answers    []answer // of the scored items
	problems   []Problem
}

// answer is the answer of a scored item.
type answer struct {
	seen, given bool
	score       int
}

// maxProblems is the number of problems that are reported.
const maxProblems = 100

// report records a problem of an element.
func (s *scorer) report(kind error, at document.Value, linkID, format string, args ...any) {
	if len(s.problems) == maxProblems {
		return
	}
	place := strings.TrimPrefix(at.Path(resourceType), s.response.Path(resourceType))
	s.problems = append(s.problems, Problem{Kind: kind, LinkID: linkID, Expression: resourceType + place, Text: fmt.Sprintf(format, args...)})
}

// begin checks the response as a whole and returns its instrument, nil after a problem.
func (s *scorer) begin(o Options) *Instrument {
	r := s.response
	if typ := r.Get("resourceType"); !typ.Is(resourceType) {
		s.report(ErrNotQuestionnaireResponse, r, "", "resourceType is %s, expected %s", shown(typ), resourceType)
		return nil
	}
	if status := r.Get("status"); status.Is("entered-in-error") {
		s.report(ErrEnteredInError, status, "", "its status is entered-in-error, so its answers must not be used")
		return nil
	}
	questionnaire := r.Get("questionnaire")
	named, found := Find(questionnaireName(questionnaire.Text()))
	if o.Instrument == "" {
		if !found {
			at := questionnaire
			if !at.Exists() {
				at = r
			}
			s.report(ErrUnknownInstrument, at, "", "questionnaire is %s, which is not an instrument; %s, and an option can select one", shown(questionnaire), known())
		}
		return named
	}
	wanted, ok := Find(o.Instrument)
	switch {
	case !ok:
		s.report(ErrUnknownInstrument, r, "", "%s is not an instrument; %s", quoted(o.Instrument), known())
	case found && named != wanted:
		s.report(ErrOtherInstrument, questionnaire, "", "questionnaire is %s, expected %s", shown(questionnaire), wanted.Code)
		return nil
	}
	return wanted
}

// items walks through a list of items and the items nested in them.
func (s *scorer) items(list document.Value) {
	if !s.is(list, document.Array, "a list of items") {
		return
	}
	for item := range list.Items() {
		if !s.is(item, document.Object, "an item") {
			continue
		}
		linkID := item.Get("linkId")
		answers := item.Get("answer")
		wellFormed := s.is(answers, document.Array, "a list of answers")
		switch number := s.instrument.number(linkID.Text()); {
		case linkID.Kind() != document.String:
			s.report(ErrMalformed, item, "", "linkId is %s, expected a string", shown(linkID))
		case number > 0 && wellFormed:
			s.item(number, item, answers)
		}
		s.items(item.Get("item"))
		for a := range answers.Items() {
			s.items(a.Get("item"))
		}
	}
}

// is reports whether an existing value is of a kind, and records a problem if it is not.
func (s *scorer) is(v document.Value, kind document.Kind, what string) bool {
	if v.Exists() && v.Kind() != kind {
		s.report(ErrMalformed, v, "", "found %s, expected %s", shown(v), what)
		return false
	}
	return true
}

// item records the answer of a scored item.
func (s *scorer) item(number int, item, answers document.Value) {
	a := &s.answers[number-1]
	linkID := strconv.Itoa(number)
	if a.seen {
		s.report(ErrRepeatedItem, item, linkID, "another item has the same linkId")
		return
	}
	a.seen = true
	switch n := answers.Len(); {
	case n == 0: // missing
	case n > 1:
		s.report(ErrSeveralAnswers, item, linkID, "found %d answers, expected one", n)
	default:
		a.score, a.given = s.answer(linkID, answers.Index(0))
	}
}

// expected describes a valid answer.
const expected = "expected a valueInteger from 0 to 3"

// answer returns the score of an answer.
func (s *scorer) answer(linkID string, a document.Value) (score int, ok bool) {
	if a.Kind() != document.Object {
		s.report(ErrMalformed, a, linkID, "the answer is %s, %s", shown(a), expected)
		return 0, false
	}
	var value document.Value
	for m := range a.Members() {
		if !strings.HasPrefix(m.Name(), "value") {
			continue
		}
		if value.Exists() {
			s.report(ErrSeveralAnswers, a, linkID, "found %s and %s, %s", value.Name(), m.Name(), expected)
			return 0, false
		}
		value = m
	}
	if value.Kind() == document.Absent || value.Kind() == document.Null {
		s.report(ErrNoValue, a, linkID, "the value is missing, %s", expected)
		return 0, false
	}
	text := value.Text()
	n, err := strconv.Atoi(text)
	switch {
	case value.Name() != "valueInteger", value.Kind() != document.Number, strings.ContainsAny(text, ".eE"), text == "-0":
		s.report(ErrNotInteger, a, linkID, "%s is %s, %s", value.Name(), shown(value), expected)
	case err != nil || n < 0 || n > MaxAnswer:
		s.report(ErrOutOfRange, a, linkID, "valueInteger is %s, %s", shown(value), expected)
	default:
		return n, true
	}
	return 0, false
}

// shown describes a value for messages.
func shown(v document.Value) string {
	switch v.Kind() {
	case document.Absent:
		return "absent"
	case document.Object:
		return "an object"
	case document.Array:
		return "a list"
	case document.String:
		return quoted(v.Text())
	}
	return cut(string(v.Raw()))
}

// quoted quotes a text for messages.
func quoted(text string) string { return strconv.Quote(cut(text)) }

// cut shortens a long text.
func cut(text string) string {
	const limit = 80
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// A Result is the score of a response.
type Result struct {
	Instrument *Instrument
	// Complete reports whether every item is answered. Total and Band are set only then.
	Complete bool
	Total    int
	Band     string
	// Partial is the sum of the existing answers, and Answered their number.
	Partial, Answered int
	// Missing are the linkIds of items without an answer, in ascending order.
	Missing []string
}

// AppendJSON appends the result as a Parameters resource: instrument, complete and answered, and
// either total and band, or partial and a parameter missing for each item without an answer.
func (r *Result) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Code("instrument", r.Instrument.Code)
	if r.Complete {
		w.Integer("total", r.Total)
		w.String("band", r.Band)
	}
	w.Boolean("complete", r.Complete)
	w.Integer("answered", r.Answered)
	if !r.Complete {
		w.Integer("partial", r.Partial)
		for _, linkID := range r.Missing {
			w.String("missing", linkID)
		}
	}
	return w.Finish()
}
