package validation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// A checker checks the codings of one request and collects issues. It walks the definition of the
// value set include by include, because the issues depend on which include has the code, and in
// which version of its code system.
type checker struct {
	ctx    context.Context
	state  *catalog.State
	source *resolve.Source
	want   language.Preference
	form   form
	root   *r4.ValueSet
	target *resolve.Target // of root; nil if root was made for a code system
	// ofSystem is true if the request is about a code system, for which root was made.
	ofSystem bool

	noAbstract, activeOnly, lenient, strictDisplay, membershipOnly, infer bool

	issues  issue.List
	texts   []string // of the message, without duplicates
	unknown []string // unknown code systems, without duplicates
	absent  []string // codes that were reported as unknown
	normal  string   // the code as its code system writes it
	// baseless are the issues of filters by codes that the code system lacks.
	baseless []r4.Issue
	shared   *Shared // own, unless the request has several checks
	own      Shared
	// flagged is the first inactive or deprecated concept.
	flagged struct {
		code, status, path string
		inactive           bool
		found              bool
	}
}

// A form is the parameter with the code to check.
type form int

const (
	asCode form = iota // parameters code and system
	asCoding
	asConcept // CodeableConcept
)

// A verdict is the result of checking a code against a value set.
type verdict int

const (
	notMember verdict = iota
	undecided         // depends on an unknown code system
	member
)

// A finding is the result of checking one coding.
type finding struct {
	given
	path     string // expression of the coding; "" for the parameter code
	verdict  verdict
	concept  language.Concept // of the code; Index is nil if it was not found
	inferred string           // the system, if it was inferred from the value set
	version  string           // of the code system that has the code
	absent   bool             // a part of the value set is of its system in a version that is not there
	// asked has the verdicts of imported value sets, so that each is checked once. excluded is the
	// same for excludes, which report no issues.
	asked, excluded map[*r4.ValueSet]verdict
}

// place returns the expression of coding i.
func (v *checker) place(i int) string {
	switch v.form {
	case asCode:
		return ""
	case asCoding:
		return "Coding"
	}
	return fmt.Sprintf("CodeableConcept.coding[%d]", i)
}

// at returns the expression of an element below path.
func at(path, element string) string {
	if path == "" {
		return element
	}
	return path + "." + element
}

// say adds an issue, and its text to the message.
func (v *checker) say(i r4.Issue) {
	v.issues.Add(i)
	v.tell(i.Details.Text)
}

// tell adds a text to the message.
func (v *checker) tell(text string) {
	if !slices.Contains(v.texts, text) {
		v.texts = append(v.texts, text)
	}
}

// systemName returns the system of a coding, given or inferred.
func (f *finding) systemName() string {
	if f.inferred != "" {
		return f.inferred
	}
	return f.system
}

// label returns a coding with its display, for messages.
func (f *finding) label() string {
	s := codeOf(f.systemName(), f.given.version, f.code)
	if f.display != "" {
		s += " ('" + f.display + "')"
	}
	return s
}

// codeOf returns system#code, for messages.
func codeOf(system, version, code string) string {
	if system == "" {
		return "#" + code
	}
	return r4.JoinCanonical(system, version) + "#" + code
}

// label returns the name of the value set, for messages.
func (v *checker) label() string {
	if name := r4.JoinCanonical(v.root.URL, v.root.Version); name != "" {
		return name
	}
	return "(unidentified)"
}

// system returns the code system in which to look up a code, nil if it is unknown. It reports a
// version that check-system-version does not allow.
func (v *checker) system(code, system, version, path string) (*codesystem.Index, error) {
	x, err := v.source.Codes(v.ctx, system, version, code)
	if err != nil || x == nil {
		return nil, err
	}
	if want, checked := v.source.Rules.Demanded(system); checked && !catalog.MatchVersion(want, x.Version()) {
		v.issues.Add(issue.VersionCheck.Issue(at(path, "version"), system, x.Version(), want))
	}
	return x, nil
}

// unknownSystem reports an unknown code system once.
func (v *checker) unknownSystem(system, version, path string) {
	expression := at(path, "system")
	if r, _ := v.state.Shelf(catalog.KindValueSet).Find(catalog.CanonicalURL(system), ""); r != nil {
		v.say(issue.SystemIsValueSet.Issue(expression, system))
		return
	}
	if list := v.state.Shelf(catalog.KindCodeSystem).Supplement(system); list != nil {
		v.say(issue.SystemIsSupplement.Issue(expression, list.Canonical()))
		return
	}
	name, i := unknownSystem(v.state, system, version, expression)
	v.tell(i.Details.Text)
	if !slices.Contains(v.unknown, name) {
		v.unknown = append(v.unknown, name)
		v.issues.Add(i)
	}
}

