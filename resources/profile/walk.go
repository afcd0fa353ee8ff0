package profile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/validate"
)

// Limits of the check of a document.
const (
	maxIssues  = 100
	maxWork    = 2_000_000 // elements and slices that are looked at
	maxNested  = 300       // elements and profiles within each other
	maxTargets = 1000      // targets of references in other documents
)

// Codes of issues, from http://hl7.org/fhir/issue-type.
const (
	codeNotFound = "not-found"
	codeCostly   = "too-costly"
	codeUnable   = "not-supported"
)

// A Request is what to check.
type Request struct {
	// Profiles are the canonicals of profiles that the resource must conform to, besides those
	// that it claims in meta.profile.
	Profiles []string
	// Resolve finds the targets of references in other documents; nil to check only their types.
	Resolve Resolve
	// MustSupport reports absent elements that a profile marks as mustSupport.
	MustSupport bool
}

// Check returns the problems of a document with the given profiles, those that its resources claim
// in meta.profile, and the definitions of its extensions, or nil. What the type itself requires is
// the task of package validate, and a document that has errors of structure there is checked as far
// as it can be read. An error means that definitions could not be read, or that ctx ended.
func (c *Checker) Check(ctx context.Context, d *document.Document, r Request) ([]validate.Issue, error) {
	t := c.tables.Type(d.ResourceType())
	if t == nil || t.Kind != definitions.ResourceType {
		return nil, nil // package validate reports it
	}
	if err := c.refresh(ctx); err != nil {
		return nil, err
	}
	w := &walk{
		c: c, ctx: ctx, doc: d, request: r, scope: fhirpath.NewScope(c.tables),
		seen: map[validate.Issue]bool{}, checked: map[conformance]string{}, sets: map[string]codes{}, unknown: map[string]bool{}, targets: map[string]*place{},
	}
	w.scope.Answer(w.answer)
	root := &place{value: d.Root(), typ: t, index: -1}
	for _, canonical := range r.Profiles {
		w.profile(root, canonical)
	}
	w.everything(root)
	switch {
	case w.failed != nil:
		return nil, w.failed
	case w.work > maxWork:
		w.add(validate.Issue{Severity: validate.Error, Code: codeCostly, Expression: t.Name, Text: "the profiles were not checked completely: that takes too many steps"})
	}
	if w.hidden > 0 {
		w.issues = append(w.issues, validate.Issue{
			Severity: validate.Information, Code: validate.CodeInformation, Expression: t.Name,
			Text: fmt.Sprintf("%d more problems with profiles are not shown", w.hidden),
		})
	}
	return w.issues, nil
}

// A walk is the check of one document.
type walk struct {
	c       *Checker
	ctx     context.Context
	doc     *document.Document
	request Request
	scope   *fhirpath.Scope
	items   []fhirpath.Item
	asked   string // what a constraint asks that is not known, "" if there is nothing

	issues []validate.Issue
	hidden int // issues beyond maxIssues
	seen   map[validate.Issue]bool
	failed error

	profiles []*compiled // being checked, the innermost last
	quiet    []string    // of each attempt that is under way: its first error, "" if there is none
	work     int
	depth    int

	checked map[conformance]string // the first error, "" if there is none
	sets    map[string]codes       // by the canonical of a value set
	unknown map[string]bool        // what was reported as unchecked, by the key of warnOnce
	targets map[string]*place      // by reference: resources of other documents, nil if there is none
}

// A conformance is a question: whether a value conforms to a profile.
type conformance struct {
	document *document.Document
	ordinal  int // of the value
	profile  *compiled
}

// report records a problem of a place, or of an element of it.
func (w *walk) report(s validate.Severity, code string, p *place, member string, n *node, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if k := len(w.quiet); k > 0 {
		if s == validate.Error && w.quiet[k-1] == "" {
			w.quiet[k-1] = p.expression(member) + ": " + text
		}
		return
	}
	i := validate.Issue{Severity: s, Code: code, Expression: p.expression(member), Text: text}
	i.Line, i.Column = w.doc.Position(p.at().Offset())
	if p.at().Document() != w.doc {
		i.Line, i.Column = 0, 0
	}
	if w.seen[i] { // a slice repeats what its element requires, and a profile what its base does
		return
	}
	if len(w.seen) < 10*maxIssues {
		w.seen[i] = true
	}
	if k := len(w.profiles); k > 0 && n != nil {
		i.Text = fmt.Sprintf("%s (profile %s, element %s)", text, w.profiles[k-1].url, n.id)
	}
	w.add(i)
}

