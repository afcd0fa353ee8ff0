package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// Answers returns the problems of a QuestionnaireResponse as the answers to a Questionnaire: unknown
// items and items in another order, answers of another type or other than the options, too many or too long, missing answers of
// a response that is completed or amended, and answers to items that enableWhen disables.
//
// Source: https://hl7.org/fhir/R4/questionnaireresponse.html, questionnaire.html.
func Answers(response *document.Document, questionnaire document.Value) []Issue {
	a := answers{doc: response, given: map[string][]document.Value{}}
	root := response.Root()
	status := root.Get("status")
	a.whole = status.Is("completed") || status.Is("amended")
	a.collect(root)
	a.items("QuestionnaireResponse", root, questionnaire.Get("item"), true)
	return a.issues
}

// answers compares one response with its questionnaire.
type answers struct {
	doc    *document.Document
	given  map[string][]document.Value // answers by linkId
	whole  bool                        // all required answers must be there
	issues []Issue
}

// collect records the answers below an item or answer.
func (a *answers) collect(v document.Value) {
	for item := range v.Get("item").Items() {
		id := item.Get("linkId").Text()
		for answer := range item.Get("answer").Items() {
			a.given[id] = append(a.given[id], answer)
			a.collect(answer)
		}
		a.collect(item)
	}
}

func (a *answers) report(code, expression string, at document.Value, format string, args ...any) {
	if len(a.issues) >= defaultMaxIssues {
		return
	}
	i := Issue{Severity: Error, Code: code, Expression: expression, Text: fmt.Sprintf(format, args...)}
	i.Line, i.Column = a.doc.Position(at.Offset())
	a.issues = append(a.issues, i)
}

// items checks the items of a response, item or answer against those of the questionnaire. enabled is
// false below an item that is not.
func (a *answers) items(at string, holder, questions document.Value, enabled bool) {
	byID, seen := map[string]document.Value{}, map[string]int{}
	for q := range questions.Items() {
		byID[q.Get("linkId").Text()] = q
	}
	n, last := 0, 0
	for item := range holder.Get("item").Items() {
		place := fmt.Sprintf("%s.item[%d]", at, n)
		n++
		id := item.Get("linkId").Text()
		q, known := byID[id]
		if !known {
			a.report(CodeValue, place, item, "the Questionnaire has no item %.64q here", id)
			continue
		}
		if order := q.Ordinal(); order < last {
			a.report(CodeStructure, place, item, "the item %.64q comes before the one before it in the Questionnaire", id)
		} else {
			last = order
		}
		if seen[id]++; seen[id] == 2 && !q.Get("repeats").Exists() || seen[id] > 1 && q.Get("repeats").Text() == "false" {
			a.report(CodeStructure, place, item, "the item %.64q does not repeat", id)
		}
		on := enabled && a.enabled(q)
		if !on && (item.Get("answer").Exists() || item.Get("item").Exists()) {
			a.report(CodeInvariant, place, item, "the item %.64q is not enabled (enableWhen)", id)
		}
		a.answered(place, item, q, on)
	}
	for q := range questions.Items() {
		id := q.Get("linkId").Text()
		if a.whole && enabled && q.Get("required").Text() == "true" && seen[id] == 0 && a.enabled(q) {
			a.report(CodeRequired, at, holder, "the required item %.64q is missing", id)
		}
	}
}

// answered checks the answers to a question.
func (a *answers) answered(place string, item, q document.Value, enabled bool) {
	list, typ := item.Get("answer"), q.Get("type").Text()
	count := list.Len()
	switch {
	case (typ == "group" || typ == "display") && count > 0:
		a.report(CodeStructure, place, list, "an item of the type %s has no answer", typ)
	case count > 1 && q.Get("repeats").Text() != "true":
		a.report(CodeStructure, place, list, "the item does not repeat, but has %d answers", count)
	case count == 0 && a.whole && enabled && q.Get("required").Text() == "true" && typ != "group" && typ != "display":
		a.report(CodeRequired, place, item, "the required answer is missing")
	}
	a.items(place, item, q.Get("item"), enabled)
	n := 0
	for answer := range list.Items() {
		at := fmt.Sprintf("%s.answer[%d]", place, n)
		n++
		if value := choiceOf(answer); value.Exists() {
			if problem := unfit(value, q); problem != "" {
				a.report(CodeValue, at+".value", value, "%s", problem)
			}
		}
		a.items(at, answer, q.Get("item"), enabled)
	}
}

