package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// ExpandRequest asks for a page of the codes of a value set (ValueSet/$expand). One of
// ID, URL and ValueSet says which.
type ExpandRequest struct {
	ID                     string
	URL                    string // canonical, may be url|version; implicit value sets are understood
	ValueSet               *r4.ValueSet
	ValueSetVersion        string
	Context                string // refused with ErrNotSupported
	ContextDirection       string // refused with ErrNotSupported
	Filter                 string // text; see codesystem.CompileQuery. Hits in the language asked for come first
	Date                   string // accepted and echoed
	Offset                 *int   // codes to skip; nil: 0
	Count                  *int   // nil: the engine's default, see WithDefaultCount; 0: the total only
	IncludeDesignations    *bool
	Designations           []string // those to give: "system|code" of a use, or "urn:ietf:bcp:47|de"
	IncludeDefinition      *bool    // give compose as well
	ActiveOnly             *bool
	ExcludeNested          *bool // false nests where all of it is on the page; nil: flat, see WithDefaultCount
	ExcludeNotForUI        *bool // leave out abstract codes
	ExcludePostCoordinated *bool // accepted: expansions have no composed expressions
	VersionsMatch          *bool // take codes of all versions of a system for one; nil: as the value set has it
	DisplayLanguage        string
	AcceptLanguage         string   // of the HTTP request, used where DisplayLanguage is empty
	UseSupplements         []string // canonicals of supplements that must be used
	ExcludeSystems         []string // canonicals, system or system|version
	Versions               catalog.VersionRules
	Properties             []string // to give with each code: definition, one of the code system, or * for all of these
}

