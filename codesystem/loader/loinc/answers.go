package loinc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// The columns of the reference set of an answer list.
const (
	ListSequence = iota // number of the answer in the list, from 1 without gaps
	ListScore           // score of the answer as written, "" without a score
	ListText            // the wording of the answer in this list, if it differs from its display
)

// answerList is an answer list (LL…).
type answerList struct {
	code, name, oid, where string
	system, link           string // where the answers are defined, when outside
	members                []member
}

// member is an answer of a list, or a term of a panel.
type member struct {
	code, text, score string
	sequence          int
	details           []link // what is said of the member in its panel
}

// answer is an answer (LA…) with its texts, of which the first is its display, and its codes in
// other systems.
type answer struct {
	code, where string
	texts       []string
	external    []r4.Coding
}

// externalCode is the property for codes of answers in other systems.
const externalCode = "ExtCodeId"

func (a *answer) display() string {
	if len(a.texts) == 0 {
		return ""
	}
	return a.texts[0]
}

type answerLists struct {
	place  map[string]int
	list   []answerList
	answer map[string]int
	all    []answer
}

func newAnswerLists() answerLists {
	return answerLists{place: map[string]int{}, answer: map[string]int{}}
}

// of returns the list with a code, a new one if necessary.
func (a *answerLists) of(code, where string) *answerList {
	at, ok := a.place[code]
	if !ok {
		at = len(a.list)
		code = strings.Clone(code)
		a.place[code] = at
		a.list = append(a.list, answerList{code: code, where: where})
	}
	return &a.list[at]
}

// meet records an answer with a text and its code in another system, if it has one.
func (a *answerLists) meet(code, text, where string, external r4.Coding) string {
	at, ok := a.answer[code]
	if !ok {
		at = len(a.all)
		code = strings.Clone(code)
		a.answer[code] = at
		a.all = append(a.all, answer{code: code, where: where})
	}
	found := &a.all[at]
	if text != "" && !slices.Contains(found.texts, text) {
		found.texts = append(found.texts, strings.Clone(text))
	}
	if external.Code != "" && !slices.Contains(found.external, external) {
		found.external = append(found.external, external)
	}
	return found.code
}

// readAnswers reads the lists with their answers. A list that is defined elsewhere has none.
func (l *load) readAnswers(rows *loader.Rows) error {
	at, err := columns(rows, "AnswerListId", "AnswerListName", "AnswerStringId", "SequenceNumber", "DisplayText")
	if err != nil {
		return err
	}
	oid, score := rows.Column("AnswerListOID"), rows.Column("Score")
	system, address := rows.Column("ExtDefinedAnswerListCodeSystem"), rows.Column("ExtDefinedAnswerListLink")
	other := externalColumns(rows)
	for rows.Next() {
		id, text := rows.Text(at[0]), l.text(rows, at[4])
		if id == "" {
			return fmt.Errorf("%s: %w: AnswerListId is missing", rows.Where(), loader.ErrFormat)
		}
		list := l.lists.of(id, rows.Where())
		if list.name == "" {
			list.name, list.oid = strings.Clone(rows.Text(at[1])), strings.Clone(rows.Text(oid))
			list.system, list.link = l.text(rows, system), strings.Clone(rows.Text(address))
		}
		code := rows.Text(at[2])
		if code == "" {
			continue
		}
		external := l.external(rows, other)
		if external.Code != "" {
			l.declared[externalCode] = true
		}
		m := member{code: l.lists.meet(code, text, rows.Where(), external), text: text, score: l.text(rows, score)}
		if m.sequence, err = sequence(rows, at[3]); err != nil {
			return err
		}
		list.members = append(list.members, m)
	}
	return nil
}

// readAnswerLinks reads the answer lists of terms.
func (l *load) readAnswerLinks(rows *loader.Rows) error {
	at, err := columns(rows, "LoincNumber", "AnswerListId", "AnswerListName")
	if err != nil {
		return err
	}
	kind := rows.Column("AnswerListLinkType")
	for rows.Next() {
		term, id := rows.Text(at[0]), rows.Text(at[1])
		if term == "" || id == "" {
			return fmt.Errorf("%s: %w: the LOINC number or the answer list is missing", rows.Where(), loader.ErrFormat)
		}
		list := l.lists.of(id, rows.Where())
		if list.name == "" {
			list.name = strings.Clone(rows.Text(at[2]))
		}
		l.facts.link(term, link{"answer-list", id, list.name})
		if k := strings.ToLower(rows.Text(kind)); k != "" {
			l.facts.link(term, link{"answer-list-" + k, id, list.name})
		}
		l.facts.link(id, link{property: "answers-for", code: term})
	}
	return nil
}

// addAnswers adds the lists and the answers to the index.
func (l *load) addAnswers() error {
	var c codesystem.Concept
	for i := range l.lists.list {
		list := &l.lists.list[i]
		c = codesystem.Concept{Code: list.code, Display: list.name, Parent: -1, Where: list.where, Properties: c.Properties[:0]}
		c.Properties = appendText(c.Properties, "AnswerListOID", list.oid)
		c.Properties = appendText(c.Properties, "ExtDefinedAnswerListCodeSystem", list.system)
		c.Properties = appendText(c.Properties, "ExtDefinedAnswerListLink", list.link)
		if err := l.add(&c, ""); err != nil {
			return err
		}
	}
	for i := range l.lists.all {
		a := &l.lists.all[i]
		c = codesystem.Concept{Code: a.code, Display: a.display(), Parent: -1, Where: a.where, Designations: c.Designations[:0], Properties: c.Properties[:0]}
		for _, text := range a.texts[min(len(a.texts), 1):] {
			c.Designations = append(c.Designations, designation("en", "DisplayText", text))
		}
		for k := range a.external {
			c.Properties = append(c.Properties, codesystem.Property{Code: externalCode, Value: r4.Value{Type: "Coding", Coding: &a.external[k]}})
		}
		if err := l.add(&c, ""); err != nil {
			return err
		}
	}
	return nil
}
