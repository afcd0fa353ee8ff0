package engine

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// LookupRequest asks for what is known of one code (CodeSystem/$lookup).
type LookupRequest struct {
	ID              string // CodeSystem/{id}/$lookup: the system is this one
	System          string // canonical of the code system, may be url|version
	Version         string // "" asks for the default version
	Code            string
	Coding          *r4.Coding // instead of System, Version and Code
	DisplayLanguage string     // BCP 47, or a list as Accept-Language has it
	AcceptLanguage  string     // of the HTTP request, used where DisplayLanguage is empty
	UseSupplements  []string   // canonicals of supplements that must be used
	Versions        VersionRules
	// Properties to return: properties of the code system, or parent, child, inactive, definition,
	// abstract, designation, lang.TAG (designations in a language), * (all). Empty means all.
	// Attributes of SNOMED CT are properties of the concept, and also subproperties of 609096000 (role
	// group) if they are in role groups. In other systems the first property of a group has the others
	// as subproperties, and brings them with it. normalForm and normalFormTerse of its concepts are returned
	// only if they are named; expressions have them as any property.
	Properties []string
	Date       string // accepted; the answer is based on the current content
}

// LookupResult is the result of Lookup: a concept of an index. It reads from the index when it is
// written, so do not keep it longer than needed.
type LookupResult struct {
	Index   *codesystem.Index
	Concept codesystem.Ord
	Display string // in the requested language

	supplements []*codesystem.Index
	properties  []string
	normal      *expression.Meaning // of a concept whose normal form is asked for
}

// Lookup returns a concept: display, definition, designations, properties. Errors:
// ErrUnknownSystem, ErrUnknownVersion, ErrNoContent, ErrUnknownID, ErrUnknownCode,
// ErrMissingParameter, ErrInvalidParameter, ErrVersionCheck, ErrUnknownSupplement.
func (e *Engine) Lookup(ctx context.Context, req *LookupRequest) (LookupResult, error) {
	ctx, span := e.observe(ctx, "lookup", req.System)
	r, err := e.lookup(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) lookup(ctx context.Context, req *LookupRequest) (LookupResult, error) {
	src := e.source()
	st := src.State
	system, version, code := req.System, req.Version, req.Code
	if c := req.Coding; c != nil {
		if code != "" && code != c.Code {
			return LookupResult{}, issue.Invalid("code", "code and coding contradict each other")
		}
		system, version, code = cmp.Or(c.System, system), cmp.Or(c.Version, version), c.Code
	}
	if code == "" {
		return LookupResult{}, issue.Missing("code", "the code to look up, or coding")
	}
	want, err := language.Choose(req.DisplayLanguage, "", req.AcceptLanguage, "")
	if err != nil {
		return LookupResult{}, err
	}
	x, err := lookedUp(ctx, src, req, system, version)
	if err != nil {
		return LookupResult{}, err
	}
	if x, err = src.Covering(ctx, x, code); err != nil {
		return LookupResult{}, err
	}
	o, ok := x.Find(code)
	if !ok {
		return LookupResult{}, unknownCode(x, code)
	}
	var normal *expression.Meaning
	supplements, err := st.SupplementsOf(x, req.UseSupplements)
	if err != nil {
		return LookupResult{}, err
	}
	if err := st.CheckSupplements(req.UseSupplements, []*codesystem.Index{x}); err != nil {
		return LookupResult{}, err
	}
	if x.URL() == catalog.SNOMED && expression.ViewOf(x) == nil &&
		(slices.Contains(req.Properties, expression.PropertyNormalForm) || slices.Contains(req.Properties, expression.PropertyNormalFormTerse)) {
		m, err := src.Model(ctx, x)
		if err != nil {
			return LookupResult{}, err
		}
		normal = m.Of(o)
	}
	r := LookupResult{Index: x, normal: normal, Concept: o, Display: x.Display(o), supplements: supplements, properties: st.LookupProperties(x, req.Properties)}
	if !want.None() {
		c := language.Concept{Index: x, Ord: o, Display: r.Display, Supplements: supplements}
		r.Display = c.PickDisplay(&want)
	}
	return r, nil
}

// lookedUp returns the code system of a request, in the version that its rules select.
func lookedUp(ctx context.Context, src *resolve.Source, req *LookupRequest, system, version string) (*codesystem.Index, error) {
	src, err := src.Ruled(&req.Versions)
	if err != nil {
		return nil, err
	}
	st := src.State
	if src.Rules == nil || req.ID != "" || system == "" {
		return st.CodeSystem(req.ID, "system", system, version)
	}
	url, version, err := st.SplitSystem("system", system, version)
	if err != nil {
		return nil, err
	}
	return src.CodeSystem(ctx, url, version)
}

// unknownCode returns the error of a code that a code system does not have. It is common, so its
// text is made only when needed.
func unknownCode(x *codesystem.Index, code string) error { return &unknownCodeError{x, code} }

type unknownCodeError struct {
	index *codesystem.Index
	code  string
}

func (e *unknownCodeError) Error() string {
	text := make([]byte, 0, 256)
	text = append(text, issue.ErrUnknownCode.Error()...)
	text = strconv.AppendQuote(append(text, ": "...), e.code)
	text = append(append(text, " in "...), e.index.URL()...)
	if version := e.index.Version(); version != "" {
		text = append(append(text, '|'), version...)
	}
	if why := catalog.NotComposed(e.index, e.code); why != "" {
		text = append(append(text, ": "...), why...)
	}
	return string(text)
}

func (e *unknownCodeError) Unwrap() error { return issue.ErrUnknownCode }

// Yes is always true: an unknown code is an error.
func (r *LookupResult) Yes() bool { return true }
