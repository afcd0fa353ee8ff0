package icd10cm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// build adds all entries, each before its children, siblings in the order of codes.
func (l *list) build(r *loader.Reading, header *r4.CodeSystem) (*codesystem.Builder, error) {
	b := codesystem.NewBuilder(header)
	uses := map[string]*r4.Coding{}
	for _, code := range []string{"short", "inclusion"} {
		uses[code] = loader.UseCoding(code)
	}
	var add func(list []*entry, parent int) error
	add = func(list []*entry, parent int) error {
		slices.SortStableFunc(list, func(a, b *entry) int { return strings.Compare(a.code, b.code) })
		for _, e := range list {
			c := e.concept(header.Language, uses)
			c.Parent = parent
			number, err := b.Add(c)
			if err == nil {
				r.Count(1, 0, 0)
				err = add(e.children, number)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	roots := slices.Clone(l.chapters)
	for _, e := range l.codes {
		if e.parent == nil {
			roots = append(roots, e)
		}
	}
	return b, add(roots, -1)
}

// concept returns the concept of an entry.
func (e *entry) concept(language string, uses map[string]*r4.Coding) *codesystem.Concept {
	c := &codesystem.Concept{Code: e.code, Display: e.display, Parent: -1, Where: fmt.Sprintf("line %d", e.line)}
	name := func(use, text string) {
		c.Designations = append(c.Designations, r4.Designation{Language: language, Use: uses[use], Value: text})
	}
	if e.short != "" && e.short != e.display {
		name("short", e.short)
	}
	for _, t := range e.terms {
		name("inclusion", t)
	}
	property := func(code string, v r4.Value) {
		c.Properties = append(c.Properties, codesystem.Property{Code: code, Value: v})
	}
	property("kind", r4.Code(e.kindOf()))
	if e.kind == code {
		property("billable", r4.Boolean(e.billable))
	} else {
		property("notSelectable", r4.Boolean(true))
	}
	for _, n := range e.notes {
		property(n.property, r4.String(n.text))
	}
	return c
}

func (e *entry) kindOf() string {
	switch {
	case e.kind == chapter:
		return "chapter"
	case e.kind == block:
		return "block"
	case len(e.code) == 3:
		return "category"
	case !e.billable:
		return "subcategory"
	}
	return "code"
}
