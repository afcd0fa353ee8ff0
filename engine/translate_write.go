package engine

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/resources/r4"
)

// AppendJSON appends the Parameters resource.
func (r *TranslateResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Boolean("result", r.Result)
	if r.Message != "" {
		w.String("message", r.Message)
	}
	for i := range r.Matches {
		m := &r.Matches[i]
		if r.back {
			appendBack(&w, m)
			continue
		}
		w.Begin("match")
		if !r.scoped || m.Unmapped == "" { // R5 has no relation for an unmapped code
			w.Code("equivalence", string(m.Equivalence))
		}
		if c := m.Concept; c.Code != "" {
			if r.scoped && m.Unmapped == "" {
				c.Display = ""
			}
			w.Coding("concept", &c)
		}
		appendProducts(&w, m)
		switch {
		case m.Map == "":
		case r.scoped:
			w.Canonical("originMap", m.Map)
		default:
			w.URI("source", m.Map)
		}
		if m.Comment != "" {
			w.String("comment", m.Comment)
		}
		w.End()
	}
	return w.Finish()
}

func appendProducts(w *r4.ParametersWriter, m *conceptmap.Match) {
	for _, p := range m.Product {
		w.Begin("product")
		w.URI("element", p.Property)
		w.Coding("concept", &r4.Coding{System: p.System, Code: p.Value, Display: p.Display})
		w.End()
	}
}

// appendBack appends a match from a target to its source as the map has it: the target is the
// concept, and the relation is that of the map, not its inverse.
func appendBack(w *r4.ParametersWriter, m *conceptmap.Match) {
	w.Begin("match")
	w.Code("equivalence", string(m.Equivalence.Inverse()))
	w.Coding("concept", &m.Source)
	w.Coding("source", &m.Concept)
	appendProducts(w, m)
	if m.Map != "" {
		w.Canonical("originMap", m.Map)
	}
	if m.Comment != "" {
		w.String("comment", m.Comment)
	}
	w.End()
}

// Yes is the result.
func (r *TranslateResult) Yes() bool { return r.Result }

// Table has one row for each match. It says which rules decided if any were evaluated.
func (r *TranslateResult) Table() *Table {
	t := &Table{Title: r.Message}
	if len(r.Matches) == 0 {
		t.Header, t.Rows = []string{"NAME", "VALUE"}, [][]string{{"result", strconv.FormatBool(r.Result)}}
		return t
	}
	columns := 5
	if slices.ContainsFunc(r.Matches, func(m conceptmap.Match) bool { return m.Decided != "" }) {
		columns++
	}
	t.Header = []string{"EQUIVALENCE", "CODE", "DISPLAY", "SYSTEM", "MAP", "RULE"}[:columns]
	for i := range r.Matches {
		m := &r.Matches[i]
		t.Rows = append(t.Rows, []string{
			string(m.Equivalence), cmp.Or(m.Concept.Code, "-"), m.Concept.Display, m.Concept.System, m.Map, m.Comment,
		}[:columns])
	}
	return t
}
