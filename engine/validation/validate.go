package validation

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// Validate checks the codings of a request against a value set.
func Validate(ctx context.Context, s *resolve.Source, t *resolve.Target, req *Request) (Result, error) {
	vs, err := t.Definition()
	if err != nil {
		return Result{}, err
	}
	if full := req.withParameters(vs); full != req {
		req = full
		if s, err = s.Ruled(&req.Versions); err != nil {
			return Result{}, err
		}
	}
	want, err := language.Choose(req.DisplayLanguage, "", req.AcceptLanguage, vs.Language)
	if err != nil {
		return Result{}, err
	}
	names, err := catalog.SupplementsNamed(req.UseSupplements, vs)
	if err != nil {
		return Result{}, err
	}
	asked := *t // a copy, so that the fast path does not allocate
	v := checker{
		ctx: ctx, state: s.State, source: s.Naming(names), want: want, root: vs, target: &asked,
		noAbstract: req.Abstract != nil && !*req.Abstract,
		shared:     req.Shared, activeOnly: req.ActiveOnly, lenient: req.LenientDisplay, strictDisplay: req.StrictDisplay, membershipOnly: req.MembershipOnly, infer: req.InferSystem,
	}
	if v.shared == nil {
		v.shared = &v.own
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
			return Result{}, err
		}
		v.infer = v.infer || system == "" // the system of a code is optional
		cc = &r4.CodeableConcept{Coding: []r4.Coding{{System: system, Version: version, Code: req.Code, Display: req.Display}}}
	}
	return v.answer(cc)
}

// answer checks the codings and returns the result.
func (v *checker) answer(cc *r4.CodeableConcept) (Result, error) {
	if err := v.prepare(); err != nil {
		if failure, ok := issue.AsAnswer(err); ok {
			return v.unprepared(failure, cc), nil
		}
		return Result{}, err
	}
	v.reportStatus("ValueSet", &v.root.Header, &v.root.Header)
	findings := make([]finding, 0, len(cc.Coding))
	for i := range cc.Coding {
		if err := v.mayGoOn(); err != nil {
			return Result{}, err
		}
		f, err := v.coding(i, &cc.Coding[i])
		if err != nil {
			return Result{}, err
		}
		findings = append(findings, f)
	}
	return v.result(cc, findings), nil
}

// maxIssues bounds the issues of an answer. A request of the largest number of codings has fewer,
// unless a value set includes thousands of versions of a code system.
const maxIssues = 5000

var errTooManyIssues = errors.New("too many issues")

// mayGoOn returns an error if the check must end: its time is over, or there are too many issues.
func (v *checker) mayGoOn() error {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	if len(v.issues) > maxIssues {
		return issue.TooManyIssues.Failure(issue.ClassUnprocessable, errTooManyIssues, "", strconv.Itoa(maxIssues))
	}
	return nil
}

