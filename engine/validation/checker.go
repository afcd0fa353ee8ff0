package validation

import (
	"context"
	"encoding/json"
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
	"github.com/roget-health/roget/valueset"
)

// checker checks what one request gave, and collects all that there is to say about
// it. It walks the definition of the value set with the code, include by include: what
// is said depends on which include has the code, in which version of its system.
type checker struct {
	ctx    context.Context
	state  *catalog.State
	source *resolve.Source
	want   language.Preference
	form   form
	root   *r4.ValueSet
	target *resolve.Target // that root is of; nil where root was made for a code system
	// ofSystem says that root was made for a code system, which the request asked for.
	ofSystem bool

	noAbstract, activeOnly, lenient, membershipOnly, infer bool

	issues  issue.List
	texts   []string            // of the message; each once
	unknown []string            // systems that are not there; each once
	absent  []string            // codes that were reported as unknown
	used    []*codesystem.Index // that the value set is made of
	// prepared are the value sets that were looked at; contained are those inside others.
	prepared  map[*r4.ValueSet]bool
	contained map[containedKey]*r4.ValueSet
	normal    string // the code in the form the system has
	// constraints are the filters by expression constraint, each compiled once.
	constraints map[filterKey]*valueset.Filter
	// flagged is the first inactive or deprecated concept.
	flagged struct {
		code, status, path string
		inactive           bool
		found              bool
	}
}

// form is how a request gave the code to check.
type form int

const (
	asCode form = iota // parameters code and system
	asCoding
	asConcept // CodeableConcept
)

// verdict is what a value set says of a code.
type verdict int

const (
	notMember verdict = iota
	undecided         // a code system that is not there would decide
	member
)

// finding is what was learnt about one coding.
type finding struct {
	given
	path     string // expression of the coding; "" for the parameter code
	verdict  verdict
	concept  language.Concept // where the code was found; index is nil when it was not
	inferred string           // the system, when it was found from the value set
	version  string           // of the code system that has the code
	// asked is what imported value sets said: each is asked once. excluded is the same of
	// those that are asked without a word, for excludes.
	asked, excluded map[*r4.ValueSet]verdict
}

// containedKey names a value set inside another one: the list it is in, and its id.
type containedKey struct {
	list *json.RawMessage
	id   string
}

// filterKey is a filter of an include, over an index.
type filterKey struct {
	index  *codesystem.Index
	filter *r4.Filter
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

// at returns the expression of an element of what stands at path.
func at(path, element string) string {
	if path == "" {
		return element
	}
	return path + "." + element
}

// say adds an issue whose text belongs into the message.
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

// systemName is the system of a coding, given or inferred.
func (f *finding) systemName() string {
	if f.inferred != "" {
		return f.inferred
	}
	return f.system
}

// label names a coding in a message, with its display.
func (f *finding) label() string {
	s := codeOf(f.systemName(), f.given.version, f.code)
	if f.display != "" {
		s += " ('" + f.display + "')"
	}
	return s
}

// codeOf writes a code with its system for a message: system#code.
func codeOf(system, version, code string) string {
	if system == "" {
		return "#" + code
	}
	return r4.JoinCanonical(system, version) + "#" + code
}

// label names the value set in a message.
func (v *checker) label() string {
	if name := r4.JoinCanonical(v.root.URL, v.root.Version); name != "" {
		return name
	}
	return "(unidentified)"
}

// system returns the code system in which a code is looked up, nil when it is not there.
// What check-system-version has to say of its version is reported.
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

// unknownSystem reports a code system that is not there. Each is reported once.
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

// unknownSystem returns the issue of a code system that is not there, and the name it has
// among unknown systems.
func unknownSystem(st *catalog.State, system, version, expression string) (name string, i r4.Issue) {
	known := st.Versions(system)
	switch {
	case version == "":
		return system, issue.UnknownSystem.Issue(expression, system)
	case len(known) == 0:
		return system, issue.UnknownVersionNone.Issue(expression, system, version)
	}
	return system + "|" + version, issue.UnknownVersion.Issue(expression, system, version, issue.Enumerate(known, "and"))
}

// unknownCode reports a code that its code system does not have.
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

// isPart reports that only a part of a code system is there.
func isPart(x *codesystem.Index) bool {
	content := x.Header().Content
	return content == "fragment" || content == "example"
}

// reportStatus says what is to be said of the status of a resource that user refers to.
func (v *checker) reportStatus(typ string, h, user *r4.Header) {
	if m := issue.StatusMessage(h, user); m != nil {
		v.issues.Add(m.Issue("", typ, r4.JoinCanonical(h.URL, h.Version)))
	}
}

// flag notes an inactive or deprecated concept. The first one counts, but an inactive one
// more than a deprecated one.
func (v *checker) flag(f *finding, x *codesystem.Index, o codesystem.Ord) {
	inactive, status := x.Inactive(o), x.Status(o)
	if v.flagged.found && (v.flagged.inactive || !inactive) || !inactive && status == "" {
		return
	}
	v.flagged.found, v.flagged.inactive = true, inactive
	v.flagged.code, v.flagged.status, v.flagged.path = f.code, status, f.path
}

// found records where a code was found.
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

// imported finds a value set that vs imports: however often it is asked for, it is the
// same one. One that is not there is an answer, not a failure of the request.
func (v *checker) imported(vs *r4.ValueSet, canonical string) (*r4.ValueSet, error) {
	if id, ok := strings.CutPrefix(canonical, "#"); ok {
		inner, err := v.containedIn(vs, id)
		if err == nil || !errors.Is(err, issue.ErrUnknownValueSet) {
			return inner, err
		}
	} else {
		t, err := v.source.Target("valueSet", canonical, "")
		if err == nil {
			return t.Definition()
		}
		if !errors.Is(err, issue.ErrUnknownValueSet) {
			return nil, err
		}
	}
	url, version, err := catalog.SplitVersioned("valueSet", canonical, "")
	if err != nil {
		return nil, err
	}
	name := r4.JoinCanonical(url, v.source.ValueSetVersion(url, version))
	return nil, issue.Answer(issue.ErrUnknownValueSet, issue.UnknownValueSet.Issue("", name))
}

// containedIn finds a value set inside another one. It may name those beside it.
func (v *checker) containedIn(vs *r4.ValueSet, id string) (*r4.ValueSet, error) {
	if len(vs.Contained) == 0 {
		return valueset.Contained(vs, id) // which says that there is none
	}
	key := containedKey{&vs.Contained[0], id}
	if inner := v.contained[key]; inner != nil {
		return inner, nil
	}
	inner, err := valueset.Contained(vs, id)
	if err != nil {
		return nil, err
	}
	inner.Contained = vs.Contained
	if v.contained == nil {
		v.contained = map[containedKey]*r4.ValueSet{}
	}
	v.contained[key] = inner
	return inner, nil
}
