package engine

import (
	"context"
	"fmt"
	"net/url"
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

// form is how a request gave the code to check.
type form int

const (
	asCode form = iota // parameters code and system
	asCoding
	asConcept // CodeableConcept
)

// validation checks what one request gave, and collects all that there is to say about
// it. It walks the definition of the value set with the code, include by include: what
// is said depends on which include has the code, in which version of its system.
type validation struct {
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

// validate checks what a request gave against a value set.
func validate(ctx context.Context, s *resolve.Source, t *resolve.Target, req *ValidateCodeRequest) (ValidateCodeResult, error) {
	vs, err := t.Definition()
	if err != nil {
		return ValidateCodeResult{}, err
	}
	if full := req.withParameters(vs); full != req {
		req = full
		if s, err = s.Ruled(&req.Versions); err != nil {
			return ValidateCodeResult{}, err
		}
	}
	want, err := language.Choose(req.DisplayLanguage, "", req.AcceptLanguage, vs.Language)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	names, err := catalog.SupplementsNamed(req.UseSupplements, vs)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	asked := *t // a copy: the fast path needs no target on the heap
	v := validation{
		ctx: ctx, state: s.State, source: s.Naming(names), want: want, root: vs, target: &asked,
		noAbstract: req.Abstract != nil && !*req.Abstract,
		activeOnly: req.ActiveOnly, lenient: req.LenientDisplay, membershipOnly: req.MembershipOnly, infer: req.InferSystem,
	}
	cc := req.CodeableConcept
	switch {
	case cc != nil:
		v.form, v.infer = asConcept, false
	case req.Coding != nil:
		v.form, v.infer = asCoding, false
		cc = &r4.CodeableConcept{Coding: []r4.Coding{*req.Coding}}
	default:
		system, version, err := s.State.SplitSystem("system", req.System, req.SystemVersion)
		if err != nil {
			return ValidateCodeResult{}, err
		}
		v.infer = v.infer || system == "" // the system of a code is optional
		cc = &r4.CodeableConcept{Coding: []r4.Coding{{System: system, Version: version, Code: req.Code, Display: req.Display}}}
	}
	return v.answer(cc)
}

// answer checks the codings and puts together what is to be said.
func (v *validation) answer(cc *r4.CodeableConcept) (ValidateCodeResult, error) {
	if err := v.prepare(v.root, nil); err != nil {
		if failure, ok := issue.AsAnswer(err); ok {
			return v.unprepared(failure, cc), nil
		}
		return ValidateCodeResult{}, err
	}
	v.reportStatus("ValueSet", &v.root.Header, &v.root.Header)
	findings := make([]finding, 0, len(cc.Coding))
	for i := range cc.Coding {
		if err := v.ctx.Err(); err != nil {
			return ValidateCodeResult{}, err
		}
		f, err := v.coding(i, &cc.Coding[i])
		if err != nil {
			return ValidateCodeResult{}, err
		}
		findings = append(findings, f)
	}
	return v.result(cc, findings), nil
}

// place returns the expression of coding i.
func (v *validation) place(i int) string {
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
func (v *validation) say(i r4.Issue) {
	v.issues.Add(i)
	v.tell(i.Details.Text)
}

// tell adds a text to the message.
func (v *validation) tell(text string) {
	if !slices.Contains(v.texts, text) {
		v.texts = append(v.texts, text)
	}
}

// coding checks one coding.
func (v *validation) coding(i int, c *r4.Coding) (finding, error) {
	f := finding{
		given: given{system: c.System, version: c.Version, code: c.Code, display: c.Display},
		path:  v.place(i),
	}
	if c.Code == "" {
		switch {
		case c.System == "" && !v.infer:
			v.say(issue.NoSystemOrCode.Issue(f.path))
		case c.System == "":
			v.say(issue.NoCode.Issue(f.path))
		default:
			v.say(issue.NoCodeForSystem.Issue(f.path, c.System))
		}
		return f, nil
	}
	var err error
	if f.verdict, err = v.check(&f, v.root); err != nil {
		return f, err
	}
	if f.verdict == notMember {
		for _, text := range v.state.Mismatches(v.root, f.systemName(), f.given.version, f.code) {
			v.tell(text)
		}
	}
	if f.verdict == notMember && v.form == asConcept && !v.ofSystem {
		v.issues.Add(issue.ThisNotInValueSet.Issue(at(f.path, "code"), f.label(), v.label()))
	}
	if f.verdict == member {
		if f.display != "" {
			v.checkDisplay(&f)
		}
		return f, nil
	}
	if !v.membershipOnly && f.systemName() != "" {
		err = v.lookUp(&f)
	}
	return f, err
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
func (v *validation) label() string {
	if name := r4.JoinCanonical(v.root.URL, v.root.Version); name != "" {
		return name
	}
	return "(unidentified)"
}

// lookUp says what the code system has to say of a code that is not a member.
func (v *validation) lookUp(f *finding) error {
	system := f.systemName()
	if !isAbsolute(system) {
		v.say(issue.SystemRelative.Issue(at(f.path, "system")))
	}
	version := f.given.version
	if version == "" {
		version = latestIncluded(v.root, system)
	}
	version = v.source.Rules.Choose(system, version)
	x, err := v.system(f.code, system, version, f.path)
	if err != nil {
		return err
	}
	if x == nil {
		v.unknownSystem(system, version, f.path)
		return nil
	}
	v.reportStatus("CodeSystem", &x.Header().Header, &v.root.Header)
	o, ok := x.Find(f.code)
	if !ok {
		v.unknownCode(x, f)
		return nil
	}
	if err := v.found(f, x, o, nil); err != nil {
		return err
	}
	f.version = x.Version()
	if x.Inactive(o) {
		v.flag(f, x, o)
	}
	if f.display != "" {
		v.checkForeignDisplay(f)
	}
	return nil
}

// isPart reports that only a part of a code system is there.
func isPart(x *codesystem.Index) bool {
	content := x.Header().Content
	return content == "fragment" || content == "example"
}

// unknownCode reports a code that its code system does not have.
func (v *validation) unknownCode(x *codesystem.Index, f *finding) {
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

// unknownSystem reports a code system that is not there. Each is reported once.
func (v *validation) unknownSystem(system, version, path string) {
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

// isAbsolute reports that a system is an absolute URI, as it must be.
func isAbsolute(system string) bool {
	if rest, ok := strings.CutPrefix(system, "http://"); ok && !strings.ContainsFunc(rest, unusualInPath) {
		return true // the usual case, without an allocation
	}
	u, err := url.Parse(system)
	return err == nil && u.IsAbs()
}

// unusualInPath tells what url.Parse should look at.
func unusualInPath(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '/', c == '.', c == '-', c == '_':
		return false
	}
	return true
}

// latestIncluded returns the highest version of a system that the includes of a value set
// name, "" when they name none.
func latestIncluded(vs *r4.ValueSet, system string) string {
	latest := ""
	if vs.Compose != nil {
		for i := range vs.Compose.Include {
			if inc := &vs.Compose.Include[i]; inc.System == system && inc.Version != "" && (latest == "" || catalog.CompareVersions(inc.Version, latest) > 0) {
				latest = inc.Version
			}
		}
	}
	return latest
}

// unprepared answers for a value set or a code system that cannot be asked.
func (v *validation) unprepared(failure *issue.Failure, cc *r4.CodeableConcept) ValidateCodeResult {
	r := ValidateCodeResult{
		Issues: failure.Issues(), Message: issue.Texts(failure.Issues()), UnknownSystems: failure.Unknown, Undecided: true,
	}
	switch {
	case v.form == asConcept:
		r.CodeableConcept = cc
	case len(cc.Coding) > 0:
		c := &cc.Coding[0]
		r.System, r.Version, r.Code = c.System, c.Version, c.Code
		if c.System != "" && c.Version == "" {
			if record, _ := v.state.Shelf(catalog.KindCodeSystem).Find(c.System, v.source.Rules.Choose(c.System, "")); record != nil {
				r.Version = record.Header.Version
			}
		}
	}
	return r
}
