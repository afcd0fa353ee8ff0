package csv

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// A table is read according to its mapping.
type table struct {
	m             *mapping
	mapping, name string
	reading       *loader.Reading
	origin        loader.Origin
	codes         map[string]struct{} // all codes, where prefixes of any length nest

	rows    *loader.Rows
	first   bool // the first row of a table without header
	concept codesystem.Concept
	levels  []level // the rows that enclose the current row

	code, display, definition, parent, level int
	designations, properties, skip           []int
	inactive, abstract                       int
}

// level is a row that may enclose later rows.
type level struct{ depth, number int }

// each calls f for each row that is not skipped.
func (t *table) each(f func() error) error {
	in, err := loader.Open(t.reading, t.name)
	if err != nil {
		return err
	}
	t.origin = in.Origin()
	t.rows, err = loader.NewRows(in, t.m.delimiter(t.name))
	if err != nil {
		_ = in.Close()
		return err
	}
	defer func() { _ = t.rows.Close() }()
	if err := t.resolve(); err != nil {
		return err
	}
	for t.first = t.m.Header != nil && !*t.m.Header; t.first || t.rows.Next(); t.first = false {
		if t.blank() || t.skipped() {
			continue
		}
		if err := f(); err != nil {
			return err
		}
	}
	return t.rows.Err()
}

// text returns a field of the row.
func (t *table) text(column int) string {
	if t.first && column >= 0 {
		return strings.TrimSpace(t.rows.Header()[column])
	}
	return t.rows.Text(column)
}

func (t *table) line() int {
	if t.first {
		return 1
	}
	return t.rows.Line()
}

// blank reports whether all fields of the row are empty.
func (t *table) blank() bool {
	for i := range t.rows.Header() {
		if t.text(i) != "" {
			return false
		}
	}
	return true
}

func (t *table) skipped() bool {
	for i, c := range t.m.Skip {
		if c.holds(t.text(t.skip[i])) {
			return true
		}
	}
	return false
}

// resolve finds the columns of the mapping in the table.
func (t *table) resolve() error {
	var err error
	find := func(c column) int {
		at, e := t.find(c)
		if err == nil {
			err = e
		}
		return at
	}
	m := t.m
	t.code, t.display, t.definition, t.level = find(m.Code), find(m.Display), find(m.Definition), find(m.Level)
	t.parent = find(m.Parent.Column)
	t.inactive, t.abstract = -1, -1
	if m.Inactive != nil {
		t.inactive = find(m.Inactive.Column)
	}
	if m.Abstract != nil {
		t.abstract = find(m.Abstract.Column)
	}
	t.designations, t.properties, t.skip = t.designations[:0], t.properties[:0], t.skip[:0]
	for _, d := range m.Designations {
		t.designations = append(t.designations, find(d.Column))
	}
	for _, p := range m.Properties {
		t.properties = append(t.properties, find(p.Column))
	}
	for _, c := range m.Skip {
		t.skip = append(t.skip, find(c.Column))
	}
	return err
}

// find returns the index of a column, or -1 when none is given.
func (t *table) find(c column) (int, error) {
	names := t.rows.Header()
	switch {
	case !c.given():
		return -1, nil
	case c.number > len(names):
		return 0, fmt.Errorf("%s: %w: it has %d columns, but %s names column %d", t.origin, loader.ErrFormat, len(names), t.mapping, c.number)
	case c.number > 0:
		return c.number - 1, nil
	case t.m.Header != nil && !*t.m.Header:
		return 0, fmt.Errorf("%s: %w: a table without header needs column numbers, not %s", t.mapping, loader.ErrFormat, c)
	}
	if at := t.rows.Column(c.name); at >= 0 {
		return at, nil
	}
	return 0, fmt.Errorf("%s: %w: it has no column %s, which %s names; its columns are %.300s", t.origin, loader.ErrFormat, c, t.mapping, strings.Join(names, ", "))
}

// build adds all rows.
func (t *table) build(header *r4.CodeSystem) (*codesystem.Builder, error) {
	b := codesystem.NewBuilder(header)
	err := t.each(func() error {
		if err := t.read(); err != nil {
			return err
		}
		number, err := b.Add(&t.concept)
		if err != nil {
			return fmt.Errorf("%s: %w", t.origin, err)
		}
		if t.level >= 0 {
			t.levels[len(t.levels)-1].number = number
		}
		t.reading.Count(1, 0, 0)
		return nil
	})
	if err == nil && b.Len() == 0 {
		err = fmt.Errorf("%s: %w: no rows with codes", t.origin, loader.ErrNothing)
	}
	return b, err
}

