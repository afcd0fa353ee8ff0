package engine

import (
	"context"
	"fmt"
	"strconv"

	"github.com/roget-health/roget/engine/answer"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
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
	InferSystem     bool     // says that System is to be found; the same as no System
	ActiveOnly      bool     // an inactive code is no valid answer
	LenientDisplay  bool     // a wrong display is a warning (lenient-display-validation)
	MembershipOnly  bool     // of a code that is no member, say only that (valueset-membership-only)
	Versions        catalog.VersionRules
}

// ValidateCodeResult is the answer of ValidateCode and ValidateCodeInSystem.
type ValidateCodeResult struct {
	Result  bool
	Display string // of the concept that was found
	// Code, System, Version are what was checked, as far as it is known. For a
	// CodeableConcept it is the first coding that is valid.
	Code, System, Version string
	// NormalizedCode is the form the code system has, when Code differs from it.
	NormalizedCode string
	Inactive       bool
	// Status of the concept, when it says more than Inactive: retired, deprecated …
	Status string
	// CodeableConcept is the one that was checked, if it was one.
	CodeableConcept *r4.CodeableConcept
	// UnknownSystems are code systems, url or url|version, that are not there and kept
	// the code from being found.
	UnknownSystems []string
	// Undecided says that because of them it is not known whether the code is in the value
	// set; otherwise it is known that it is not.
	Undecided bool
	// Message is the text of the errors among Issues, and hints. Neither is to be modified.
	Message string
	Issues  []r4.Issue

	outcome []byte // Issues as an OperationOutcome, where that is at hand
}

// ValidateCode reports whether a code, Coding or CodeableConcept is in a value set; a
// CodeableConcept is when any of its codings is; in an engine of Overlays, none must be
// in error besides (a code its system does not have). An unknown code or code system is
// no failure: the result is false and says why. For a valid code, ValidateCode allocates
// nothing when the compiled value set is in the cache. Errors: ErrUnknownValueSet,
// ErrUnknownID, ErrMissingParameter, ErrInvalidParameter, ErrNotSupported, supplements
// that are not there, and filters that nobody understands.
func (e *Engine) ValidateCode(ctx context.Context, req *ValidateCodeRequest) (ValidateCodeResult, error) {
	ctx, span := e.observe(ctx, "validate-code", req.URL)
	r, err := e.validateCode(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) validateCode(ctx context.Context, req *ValidateCodeRequest) (ValidateCodeResult, error) {
	if req.Context != "" {
		return ValidateCodeResult{}, issue.NotSupported("context", "name the value set with url")
	}
	if err := oneOf(req.Code, req.Coding, req.CodeableConcept); err != nil {
		return ValidateCodeResult{}, err
	}
	src, err := e.source.Load().Ruled(&req.Versions)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	t, err := src.Named(req.ID, req.URL, req.ValueSetVersion, req.ValueSet)
	if err != nil {
		return ValidateCodeResult{}, err
	}
	if r, ok := plainlyValid(ctx, src, &t, req); ok {
		return r, nil
	}
	return validate(ctx, src, &t, req)
}

// plainlyValid answers for a code of which there is nothing to say but that it is in
// the value set: the usual case, and the fast one. ok is false for any other.
func plainlyValid(ctx context.Context, s *resolve.Source, t *resolve.Target, req *ValidateCodeRequest) (r ValidateCodeResult, ok bool) {
	if s.Rules != nil || req.CodeableConcept != nil || req.DisplayLanguage != "" || req.AcceptLanguage != "" || len(req.UseSupplements) > 0 {
		return r, false
	}
	g := given{system: req.System, version: req.SystemVersion, code: req.Code, display: req.Display}
	if c := req.Coding; c != nil {
		g = given{system: c.System, version: c.Version, code: c.Code, display: c.Display}
	}
	if g.system == "" || t.Given != nil {
		return r, false
	}
	set, err := s.Cached(ctx, t, nil)
	if err != nil || !set.Plain {
		return r, false
	}
	entry, found, err := set.Find(g.system, g.version, g.code)
	if err != nil || !found || !plainEntry(&entry, &g, req) {
		return r, false
	}
	return ValidateCodeResult{
		Result: true, Display: entry.Display, Code: g.code, System: entry.System, Version: entry.Version,
		Issues: set.Notes, outcome: set.Outcome,
	}, true
}

// plainEntry reports that there is nothing to say about a member of a value set.
func plainEntry(e *valueset.Entry, g *given, req *ValidateCodeRequest) bool {
	if e.Index == nil || e.Code != g.code || remarkable(e.Index, e.Concept) || g.version != "" && g.version != e.Version {
		return false
	}
	if e.Abstract && req.Abstract != nil && !*req.Abstract {
		return false
	}
	return g.display == "" || g.display == e.Display
}

// maxCodings is how many codings a CodeableConcept may have: each is checked by itself,
// and all that is said about them goes into one answer.
const maxCodings = 1000

// oneOf reports a request that gives nothing to check, two things, or too much.
func oneOf(code string, coding *r4.Coding, concept *r4.CodeableConcept) error {
	switch {
	case code == "" && coding == nil && concept == nil:
		return issue.NothingToValidate.Failure(issue.ClassInvalid, issue.Missing("code", "the code to check, or coding, or codeableConcept"), "")
	case code != "" && coding != nil && code != coding.Code, coding != nil && concept != nil, concept != nil && code != "":
		return issue.Invalid("code", "give only one of code, coding and codeableConcept")
	case concept != nil && len(concept.Coding) > maxCodings:
		return issue.Invalid("codeableConcept", fmt.Sprintf("%d codings; %d are checked at most", len(concept.Coding), maxCodings))
	}
	return nil
}

// given is one code to check.
type given struct {
	system, version, code, display string
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
	if r.Status != "" {
		w.Code("status", r.Status)
	}
	if r.NormalizedCode != "" {
		w.Code("normalized-code", r.NormalizedCode)
	}
	if r.CodeableConcept != nil {
		w.Value("codeableConcept", r4.Value{Type: "CodeableConcept", Concept: r.CodeableConcept})
	}
	for _, system := range r.UnknownSystems {
		w.Canonical(r.unknownName(), system)
	}
	if r.Message != "" {
		w.String("message", r.Message)
	}
	switch {
	case len(r.outcome) > 0:
		w.Resource("issues", func(dst []byte) []byte { return append(dst, r.outcome...) })
	case len(r.Issues) > 0:
		w.Resource("issues", func(dst []byte) []byte {
			oo := r4.OperationOutcome{Issue: r.Issues}
			return oo.AppendJSON(dst)
		})
	}
	return w.Finish()
}

// unknownName is the name of the parameter that names systems that are not there.
func (r *ValidateCodeResult) unknownName() string {
	if r.Undecided {
		return "x-caused-by-unknown-system"
	}
	return "x-unknown-system"
}

// Yes is the result.
func (r *ValidateCodeResult) Yes() bool { return r.Result }

// Table has one row for each fact.
func (r *ValidateCodeResult) Table() *answer.Table {
	t := &answer.Table{Header: []string{"NAME", "VALUE"}, Rows: [][]string{{"result", strconv.FormatBool(r.Result)}}}
	row := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value})
		}
	}
	row("display", r.Display)
	row("code", r.Code)
	row("system", r.System)
	row("version", r.Version)
	row("inactive", map[bool]string{true: "true"}[r.Inactive])
	row("status", r.Status)
	row("normalized-code", r.NormalizedCode)
	for _, system := range r.UnknownSystems {
		row(r.unknownName(), system)
	}
	row("message", r.Message)
	return t
}