func (w *walk) add(i validate.Issue) {
	if len(w.issues) >= maxIssues {
		w.hidden++
		return
	}
	w.issues = append(w.issues, i)
}

// step counts a step, and returns false if the check must end.
func (w *walk) step() bool {
	if w.work++; w.work%1024 == 0 && w.failed == nil {
		w.failed = w.ctx.Err()
	}
	return w.failed == nil && w.work <= maxWork
}

// everything checks what a document says about itself: the profiles that resources claim, and
// extensions.
func (w *walk) everything(p *place) {
	if !w.step() || p.value.Kind() != document.Object && p.aside.Kind() != document.Object || p.depth() > maxNested {
		return
	}
	if p.typ.Kind == definitions.ResourceType {
		for claim := range p.value.Get("meta").Get("profile").Items() {
			if claim.Kind() == document.String {
				w.profile(p, claim.Text())
			}
		}
	}
	if p.typ.Name == "Extension" {
		w.extension(p)
	}
	for m := range p.holder().Members() {
		name := m.Name()
		if beside := strings.HasPrefix(name, "_"); beside {
			if name = name[1:]; p.holder().Get(name).Exists() {
				continue
			}
		}
		if e := p.typ.Element(name); e != nil && (m.Kind() == document.Object || m.Kind() == document.Array || p.holder().Get("_"+name).Exists()) {
			for _, child := range w.c.values(nil, p, e, p.holder()) {
				w.everything(child)
			}
		}
	}
}

// depth returns the number of places that the place is within.
func (p *place) depth() int {
	n := 0
	for ; p.up != nil; p = p.up {
		n++
	}
	return n
}

// lookup is lookup of the Checker. An error of the Source ends the check.
func (w *walk) lookup(canonical string) (*compiled, error) {
	d, err := w.c.lookup(w.ctx, canonical)
	if failed, is := errors.AsType[*sourceError](err); is {
		w.failed = failed.err
	}
	return d, err
}

// known returns a compiled definition, nil if there is none, which it reports once.
func (w *walk) known(p *place, canonical string) *compiled {
	d, err := w.lookup(canonical)
	if err == nil {
		return d
	}
	if ended := w.ctx.Err(); ended != nil {
		w.failed = ended
	}
	if w.failed != nil {
		return nil
	}
	code := codeUnable
	if errors.Is(err, ErrUnknown) {
		code = codeNotFound
	}
	w.warnOnce(canonical, code, p, nil, "the profile %.300s is not checked: %v", canonical, err)
	return nil
}

// warnOnce reports something that is not checked, once for a key. The warning stands even if the
// check is an attempt that fails.
func (w *walk) warnOnce(key, code string, p *place, n *node, format string, args ...any) {
	if w.unknown[key] {
		return
	}
	w.unknown[key] = true
	quiet := w.quiet
	w.quiet = nil
	w.report(validate.Warning, code, p, "", n, format, args...)
	w.quiet = quiet
}

// profile checks a place against a profile.
func (w *walk) profile(p *place, canonical string) {
	if d := w.known(p, canonical); d != nil {
		w.conform(p, d)
	}
}

// conform checks a place against a profile, once.
func (w *walk) conform(p *place, d *compiled) {
	if len(w.quiet) == 0 {
		key := w.question(p, d)
		if first, asked := w.checked[key]; asked && first == loud {
			return
		}
		w.checked[key] = loud
	}
	if !w.c.isA(p.typ, d.typ.Name) {
		w.report(validate.Error, validate.CodeStructure, p, "", d.root, "the profile %s is for %s, not %s", d.url, d.typ.Name, p.typ.Name)
		return
	}
	w.profiles = append(w.profiles, d)
	w.check(p, d.root)
	w.profiles = w.profiles[:len(w.profiles)-1]
}

// loud is the entry of walk.checked for what was checked and reported.
const loud = "\x00"

func (w *walk) question(p *place, d *compiled) conformance {
	return conformance{p.at().Document(), p.at().Ordinal(), d}
}

// conforms returns why a place does not conform to a profile, "" if it does. It reports nothing.
func (w *walk) conforms(p *place, d *compiled) string {
	key := w.question(p, d)
	if first, asked := w.checked[key]; asked && first != loud {
		return first
	}
	w.checked[key] = "" // within itself it conforms
	w.quiet = append(w.quiet, "")
	w.conform(p, d)
	first := w.quiet[len(w.quiet)-1]
	w.quiet = w.quiet[:len(w.quiet)-1]
	w.checked[key] = first
	return first
}

