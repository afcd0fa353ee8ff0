package engine

import (
	"context"
	"errors"
	"strconv"

	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// ValidateCodeRequest asks whether a code is in a value set (ValueSet/$validate-code).
// One of ID, URL and ValueSet names the value set; one of Code, Coding and
// CodeableConcept is what is checked.
type ValidateCodeRequest struct {
	ID              string       // ValueSet/{id}/$validate-code
	URL             string       // canonical of the value set, may be url|version
	ValueSetVersion string       // "" asks for the default version
	ValueSet        *r4.ValueSet // given with the request
	Context         string       // refused with ErrNotSupported
	Code            string
	System          string // of Code; found from the value set when empty
	SystemVersion   string
	Display         string // checked when given
	Coding          *r4.Coding
	CodeableConcept *r4.CodeableConcept
	Date            string // accepted
	Abstract        *bool  // false: an abstract code is no valid answer
	DisplayLanguage string
	AcceptLanguage  string   // of the HTTP request, used where DisplayLanguage is empty
	UseSupplements  []string // canonicals of supplements that must be used
	InferSystem     bool     // find the system of Code from the value set
	ActiveOnly      bool     // an inactive code is no valid answer
	LenientDisplay  bool     // a wrong display is a warning (lenient-display-validation)
	MembershipOnly  bool     // check membership only, not display or status (valueset-membership-only)
	Versions        VersionRules
}

// ValidateCodeResult is the answer of ValidateCode and ValidateCodeInSystem.
type ValidateCodeResult struct {
	Result  bool
	Display string // of the concept that was found
	// Code, System, Version are what was checked, as far as it is known. For a
	// CodeableConcept it is the coding that decided.
	Code, System, Version string
	// NormalizedCode is the form the code system has, when Code differs from it in case.
	NormalizedCode string
	Inactive       bool
	// Message is the text of Issues: what is wrong, or hints when Result is true.
	Message string
	Issues  []r4.Issue
}

// ValidateCode tells whether a code, Coding or CodeableConcept is in a value set; a
// CodeableConcept is when any of its codings is. An unknown code or code system is no
// error: the result is false and says why. For a valid code, ValidateCode allocates
// nothing when the compiled value set is in the cache. Errors: ErrUnknownValueSet,
// ErrUnknownID, ErrMissingParameter, ErrInvalidParameter, ErrNotSupported,
// ErrVersionCheck, and what compiling a value set that cannot be evaluated gives.
func (e *Engine) ValidateCode(ctx context.Context, req *ValidateCodeRequest) (ValidateCodeResult, error) {
	ctx, span := e.observe(ctx, "validate-code", req.URL)
	r, err := e.validateCode(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) validateCode(ctx context.Context, req *ValidateCodeRequest) (ValidateCodeResult, error) {
	if req.Context != "" {
		return ValidateCodeResult{}, notSupported("context", "name the value set with url")
	}
	if err := oneOf(req.Code, req.Coding, req.CodeableConcept); err != nil {
		return ValidateCodeResult{}, err
	}
	want, err := parseLanguages("displayLanguage", req.DisplayLanguage)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	var codes [4]asked
	if e, err = e.about(ctx, req.asked(codes[:0])...); err != nil {
		return ValidateCodeResult{}, err
	}
	st := e.state.Load()
	src, err := st.source(&req.Versions)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	t, err := src.valueSet(req.ID, req.URL, req.ValueSetVersion, req.ValueSet)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	v := validator{state: st, source: src, abstract: req.Abstract, want: want}
	v.set, err = src.compiled(ctx, &t, nil)
	switch {
	case err == nil:
	case isUnknownSystem(err):
		v.broken = err
	default:
		return ValidateCodeResult{}, t.failed(err)
	}
	if v.set == nil || v.set.Canonical() == "" {
		v.label = t.canonical()
	} else {
		v.label = v.set.Canonical()
	}
	switch {
	case req.CodeableConcept != nil:
		return v.concept(ctx, &t, req.CodeableConcept)
	case req.Coding != nil:
		c := req.Coding
		return v.check(ctx, &t, &given{system: c.System, version: c.Version, code: c.Code, display: c.Display, at: inCoding})
	}
	system, version, err := st.splitSystem("system", req.System, req.SystemVersion)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	return v.check(ctx, &t, &given{system: system, version: version, code: req.Code, display: req.Display})
}

// oneOf reports a request that gives nothing to check, or two things.
func oneOf(code string, coding *r4.Coding, concept *r4.CodeableConcept) error {
	switch {
	case code == "" && coding == nil && concept == nil:
		return missing("code", "the code to check, or coding, or codeableConcept")
	case code != "" && coding != nil && code != coding.Code, coding != nil && concept != nil, concept != nil && code != "":
		return invalid("code", "give only one of code, coding and codeableConcept")
	}
	return nil
}

// given is one code to check. at tells where it was given, for expressions.
type given struct {
	system, version, code, display string
	at                             place
}

// place is where a code was given: as parameter code, as Coding, or as the coding of
// a CodeableConcept of that number.
type place int

const (
	inCode   place = 0
	inCoding place = -1
)

// element gives the expression of an element of the code.
func (p place) element(name string) string {
	switch p {
	case inCode:
		return name
	case inCoding:
		return "Coding." + name
	}
	return "CodeableConcept.coding[" + strconv.Itoa(int(p)-1) + "]." + name
}

// validator checks codes against one value set.
type validator struct {
	state    *state
	source   *source
	set      *valueset.Set
	label    string // the value set, for messages
	broken   error  // why there is no set: a code system it needs is not there
	abstract *bool
	want     languages
}

// concept checks a CodeableConcept: the first coding that is valid decides.
func (v *validator) concept(ctx context.Context, t *target, cc *r4.CodeableConcept) (ValidateCodeResult, error) {
	return anyCoding(cc, func(g *given) (ValidateCodeResult, error) { return v.check(ctx, t, g) })
}

// anyCoding checks the codings of a concept. When none is valid, the issues of all are given.
func anyCoding(cc *r4.CodeableConcept, check func(*given) (ValidateCodeResult, error)) (ValidateCodeResult, error) {
	var out ValidateCodeResult
	for i := range cc.Coding {
		c := &cc.Coding[i]
		g := given{system: c.System, version: c.Version, code: c.Code, display: c.Display, at: place(i + 1)}
		r, err := check(&g)
		if err != nil || r.Result {
			return r, err
		}
		issues := append(out.Issues, r.Issues...)
		if i == 0 || out.Display == "" && r.Display != "" { // the coding that came closest
			out = r
		}
		out.Issues = issues
	}
	if len(cc.Coding) == 0 {
		out.Issues = []r4.Issue{issue("error", "invalid", "invalid-data", msgNoCoding(), "CodeableConcept.coding")}
	}
	out.Message = summary(out.Issues)
	return out, nil
}

// check checks one code.
func (v *validator) check(ctx context.Context, t *target, g *given) (ValidateCodeResult, error) {
	if g.code == "" {
		r := ValidateCodeResult{System: g.system, Version: g.version}
		r.fail(issue("error", "invalid", "invalid-data", msgNoCode(), g.at.element("code")))
		return r, nil
	}
	set := v.set
	if v.broken != nil {
		var err error
		if set, err = v.usable(ctx, t, g.system); err != nil {
			return ValidateCodeResult{}, err
		}
	}
	if set != nil {
		entry, ok, err := set.Find(g.system, g.version, g.code)
		switch {
		case errors.Is(err, ErrAmbiguousSystem):
			return v.ambiguous(set, g), nil
		case err != nil:
			return ValidateCodeResult{}, err
		case ok:
			return v.found(g, &entry)
		}
	}
	return v.absent(ctx, set, g), nil
}

// found answers for a member: its display, whether it may be used.
func (v *validator) found(g *given, e *valueset.Entry) (ValidateCodeResult, error) {
	r := ValidateCodeResult{
		Result: true, Display: e.Display, Code: g.code, System: e.System, Version: e.Version, Inactive: e.Inactive,
	}
	if g.display == "" && len(v.want) == 0 && !e.Inactive && !e.Abstract && e.Code == g.code {
		if e.Index == nil || !e.Index.Deprecated(e.Concept) {
			return r, nil
		}
	}
	supplements, err := v.state.supplementsOf(e.Index)
	if err != nil {
		return r, err
	}
	c := concept{index: e.Index, ord: e.Concept, display: e.Display, own: e.Designations, supplements: supplements}
	r.Display = c.pickDisplay(v.want)
	code := codeOf(e.System, e.Version, e.Code)
	if e.Abstract && v.abstract != nil && !*v.abstract {
		r.fail(issue("error", "business-rule", "code-rule", msgAbstract(code), g.at.element("code")))
	}
	if g.display != "" && !c.acceptsDisplay(g.display) {
		r.fail(issue("error", "invalid", "invalid-display", msgWrongDisplay(g.display, code, c.validDisplays(v.want)), g.at.element("display")))
	}
	if e.Code != g.code {
		r.NormalizedCode = e.Code
		r.hint(issue("information", "business-rule", "code-rule", msgCase(g.code, e.Code, e.System), g.at.element("code")))
	}
	if e.Inactive {
		r.hint(issue("warning", "business-rule", "code-comment", msgInactive(code), g.at.element("code")))
	} else if e.Index != nil && e.Index.Deprecated(e.Concept) {
		r.hint(issue("warning", "business-rule", "code-comment", msgDeprecated(code), g.at.element("code")))
	}
	return r, nil
}

// fail makes the result false and says why.
func (r *ValidateCodeResult) fail(i r4.Issue) {
	r.Result = false
	r.hint(i)
}

// hint adds an issue.
func (r *ValidateCodeResult) hint(i r4.Issue) {
	r.Issues = append(r.Issues, i)
	r.Message = summary(r.Issues)
}

// AppendJSON appends the Parameters resource.
func (r *ValidateCodeResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Boolean("result", r.Result)
	if r.Display != "" {
		w.String("display", r.Display)
	}
	if r.Code != "" {
		w.Code("code", r.Code)
	}
	if r.System != "" {
		w.URI("system", r.System)
	}
	if r.Version != "" {
		w.String("version", r.Version)
	}
	if r.Inactive {
		w.Boolean("inactive", true)
	}
	if r.NormalizedCode != "" {
		w.Code("normalized-code", r.NormalizedCode)
	}
	if r.Message != "" {
		w.String("message", r.Message)
	}
	if len(r.Issues) > 0 {
		w.Resource("issues", func(dst []byte) []byte {
			oo := r4.OperationOutcome{Issue: r.Issues}
			return oo.AppendJSON(dst)
		})
	}
	return w.Finish()
}

// Yes is the result.
func (r *ValidateCodeResult) Yes() bool { return r.Result }

// Table has one row for each fact.
func (r *ValidateCodeResult) Table() *Table {
	t := &Table{Header: []string{"NAME", "VALUE"}, Rows: [][]string{{"result", strconv.FormatBool(r.Result)}}}
	for _, row := range [][]string{
		{"display", r.Display},
		{"code", r.Code},
		{"system", r.System},
		{"version", r.Version},
		{"inactive", map[bool]string{true: "true"}[r.Inactive]},
		{"normalized-code", r.NormalizedCode},
		{"message", r.Message},
	} {
		if row[1] != "" {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
