package expansion

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

func Expand(ctx context.Context, plain *resolve.Source, settings *Settings, req *Request) (*Result, error) {
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
		return Expand(ctx, with, settings, req)
	}
	if full != req { // the value set may bring rules of versions
		if src, err = plain.Ruled(&full.Versions); err != nil {
			return nil, err
		}
	}
	x := expander{source: src, settings: settings, grammars: uses}
	return x.expand(ctx, full, t, definition)
}

// Settings are what an engine has to say about every expansion.
type Settings struct {
	DefaultCount, MaxCount, WholeLimit int
	Now                                func() time.Time
}

// expander makes one expansion.
type expander struct {
	source   *resolve.Source
	settings *Settings
	grammars []*resolve.GrammarUse
}

// expand is Expand with what the request names looked up.
func (x *expander) expand(ctx context.Context, req *Request, t resolve.Target, definition *r4.ValueSet) (*Result, error) {
	s := x.source
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
		return nil, ClientError(s, err)
	}
	supplements, err := supplementationOf(s.State, definition, req.UseSupplements, set.Dependencies())
	if err != nil {
		return nil, err
	}
	if isTrue(req.ExcludeNotForUI) {
		set = set.Selectable()
	}
	r := &Result{
		ValueSet: definition, Timestamp: x.settings.Now(), Identifier: newUUID(), Unclosed: Unclosed(set.Dependencies(), x.grammars), Endless: isEndless(x.grammars),
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
	r.Parameters = x.echo(req, r, count, set)
	return r, nil
}

// nests reports whether codes are to be nested. Without a default count they are unless the
// request says otherwise, as FHIR has it, where the hierarchy is a tree; with one they are
// only when it says so, so that pages can be counted.
func (e *Settings) nests(excludeNested *bool, set *valueset.Set) bool {
	if excludeNested != nil {
		return !*excludeNested
	}
	return e.DefaultCount == 0 && !slices.ContainsFunc(set.Systems(), func(u valueset.UsedSystem) bool {
		return u.Index == nil || !u.Index.Tree()
	})
}

// pageSize returns the number of codes on the page at most. Where the engine has no
// default, what is asked for without a count is the whole: the number is then that of the
// codes that are not too many.
func (e *Settings) pageSize(req *Request, set *valueset.Set) (count int, whole bool) {
	switch count = e.DefaultCount; {
	case req.Count != nil:
		count = *req.Count
	case count == 0:
		return min(set.Len(), e.WholeLimit), true
	}
	if e.MaxCount > 0 {
		count = min(count, e.MaxCount)
	}
	return count, false
}

// A request may change a value set before it is expanded.

// without returns the value set less some code systems.
func without(s *resolve.Source, t *resolve.Target, systems []string) (resolve.Target, error) {
	vs, err := t.Definition()
	if err != nil {
		return resolve.Target{}, err
	}
	given := *vs
	if vs.Compose != nil {
		compose := *vs.Compose
		compose.Exclude = slices.Clone(compose.Exclude)
		given.Compose = &compose
	} else {
		return resolve.Target{}, issue.NotSupported("exclude-system", "the value set has an expansion only")
	}
	for _, canonical := range systems {
		url, version, err := catalog.SplitVersioned("exclude-system", canonical, "")
		if err != nil {
			return resolve.Target{}, err
		}
		given.Compose.Include = slices.DeleteFunc(slices.Clone(given.Compose.Include), func(i r4.Include) bool {
			return i.System == url && (version == "" || catalog.MatchVersion(version, i.Version) && i.Version != "")
		})
		if r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(url, version); r != nil {
			given.Compose.Exclude = append(given.Compose.Exclude, r4.Include{System: url, Version: version})
		}
	}
	// The request takes out a version, which is not what the value set says about versions.
	given.Compose.Extension = append(slices.Clone(given.Compose.Extension), valueset.VersionsMatch(false))
	if len(given.Compose.Include) == 0 {
		given.Compose, given.Expansion = nil, &r4.Expansion{}
	}
	return resolve.Target{Given: &given}, nil
}

// matching returns the value set with versions of a system taken for one, or told apart.
func matching(t *resolve.Target, match bool) (resolve.Target, error) {
	vs, err := t.Definition()
	if err != nil || vs.Compose == nil {
		return *t, err
	}
	given, compose := *vs, *vs.Compose
	compose.Extension = append(r4.Extensions{valueset.VersionsMatch(match)}, compose.Extension...)
	given.Compose = &compose
	return resolve.Target{Given: &given}, nil
}

