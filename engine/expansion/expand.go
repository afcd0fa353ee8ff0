package expansion

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

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
	f, err := find(ctx, plain, req, (*Request).withParameters)
	if err != nil {
		return nil, err
	}
	x := expander{source: f.source, settings: settings, grammars: f.grammars}
	return x.expand(ctx, f.request, f.target, f.definition)
}

// Members returns the codes that the expansion of a request has, without filter and pages. Those of
// a code system for which neither the request nor the value set states a version are those of the
// given one, "" for the default.
func Members(ctx context.Context, plain *resolve.Source, req *Request, system string) (*valueset.Set, error) {
	f, err := find(ctx, plain, req, func(req *Request, vs *r4.ValueSet) *Request {
		full := *req.withParameters(vs)
		if system != "" {
			full.Versions.Complete("system-version", system)
		}
		return &full
	})
	if err != nil {
		return nil, err
	}
	set, err := f.source.Compiled(ctx, &f.target, nil)
	if err == nil && isTrue(f.request.ExcludeNotForUI) {
		set = set.Selectable()
	}
	if err == nil && isTrue(f.request.ActiveOnly) {
		set = set.Active()
	}
	return set, err
}

// States reports whether a value set states parameters that may change which codes Members returns.
func States(vs *r4.ValueSet) bool {
	full := (&Request{}).withParameters(vs)
	rules, err := full.Versions.Parse()
	return isTrue(full.ExcludeNotForUI) || isTrue(full.ActiveOnly) || len(full.UseSupplements) > 0 || rules != nil || err != nil
}

// A found is the value set of a request, with the request that its parameters complete.
type found struct {
	source     *resolve.Source
	target     resolve.Target
	definition *r4.ValueSet
	request    *Request
	grammars   []*resolve.GrammarUse
}

func find(ctx context.Context, plain *resolve.Source, req *Request, complete func(*Request, *r4.ValueSet) *Request) (f found, err error) {
	if f.source, err = plain.Ruled(&req.Versions); err != nil {
		return f, err
	}
	if f.target, err = f.source.Named(req.ID, req.URL, req.ValueSetVersion, req.ValueSet); err != nil {
		return f, err
	}
	if f.definition, err = f.target.Definition(); err != nil {
		return f, err
	}
	f.request = complete(req, f.definition)
	f.grammars = f.source.GrammarUses(&f.target)
	if len(f.grammars) > 0 {
		with, err := plain.Listing(ctx, f.grammars)
		if err != nil {
			return f, err
		}
		if with != plain {
			return find(ctx, with, req, complete)
		}
	}
	if f.request != req { // the value set may have version rules
		if f.source, err = plain.Ruled(&f.request.Versions); err != nil {
			return f, err
		}
	}
	f.source = f.source.Naming(f.request.UseSupplements)
	return f, nil
}

func (req *Request) check() error {
	switch {
	case req.Context != "":
		return issue.NotSupported("context", "name the value set with url")
	case req.ContextDirection != "":
		return issue.NotSupported("contextDirection", "name the value set with url")
	case req.Offset != nil && *req.Offset < 0:
		return issue.Invalid("offset", fmt.Sprintf("%d is below 0", *req.Offset))
	case req.Count != nil && *req.Count < 0:
		return issue.Invalid("count", fmt.Sprintf("%d is below 0", *req.Count))
	case req.Limit != nil && *req.Limit < 1:
		return issue.Invalid("limit", fmt.Sprintf("%d is below 1", *req.Limit))
	}
	return nil
}

// isTrue returns a parameter whose default is false.
func isTrue(b *bool) bool { return b != nil && *b }

// An expander makes one expansion.
type expander struct {
	source   *resolve.Source
	settings *Settings
	grammars []*resolve.GrammarUse
}

// expand is Expand after finding the value set.
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
	uses := set.Dependencies()
	r := &Result{
		ValueSet: definition, versions: set.Versioned(), merged: set.VersionsMatch(),
		Identifier: newUUID(), Timestamp: x.settings.Now(), definition: isTrue(req.IncludeDefinition), want: want,
		Endless: isEndless(x.grammars), Unclosed: Unclosed(uses, x.grammars),
		Composes:     slices.ContainsFunc(uses, ofSNOMED) && s.Composes(&t),
		designations: designations, properties: expansionProperties{wanted: req.Properties},
	}
	if isTrue(req.ExcludeNotForUI) {
		set = set.Selectable()
	}
	p := x.settings.part(req, set, s.Under)
	r.nested = nests(req.ExcludeNested, set, s.Under)
	if r.supplements, err = supplementationOf(s.State, definition, req.UseSupplements, uses); err != nil {
		return nil, err
	}
	if p.certainlyLess(req, set) {
		return nil, x.tooCostly(t.Label(), set.Len()-p.offset, p.count)
	}
	if err := r.list(ctx, set, req, p); err != nil {
		return nil, err
	}
	if p.whole && r.Total-p.offset > p.count {
		if !req.IncompleteOK {
			return nil, x.tooCostly(t.Label(), r.Total-p.offset, p.count)
		}
		r.Incomplete = true
	}
	cut := !p.whole && req.Count == nil && req.Offset == nil && len(r.Entries) < r.Total
	r.Paged = req.Offset != nil || cut
	r.Parameters = x.echo(req, r, p.count, cut, set)
	return r, nil
}

// tooCostly returns the error of a whole expansion with more codes than the limit.
func (x *expander) tooCostly(label string, codes, limit int) error {
	remedy := "ask for pages with count, or for a part with incomplete-ok=true"
	if most := x.settings.MaxCount; most == 0 || limit < most {
		remedy += ", or raise limit"
		if most > 0 {
			remedy += fmt.Sprintf(" up to %d", most)
		}
	}
	err := fmt.Errorf("%w: %d, and the limit is %d; %s", issue.ErrTooCostly, codes, limit, remedy)
	return issue.TooCostly.Failure(issue.ClassUnprocessable, err, "", label, ">"+strconv.Itoa(limit))
}

// newUUID returns a random urn:uuid (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], rand.Uint64()) //nolint:gosec // the id of an expansion is no secret
	binary.BigEndian.PutUint64(b[8:], rand.Uint64()) //nolint:gosec // as above
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

// Unclosed returns the reason why not all codes of a value set can be listed, "" if they can.
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

func ofSNOMED(u valueset.Dependency) bool { return u.System == catalog.SNOMED }

// isEndless reports whether a value set has all codes of a code system with a grammar.
func isEndless(grammars []*resolve.GrammarUse) bool {
	return slices.ContainsFunc(grammars, func(g *resolve.GrammarUse) bool { return g.Whole })
}

// Requests may modify a value set before it is expanded.

// without returns the value set without some code systems.
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
	// The request excludes a version, whatever the value set says about versions.
	given.Compose.Extension = append(slices.Clone(given.Compose.Extension), valueset.VersionsMatch(false))
	if len(given.Compose.Include) == 0 {
		given.Compose, given.Expansion = nil, &r4.Expansion{}
	}
	return resolve.Target{Given: &given}, nil
}

// matching returns the value set with codes of several versions merged (match) or kept apart.
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