// choiceOf returns the value[x] of an answer or option.
func choiceOf(v document.Value) document.Value {
	for m := range v.Members() {
		if strings.HasPrefix(m.Name(), "value") {
			return m
		}
	}
	return document.Value{}
}

// valueTypes are the names of the values of an item type, besides those of its options.
var valueTypes = map[string]string{
	"boolean": "valueBoolean", "decimal": "valueDecimal", "integer": "valueInteger", "date": "valueDate", "dateTime": "valueDateTime",
	"time": "valueTime", "string": "valueString", "text": "valueString", "url": "valueUri", "choice": "valueCoding",
	"open-choice": "valueCoding or valueString", "attachment": "valueAttachment", "reference": "valueReference", "quantity": "valueQuantity",
}

// unfit returns why a value is no answer to a question, "" if it is one.
func unfit(value, q document.Value) string {
	typ := q.Get("type").Text()
	names, known := valueTypes[typ]
	options := q.Get("answerOption")
	if typ == "choice" || typ == "open-choice" {
		for option := range options.Items() {
			if sameAnswer(choiceOf(option), value) {
				return ""
			}
		}
		if options.Len() > 0 && (typ == "choice" || value.Name() != "valueString") {
			return "the answer is none of the options"
		}
	}
	if known && !slices.Contains(strings.Split(names, " or "), value.Name()) {
		return fmt.Sprintf("an answer of the type %s must be %s, not %s", typ, names, value.Name())
	}
	if most := q.Get("maxLength"); most.Exists() && value.Kind() == document.String && compareNumbers(fmt.Sprint(len([]rune(value.Text()))), most.Text()) > 0 {
		return "the answer is longer than " + most.Text() + " characters"
	}
	return ""
}

// sameAnswer compares two values of the same type: a Coding by system and code, others as JSON.
func sameAnswer(a, b document.Value) bool {
	if a.Name() != b.Name() {
		return false
	}
	if a.Name() == "valueCoding" {
		return a.Get("system").Text() == b.Get("system").Text() && a.Get("code").Text() == b.Get("code").Text()
	}
	return document.Equal(a, b)
}

// enabled reports whether the conditions of an item hold.
func (a *answers) enabled(q document.Value) bool {
	conditions := q.Get("enableWhen")
	if conditions.Len() == 0 {
		return true
	}
	all := q.Get("enableBehavior").Is("all")
	for c := range conditions.Items() {
		if a.holds(c) != all {
			return !all
		}
	}
	return all
}

// holds reports whether a condition holds for one of the answers to its question.
func (a *answers) holds(condition document.Value) bool {
	given := a.given[condition.Get("question").Text()]
	operator := condition.Get("operator").Text()
	var want document.Value
	for m := range condition.Members() {
		if strings.HasPrefix(m.Name(), "answer") {
			want = m
		}
	}
	if operator == "exists" {
		return (len(given) > 0) == (want.Text() == "true")
	}
	for _, answer := range given {
		value := choiceOf(answer)
		var holds bool
		switch operator {
		case "=", "!=":
			same := document.Equal(value, want)
			if value.Get("code").Exists() { // a Coding or Quantity
				same = value.Get("system").Text() == want.Get("system").Text() && value.Get("code").Is(want.Get("code").Text()) &&
					document.Equal(value.Get("value"), want.Get("value"))
			}
			holds = same == (operator == "=")
		default:
			order := compareValues(value, want)
			holds = operator == ">" && order > 0 || operator == "<" && order < 0 || operator == ">=" && order >= 0 || operator == "<=" && order <= 0
		}
		if holds {
			return true
		}
	}
	return false
}

// compareValues orders numbers, quantities, and texts such as dates.
func compareValues(a, b document.Value) int {
	if a.Kind() == document.Object {
		a, b = a.Get("value"), b.Get("value")
	}
	if a.Kind() == document.Number {
		return compareNumbers(a.Text(), b.Text())
	}
	return strings.Compare(a.Text(), b.Text())
}

func compareNumbers(a, b string) int {
	x, err := r4.ParseDecimal(a)
	y, other := r4.ParseDecimal(b)
	if err != nil || other != nil {
		return 0
	}
	return x.Cmp(y)
}
