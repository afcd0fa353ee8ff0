package loinc

import (
	"fmt"

	"github.com/roget-health/roget/codesystem/loader"
)

// grouping holds the groups of terms (LG…): the terms in each, and its parent group. Groups are
// not codes of LOINC, but value sets.
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

// readGroupTerms reads the terms of the groups. They belong to the parent group as well.
func (l *load) readGroupTerms(rows *loader.Rows) error {
	at, err := columns(rows, "GroupId", "LoincNumber")
	if err != nil {
		return err
	}
	for rows.Next() {
		group, term := rows.Text(at[0]), rows.Text(at[1])
		if group == "" || term == "" {
			return fmt.Errorf("%s: %w: the group or the LOINC number is missing", rows.Where(), loader.ErrFormat)
		}
		group, term = l.facts.word(group), l.facts.word(term)
		l.groups.terms[group] = append(l.groups.terms[group], term)
		if above := l.groups.above[group]; above != "" {
			l.groups.terms[above] = append(l.groups.terms[above], term)
		}
	}
	return nil
}
