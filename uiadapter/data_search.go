package uiadapter

import (
	"net/url"
	"slices"
	"strings"
)

// A criterion is a parameter of a search with its value.
type criterion struct{ name, value string }

// searching is a search for resources. The address of the page has it.
type searching struct {
	Type   string
	Fields []*Field
	Sort   string
	Sorts  []string

	carried []any // the parameters of the page, as link takes them
}

// searching returns the search that the request describes.
func (p *Page) searching(typ string) *searching {
	s := &searching{Type: typ, Fields: p.fields(typ), carried: []any{"type", typ}}
	for _, f := range s.Fields {
		s.carried = append(s.carried, "p."+f.Code, f.Value, "ge."+f.Code, f.From, "le."+f.Code, f.To, "u."+f.Code, f.Unit, "how."+f.Code, f.How)
		if f.Kind == "date" {
			s.Sorts = append(s.Sorts, "-"+f.Code, f.Code)
		}
	}
	if sort := p.Query("sort"); slices.Contains(s.Sorts, sort) {
		s.Sort = sort
		s.carried = append(s.carried, "sort", sort)
	}
	return s
}

// Others reports whether a field that is not shown at first has something.
func (s *searching) Others() bool {
	return slices.ContainsFunc(s.Fields, func(f *Field) bool { return !f.Main() && f.Given() })
}

// Mains returns the fields that are shown at first, and Rest the others.
func (s *searching) Mains() []*Field { return s.some(true) }

// Rest returns the fields that are shown on demand.
func (s *searching) Rest() []*Field { return s.some(false) }

func (s *searching) some(main bool) []*Field {
	var list []*Field
	for _, f := range s.Fields {
		if f.Main() == main {
			list = append(list, f)
		}
	}
	return list
}

// page returns the address of a page that takes the search, with more parameters.
func (s *searching) page(name string, more ...any) (string, error) {
	return link(name, slices.Concat(s.carried, more)...)
}

// query returns the search as the server takes it: Condition?code=…
func (s *searching) query(more ...criterion) string {
	var b strings.Builder
	b.WriteString(s.Type)
	sep := byte('?')
	add := func(c criterion) {
		b.WriteByte(sep)
		sep = '&'
		b.WriteString(c.name) // from the tables
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(c.value))
	}
	for _, f := range s.Fields {
		for _, c := range f.criteria() {
			add(c)
		}
	}
	if s.Sort != "" {
		add(criterion{"_sort", s.Sort})
	}
	for _, c := range more {
		add(c)
	}
	return b.String()
}

// runSearch finds resources, and what words in fields for codes may mean.
func (p *Page) runSearch(d *dataData) error {
	s := d.Search
	for _, f := range s.Fields {
		if f.Concepts && f.How != "text" && f.Value != "" && !strings.Contains(f.Value, "|") {
			hits, err := p.concepts(s.Type, f.Code, f.Value, f.How != "below")
			if err != nil {
				return err
			}
			for i := range hits {
				own := *f
				own.Value = hits[i].Value
				if hits[i].Link, err = s.with(&own).page("data"); err != nil {
					return err
				}
			}
			f.Hits = hits
		}
		if d.Counts == "" && p.Has("counts") && p.h.hasConcepts(f.param) && !strings.HasPrefix(f.Code, "_") {
			var err error
			if d.Counts, err = s.page("counts"); err != nil {
				return err
			}
		}
	}
	if slices.ContainsFunc(s.Fields, func(f *Field) bool { return len(f.Hits) > 0 && f.How == "below" }) {
		return nil // the server needs a code to look below it
	}
	d.Request = p.h.Address(p.r) + "/" + s.query()
	more := []criterion{{"_count", resultsOfPage}}
	if cursor := p.Query("cursor"); cursor != "" {
		more = append(more, criterion{"_cursor", cursor})
	}
	var b bundle
	if err := p.Get(s.query(more...), &b); err != nil {
		return err
	}
	d.Shown, d.Warnings = true, b.warnings()
	n := p.namer()
	for i := range b.Entry {
		if b.Entry[i].Search.Mode != "match" {
			continue
		}
		o, err := readObject(b.Entry[i].Resource)
		if err != nil {
			return err
		}
		d.Found = append(d.Found, n.outline(o))
		d.Values = d.Values || d.Found[len(d.Found)-1].Value != ""
	}
	var err error
	if cursor := b.cursor("previous"); cursor != "" {
		if d.Previous, err = s.page("data", "cursor", cursor); err != nil {
			return err
		}
	}
	if cursor := b.cursor("next"); cursor != "" {
		if d.Next, err = s.page("data", "cursor", cursor); err != nil {
			return err
		}
	}
	switch {
	case b.Total == nil:
		d.Summary = p.T("data.found.page", number(len(d.Found)))
	case *b.Total == 1:
		d.Summary = p.T("data.found.one")
	default:
		d.Summary = p.T("data.found", number(*b.Total))
	}
	return nil
}

// with returns the search with another field in place of that with its code.
func (s *searching) with(f *Field) *searching {
	next := &searching{Type: s.Type, Sort: s.Sort, carried: []any{"type", s.Type, "sort", s.Sort}}
	for _, own := range s.Fields {
		if own.Code == f.Code {
			own = f
		}
		next.Fields = append(next.Fields, own)
		next.carried = append(next.carried, "p."+own.Code, own.Value, "ge."+own.Code, own.From, "le."+own.Code, own.To, "u."+own.Code, own.Unit, "how."+own.Code, own.How)
	}
	return next
}