// check checks a place and what is below it against a node.
func (w *walk) check(p *place, n *node) {
	if !w.step() {
		return
	}
	if w.depth++; w.depth > maxNested {
		w.report(validate.Warning, codeCostly, p, "", n, "more than %d elements and profiles within each other are not checked", maxNested)
	} else {
		w.itself(p, n)
		w.below(p, n)
	}
	w.depth--
}

// below checks the elements of a place, also against those of the element that has the same content.
func (w *walk) below(p *place, n *node) {
	w.elements(p, n)
	if id, local := strings.CutPrefix(n.content, "#"); local && len(w.profiles) > 0 {
		if to := w.profiles[len(w.profiles)-1].root.find(id); to != nil && to != n {
			w.elements(p, to)
		}
	}
}

func (w *walk) elements(p *place, n *node) {
	for _, child := range n.children {
		if !w.step() {
			return
		}
		if _, _, exists := w.named(p, child.name); !exists {
			continue
		}
		values := w.c.children(p, child.name)
		w.count(p, child, values, false)
		for _, v := range values {
			w.check(v, child)
		}
		if len(child.slices) > 0 {
			w.slices(p, child, values)
		}
	}
}

// named returns the element, or the first variant of the choice, of a place with a name.
func (w *walk) named(p *place, name string) (e *definitions.Element, choice, exists bool) {
	if e = p.typ.Element(name); e != nil {
		return e, false, true
	}
	if variants := p.typ.Choices(name); len(variants) > 0 {
		return variants[0], true, true
	}
	return nil, false, false
}

// count checks the cardinality of an element or a slice.
func (w *walk) count(p *place, n *node, values []*place, slice bool) {
	e, _, _ := w.named(p, n.name)
	what := "element"
	if slice {
		what = "slice " + n.slice
	}
	switch {
	case len(values) == 0 && n.must && w.request.MustSupport && n.min == 0:
		w.report(validate.Information, validate.CodeInformation, p, n.name, n, "the %s is absent, which the profile marks as mustSupport", what)
	case len(values) < n.min && (slice || n.min > e.Min || len(values) > 0):
		w.report(validate.Error, validate.CodeRequired, p, n.name, n, "the %s must occur at least %s, but occurs %s", what, times(n.min), times(len(values)))
	case n.max == 0 && len(values) > 0:
		w.report(validate.Error, validate.CodeStructure, p, n.name, n, "the %s must not occur", what)
	case n.max != unbounded && len(values) > n.max:
		w.report(validate.Error, validate.CodeStructure, p, n.name, n, "the %s may occur %s, but occurs %s", what, times(n.max), times(len(values)))
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// itself checks the value of a place. One of another type is not examined further.
func (w *walk) itself(p *place, n *node) {
	if len(n.types) > 0 && p.up != nil && !w.types(p, n) {
		return
	}
	w.value(p, n)
	if n.binding.valueSet != "" && p.value.Exists() {
		w.bound(p, n)
	}
	for i := range n.rules {
		w.rule(p, n, &n.rules[i])
	}
}

// types checks the type of a place, the profiles of the type, and the target of a reference. It
// returns false if the place has another type.
func (w *walk) types(p *place, n *node) bool {
	t := w.typeOf(p, n)
	if t == nil {
		var names []string
		for _, t := range n.types {
			names = append(names, t.code)
		}
		w.report(validate.Error, validate.CodeStructure, p, "", n, "the type must be %s, not %s", strings.Join(names, " or "), p.typ.Name)
		return false
	}
	if len(t.profiles) > 0 {
		w.anyProfile(p, n, t.profiles)
	}
	if len(t.targets) > 0 && t.code == "Reference" && p.value.Kind() == document.Object {
		w.target(p, n, t.targets)
	}
	return true
}

// typeOf returns the type of a node that a place has, nil if it has another. Only choices and
// resources can have another.
func (w *walk) typeOf(p *place, n *node) *typeRef {
	for i := range n.types {
		isResource := p.typ.Kind == definitions.ResourceType
		if code := n.types[i].code; code == p.element.TypeCode || isResource && w.c.isA(p.typ, code) || !isResource && !p.element.Choice {
			return &n.types[i]
		}
	}
	return nil
}

// anyProfile checks that a place conforms to one of several profiles.
func (w *walk) anyProfile(p *place, n *node, profiles []string) {
	if len(profiles) == 1 {
		w.profile(p, profiles[0])
		return
	}
	var why string
	for _, canonical := range profiles {
		d := w.known(p, canonical)
		if d == nil {
			return // it may conform to that
		}
		if why = w.conforms(p, d); why == "" {
			return
		}
	}
	w.report(validate.Error, validate.CodeStructure, p, "", n, "it conforms to none of %s; to the last one: %s", strings.Join(profiles, ", "), why)
}
