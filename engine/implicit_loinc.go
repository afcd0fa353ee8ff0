package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// ofLOINC selects what a code of LOINC stands for (R4 loinc.html, "LOINC Implicit Value
// Sets"): the answers of an answer list, in their order; what is below a part; the terms
// of a group.
func ofLOINC(im *implicitSet, include *r4.Include) (string, error) {
	x, err := im.index()
	if err != nil {
		return "", err
	}
	code := im.argument
	name := code
	if o, ok := x.Find(code); ok {
		name = cmp.Or(x.Display(o), code)
	}
	list, listed := x.Refset(code)
	switch _, found := x.Find(code); {
	case strings.HasPrefix(code, "LL") && listed:
		if include.Concept = answersOf(x, list); include.Concept == nil {
			return "", fmt.Errorf("%w: the answers of %s (%s) are not part of LOINC: the list is defined elsewhere", issue.ErrUnknownValueSet, code, name)
		}
		return "Answers of " + name, nil
	case strings.HasPrefix(code, "LG") && listed:
		include.Filter = []r4.Filter{{Property: "concept", Op: "in", Value: code}}
		return "Terms of " + name, nil
	case strings.HasPrefix(code, "LP") && found:
		include.Filter = []r4.Filter{{Property: "ancestor", Op: "=", Value: code}}
		return "All codes for " + name, nil
	}
	return "", fmt.Errorf("%w: %s has no answer list, part or group %q", issue.ErrUnknownValueSet, im.system.canonical(), code)
}

// answersOf lists the answers of an answer list in the order of their numbers, each with
// the text that the list has for it.
func answersOf(x *codesystem.Index, list *codesystem.Refset) []r4.ConceptReference {
	column := func(name string) int {
		return slices.IndexFunc(list.Columns(), func(c codesystem.RefsetColumn) bool { return c.Name == name })
	}
	sequence, text := column("sequence"), column("text")
	type place struct{ number, row int }
	var rows []place
	for row := range list.Len() {
		if !list.Active(row) {
			continue
		}
		p := place{row: row}
		if sequence >= 0 {
			p.number, _ = strconv.Atoi(list.Value(row, sequence)) // not a number: first
		}
		rows = append(rows, p)
	}
	slices.SortStableFunc(rows, func(a, b place) int { return cmp.Compare(a.number, b.number) })
	var answers []r4.ConceptReference
	for _, p := range rows {
		answer := r4.ConceptReference{Code: x.Code(list.Component(p.row))}
		if text >= 0 {
			answer.Display = list.Value(p.row, text)
		}
		answers = append(answers, answer)
	}
	return answers
}