// echo lists what shaped an expansion as expansion.parameter has it: the parameters that
// applied (of the request, of the value set, and the page of the engine where it cut the
// expansion), what was used, and what is to be said about its standing.
func (x *expander) echo(req *Request, r *Result, count int, set *valueset.Set) []r4.Parameter {
	p := make(expansionParameters, 0, 6)
	p.text("filter", req.Filter)
	if req.Date != "" {
		p.add("date", r4.Value{Type: "DateTime", Text: req.Date})
	}
	cut := req.Count == nil && len(r.Entries) < r.Total
	if req.Offset != nil || cut {
		p.add("offset", integer(r.Offset))
	}
	if req.Count != nil || cut {
		p.add("count", integer(count))
	}
	p.optional("includeDesignations", req.IncludeDesignations)
	for _, d := range req.Designations {
		p.text("designation", d)
	}
	p.optional("includeDefinition", req.IncludeDefinition)
	p.optional("activeOnly", req.ActiveOnly)
	p.optional("excludeNested", req.ExcludeNested)
	p.optional("excludeNotForUI", req.ExcludeNotForUI)
	p.optional("excludePostCoordinated", req.ExcludePostCoordinated)
	if tags := r.want.Given; tags != "" {
		p.add("displayLanguage", r4.Code(tags))
	}
	for _, c := range req.ExcludeSystems {
		p.add("exclude-system", r4.URI(c))
	}
	if set.VersionsMatch() {
		p.add("versionsMatch", r4.Boolean(true))
	}
	p.used(x.source.Rules, &r.ValueSet.Header, set)
	for _, g := range x.grammars {
		if list := g.Record.Grammar.Usual(); g.Whole && list != nil {
			p.standing(&list.Header, &r.ValueSet.Header)
		}
	}
	for _, canonical := range r.supplements.used() {
		p.add("used-supplement", r4.URI(canonical))
	}
	return p
}

// expansionParameters collects expansion.parameter: each name and value once.
type expansionParameters []r4.Parameter

func (p *expansionParameters) add(name string, v r4.Value) {
	for i := range *p {
		if had := &(*p)[i]; had.Name == name && had.Value.Text == v.Text {
			return
		}
	}
	*p = append(*p, r4.Parameter{Name: name, Value: v})
}

func (p *expansionParameters) text(name, s string) {
	if s != "" {
		p.add(name, r4.String(s))
	}
}

func (p *expansionParameters) optional(name string, b *bool) {
	if b != nil {
		p.add(name, r4.Boolean(*b))
	}
}

// used lists the code systems and value sets that were used, the rules of versions that
// chose them, and their standing.
func (p *expansionParameters) used(rules *catalog.RuleSet, h *r4.Header, set *valueset.Set) {
	p.standing(h, h)
	for _, u := range set.Dependencies() {
		url := u.System
		if u.ValueSet != nil {
			url = u.ValueSet.URL
		}
		if rule := rules.Applied(url, u.NamedVersion, u.ValueSet != nil); rule != nil {
			p.add(rule.Parameter, r4.URI(rule.Canonical))
		}
		canonical := r4.JoinCanonical(url, u.Version)
		switch {
		case u.ValueSet != nil:
			if !u.Contained {
				p.add("used-valueset", r4.URI(canonical))
			}
			p.standing(u.ValueSet, u.NamedBy)
		case u.Index != nil:
			p.add("used-codesystem", r4.URI(canonical))
			if u.Index.Header().Content == "fragment" {
				p.add("used-fragment", r4.URI(canonical))
			}
			p.standing(&u.Index.Header().Header, u.NamedBy)
		default:
			p.add("used-codesystem", r4.URI(canonical))
		}
	}
	if len(set.Dependencies()) == 0 {
		for _, u := range set.Systems() {
			p.add("used-codesystem", r4.URI(r4.JoinCanonical(u.System, u.Version)))
		}
	}
}

// standing warns of a resource that is not to be relied on. by is the header of the value
// set that uses it: nobody is warned of what is retired who is retired as well.
func (p *expansionParameters) standing(h, by *r4.Header) {
	warning := issue.Status(h, by)
	if warning == "" || h.URL == "" || warning == "retired" && by != nil && by.Status == "retired" {
		return
	}
	p.add("warning-"+warning, r4.URI(r4.JoinCanonical(h.URL, h.Version)))
}

// Unclosed says why not all codes of a value set can be listed, "" when they can.
func Unclosed(uses []valueset.Dependency, grammars []*resolve.GrammarUse) string {
	for _, g := range grammars {
		if list := g.Record.Grammar.Usual(); g.Unclosed() && list != nil {
			return fmt.Sprintf("The code System '%s' has a grammar and so has infinite members. This extension is based on %s", g.Record.Header.URL, list.Header.URL)
		}
	}
	for _, u := range uses {
		if u.Index != nil && u.Index.Header().Content == "fragment" {
			return "This extension is based on a fragment of the code system " + u.System
		}
	}
	return ""
}

// isEndless reports that a value set has all codes of a code system with a grammar.
func isEndless(grammars []*resolve.GrammarUse) bool {
	return slices.ContainsFunc(grammars, func(g *resolve.GrammarUse) bool { return g.Whole })
}

func integer(n int) r4.Value { return r4.Value{Type: "Integer", Text: fmt.Sprint(n)} }

// newUUID returns a random urn:uuid (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], rand.Uint64())
	binary.BigEndian.PutUint64(b[8:], rand.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := append(make([]byte, 0, 45), "urn:uuid:"...)
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text = append(text, '-')
		}
		text = append(text, hexDigits[c>>4], hexDigits[c&15])
	}
	return string(text)
}

const hexDigits = "0123456789abcdef"
