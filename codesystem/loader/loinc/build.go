package loinc

import (
	"maps"
	"slices"
	"strconv"

	"github.com/roget-health/roget/codesystem"
)

// build adds everything that is not in the table, and delivers the code system.
func (l *load) build() error {
	if err := l.addParts(); err != nil {
		return err
	}
	if err := l.addAnswers(); err != nil {
		return err
	}
	if err := l.addMembers(); err != nil {
		return err
	}
	header := l.finishHeader()
	l.identity.Apply(header)
	l.header = header
	l.builder.SetHeader(header)
	return l.reading.Deliver(l.builder, l.release[table][0].Origin, l.sink)
}

// listColumns returns the columns of the reference set of an answer list, see ListSequence.
func listColumns() []codesystem.RefsetColumn {
	return []codesystem.RefsetColumn{
		ListSequence: {Name: "sequence", Type: codesystem.RefsetInteger},
		ListScore:    {Name: "score", Type: codesystem.RefsetString},
		ListText:     {Name: "text", Type: codesystem.RefsetString},
	}
}

// groupColumns returns the columns of the reference set of a group, see GroupName.
func groupColumns() []codesystem.RefsetColumn {
	return []codesystem.RefsetColumn{
		GroupName:      {Name: "name", Type: codesystem.RefsetString},
		GroupCategory:  {Name: "category", Type: codesystem.RefsetString},
		GroupArchetype: {Name: "archetype", Type: codesystem.RefsetString},
	}
}

// addMembers adds the answer lists and groups as reference sets. A list that is defined elsewhere
// has no members.
func (l *load) addMembers() error {
	columns := listColumns()
	for i := range l.lists.list {
		list := &l.lists.list[i]
		if err := l.builder.AddRefset(list.code, columns); err != nil {
			return err
		}
		inOrder(list.members)
		for k, m := range list.members {
			if l.lists.all[l.lists.answer[m.code]].display() == m.text {
				m.text = ""
			}
			if err := l.addMember(list.code, m.code, strconv.Itoa(k+1), m.score, m.text); err != nil {
				return err
			}
		}
	}
	for _, code := range slices.Sorted(maps.Keys(l.groups.terms)) {
		if err := l.builder.AddRefset(code, groupColumns()); err != nil {
			return err
		}
		terms := l.groups.terms[code]
		slices.Sort(terms)
		for _, term := range slices.Compact(terms) {
			if err := l.addMember(code, term, l.groups.about[code][:]...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *load) addMember(list, code string, values ...string) error {
	return l.builder.AddMember(&codesystem.RefsetMember{Refset: list, Component: code, Active: true, Values: values})
}
