package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/changes"
	"github.com/roget-health/roget/resources/r4"
)

// ImpactResult is the result of Impact.
type ImpactResult struct {
	Old string `json:"old"` // canonicals
	New string `json:"new"`
	// Unchanged is the number of concepts that both versions have, without a difference.
	Unchanged int `json:"unchanged"`
	// Rows are about concepts, value sets, reference sets, concept maps, expressions and resources, in
	// this order.
	Rows []ImpactRow `json:"rows"`
	// Most is the largest number of rows about concepts in AppendJSON; 0: all.
	Most int `json:"-"`
}

// An ImpactRow is one thing that a version changes.
type ImpactRow struct {
	About string `json:"about"` // concept, value-set, reference-set, concept-map, expression, resource
	// Change is removed or added; of a concept also moved, status, meaning, display, other; of a
	// reference set also changed; of the code of resources removed or inactive; failed for what could
	// not be evaluated.
	Change  string `json:"change"`
	Name    string `json:"name"` // a code, canonical, expression, or code of a reference set
	Display string `json:"display,omitempty"`
	Field   string `json:"field,omitempty"` // of a concept, that is different
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"` // also why something failed
	// Count is the number of codes, or of resources.
	Count        int                   `json:"count,omitempty"`
	Types        map[string]int        `json:"types,omitempty"` // the number of resources by type
	First        []string              `json:"first,omitempty"` // the first codes or resources
	Replacements []changes.Replacement `json:"replacements,omitempty"`
	affected     bool                  // failed with one of the versions only
}

// What a row is about.
const (
	aboutConcept    = "concept"
	aboutSet        = "value-set"
	aboutRefset     = "reference-set"
	aboutMap        = "concept-map"
	aboutExpression = "expression"
	aboutResource   = "resource"

	changeFailed = "failed"
)

// An ImpactTotal is the number of rows about one thing with one change.
type ImpactTotal struct {
	About, Change string
	Rows          int
}

// Totals returns the numbers of rows, in the order of the rows.
func (r *ImpactResult) Totals() []ImpactTotal {
	var list []ImpactTotal
	for i := range r.Rows {
		row := &r.Rows[i]
		at := slices.IndexFunc(list, func(t ImpactTotal) bool { return t.About == row.About && t.Change == row.Change })
		if at < 0 {
			at = len(list)
			list = append(list, ImpactTotal{About: row.About, Change: row.Change})
		}
		list[at].Rows++
	}
	return list
}

// Yes reports whether nothing but concepts is affected, as far as it could be evaluated. What could be
// evaluated with one of the versions only is affected.
func (r *ImpactResult) Yes() bool {
	return !slices.ContainsFunc(r.Rows, func(row ImpactRow) bool {
		return row.About != aboutConcept && (row.Change != changeFailed || row.affected)
	})
}

// AppendJSON appends the Parameters resource.
func (r *ImpactResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Canonical("old", r.Old)
	w.Canonical("new", r.New)
	w.Integer("unchanged", r.Unchanged)
	for _, t := range r.Totals() {
		w.Begin("total")
		w.Code("about", t.About)
		w.Code("change", t.Change)
		w.Integer("count", t.Rows)
		w.End()
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if r.Most > 0 && i >= r.Most && row.About == aboutConcept {
			continue
		}
		w.Begin("impact")
		w.Code("about", row.About)
		w.Code("change", row.Change)
		for _, text := range [...][2]string{{"name", row.Name}, {"display", row.Display}, {"field", row.Field}, {"old", row.Old}, {"new", row.New}} {
			if text[1] != "" {
				w.String(text[0], text[1])
			}
		}
		if row.Count > 0 {
			w.Integer("count", row.Count)
		}
		for _, text := range row.First {
			w.String("first", text)
		}
		for _, p := range row.Replacements {
			w.Begin("replacement")
			w.Code("relation", p.Relation)
			w.Code("code", p.Code)
			if p.Display != "" {
				w.String("display", p.Display)
			}
			w.End()
		}
		w.End()
	}
	return w.Finish()
}

// impactShown is how many rows about concepts with one change a table has.
const impactShown = 5

// Table has the first concepts of each change, and a row for everything else.
func (r *ImpactResult) Table() *Table {
	t := &Table{Title: "--- " + r.Old + "\n+++ " + r.New, Header: []string{"ABOUT", "CHANGE", "NAME", "COUNT", "DETAILS"}}
	shown := map[string]int{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.About == aboutConcept {
			if shown[row.Change]++; shown[row.Change] > impactShown {
				continue
			}
		}
		count := ""
		if row.Count > 0 {
			count = Thousands(row.Count)
		}
		t.Rows = append(t.Rows, []string{row.About, row.Change, row.Name, count, row.details()})
	}
	var totals []string
	for _, n := range r.Totals() {
		totals = append(totals, fmt.Sprintf("%s %s: %s", n.About, n.Change, Thousands(n.Rows)))
	}
	t.Footer = strings.Join(append(totals, "concept unchanged: "+Thousands(r.Unchanged)), ", ")
	return t
}

// details returns what a table says of a row besides its name.
func (row *ImpactRow) details() string {
	text := row.Display
	if row.Field != "" {
		text = row.Field + ": " + row.Old + " → " + row.New
	} else if row.New != "" {
		text = row.New
	}
	if first := strings.Join(row.First, ", "); first != "" {
		if len(row.First) < row.Count {
			first += ", …"
		}
		text = strings.TrimPrefix(text+"  "+first, "  ")
	}
	for _, p := range row.Replacements {
		text += "  " + p.Relation + " " + strings.TrimSpace(p.Code+" "+p.Display)
	}
	return text
}

// Cells returns the row for a file of separated values, as ImpactColumns names its cells.
func (row *ImpactRow) Cells() []string {
	var replaced []string
	for _, p := range row.Replacements {
		replaced = append(replaced, p.Relation+" "+p.Code)
	}
	count := ""
	if row.Count > 0 {
		count = strconv.Itoa(row.Count)
	}
	return []string{row.About, row.Change, row.Name, row.Display, row.Field, row.Old, row.New, count, strings.Join(row.First, "|"), strings.Join(replaced, "|")}
}

// ImpactColumns returns the names of Cells.
func ImpactColumns() []string {
	return []string{"about", "change", "name", "display", "field", "old", "new", "count", "first", "replacements"}
}
