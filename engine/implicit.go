package engine

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// implicitSet is a value set that nobody published and that its url describes (R4
// valueset.html#implicit): by a row of implicitKinds, or because a code system declares it
// as the one of all its codes (CodeSystem.valueSet). A published value set of the same
// canonical comes first. Once it is kept it is shared, and not changed any more.
type implicitSet struct {
	url, version string // the canonical asked for
	kind         *implicitKind
	argument     string // what the url says beyond its kind, without percent-encoding
	system       *record
	written      *r4.ValueSet

	// The set of it that is kept, for requests with these rules.
	set   *evaluatedSet
	rules string
}

// implicitKind is a form of urls that stand for value sets: the canonical of a code
// system, the suffix, and where there is more to say an argument.
type implicitKind struct {
	base   string // canonical of the one code system that has the form; "": all have it
	suffix string
	// argument names what follows the suffix, for messages; "": nothing does.
	argument string
	// define completes an include of the whole code system, and gives the title. Errors
	// should say what is wrong with the argument; the caller adds the url.
	define func(im *implicitSet, include *r4.Include) (title string, err error)
}

// form writes a kind as messages have it.
func (k *implicitKind) form() string { return k.base + k.suffix + k.argument }

// read returns the canonical of the code system and the argument of a url of this kind.
func (k *implicitKind) read(canonical string) (system, argument string, ok bool) {
	if k.base != "" {
		rest, found := strings.CutPrefix(canonical, k.base)
		if !found {
			return "", "", false
		}
		system, argument, ok = k.base, rest, true
	} else {
		at := strings.IndexByte(canonical, '?')
		if at < 0 {
			return "", "", false
		}
		system, argument, ok = canonical[:at], canonical[at:], true
	}
	argument, found := strings.CutPrefix(argument, k.suffix)
	return system, argument, ok && found && (argument == "") == (k.argument == "")
}

// implicit finds the implicit value set of a url; nil when the url is not one.
func (s *source) implicit(canonical, version string) (*implicitSet, error) {
	if declared := s.state.allCodes.get(canonical); len(declared) > 0 {
		for _, r := range declared {
			if matchVersion(version, r.Header.Version) {
				return &implicitSet{url: canonical, version: version, kind: &implicitKinds[0], system: r}, nil
			}
		}
		return nil, nil
	}
	for i := range implicitKinds {
		kind := &implicitKinds[i]
		base, argument, ok := kind.read(canonical)
		if !ok {
			continue
		}
		im := &implicitSet{url: canonical, version: version, kind: kind, argument: argument}
		if plain, err := url.PathUnescape(argument); err == nil {
			im.argument = plain
		}
		var err error
		if im.system, err = s.implicitSystem(base, version); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", issue.ErrUnknownValueSet, canonical, err)
		}
		return im, nil
	}
	if strings.Contains(canonical, implicitMark) {
		return nil, fmt.Errorf("%w: %s: understood are %s", issue.ErrUnknownValueSet, canonical, implicitForms())
	}
	return nil, nil
}

// implicitSystem finds the code system that a url begins with: its canonical, or an
// edition of SNOMED CT. version is the one asked for beside it.
func (s *source) implicitSystem(base, version string) (*record, error) {
	if system, edition, ok := editionBase(base); ok {
		switch {
		case version == "" || matchVersion(version, edition):
			version = edition
		case !matchVersion(edition, version):
			return nil, issue.Invalid("version", fmt.Sprintf("%s and version %q contradict each other", base, version))
		}
		base = system
	}
	version = s.rules.choose(base, version)
	r, err := s.state.systemRecord(base, version)
	if err != nil {
		return nil, err
	}
	return r, s.rules.allows(base, r.Header.Version)
}

// definition writes the implicit value set as a resource, once.
func (im *implicitSet) definition() (*r4.ValueSet, error) {
	if im.written != nil {
		return im.written, nil
	}
	h := &im.system.Header
	include := r4.Include{System: h.URL, Version: h.Version}
	title, err := im.kind.define(im, &include)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", im.url, err)
	}
	im.written = &r4.ValueSet{
		Header: r4.Header{
			ResourceType: "ValueSet", URL: im.url, Version: im.version, Title: title,
			Status: cmp.Or(h.Status, "active"), Experimental: h.Experimental, Date: h.Date, Publisher: h.Publisher, Copyright: h.Copyright,
		},
		Compose: &r4.Compose{Include: []r4.Include{include}},
	}
	return im.written, nil
}

// index returns the codes of the code system.
func (im *implicitSet) index() (*codesystem.Index, error) { return im.system.content() }

// implicitKey is that of the set in the cache, for requests with these rules.
func (s *source) implicitKey(url, version string) setKey {
	return setKey{generation: s.state.generation, rules: s.ruleKey(), implicit: r4.JoinCanonical(url, version)}
}

// keptImplicit returns an implicit value set that has been evaluated, nil when there is none:
// its url is then not read again.
func (s *source) keptImplicit(url, version string) *implicitSet {
	if set, ok := s.engine.cache.Get(s.implicitKey(url, version)); ok {
		return set.implicit
	}
	return nil
}

// keepImplicit makes a set that was evaluated, and is about to be shared, the one of its
// implicit value set.
func (s *source) keepImplicit(im *implicitSet, set *evaluatedSet) {
	shared := *im // requests may have im already
	shared.set, shared.rules = set, s.ruleKey()
	set.implicit = &shared
}

// nameOf names a resource for people.
func nameOf(h *r4.Header) string {
	for _, s := range []string{h.Title, h.Name, h.URL} {
		if s != "" {
			return s
		}
	}
	return h.ID
}
