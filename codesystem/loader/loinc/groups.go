package loinc

import (
	"fmt"

	"github.com/roget-health/roget/codesystem/loader"
)

// The columns of the reference set of a group. All of its rows have the same values.
const (
	GroupName      = iota // name of the group
	GroupCategory         // what the group is for
	GroupArchetype        // what its terms have in common
)

// grouping holds the groups of terms (LG…): the terms in each, and its parent groups. Groups are
// not codes of LOINC, but value sets.
type grouping struct {
	above map[string][]string
	terms map[string][]string
	about map[string]*[3]string // values of the columns
}

func newGrouping() grouping {
	return grouping{above: map[string][]string{}, terms: map[string][]string{}, about: map[string]*[3]string{}}
}

// tell records the value of a column of a group. The first one stays.
func (g *grouping) tell(group string, column int, text string) {
	about := g.about[group]
	if about == nil {
		about = &[3]string{}
		g.about[group] = about
	}
	if about[column] == "" {
		about[column] = text
	}
}

func (l *load) readGroups(rows *loader.Rows) error {
	at, err := columns(rows, "ParentGroupId", "GroupId")
	if err != nil {
		return err
	}
	name, archetype := rows.Column("Group"), rows.Column("Archetype")
	for rows.Next() {
		above, group := l.text(rows, at[0]), l.text(rows, at[1])
		l.groups.tell(group, GroupName, l.text(rows, name))
		l.groups.tell(group, GroupArchetype, l.text(rows, archetype))
		if above != "" {
			l.groups.above[group] = append(l.groups.above[group], above)
		}
	}
	return nil
}

func (l *load) readParentGroups(rows *loader.Rows) error {
	at, err := columns(rows, "ParentGroupId", "ParentGroup")
	if err != nil {
		return err
	}
	for rows.Next() {
		l.groups.tell(l.text(rows, at[0]), GroupName, l.text(rows, at[1]))
	}
	return nil
}

// readGroupTerms reads the terms of the groups. They belong to the parent groups as well.
func (l *load) readGroupTerms(rows *loader.Rows) error {
	at, err := columns(rows, "GroupId", "LoincNumber")
	if err != nil {
		return err
	}
	category := rows.Column("Category")
	for rows.Next() {
		group, term := l.text(rows, at[0]), l.text(rows, at[1])
		if group == "" || term == "" {
			return fmt.Errorf("%s: %w: the group or the LOINC number is missing", rows.Where(), loader.ErrFormat)
		}
		for _, g := range append([]string{group}, l.groups.above[group]...) {
			l.groups.terms[g] = append(l.groups.terms[g], term)
			l.groups.tell(g, GroupCategory, l.text(rows, category))
		}
	}
	return nil
}
