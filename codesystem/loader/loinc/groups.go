package loinc

import (
	"fmt"

	"github.com/roget-health/roget/codesystem/loader"
)

// grouping is the groups of terms (LG…): which terms are in each, and the group above.
// Groups are no codes of LOINC: they are value sets.
type grouping struct {
	above map[string]string
	terms map[string][]string
}

func newGrouping() grouping {
	return grouping{above: map[string]string{}, terms: map[string][]string{}}
}

func (l *load) readGroups(rows *loader.Rows) error {
	at, err := columns(rows, "ParentGroupId", "GroupId")
	if err != nil {
		return err
	}
	for rows.Next() {
		if above, group := rows.Text(at[0]), rows.Text(at[1]); above != "" && group != "" && above != group {
			l.groups.above[l.facts.word(group)] = l.facts.word(above)
		}
	}
	return nil
}

// readGroupTerms reads the terms of the groups. They are those of the group above, too.
func (l *load) readGroupTerms(rows *loader.Rows) error {
	at, err := columns(rows, "GroupId", "LoincNumber")
	if err != nil {
		return err
	}
	for rows.Next() {
		group, term := rows.Text(at[0]), rows.Text(at[1])
		if group == "" || term == "" {
			return fmt.Errorf("%s: %w: want a group and a LOINC number", rows.Where(), loader.ErrFormat)
		}
		group, term = l.facts.word(group), l.facts.word(term)
		l.groups.terms[group] = append(l.groups.terms[group], term)
		if above := l.groups.above[group]; above != "" {
			l.groups.terms[above] = append(l.groups.terms[above], term)
		}
	}
	return nil
}
