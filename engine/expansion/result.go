package expansion

import (
	"context"
	"iter"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// Result is a page of an expansion.
type Result struct {
	// ValueSet is the definition. Not to be modified.
	ValueSet *r4.ValueSet
	// Identifier is a urn:uuid of this expansion.
	Identifier string
	Timestamp  time.Time
	// Total counts the codes of the whole expansion, Offset those before the page. Paged
	// tells that the offset is to be given: it was asked for, or the page is one that the
	// engine cut.
	Total, Offset int
	Paged         bool
	// Parameters are those that shaped the expansion, and the code systems used.
	Parameters []r4.Parameter
	// Entries are the codes of the page, with the display in the language asked for.
	// Depth tells the nesting.
	Entries []valueset.Entry
	// Unclosed says why there are codes in the value set that cannot be listed, "" when
	// there are none.
	Unclosed string
	// Endless reports whether there is no counting them: Total is that of those that can be listed.
	Endless bool

	definition   bool
	nested       bool
	want         language.Preference
	versions     bool // several versions of a system: each code says its own
	designations *designationFilter
	supplements  supplementation
	properties   expansionProperties
}

// Properties returns the properties of the entry at a place, nil when it has none. Not to
// be modified.
func (r *Result) Properties(place int) []codesystem.Property {
	if d := r.properties.entries[place]; d != nil {
		return d.properties
	}
	return nil
}

// Extensions returns the extensions that go along with the entry at a place, nil when there
// are none. Not to be modified.
func (r *Result) Extensions(place int) r4.Extensions {
	if d := r.properties.entries[place]; d != nil {
		return d.extensions
	}
	return nil
}

func (r *Result) concept(e *valueset.Entry) language.Concept {
	c := language.Concept{
		Supplements: r.supplements.of(e.Index), Index: e.Index, Ord: e.Concept,
		Display: e.Own(), Own: e.Designations(), OwnLanguage: r.ValueSet.Language,
	}
	if c.Display == "" && c.Index != nil {
		c.Display = c.Index.Display(c.Ord)
	}
	return c
}

// designated yields what a code is called besides its display, as far as it is to be given.
func (r *Result) designated(e *valueset.Entry) iter.Seq2[*language.Wording, *r4.Designation] {
	return func(yield func(*language.Wording, *r4.Designation) bool) {
		c := r.concept(e)
		shown := language.Wording{Text: c.Display, Display: true}
		if !r.want.None() {
			shown = c.PickWording(&r.want)
		}
		passed := false
		for w := range c.Wordings {
			if !passed && w.Text == shown.Text && w.Display == shown.Display && (shown.Language == "" || w.Language == shown.Language) {
				passed = true // the display itself
				continue
			}
			d := r4.Designation{Language: w.Language, Use: w.Use, Value: w.Text, Extension: copied(w.Extension)}
			if w.Display {
				d.Use = &PreferredForLanguage
			}
			if r.designations.takes(w, &d) && !yield(w, &d) {
				return
			}
		}
	}
}

// list fills in the page.
func (r *Result) list(ctx context.Context, set *valueset.Set, req *Request, count int) (err error) {
	page := valueset.PageRequest{
		ActiveOnly: isTrue(req.ActiveOnly),
		Count:      count,
	}
	if req.Offset != nil {
		page.Offset = *req.Offset
	}
	r.Offset = page.Offset
	language, anyLanguage := r.want.First(), r.want.None()
	if req.Filter != "" {
		page.Query = codesystem.CompileQuery(req.Filter).In(language)
	}
	if page.Nested, err = r.nests(ctx, set, page); err != nil {
		return err
	}
	r.Entries = make([]valueset.Entry, 0, min(count, set.Len(), 1000))
	r.Total, err = set.Page(ctx, page, func(entry *valueset.Entry) error {
		r.Entries = append(r.Entries, *entry)
		e := &r.Entries[len(r.Entries)-1]
		if !anyLanguage {
			c := r.concept(e)
			w := c.PickWording(&r.want)
			e.Display = w.Text
			r.supplements.report(w.Supplement)
		}
		if r.designations != nil && len(r.supplements.of(e.Index)) > 0 {
			for w := range r.designated(e) {
				r.supplements.report(w.Supplement)
			}
		}
		r.properties.add(len(r.Entries)-1, e, r.supplements.of(e.Index))
		return nil
	})
	return err
}

// nests reports whether the page is to be nested: it has a hierarchy, and is all there is.
func (r *Result) nests(ctx context.Context, set *valueset.Set, page valueset.PageRequest) (bool, error) {
	if !r.nested || !set.Nests() || page.Offset > 0 {
		return false, nil
	}
	if page.Count >= set.Len() {
		return true, nil
	}
	count := page.Count
	page.Count = 0
	total, err := set.Page(ctx, page, func(*valueset.Entry) error { return nil })
	return count >= total, err
}