// coding checks one coding.
func (v *checker) coding(i int, c *r4.Coding) (finding, error) {
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
	issues, unknown := len(v.issues), len(v.unknown)
	var err error
	f.verdict, err = v.check(&f, v.root)
	if err == nil && f.absent && !v.ofSystem && !v.source.Strict() && !isOneList(v.root.Compose) {
		f.verdict, err = v.asExpanded(&f, f.verdict, issues, unknown)
	}
	if err != nil {
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

// lookUp looks up a code that is not a member in its code system, and reports the result.
func (v *checker) lookUp(f *finding) error {
	system := f.systemName()
	if !isAbsolute(system) {
		v.say(issue.SystemRelative.Issue(at(f.path, "system")))
	}
	version := f.given.version
	if version == "" && v.root.Compose != nil {
		version = latestIncluded(v.shared.layout(v.root).of(system), system)
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

// isAbsolute reports whether a system is an absolute URI.
func isAbsolute(system string) bool {
	if rest, ok := strings.CutPrefix(system, "http://"); ok && !strings.ContainsFunc(rest, unusualInPath) {
		return true // the usual case, without an allocation
	}
	u, err := url.Parse(system)
	return err == nil && u.IsAbs()
}

// unusualInPath reports whether a character requires url.Parse.
func unusualInPath(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '/', c == '.', c == '-', c == '_':
		return false
	}
	return true
}

// latestIncluded returns the highest version of a code system in includes, "" if there is none.
func latestIncluded(includes []*r4.Include, system string) string {
	latest := ""
	for _, inc := range includes {
		if inc.System == system && inc.Version != "" && (latest == "" || catalog.CompareVersions(inc.Version, latest) > 0) {
			latest = inc.Version
		}
	}
	return latest
}

// ValidateInSystem checks the codings of a request against the code system url, or that of the
// coding.
func ValidateInSystem(ctx context.Context, s *resolve.Source, url, version string, req *InSystemRequest) (Result, error) {
	want, err := language.Choose(req.DisplayLanguage, "", req.AcceptLanguage, "")
	if err != nil {
		return Result{}, err
	}
	v := checker{
		ctx: ctx, state: s.State, source: s.Naming(req.UseSupplements), want: want, ofSystem: true,
		noAbstract: req.Abstract != nil && !*req.Abstract, lenient: req.LenientDisplay, strictDisplay: req.StrictDisplay,
	}
	v.shared = &v.own // root is made for this request
	cc, err := v.codedInSystem(req, url)
	if err != nil {
		return Result{}, err
	}
	failure, err := v.systemAsked(req.ID, url, version, req.NoSystem, cc)
	switch {
	case err != nil:
		return Result{}, err
	case failure != nil:
		return v.unprepared(failure, cc), nil
	}
	return v.answer(cc)
}

// codedInSystem returns the codings to check, and sets their form.
func (v *checker) codedInSystem(req *InSystemRequest, url string) (*r4.CodeableConcept, error) {
	switch {
	case req.CodeableConcept != nil:
		v.form = asConcept
		return req.CodeableConcept, nil
	case req.Coding != nil:
		v.form = asCoding
		return &r4.CodeableConcept{Coding: []r4.Coding{*req.Coding}}, nil
	}
	system, version, err := v.state.SplitSystem("url", url, req.Version)
	if err != nil {
		return nil, err
	}
	return &r4.CodeableConcept{Coding: []r4.Coding{{System: system, Version: version, Code: req.Code, Display: req.Display}}}, nil
}

// systemAsked finds the code system of a request and sets the root to the value set of all its
// codes. failure is the answer if the code system cannot be used.
func (v *checker) systemAsked(id, canonical, version string, noSystem bool, cc *r4.CodeableConcept) (failure *issue.Failure, err error) {
	if id != "" {
		r, err := v.state.Instance(catalog.KindCodeSystem, "CodeSystem", id)
		if err != nil {
			return nil, err
		}
		if canonical != "" && catalog.CanonicalURL(canonical) != r.Header.URL {
			return nil, issue.Invalid("url", "CodeSystem/"+id+" is "+r.Header.URL)
		}
		if v.form == asCode {
			cc.Coding[0].System = r.Header.URL
		}
		v.root = allCodesOf(r)
		return nil, nil
	}
	path := v.place(0)
	if canonical == "" && len(cc.Coding) > 0 {
		canonical, version = cc.Coding[0].System, cc.Coding[0].Version
		if canonical == "" && (v.form != asCode || noSystem) {
			return issue.Answer(issue.ErrMissingParameter, issue.NoSystem.Issue(path)), nil
		}
	}
	if canonical == "" {
		return nil, issue.NoCodeSystem.Failure(issue.ClassInvalid, issue.Missing("url", "the canonical of the code system"), "")
	}
	url, version, err := v.state.SplitSystem("url", canonical, version)
	if err != nil {
		return nil, err
	}
	version = v.source.Rules.Choose(url, version)
	r, _ := v.state.Shelf(catalog.KindCodeSystem).Find(url, version)
	if r != nil && r.HasCodes(v.source.Strict()) {
		v.root = allCodesOf(r)
		return nil, nil
	}
	v.unknownSystem(url, version, path)
	if !isAbsolute(url) {
		v.issues.Add(issue.SystemRelative.Issue(at(path, "system")))
	}
	failure = issue.Answer(issue.ErrUnknownSystem, v.issues...)
	failure.Unknown = v.unknown
	return failure, nil
}

// allCodesOf returns the value set of all codes of a code system.
func allCodesOf(r *catalog.Record) *r4.ValueSet {
	url := r.AllCodes
	if url == "" {
		url = r.Header.URL + "/vs"
	}
	return &r4.ValueSet{
		Header:  r4.Header{ResourceType: "ValueSet", URL: catalog.CanonicalURL(url), Version: r.Header.Version, Status: "active"},
		Compose: &r4.Compose{Include: []r4.Include{{System: r.Header.URL, Version: r.Header.Version}}},
	}
}
