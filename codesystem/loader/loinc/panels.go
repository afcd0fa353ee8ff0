package loinc

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
)

// Properties of panels and of their members.
const (
	hasMember = "has-member"
	memberOf  = "member-of"
)

// answerOverride is the column with the answer list that a member has in its panel.
const answerOverride = "AnswerListIdOverride"

// panel is a term with members. A panel within other panels is listed again for each of them, with
// another ParentId, which is the text of its members.
type panel struct {
	own     string // ParentId of the list that is not within another panel
	members []member
}

// repeated are the columns of panels that identify rows, or repeat what is known of the terms.
const repeated = " ParentId ParentLoinc ParentName ID SEQUENCE Loinc LoincName EXTERNAL_COPYRIGHT_NOTICE "

// readPanels reads the members of panels. The row of a panel itself has its own ID as ParentId.
// The other columns become properties of the member in the panel.
func (l *load) readPanels(rows *loader.Rows) error {
	at, err := columns(rows, "ParentLoinc", "SEQUENCE", "Loinc")
	if err != nil {
		return err
	}
	list, id := rows.Column("ParentId"), rows.Column("ID")
	l.declared[hasMember] = true
	for rows.Next() {
		m := member{code: l.text(rows, at[2]), text: l.text(rows, list)}
		code := l.text(rows, at[0])
		if code == "" || m.code == "" {
			return fmt.Errorf("%s: %w: the LOINC number of the panel or of its member is missing", rows.Where(), loader.ErrFormat)
		}
		p := l.panels[code]
		if p == nil {
			p = &panel{}
			l.panels[code] = p
		}
		if m.code == code {
			if m.text == rows.Text(id) {
				p.own = m.text
			}
			continue
		}
		if m.sequence, err = sequence(rows, at[1]); err != nil {
			return err
		}
		m.details = append(m.details, link{property: hasMember, code: m.code})
		for i, column := range rows.Header() {
			if rows.Text(i) == "" || strings.Contains(repeated, " "+column+" ") {
				continue
			}
			k := link{property: l.facts.word(column), code: l.text(rows, i)}
			if column == answerOverride {
				k.display = l.lists.of(k.code, rows.Where()).name
			} else {
				l.kinds[k.property] = "string"
			}
			l.declared[k.property] = true
			m.details = append(m.details, k)
		}
		p.members = append(p.members, m)
		l.facts.link(m.code, link{property: memberOf, code: code})
	}
	return nil
}

// sequence returns a number that orders rows, 0 if there is none.
func sequence(rows *loader.Rows, column int) (int, error) {
	text := rows.Text(column)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		err = fmt.Errorf("%s: %w: %s %q is not a number", rows.Where(), loader.ErrFormat, rows.Header()[column], text)
	}
	return n, err
}

// inOrder sorts members by their sequence numbers.
func inOrder(members []member) {
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.sequence, b.sequence) })
}

// appendMembers appends the members of a panel: a group of properties for each, which begins with
// its code. Members of the panel's own list come first, then those that only its lists within
// other panels have. Without a list of its own, the first one counts.
func (l *load) appendMembers(dst []codesystem.Property, code string) []codesystem.Property {
	p := l.panels[code]
	if p == nil || len(p.members) == 0 {
		return dst
	}
	first, group := cmp.Or(p.own, p.members[0].text), 0
	met := map[string]bool{}
	inOrder(p.members)
	for _, own := range [...]bool{true, false} {
		for _, m := range p.members {
			if (m.text == first) != own || !own && met[m.code] {
				continue
			}
			met[m.code] = true
			group++
			for _, k := range m.details {
				property := l.property(k)
				property.Group = group
				dst = append(dst, property)
			}
		}
	}
	return dst
}