// unknownSystem returns the issue of an unknown code system, and its name in the list of unknown
// systems.
func unknownSystem(st *catalog.State, system, version, expression string) (name string, i r4.Issue) {
	known := st.Versions(system)
	switch {
	case version == "", version == catalog.Current:
		return system, issue.UnknownSystem.Issue(expression, system)
	case len(known) == 0:
		return system, issue.UnknownVersionNone.Issue(expression, system, version)
	}
	return system + "|" + version, issue.UnknownVersion.Issue(expression, system, version, issue.Enumerate(known, "and"))
}

// unknownCode reports a code that the code system does not have.
func (v *checker) unknownCode(x *codesystem.Index, f *finding) {
	name := codeOf(x.URL(), x.Version(), f.code)
	if slices.Contains(v.absent, name) {
		return
	}
	v.absent = append(v.absent, name)
	switch {
	case isPart(x):
		v.issues.Add(issue.UnknownInFragment.Issue(at(f.path, "code"), f.code, x.URL(), x.Version()))
	case x.Version() == "":
		v.say(issue.UnknownCode.Issue(at(f.path, "code"), f.code, x.URL()))
	default:
		v.say(issue.UnknownCodeVersion.Issue(at(f.path, "code"), f.code, x.URL(), x.Version()))
	}
	if text := v.state.Malformed(x.URL(), x.Version(), f.code); text != "" {
		m := issue.Message{Severity: "information", Code: "code-invalid", Detail: "invalid-code", Text: text}
		v.issues.Add(m.Issue(at(f.path, "code")))
	}
}

// isPart reports whether only a part of a code system is loaded.
func isPart(x *codesystem.Index) bool {
	content := x.Header().Content
	return content == "fragment" || content == "example"
}

// reportStatus reports the status of a resource that user refers to.
func (v *checker) reportStatus(typ string, h, user *r4.Header) {
	if m := issue.StatusMessage(h, user); m != nil {
		v.issues.Add(m.Issue("", typ, r4.JoinCanonical(h.URL, h.Version)))
	}
}

// flag records an inactive or deprecated concept: the first inactive one, else the first
// deprecated one.
func (v *checker) flag(f *finding, x *codesystem.Index, o codesystem.Ord) {
	inactive, status := x.Inactive(o), x.Status(o)
	if v.flagged.found && (v.flagged.inactive || !inactive) || !inactive && status == "" {
		return
	}
	v.flagged.found, v.flagged.inactive = true, inactive
	v.flagged.code, v.flagged.status, v.flagged.path = f.code, status, f.path
}

// found records the concept of a code.
func (v *checker) found(f *finding, x *codesystem.Index, o codesystem.Ord, listed *r4.ConceptReference) error {
	supplements, err := v.state.SupplementsOf(x, v.source.Supplements)
	if err != nil {
		return err
	}
	f.concept = language.Concept{Index: x, Ord: o, Display: x.Display(o), Supplements: supplements}
	if listed != nil {
		f.concept.Own = listed.Designation
		if listed.Display != "" {
			f.concept.Display = listed.Display
		}
	}
	return nil
}

// imported returns a value set that vs imports, always the same pointer. An unknown value set is
// reported in the answer; it does not fail the request.
func (v *checker) imported(vs *r4.ValueSet, canonical string) (*r4.ValueSet, error) {
	if id, ok := strings.CutPrefix(canonical, "#"); ok {
		inner, err := v.shared.containedIn(vs, id)
		if err == nil || !errors.Is(err, issue.ErrUnknownValueSet) {
			return inner, err
		}
	} else {
		t, err := v.source.Target("valueSet", canonical, "")
		if err == nil {
			var inner *r4.ValueSet
			if inner, err = t.Definition(); err == nil { // an implicit value set may be unknown
				return inner, nil
			}
		}
		if !errors.Is(err, issue.ErrUnknownValueSet) {
			return nil, err
		}
	}
	url, version, err := catalog.SplitVersioned("valueSet", canonical, "")
	if err != nil {
		return nil, err
	}
	name := r4.JoinCanonical(url, v.source.Rules.ChooseValueSet(url, version))
	return nil, issue.Answer(issue.ErrUnknownValueSet, issue.UnknownValueSet.Issue("", name))
}
