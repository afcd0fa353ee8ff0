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
	if len(uses) > 0 {
		with, err := plain.Listing(ctx, uses)
		if err != nil {
			return nil, err
		}
		if with != plain {
			return Expand(ctx, with, settings, req)
		}
	}
	if full != req { // the value set may have version rules
		if src, err = plain.Ruled(&full.Versions); err != nil {
			return nil, err
		}
	}
	x := expander{source: src, settings: settings, grammars: uses}
	return x.expand(ctx, full, t, definition)
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
		designations: designations, properties: expansionProperties{wanted: req.Properties},
	}
	if isTrue(req.ExcludeNotForUI) {
		set = set.Selectable()
	}
	count, whole := x.settings.pageSize(req, set, s.Under)
	r.nested = nests(req.ExcludeNested, set, s.Under)
	if r.supplements, err = supplementationOf(s.State, definition, req.UseSupplements, uses); err != nil {
		return nil, err
	}
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

// isEndless reports whether a value set has all codes of a code system with a grammar.
func isEndless(grammars []*resolve.GrammarUse) bool {
	return slices.ContainsFunc(grammars, func(g *resolve.GrammarUse) bool { return g.Whole })
}

// Settings are the settings of an engine for expansions.
type Settings struct {
	// DefaultCount is the page size under the clinical rules if a request has no count; 0: none.
	DefaultCount int
	// MaxCount is the largest page size; 0: unlimited.
	MaxCount int
	// WholeLimit is the largest number of codes of an expansion without pages.
	WholeLimit int
	Now        func() time.Time
}

// nests reports whether codes are nested where the request does not say. Under the rules of the
// ecosystem they are if the hierarchy is a tree, as FHIR defines it. Under the clinical rules they
// are not, so that pages have a fixed size.
func nests(excludeNested *bool, set *valueset.Set, rules resolve.Rules) bool {
	if excludeNested != nil {
		return !*excludeNested
	}
	return rules == resolve.Ecosystem && !slices.ContainsFunc(set.Systems(), func(u valueset.UsedSystem) bool {
		return u.Index == nil || !u.Index.Tree()
	})
}

// pageSize returns the largest number of codes on the page. If neither the request nor the rules
// have a count, whole is true and count is the limit for expansions without pages.
func (e *Settings) pageSize(req *Request, set *valueset.Set, rules resolve.Rules) (count int, whole bool) {
	switch {
	case req.Count != nil:
		count = *req.Count
	case rules == resolve.Clinical && e.DefaultCount > 0:
		count = e.DefaultCount
	default:
		return min(set.Len(), e.WholeLimit), true
	}
	if e.MaxCount > 0 {
		count = min(count, e.MaxCount)
	}
	return count, false
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
