package score

import (
	"errors"
	"strings"
)

// Errors of what cannot be scored; they are the Kind of a Problem.
var (
	// ErrNotQuestionnaireResponse is returned for a document of another type.
	ErrNotQuestionnaireResponse = errors.New("not a QuestionnaireResponse")
	// ErrEnteredInError is returned for a response whose status is entered-in-error.
	ErrEnteredInError = errors.New("response was entered in error")
	// ErrUnknownInstrument is returned when neither the options nor the response name an
	// instrument of the table.
	ErrUnknownInstrument = errors.New("unknown instrument")
	// ErrOtherInstrument is returned when the response names another instrument than the
	// options do.
	ErrOtherInstrument = errors.New("response is to another instrument")
	// ErrMalformed is returned for items and answers that are not of the form FHIR has for them.
	ErrMalformed = errors.New("malformed response")
	// ErrRepeatedItem is returned for a scored item that is there twice.
	ErrRepeatedItem = errors.New("item is there twice")
	// ErrSeveralAnswers is returned for a scored item with more than one answer.
	ErrSeveralAnswers = errors.New("several answers")
	// ErrNoValue is returned for an answer without a value.
	ErrNoValue = errors.New("answer without a value")
	// ErrNotInteger is returned for an answer that is not a valueInteger, or not an integer.
	ErrNotInteger = errors.New("answer is not an integer")
	// ErrOutOfRange is returned for an answer below 0 or above MaxAnswer.
	ErrOutOfRange = errors.New("answer is out of range")
)

// codes are the issue types (http://hl7.org/fhir/issue-type) of the errors.
var codes = map[error]string{
	ErrNotQuestionnaireResponse: "invalid",
	ErrEnteredInError:           "business-rule",
	ErrUnknownInstrument:        "not-supported",
	ErrOtherInstrument:          "business-rule",
	ErrMalformed:                "structure",
	ErrRepeatedItem:             "duplicate",
	ErrSeveralAnswers:           "invariant",
	ErrNoValue:                  "required",
	ErrNotInteger:               "value",
	ErrOutOfRange:               "value",
}

// Problem is one thing that keeps a response from being scored.
type Problem struct {
	// Kind is one of the errors of this package.
	Kind error
	// LinkID is of the item at fault, "" when it is not about one.
	LinkID string
	// Expression is the FHIRPath of the element: "QuestionnaireResponse.item[2].answer[0]".
	Expression string
	// Text says what was found and what is right, without a full stop.
	Text string
}

// Code is the issue type of the problem (http://hl7.org/fhir/issue-type).
func (p *Problem) Code() string { return codes[p.Kind] }

// Error returns kind, item and text.
func (p *Problem) Error() string {
	where := p.Expression
	if p.LinkID != "" {
		where = "item " + p.LinkID
	}
	return where + ": " + p.Kind.Error() + ": " + p.Text
}

// Unwrap returns the kind.
func (p *Problem) Unwrap() error { return p.Kind }

// Invalid is the error of a response that cannot be scored: all its problems, at least one
// and the first 100 at most, in the order of the document. errors.Is finds the kind of each.
type Invalid struct{ Problems []Problem }

// Error returns the first problems.
func (e *Invalid) Error() string {
	const most = 3
	var texts []string
	for i := range e.Problems[:min(most, len(e.Problems))] {
		texts = append(texts, e.Problems[i].Error())
	}
	if len(e.Problems) > most {
		texts = append(texts, "and more")
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the problems.
func (e *Invalid) Unwrap() []error {
	list := make([]error, len(e.Problems))
	for i := range e.Problems {
		list[i] = &e.Problems[i]
	}
	return list
}