// ExpandResult is a page of an expansion.
type ExpandResult struct {
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

// Expand returns a page of the codes of a value set. Errors: ErrUnknownValueSet,
// ErrUnknownID, ErrUnknownSystem and ErrUnknownVersion for a system the value set
// needs, ErrVersionCheck, ErrMissingParameter, ErrInvalidParameter, ErrNotSupported,
// ErrTooCostly, ErrEndless, ErrUnknownSupplement and those of valueset.Compile. Those of the value set
// are an OutcomeError.
func (e *Engine) Expand(ctx context.Context, req *ExpandRequest) (*ExpandResult, error) {
	ctx, span := e.observe(ctx, "expand", req.URL)
	r, err := expand(ctx, e.source.Load(), &e.settings, req)
	span.finish(ctx, err)
	return r, err
}

func expand(ctx context.Context, plain *resolve.Source, settings *settings, req *ExpandRequest) (*ExpandResult, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	src, err := plain.Ruled(&req.Versions)
	if err != nil {
		return nil, err
	}
	t, err := src.Named(req.ID, req.URL, req.ValueSetVersion, req.ValueSet)
	if err != nil {
		return nil, err
	}
	definition, err := t.Definition()
	if err != nil {
		return nil, err
	}
	full := req.withParameters(definition)
	uses := src.GrammarUses(&t)
	if with, err := plain.Listing(ctx, uses); err != nil || with != plain {
		if err != nil {
			return nil, err
		}
		return expand(ctx, with, settings, req)
	}
	if full != req { // the value set may bring rules of versions
		if src, err = plain.Ruled(&full.Versions); err != nil {
			return nil, err
		}
	}
	x := expander{source: src, settings: settings, request: full, grammars: uses}
	return x.expand(ctx, t, definition)
}

// settings are what an engine has to say about every expansion.
type settings struct {
	defaultCount, maxCount, wholeLimit int
	now                                func() time.Time
}

// expander makes one expansion.
type expander struct {
	source   *resolve.Source
	settings *settings
	request  *ExpandRequest // as the value set completes it
	grammars []*resolve.GrammarUse
}

// expand is Expand with what the request names looked up.
func (x *expander) expand(ctx context.Context, t resolve.Target, definition *r4.ValueSet) (*ExpandResult, error) {
	s, req := x.source, x.request
	designations, err := parseDesignations(req)
	if err != nil {
		return nil, err
	}
	want, err := language.Choose(req.DisplayLanguage, "", req.AcceptLanguage, definition.Language)
	if err != nil {
		return nil, err
	}
	if len(req.ExcludeSystems) > 0 {
		if t, err = without(s, &t, req.ExcludeSystems); err != nil {
			return nil, err
		}
	}
	if req.VersionsMatch != nil {
		if t, err = matching(&t, *req.VersionsMatch); err != nil {
			return nil, err
		}
	}
	set, err := s.Set(ctx, &t)
	if err != nil {
		return nil, expansionError(s, err)
	}
	supplements, err := supplementationOf(s.State, definition, req.UseSupplements, set.Dependencies())
	if err != nil {
		return nil, err
	}
	if isTrue(req.ExcludeNotForUI) {
		set = set.Selectable()
	}
	r := &ExpandResult{
		ValueSet: definition, Timestamp: x.settings.now(), Identifier: newUUID(), Unclosed: unclosed(set.Dependencies(), x.grammars), Endless: isEndless(x.grammars),
		definition: isTrue(req.IncludeDefinition), nested: x.settings.nests(req.ExcludeNested, set), designations: designations, versions: set.Versioned(), supplements: supplements,
		properties: expansionProperties{wanted: req.Properties}, want: want,
	}
	count, whole := x.settings.pageSize(req, set)
	if err := r.list(ctx, set, req, count); err != nil {
		return nil, err
	}
	if whole && r.Total > count {
		return nil, issue.TooCostly.Failure(issue.ClassUnprocessable, issue.ErrTooCostly, "", t.Label(), ">"+strconv.Itoa(count))
	}
	r.Paged = req.Offset != nil || req.Count == nil && len(r.Entries) < r.Total
	r.Parameters = x.echo(r, count, set)
	return r, nil
}

// isTrue reads a parameter that is false when it is not given.
func isTrue(b *bool) bool { return b != nil && *b }

func (req *ExpandRequest) check() error {
	switch {
	case req.Context != "":
		return issue.NotSupported("context", "name the value set with url")
	case req.ContextDirection != "":
		return issue.NotSupported("contextDirection", "name the value set with url")
	case req.Offset != nil && *req.Offset < 0:
		return issue.Invalid("offset", fmt.Sprintf("%d is below 0", *req.Offset))
	case req.Count != nil && *req.Count < 0:
		return issue.Invalid("count", fmt.Sprintf("%d is below 0", *req.Count))
	}
	return nil
}

// nests reports whether codes are to be nested. Without a default count they are unless the
// request says otherwise, as FHIR has it, where the hierarchy is a tree; with one they are
// only when it says so, so that pages can be counted.
func (e *settings) nests(excludeNested *bool, set *valueset.Set) bool {
	if excludeNested != nil {
		return !*excludeNested
	}
	return e.defaultCount == 0 && !slices.ContainsFunc(set.Systems(), func(u valueset.UsedSystem) bool {
		return u.Index == nil || !u.Index.Tree()
	})
}

// pageSize returns the number of codes on the page at most. Where the engine has no
// default, what is asked for without a count is the whole: the number is then that of the
// codes that are not too many.
func (e *settings) pageSize(req *ExpandRequest, set *valueset.Set) (count int, whole bool) {
	switch count = e.defaultCount; {
	case req.Count != nil:
		count = *req.Count
	case count == 0:
		return min(set.Len(), e.wholeLimit), true
	}
	if e.maxCount > 0 {
		count = min(count, e.maxCount)
	}
	return count, false
}

// list fills in the page.
func (r *ExpandResult) list(ctx context.Context, set *valueset.Set, req *ExpandRequest, count int) (err error) {
	page := valueset.PageRequest{
		ActiveOnly: isTrue(req.ActiveOnly),
		Count:      count,
	}
	if req.Offset != nil {
		page.Offset = *req.Offset
	}
	r.Offset = page.Offset
	if req.Filter != "" {
		page.Query = codesystem.CompileQuery(req.Filter).In(r.want.First())
	}
	if page.Nested, err = r.nests(ctx, set, page); err != nil {
		return err
	}
	r.Entries = make([]valueset.Entry, 0, min(count, set.Len(), 1000))
	r.Total, err = set.Page(ctx, page, func(entry *valueset.Entry) error {
		r.Entries = append(r.Entries, *entry)
		e := &r.Entries[len(r.Entries)-1]
		if !r.want.None() {
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
func (r *ExpandResult) nests(ctx context.Context, set *valueset.Set, page valueset.PageRequest) (bool, error) {
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

func (r *ExpandResult) concept(e *valueset.Entry) language.Concept {
	c := language.Concept{
		Index: e.Index, Ord: e.Concept, Display: e.Own(), Own: e.Designations(),
		OwnLanguage: r.ValueSet.Language, Supplements: r.supplements.of(e.Index),
	}
	if c.Display == "" && c.Index != nil {
		c.Display = c.Index.Display(c.Ord)
	}
	return c
}
