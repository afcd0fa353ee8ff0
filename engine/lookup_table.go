package engine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/resources/r4"
)

// Table has one row for each fact.
func (r *LookupResult) Table() *Table {
	x, o := r.Index, r.Concept
	h := x.Header()
	t := &Table{Header: []string{"NAME", "VALUE", "DESCRIPTION"}}
	add := func(name, value, description string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value, description})
		}
	}
	add("name", cmp.Or(h.Name, h.Title), "")
	add("display", r.Display, "")
	add("code", x.Code(o), "")
	add("system", h.URL, "")
	add("version", h.Version, "")
	if r.wants("definition") {
		add("definition", x.Definition(o), "")
	}
	c := language.Concept{Index: x, Ord: o, Supplements: r.supplements}
	for d := range c.Designations {
		if r.wantsDesignation(d.Language) {
			use := ""
			if d.Use != nil {
				use = cmp.Or(d.Use.Display, d.Use.Code)
			}
			add("designation", d.Value, strings.TrimSpace(d.Language+" "+use))
		}
	}
	relatives := func(name string, list []codesystem.Ord) {
		if r.wants(name) {
			for _, p := range list {
				add(name, x.Code(p), x.Display(p))
			}
		}
	}
	relatives("parent", x.Parents(o))
	relatives("child", x.Children(o))
	if r.wants("inactive") {
		add("inactive", fmt.Sprint(x.Inactive(o)), "")
	}
	properties := func(x *codesystem.Index, o codesystem.Ord) {
		reader, outer := r.read(x), ""
		for a := range x.Attributes(o) {
			name, v := x.PropertyCode(a.Property), x.PairValue(a.Pair)
			grouped := a.Group > 0 && reader.grouped
			switch wanted, inner := reader.next(a); {
			case inner:
				name = outer + "." + name
			case wanted || grouped:
				outer = name
			default:
				continue
			}
			value, description := valueText(v)
			if target, ok := r.Index.Find(value); ok && v.Type == "Code" {
				description = r.Index.Display(target)
			}
			if grouped {
				description = strings.TrimSpace(fmt.Sprintf("%s (group %d)", description, a.Group))
			}
			add(name, value, description)
		}
	}
	properties(x, o)
	for _, s := range r.supplements {
		if so, ok := s.Find(x.Code(o)); ok {
			properties(s, so)
		}
	}
	return t
}

// valueText returns a property value and its description, for people.
func valueText(v r4.Value) (text, description string) {
	if v.Coding != nil {
		return v.Coding.System + "|" + v.Coding.Code, v.Coding.Display
	}
	return v.Text, ""
}
