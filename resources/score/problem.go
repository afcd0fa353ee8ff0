package score

import (
	"errors"
	"strings"
)

// Errors that prevent scoring. Each is the Kind of a Problem.
var (
	// ErrNotQuestionnaireResponse is returned for a document of another type.
	ErrNotQuestionnaireResponse = errors.New("the resource is not a QuestionnaireResponse")
	// ErrEnteredInError is returned for a response with the status entered-in-error.
	ErrEnteredInError = errors.New("the response was entered in error")
	// ErrUnknownInstrument is returned if neither the options nor the response name an instrument
	// of the table.
	ErrUnknownInstrument = errors.New("unknown instrument")
	// ErrOtherInstrument is returned if the response names another instrument than the options.
	ErrOtherInstrument = errors.New("the response is to another instrument")
	// ErrMalformed is returned for items and answers that do not have the form of FHIR.
	ErrMalformed = errors.New("malformed response")
	// ErrRepeatedItem is returned for a scored item that occurs twice.
	ErrRepeatedItem = errors.New("the item occurs twice")
	// ErrSeveralAnswers is returned for a scored item with more than one answer.
	ErrSeveralAnswers = errors.New("the item has several answers")
	// ErrNoValue is returned for an answer without a value.
	ErrNoValue = errors.New("the answer has no value")
	// ErrNotInteger is returned for an answer that is not a valueInteger, or whose valueInteger is
	// not an integer.
	ErrNotInteger = errors.New("the answer is not an integer")
	// ErrOutOfRange is returned for an answer below 0 or above MaxAnswer.
	ErrOutOfRange = errors.New("the answer is out of range")
)

// codes maps the errors to issue types (http://hl7.org/fhir/issue-type).
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

// A Problem is a reason why a response cannot be scored.
type Problem struct {
	// Kind is one of the errors of this package.
	Kind error
	// LinkID is the linkId of the item, "" if the problem is not about an item.
	LinkID string
	// Expression is the FHIRPath of the element: "QuestionnaireResponse.item[2].answer[0]".
	Expression string
	// Text states what was found and what was expected, without a full stop.
	Text string
}

// Code returns the issue type of the problem (http://hl7.org/fhir/issue-type).
func (p *Problem) Code() string { return codes[p.Kind] }

// Error returns the item, the kind and the text.
func (p *Problem) Error() string {
	where := p.Expression
	if p.LinkID != "" {
		where = "item " + p.LinkID
	}
	return where + ": " + p.Kind.Error() + ": " + p.Text
}

// Unwrap returns the kind.
func (p *Problem) Unwrap() error { return p.Kind }

// Invalid is the error for a response that cannot be scored. It contains 1 to 100 problems in the
// order of the document. errors.Is finds the kind of each.
type Invalid struct{ Problems []Problem }

// Error returns the first problems.
func (e *Invalid) Error() string {
	const maxShown = 3
	var texts []string
	for i := range e.Problems[:min(maxShown, len(e.Problems))] {
		texts = append(texts, e.Problems[i].Error())
	}
	if len(e.Problems) > maxShown {
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
