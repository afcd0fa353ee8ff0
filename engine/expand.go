package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/codesystem"
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
	Filter                 string // text; see codesystem.CompileQuery
	Date                   string // accepted and echoed
	Offset                 int    // codes to skip
	Count                  *int   // nil: the engine's default; 0: the total only
	IncludeDesignations    bool
	Designations           []string // those to give: "system|code" of a use, or "urn:ietf:bcp:47|de"
	IncludeDefinition      bool     // give compose as well
	ActiveOnly             *bool
	ExcludeNested          *bool // nil means true: a flat expansion
	ExcludeNotForUI        bool  // leave out abstract codes
	ExcludePostCoordinated bool  // accepted: expansions have no composed expressions
	DisplayLanguage        string
	AcceptLanguage         string   // of the HTTP request, used where DisplayLanguage is empty
	UseSupplements         []string // canonicals of supplements that must be used
	ExcludeSystems         []string // canonicals, system or system|version
	Versions               VersionRules
	Properties             []string // accepted and echoed: expansions of R4 carry no properties
}

// ExpandResult is a page of an expansion.
type ExpandResult struct {
	// ValueSet is the definition. Not to be modified.
	ValueSet *r4.ValueSet
	// Identifier is a urn:uuid of this expansion.
	Identifier string
	Timestamp  time.Time
	// Total counts the codes of the whole expansion.
	Total, Offset int
	// Parameters are those that shaped the expansion, and the code systems used.
	Parameters []r4.Parameter
	// Entries are the codes of the page, with the display in the language asked for.
	// Depth tells the nesting.
	Entries []valueset.Entry

	definition   bool
	versions     bool // several versions of a system: each code says its own
	designations *designationFilter
	supplements  map[*codesystem.Index][]*codesystem.Index
}

