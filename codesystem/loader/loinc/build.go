package loinc

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// build adds what is not in the table, and hands the code system on.
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
	return l.reading.HandOn(l.builder, l.release[table][0].Origin, l.sink)
}

// addMembers adds the answer lists and groups as reference sets.
func (l *load) addMembers() error {
	for i := range l.lists.list {
		list := &l.lists.list[i]
		slices.SortStableFunc(list.members, func(a, b member) int { return cmp.Compare(a.sequence, b.sequence) })
		for k, m := range list.members {
			if display := l.lists.all[l.lists.answer[m.code]].texts; len(display) > 0 && display[0] == m.text {
				m.text = ""
			}
			if err := l.addMember(list.code, m.code, strconv.Itoa(k+1), m.score, m.text); err != nil {
				return err
			}
		}
	}
	for _, code := range slices.Sorted(maps.Keys(l.groups.terms)) {
		terms := l.groups.terms[code]
		slices.Sort(terms)
		for k, term := range slices.Compact(terms) {
			if err := l.addMember(code, term, strconv.Itoa(k+1), "", ""); err != nil {
				return err
			}
		}
	}
	return nil
}
