package expansion

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// Result is a page of an expansion.
type Result struct {
	// ValueSet is the definition. It must not be modified.
	ValueSet *r4.ValueSet
	// Identifier is a urn:uuid of this expansion.
	Identifier string
	Timestamp  time.Time
	// Total is the number of codes of the whole expansion, Offset the number of codes before the
	// page. Paged is true if the offset is written: the request has one, or the engine limited the
	// page. Incomplete is true if codes are missing because the expansion has more than the limit.
	Total, Offset int
	Paged         bool
	Incomplete    bool
	// Parameters are the parameters that shaped the expansion, and the code systems used.
	Parameters []r4.Parameter
	// Entries are the codes of the page, with the display in the requested language. Depth is the
	// nesting.
	Entries []valueset.Entry
	// Unclosed is the reason why the value set has codes that cannot be listed, "" if it has none.
	Unclosed string
	// Endless is true if the value set has infinitely many codes. Total then counts those that can
	// be listed.
	Endless bool
	// Composes is true if post-coordinated expressions are members as well, which are not listed.
	Composes bool

	definition   bool
	nested       bool // where possible
	flattened    bool // although the request wanted it nested
	want         language.Preference
	versions     bool // several versions of a code system: each code has its version
	merged       bool // a code counts once for all versions of its system
	designations *designationFilter
	supplements  supplementation
	properties   expansionProperties
}

// Properties returns the properties of the entry at a place, nil if it has none. The slice must
// not be modified.
func (r *Result) Properties(place int) []codesystem.Property {
	if d := r.properties.entries[place]; d != nil {
		return d.properties
	}
	return nil
}

// Extensions returns the extensions of the entry at a place, nil if it has none. The slice must
// not be modified.
func (r *Result) Extensions(place int) r4.Extensions {
	if d := r.properties.entries[place]; d != nil {
		return d.extensions
	}
	return nil
}

func (r *Result) concept(e *valueset.Entry) language.Concept {
	c := language.Concept{
		Supplements: r.supplements.systems[e.Index], Index: e.Index, Ord: e.Concept,
		Display: e.Own(), Own: e.Designations(), OwnLanguage: r.ValueSet.Language,
	}
	if c.Display == "" && c.Index != nil {
		c.Display = c.Index.Display(c.Ord)
	}
	return c
}

// designated yields the designations of a code to return, without its display.
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

// list fills the page.
func (r *Result) list(ctx context.Context, set *valueset.Set, req *Request, part part) (err error) {
	page := valueset.PageRequest{ActiveOnly: isTrue(req.ActiveOnly), Offset: part.offset, Count: part.count}
	r.Offset = page.Offset
	language, anyLanguage := r.want.First(), r.want.None()
	if req.Filter != "" {
		page.Query = codesystem.CompileQuery(req.Filter).In(language)
		if part.forgives {
			page.Query = page.Query.Forgiving()
		}
		page.Supplements = func(x *codesystem.Index) []*codesystem.Index { return r.supplements.systems[x] }
	}
	if page.Nested, err = r.nests(ctx, set, page); err != nil {
		return err
	}
	r.Entries = make([]valueset.Entry, 0, min(page.Count, set.Len(), 1000))
	r.Total, err = set.Page(ctx, page, func(entry *valueset.Entry) error {
		r.Entries = append(r.Entries, *entry)
		e := &r.Entries[len(r.Entries)-1]
		if !anyLanguage {
			c := r.concept(e)
			w := c.PickWording(&r.want)
			e.Display = w.Text
			r.supplements.report(w.Supplement)
		}
		if r.designations != nil && len(r.supplements.systems[e.Index]) > 0 {
			for w := range r.designated(e) {
				r.supplements.report(w.Supplement)
			}
		}
		r.properties.add(len(r.Entries)-1, e, r.supplements.systems[e.Index])
		return nil
	})
	// The best matches of a text come first, whatever their level.
	ranked := req.Filter != "" && !slices.ContainsFunc(r.Entries, func(e valueset.Entry) bool { return e.Depth > 0 })
	r.flattened = req.wantsNested() && len(r.Entries) > 0 && hasLevels(set) && (!page.Nested || ranked)
	return err
}

// nests reports whether the page is nested: it has a hierarchy and all codes are on the page.
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