// Expand gives a page of the codes of a value set. Errors: ErrUnknownValueSet,
// ErrUnknownID, ErrUnknownSystem and ErrUnknownVersion for a system the value set
// needs, ErrVersionCheck, ErrMissingParameter, ErrInvalidParameter, ErrNotSupported,
// and those of valueset.Compile.
func (e *Engine) Expand(ctx context.Context, req *ExpandRequest) (*ExpandResult, error) {
	ctx, span := e.observe(ctx, "expand", req.URL)
	r, err := e.expand(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) expand(ctx context.Context, req *ExpandRequest) (*ExpandResult, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	want, err := parseLanguages("displayLanguage", req.DisplayLanguage)
	if err != nil {
		return nil, err
	}
	designations, err := parseDesignations(req)
	if err != nil {
		return nil, err
	}
	st := e.state.Load()
	src, err := st.source(&req.Versions)
	if err != nil {
		return nil, err
	}
	t, err := src.valueSet(req.ID, req.URL, req.ValueSetVersion, req.ValueSet)
	if err != nil {
		return nil, err
	}
	definition, err := t.definition()
	if err != nil {
		return nil, err
	}
	if len(req.ExcludeSystems) > 0 {
		if t, err = src.without(&t, req.ExcludeSystems); err != nil {
			return nil, err
		}
	}
	set, err := src.set(ctx, &t)
	if err != nil {
		return nil, err
	}
	if req.ExcludeNotForUI {
		set = set.Selectable()
	}
	used := set.Systems()
	r := &ExpandResult{
		ValueSet: definition, Timestamp: e.now(), Identifier: newUUID(), Offset: req.Offset,
		definition: req.IncludeDefinition, designations: designations, versions: severalVersions(used),
	}
	count := e.pageSize(req)
	if err := r.list(ctx, st, set, req, count, want); err != nil {
		return nil, err
	}
	r.Parameters = echo(req, count, definition, used)
	return r, nil
}

func (req *ExpandRequest) check() error {
	switch {
	case req.Context != "":
		return notSupported("context", "name the value set with url")
	case req.ContextDirection != "":
		return notSupported("contextDirection", "name the value set with url")
	case req.Offset < 0:
		return invalid("offset", fmt.Sprintf("%d is below 0", req.Offset))
	case req.Count != nil && *req.Count < 0:
		return invalid("count", fmt.Sprintf("%d is below 0", *req.Count))
	}
	return nil
}

// pageSize gives the number of codes on the page at most.
func (e *Engine) pageSize(req *ExpandRequest) int {
	count := e.defaultCount
	if req.Count != nil {
		count = *req.Count
	}
	if e.maxCount > 0 {
		count = min(count, e.maxCount)
	}
	return count
}

// list fills in the page.
func (r *ExpandResult) list(ctx context.Context, st *state, set *valueset.Set, req *ExpandRequest, count int, want languages) (err error) {
	page := valueset.PageRequest{
		ActiveOnly: req.ActiveOnly != nil && *req.ActiveOnly,
		Nested:     req.ExcludeNested != nil && !*req.ExcludeNested,
		Offset:     req.Offset,
		Count:      count,
	}
	if req.Filter != "" {
		page.Query = codesystem.CompileQuery(req.Filter)
	}
	withSupplements := !st.supplements.empty() && (len(want) > 0 || r.designations != nil)
	var open nesting
	r.Entries = make([]valueset.Entry, 0, min(count, set.Len(), 1000))
	r.Total, err = set.Page(ctx, page, func(entry *valueset.Entry) error {
		r.Entries = append(r.Entries, *entry)
		if page.Nested {
			r.Entries[len(r.Entries)-1].Depth = open.place(entry.Depth)
		}
		if withSupplements {
			if err := r.supplement(st, entry.Index); err != nil {
				return err
			}
		}
		if len(want) > 0 {
			e := &r.Entries[len(r.Entries)-1]
			c := r.concept(e)
			e.Display = c.pickDisplay(want)
		}
		return nil
	})
	return err
}

// nesting keeps the depths of the codes that the next one may be nested in. A page may
// begin inside a hierarchy: what is nested in a code before the page comes out at the top.
type nesting []int

// place takes the depth a code has in the whole expansion and gives the one on the page.
func (n *nesting) place(depth int) int {
	open := *n
	for len(open) > 0 && open[len(open)-1] >= depth {
		open = open[:len(open)-1]
	}
	*n = append(open, depth)
	return len(open)
}

// supplement finds the supplements of a system once.
func (r *ExpandResult) supplement(st *state, x *codesystem.Index) error {
	if _, known := r.supplements[x]; known || x == nil {
		return nil
	}
	list, err := st.supplementsOf(x)
	if err != nil {
		return err
	}
	if r.supplements == nil {
		r.supplements = map[*codesystem.Index][]*codesystem.Index{}
	}
	r.supplements[x] = list
	return nil
}

func (r *ExpandResult) concept(e *valueset.Entry) concept {
	return concept{index: e.Index, ord: e.Concept, display: e.Display, own: e.Designations, supplements: r.supplements[e.Index]}
}

// without gives the value set less some code systems.
func (s *source) without(t *target, systems []string) (target, error) {
	vs, err := t.definition()
	if err != nil {
		return target{}, err
	}
	given := *vs
	if vs.Compose != nil {
		compose := *vs.Compose
		compose.Exclude = slices.Clone(compose.Exclude)
		given.Compose = &compose
	} else {
		return target{}, notSupported("exclude-system", "the value set has an expansion only")
	}
	for _, canonical := range systems {
		url, version, err := splitVersioned("exclude-system", canonical, "")
		if err != nil {
			return target{}, err
		}
		given.Compose.Include = slices.DeleteFunc(slices.Clone(given.Compose.Include), func(i r4.Include) bool {
			return i.System == url && (version == "" || matchVersion(version, i.Version) && i.Version != "")
		})
		if r, _ := s.state.shelves[kindCodeSystem].find(url, version); r != nil {
			given.Compose.Exclude = append(given.Compose.Exclude, r4.Include{System: url, Version: version})
		}
	}
	if len(given.Compose.Include) == 0 {
		given.Compose, given.Expansion = nil, &r4.Expansion{}
	}
	return target{given: &given}, nil
}

// severalVersions reports that a system is used in more than one version.
func severalVersions(used []valueset.UsedSystem) bool {
	for i, u := range used {
		for _, v := range used[:i] {
			if u.System == v.System {
				return true
			}
		}
	}
	return false
}

// echo lists the parameters that shaped an expansion, and the code systems used, as
// expansion.parameter has them.
func echo(req *ExpandRequest, count int, definition *r4.ValueSet, used []valueset.UsedSystem) []r4.Parameter {
	var list []r4.Parameter
	add := func(name string, v r4.Value) { list = append(list, r4.Parameter{Name: name, Value: v}) }
	text := func(name, s string) {
		if s != "" {
			add(name, r4.String(s))
		}
	}
	truth := func(name string, given bool) {
		if given {
			add(name, r4.Boolean(true))
		}
	}
	optional := func(name string, b *bool) {
		if b != nil {
			add(name, r4.Boolean(*b))
		}
	}
	uris := func(name string, canonicals []string) {
		for _, c := range canonicals {
			add(name, r4.URI(c))
		}
	}
	text("filter", req.Filter)
	if req.Date != "" {
		add("date", r4.Value{Type: "DateTime", Text: req.Date})
	}
	add("offset", integer(req.Offset))
	add("count", integer(count))
	truth("includeDesignations", req.IncludeDesignations)
	for _, d := range req.Designations {
		text("designation", d)
	}
	truth("includeDefinition", req.IncludeDefinition)
	optional("activeOnly", req.ActiveOnly)
	optional("excludeNested", req.ExcludeNested)
	truth("excludeNotForUI", req.ExcludeNotForUI)
	truth("excludePostCoordinated", req.ExcludePostCoordinated)
	if req.DisplayLanguage != "" {
		add("displayLanguage", r4.Code(req.DisplayLanguage))
	}
	uris("exclude-system", req.ExcludeSystems)
	uris("system-version", req.Versions.System)
	uris("check-system-version", req.Versions.Check)
	uris("force-system-version", req.Versions.Force)
	for _, p := range req.Properties {
		text("property", p)
	}
	for _, u := range used {
		add("used-codesystem", r4.URI(r4.JoinCanonical(u.System, u.Version)))
		if u.Version != "" { // R4's own name of the same
			add("version", r4.URI(r4.JoinCanonical(u.System, u.Version)))
		}
	}
	if definition.Experimental != nil && *definition.Experimental {
		add("warning-experimental", r4.URI(r4.JoinCanonical(definition.URL, definition.Version)))
	}
	if s := definition.Status; s == "draft" || s == "retired" {
		add("warning-"+s, r4.URI(r4.JoinCanonical(definition.URL, definition.Version)))
	}
	return list
}

func integer(n int) r4.Value { return r4.Value{Type: "Integer", Text: fmt.Sprint(n)} }

// designationFilter selects the designations an expansion gives.
type designationFilter struct {
	languages []string
	uses      []r4.Coding
}

// parseDesignations reads includeDesignations and designation; nil: none are given.
func parseDesignations(req *ExpandRequest) (*designationFilter, error) {
	if !req.IncludeDesignations && len(req.Designations) == 0 {
		return nil, nil
	}
	var f designationFilter
	for _, token := range req.Designations {
		system, code, found := strings.Cut(token, "|")
		switch {
		case !found || code == "":
			return nil, invalid("designation", fmt.Sprintf("%q is not of the form system|code", token))
		case system == "urn:ietf:bcp:47":
			f.languages = append(f.languages, code)
		default:
			f.uses = append(f.uses, r4.Coding{System: system, Code: code})
		}
	}
	return &f, nil
}

// takes reports that a designation is to be given.
func (f *designationFilter) takes(d *r4.Designation) bool {
	if len(f.languages) == 0 && len(f.uses) == 0 {
		return true
	}
	for _, tag := range f.languages {
		if fit(tag, d.Language) >= fitNarrow {
			return true
		}
	}
	for i := range f.uses {
		if d.Use != nil && d.Use.System == f.uses[i].System && d.Use.Code == f.uses[i].Code {
			return true
		}
	}
	return false
}

// newUUID gives a random urn:uuid (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], rand.Uint64())
	binary.BigEndian.PutUint64(b[8:], rand.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