// bad returns the error of a field.
func (t *table) bad(c column, value, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %w: column %s: %.60q %s", t.origin, t.line(), loader.ErrFormat, c, value, fmt.Sprintf(format, args...))
}

// read reads a row into the concept.
func (t *table) read() error {
	m, c := t.m, &t.concept
	*c = codesystem.Concept{
		Code: t.text(t.code), Display: t.text(t.display), Definition: t.text(t.definition),
		Parent: -1, Where: "line " + strconv.Itoa(t.line()),
		Designations: c.Designations[:0], Properties: c.Properties[:0],
	}
	if c.Code == "" {
		return t.bad(m.Code, "", "is no code: fill it in, or skip the row in %s", t.mapping)
	}
	if err := t.place(); err != nil {
		return err
	}
	if m.Inactive != nil && m.Inactive.holds(t.text(t.inactive)) {
		t.add("inactive", r4.Boolean(true))
	}
	if m.Abstract != nil && m.Abstract.holds(t.text(t.abstract)) {
		t.add("notSelectable", r4.Boolean(true))
	}
	for i := range m.Designations {
		d := &m.Designations[i]
		for _, text := range d.split(t.text(t.designations[i])) {
			if text = strings.TrimSpace(text); text != "" {
				c.Designations = append(c.Designations, r4.Designation{Language: d.Language, Use: d.Use, Value: text})
			}
		}
	}
	for i := range m.Properties {
		p := &m.Properties[i]
		for _, text := range p.split(t.text(t.properties[i])) {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			v, ok := p.value(text)
			if !ok {
				return t.bad(p.Column, text, "is no %s: change it, or the type of property %s in %s", p.Type, p.Code, t.mapping)
			}
			t.add(p.Code, v)
		}
	}
	return nil
}

func (t *table) add(code string, v r4.Value) {
	t.concept.Properties = append(t.concept.Properties, codesystem.Property{Code: code, Value: v})
}

// place finds the parents of the row.
func (t *table) place() error {
	m, code := t.m, t.concept.Code
	switch {
	case t.parent >= 0:
		for _, above := range m.Parent.split(t.text(t.parent)) {
			if above = strings.TrimSpace(above); above != "" {
				t.add("parent", r4.Code(above))
			}
		}
	case t.level >= 0:
		text := t.text(t.level)
		depth, err := strconv.Atoi(text)
		if err != nil {
			return t.bad(m.Level, text, "is no level: a whole number, such as 1 for the highest")
		}
		for len(t.levels) > 0 && t.levels[len(t.levels)-1].depth >= depth {
			t.levels = t.levels[:len(t.levels)-1]
		}
		if n := len(t.levels); n > 0 {
			t.concept.Parent = t.levels[n-1].number
		}
		t.levels = append(t.levels, level{depth: depth})
	case m.Prefix.any:
		for end := len(code) - 1; end > 0; end-- {
			if _, ok := t.codes[code[:end]]; ok {
				t.add("parent", r4.Code(code[:end]))
				return nil
			}
		}
	case m.Prefix.lengths != nil:
		runes := []rune(code)
		at, found := slices.BinarySearch(m.Prefix.lengths, len(runes))
		if !found {
			return t.bad(m.Code, code, "has %d characters, and prefix has the lengths %v", len(runes), m.Prefix.lengths)
		}
		if at > 0 {
			t.add("parent", r4.Code(string(runes[:m.Prefix.lengths[at-1]])))
		}
	}
	return nil
}

// value parses a value of a property.
func (p *property) value(text string) (r4.Value, bool) {
	v := r4.Value{Type: valueType(p.Type), Text: text}
	ok := true
	switch p.Type {
	case "boolean":
		var yes bool
		yes, ok = truth(text)
		v = r4.Boolean(yes)
	case "integer":
		n, err := strconv.ParseInt(text, 10, 32)
		ok = err == nil
		v.Text = strconv.FormatInt(n, 10)
	case "decimal":
		_, err := r4.ParseDecimal(text)
		ok = err == nil
	case "dateTime":
		ok = loader.IsDateTime(text)
	}
	return v, ok
}
