package score

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/resources/document"
)

// resourceType is the type that is scored.
const resourceType = "QuestionnaireResponse"

// Options say how to score.
type Options struct {
	// Instrument is the code of an instrument, as Find takes it. "" takes the one that the
	// last path segment of QuestionnaireResponse.questionnaire names.
	Instrument string
}

// Score scores a QuestionnaireResponse, which may be part of a larger document. Items that
// are not there, and those without an answer, are missing: the result tells them. Errors
// are *Invalid.
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

// A scorer is one call of Score.
type scorer struct {
	response   document.Value
	instrument *Instrument
	answers    []answer // of the scored items
	problems   []Problem
}

// answer is what is known of a scored item.
type answer struct {
	seen, given bool
	score       int
}

// maxProblems is how many problems are told.
const maxProblems = 100

// report notes a problem of an element.
func (s *scorer) report(kind error, at document.Value, linkID, format string, args ...any) {
	if len(s.problems) == maxProblems {
		return
	}
	place := strings.TrimPrefix(at.Path(resourceType), s.response.Path(resourceType))
	s.problems = append(s.problems, Problem{Kind: kind, LinkID: linkID, Expression: resourceType + place, Text: fmt.Sprintf(format, args...)})
}

// begin looks at the response as a whole and finds its instrument, nil with a problem.
func (s *scorer) begin(o Options) *Instrument {
	r := s.response
	if typ := r.Get("resourceType"); !typ.Is(resourceType) {
		s.report(ErrNotQuestionnaireResponse, r, "", "resourceType is %s, where %s is scored", shown(typ), resourceType)
		return nil
	}
	if status := r.Get("status"); status.Is("entered-in-error") {
		s.report(ErrEnteredInError, status, "", "status is entered-in-error; its answers are not to be used")
		return nil
	}
	questionnaire := r.Get("questionnaire")
	said, says := Find(questionnaireName(questionnaire.Text()))
	if o.Instrument == "" {
		if !says {
			at := questionnaire
			if !at.Exists() {
				at = r
			}
			s.report(ErrUnknownInstrument, at, "", "questionnaire is %s, which names none; %s, and an option may name one", shown(questionnaire), known())
		}
		return said
	}
	wanted, ok := Find(o.Instrument)
	switch {
	case !ok:
		s.report(ErrUnknownInstrument, r, "", "%s is none; %s", quoted(o.Instrument), known())
	case says && said != wanted:
		s.report(ErrOtherInstrument, questionnaire, "", "questionnaire is %s, where %s is to be scored", shown(questionnaire), wanted.Code)
		return nil
	}
	return wanted
}

// items walks through a list of items and what is nested in them.
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
			s.report(ErrMalformed, item, "", "linkId is %s, where each item has a text", shown(linkID))
		case number > 0 && wellFormed:
			s.item(number, item, answers)
		}
		s.items(item.Get("item"))
		for a := range answers.Items() {
			s.items(a.Get("item"))
		}
	}
}

// is reports that a value that is there is of a kind, and notes it when it is not.
func (s *scorer) is(v document.Value, kind document.Kind, what string) bool {
	if v.Exists() && v.Kind() != kind {
		s.report(ErrMalformed, v, "", "it is %s, where %s is right", shown(v), what)
		return false
	}
	return true
}

// item takes the answer of a scored item.
func (s *scorer) item(number int, item, answers document.Value) {
	a := &s.answers[number-1]
	linkID := strconv.Itoa(number)
	if a.seen {
		s.report(ErrRepeatedItem, item, linkID, "a second item has this linkId, where one is right")
		return
	}
	a.seen = true
	switch n := answers.Len(); {
	case n == 0: // missing
	case n > 1:
		s.report(ErrSeveralAnswers, item, linkID, "%d answers, where one is right", n)
	default:
		a.score, a.given = s.answer(linkID, answers.Index(0))
	}
}

// right says what an answer is to be.
const right = "a valueInteger from 0 to 3 is right"

// answer reads the score of an answer.
func (s *scorer) answer(linkID string, a document.Value) (score int, ok bool) {
	if a.Kind() != document.Object {
		s.report(ErrMalformed, a, linkID, "the answer is %s, where %s", shown(a), right)
		return 0, false
	}
	var value document.Value
	for m := range a.Members() {
		if !strings.HasPrefix(m.Name(), "value") {
			continue
		}
		if value.Exists() {
			s.report(ErrSeveralAnswers, a, linkID, "%s and %s, where %s", value.Name(), m.Name(), right)
			return 0, false
		}
		value = m
	}
	if value.Kind() == document.Absent || value.Kind() == document.Null {
		s.report(ErrNoValue, a, linkID, "there is none, where %s", right)
		return 0, false
	}
	text := value.Text()
	n, err := strconv.Atoi(text)
	switch {
	case value.Name() != "valueInteger", value.Kind() != document.Number, strings.ContainsAny(text, ".eE"), text == "-0":
		s.report(ErrNotInteger, a, linkID, "%s is %s, where %s", value.Name(), shown(value), right)
	case err != nil || n < 0 || n > MaxAnswer:
		s.report(ErrOutOfRange, a, linkID, "valueInteger is %s, where %s", shown(value), right)
	default:
		return n, true
	}
	return 0, false
}

// shown words a value for a message.
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

// quoted shows a text in a message.
func quoted(text string) string { return strconv.Quote(cut(text)) }

// cut shortens what is shown of a long text.
func cut(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
