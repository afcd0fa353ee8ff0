package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// implicit returns the implicit value set of a url, nil if the url has not that form.
func (s *Source) implicit(canonical, version string) (*Implicit, error) {
	if declared := s.State.Declaring(canonical); len(declared) > 0 {
		for _, r := range declared {
			if catalog.MatchVersion(s.Rules.Choose(r.Header.URL, version), r.Header.Version) {
				return &Implicit{url: canonical, version: version, kind: &implicitKinds[0], system: r}, s.Rules.Allows(r.Header.URL, r.Header.Version)
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
		im := &Implicit{url: canonical, version: version, kind: kind, argument: argument}
		if plain, err := url.PathUnescape(argument); err == nil {
			im.argument = plain
		}
		var err error
		if im.system, err = s.State.ImplicitSystem(base, version, s.Rules); err != nil {
			return nil, unknownImplicit(canonical, version, fmt.Errorf("%w: %s: %w", issue.ErrUnknownValueSet, canonical, err))
		}
		return im, nil
	}
	if strings.Contains(canonical, catalog.ImplicitMark) {
		return nil, unknownImplicit(canonical, version, fmt.Errorf("%w: %s: understood are %s", issue.ErrUnknownValueSet, canonical, implicitForms()))
	}
	return nil, nil
}

// unknownImplicit returns the error of an implicit value set that does not exist, as for any other
// unknown value set.
func unknownImplicit(url, version string, cause error) error {
	return issue.UnknownValueSet.Failure(issue.ClassNotFound, cause, "", r4.JoinCanonical(url, version))
}

// implicitKey returns the cache key of an implicit value set for the rules of s.
func (s *Source) implicitKey(url, version string) setKey {
	return setKey{generation: s.State.Generation, rules: s.RuleKey(), implicit: r4.JoinCanonical(url, version)}
}

// KeptImplicit returns a cached implicit value set, or nil. It avoids parsing the url again.
func (s *Source) KeptImplicit(url, version string) *Implicit {
	if set, ok := s.sets.Get(s.implicitKey(url, version)); ok {
		return set.implicit
	}
	return nil
}

// keepImplicit links a compiled set, which is about to be cached, with its implicit value set.
func (s *Source) keepImplicit(im *Implicit, set *Set) {
	shared := *im // other requests may use im
	shared.Set, shared.rules = set, s.RuleKey()
	set.implicit = &shared
}

// An Implicit is a value set that is not published, but described by its url (R4
// valueset.html#implicit): it matches a row of implicitKinds, or a code system declares it as the
// value set of all its codes (CodeSystem.valueSet). A published value set of the same canonical
// takes precedence. It is immutable once cached.
type Implicit struct {
	url, version string // the requested canonical
	kind         *implicitKind
	argument     string // the rest of the url, without percent-encoding
	system       *catalog.Record
	about        string // a description, if there is one
	written      *r4.ValueSet

	// The cached set, for requests with these rules.
	Set   *Set
	rules string
}

// definition returns the implicit value set as a resource, made on first use.
func (im *Implicit) definition() (*r4.ValueSet, error) {
	if im.written != nil {
		return im.written, nil
	}
	h := &im.system.Header
	include := r4.Include{System: h.URL, Version: h.Version}
	title, err := im.kind.define(im, &include)
	if errors.Is(err, issue.ErrUnknownValueSet) {
		return nil, unknownImplicit(im.url, im.version, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", im.url, err)
	}
	im.written = &r4.ValueSet{
		Header: r4.Header{
			ResourceType: "ValueSet", URL: im.url, Version: im.version, Title: title, Description: im.about,
			Status: cmp.Or(h.Status, "active"), Experimental: h.Experimental, Date: h.Date, Publisher: h.Publisher, Copyright: h.Copyright,
		},
		Compose: &r4.Compose{Include: []r4.Include{include}},
	}
	return im.written, nil
}

// index returns the index of the code system, of its list if a code is an expression.
func (im *Implicit) index() (*codesystem.Index, error) {
	x, err := im.system.PresentIndex()
	if err == nil {
		if view := expression.ViewOf(x); view != nil {
			return view.Model.Edition(), nil
		}
	}
	return x, err
}

// An implicitKind is a form of urls of implicit value sets: the canonical of a code system, a
// suffix, and for some an argument.
type implicitKind struct {
	base   string // canonical of the one code system that has the form; "": all have it
	suffix string
	// argument is the name of the argument after the suffix, for messages; "" if there is none.
	argument string
	// define completes an include of the whole code system and returns a title. Errors should say
	// what is wrong with the argument; the caller adds the url.
	define func(im *Implicit, include *r4.Include) (title string, err error)
}

// form returns the form of the url, for messages.
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

const (
	urlLOINC  = "http://loinc.org"
	urlRxNorm = "http://www.nlm.nih.gov/research/umls/rxnorm"
)

// implicitKinds has the forms of implicit value sets: those of SNOMED CT, which work for every
// code system (R4 snomedct.html#implicit), then those of LOINC and RxNorm. The first row is also
// used for CodeSystem.valueSet.
var implicitKinds = [...]implicitKind{
	{suffix: catalog.ImplicitMark, define: everyCode},
	{suffix: catalog.ImplicitMark + "=isa/", argument: "CODE", define: codeAndBelow},
	{suffix: catalog.ImplicitMark + "=refset", define: referenceSets},
	{suffix: catalog.ImplicitMark + "=refset/", argument: "CODE", define: membersOf},
	{suffix: catalog.ConstraintMark, argument: "ECL", define: constrained},
	{base: urlLOINC, suffix: "/vs", define: everyCode},
	{base: urlLOINC, suffix: "/vs/", argument: "CODE", define: ofLOINC},
	{base: urlRxNorm, suffix: "/vs", define: everyCode},
}

// implicitForms returns the forms that work for every code system.
func implicitForms() string {
	var forms []string
	for i := range implicitKinds {
		if k := &implicitKinds[i]; k.base == "" {
			forms = append(forms, k.form())
		}
	}
	return strings.Join(forms, ", ")
}

// Constraint returns the implicit value set of an expression constraint in a code system.
func Constraint(canonical, version, expression string, system *catalog.Record) Target {
	im := &Implicit{url: canonical, version: version, argument: expression, system: system}
	for i := range implicitKinds {
		if implicitKinds[i].suffix == catalog.ConstraintMark {
			im.kind = &implicitKinds[i]
		}
	}
	return Target{implicit: im}
}

// everyCode selects all codes of the code system.
func everyCode(im *Implicit, _ *r4.Include) (string, error) {
	return "All codes of " + nameOf(&im.system.Header), nil
}

// codeAndBelow selects a code and its descendants.
func codeAndBelow(im *Implicit, include *r4.Include) (string, error) {
	if x, err := im.index(); err == nil && im.system.Grammar == nil {
		if _, ok := x.Find(im.argument); !ok {
			return "", fmt.Errorf("%w: %s has no code %q", issue.ErrUnknownValueSet, im.system.Canonical(), im.argument)
		}
	}
	include.Filter = []r4.Filter{{Property: "concept", Op: "is-a", Value: im.argument}}
	return im.argument + " and what is below it in " + nameOf(&im.system.Header), nil
}

// constrained selects the codes of an expression constraint.
func constrained(im *Implicit, include *r4.Include) (string, error) {
	include.Filter = []r4.Filter{{Property: "constraint", Op: "=", Value: im.argument}}
	return "Codes of " + nameOf(&im.system.Header) + " that fit " + im.argument, nil
}

// referenceSets selects the concepts that are reference sets.
func referenceSets(im *Implicit, include *r4.Include) (string, error) {
	x, err := im.index()
	if err != nil {
		return "", err
	}
	title := "Reference sets of " + nameOf(&im.system.Header)
	for _, code := range slices.Sorted(slices.Values(slices.Concat(x.Refsets(), languageRefsets(x)))) {
		if _, ok := x.Find(code); ok {
			include.Concept = append(include.Concept, r4.ConceptReference{Code: code})
		}
	}
	if len(include.Concept) == 0 {
		include.Filter = []r4.Filter{{Property: "code", Op: "exists", Value: "false"}} // none: an empty list would be all
	}
	return title, nil
}

// membersOf selects the members of a reference set.
func membersOf(im *Implicit, include *r4.Include) (string, error) {
	x, err := im.index()
	if err != nil {
		return "", err
	}
	if _, ok := x.Refset(im.argument); !ok {
		if slices.Contains(languageRefsets(x), im.argument) {
			return "", fmt.Errorf("%w: %s is a language reference set: its members are descriptions, not concepts", issue.ErrUnknownValueSet, im.argument)
		}
		return "", fmt.Errorf("%w: %s has no reference set %q", issue.ErrUnknownValueSet, im.system.Canonical(), im.argument)
	}
	include.Filter = []r4.Filter{{Property: "concept", Op: "in", Value: im.argument}}
	name := im.argument
	if o, ok := x.Find(im.argument); ok {
		name = x.Display(o)
	}
	return "Members of " + name, nil
}

// languageRefsets returns the language reference sets of designations.
func languageRefsets(x *codesystem.Index) []string {
	var codes []string
	kinds := x.DesignationKinds()
	for i := range kinds {
		for _, a := range kinds[i].Acceptability {
			if !slices.Contains(codes, a.Refset) {
				codes = append(codes, a.Refset)
			}
		}
	}
	return codes
}

// ofLOINC selects the codes that a LOINC code stands for (R4 loinc.html, "LOINC Implicit Value
// Sets"): the answers of an answer list, in their order; the descendants of a part; the terms of a
// group.
func ofLOINC(im *Implicit, include *r4.Include) (string, error) {
	x, err := im.index()
	if err != nil {
		return "", err
	}
	code := im.argument
	name := code
	if o, ok := x.Find(code); ok {
		name = cmp.Or(x.Display(o), code)
	}
	list, listed := x.Refset(code)
	switch _, found := x.Find(code); {
	case strings.HasPrefix(code, "LL") && listed:
		if include.Concept = answersOf(x, list); include.Concept == nil {
			return "", fmt.Errorf("%w: the answers of %s (%s) are not part of LOINC: the list is defined elsewhere", issue.ErrUnknownValueSet, code, name)
		}
		return "Answers of " + name, nil
	case strings.HasPrefix(code, "LG") && listed:
		include.Filter = []r4.Filter{{Property: "concept", Op: "in", Value: code}}
		im.about = strings.Trim(firstValue(list, "category")+", "+firstValue(list, "archetype"), ", ")
		return cmp.Or(firstValue(list, "name"), "Terms of "+code), nil
	case strings.HasPrefix(code, "LP") && found:
		include.Filter = []r4.Filter{{Property: "ancestor", Op: "=", Value: code}}
		return "All codes for " + name, nil
	}
	return "", fmt.Errorf("%w: %s has no answer list, part or group %q", issue.ErrUnknownValueSet, im.system.Canonical(), code)
}

// answersOf returns the answers of an answer list in the order of their numbers, with the texts of
// the list.
func answersOf(x *codesystem.Index, list *codesystem.Refset) []r4.ConceptReference {
	sequence, text := columnOf(list, "sequence"), columnOf(list, "text")
	type place struct{ number, row int }
	var rows []place
	for row := range list.Len() {
		if !list.Active(row) {
			continue
		}
		p := place{row: row}
		if sequence >= 0 {
			p.number, _ = strconv.Atoi(list.Value(row, sequence)) // not a number: first
		}
		rows = append(rows, p)
	}
	slices.SortStableFunc(rows, func(a, b place) int { return cmp.Compare(a.number, b.number) })
	var answers []r4.ConceptReference
	for _, p := range rows {
		answer := r4.ConceptReference{Code: x.Code(list.Component(p.row))}
		if text >= 0 {
			answer.Display = list.Value(p.row, text)
		}
		answers = append(answers, answer)
	}
	return answers
}

// columnOf returns the number of a column of a reference set, or -1.
func columnOf(list *codesystem.Refset, name string) int {
	return slices.IndexFunc(list.Columns(), func(c codesystem.RefsetColumn) bool { return c.Name == name })
}

// firstValue returns the value of a column in the first row. The rows of a group all have the same.
func firstValue(list *codesystem.Refset, name string) string {
	column := columnOf(list, name)
	if column < 0 || list.Len() == 0 {
		return ""
	}
	return list.Value(0, column)
}

// nameOf returns the name of a resource for people.
func nameOf(h *r4.Header) string {
	for _, s := range []string{h.Title, h.Name, h.URL} {
		if s != "" {
			return s
		}
	}
	return h.ID
}
