package validation

import (
	"fmt"
	"slices"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// Request is a request to check a code against a value set (ValueSet/$validate-code). One of ID,
// URL and ValueSet selects the value set; one of Code, Coding and CodeableConcept is checked.
type Request struct {
	ID              string       // ValueSet/{id}/$validate-code
	URL             string       // canonical of the value set, may be url|version
	ValueSetVersion string       // "" asks for the default version
	ValueSet        *r4.ValueSet // given with the request
	Context         string       // refused with ErrNotSupported
	Code            string
	System          string // of Code; inferred from the value set if empty
	SystemVersion   string
	Display         string // checked if not empty
	Coding          *r4.Coding
	CodeableConcept *r4.CodeableConcept
	Date            string // accepted
	Abstract        *bool  // false: an abstract code is not valid
	DisplayLanguage string
	AcceptLanguage  string   // of the HTTP request, used if DisplayLanguage is empty
	UseSupplements  []string // canonicals of supplements that must be used
	InferSystem     bool     // infer System; the same as an empty System
	ActiveOnly      bool     // an inactive code is not valid
	LenientDisplay  bool     // a wrong display is a warning (lenient-display-validation)
	StrictDisplay   bool     // a display that is no longer in use is an error (lenient-display-validation=false)
	MembershipOnly  bool     // report only whether the code is a member (valueset-membership-only)
	Versions        catalog.VersionRules
	Shared          *Shared // with other checks of the same request; nil: nothing
}

// InSystemRequest is a request to check a code against a code system (CodeSystem/$validate-code).
// ID, URL, CodeSystem or the system of the coding selects the code system.
type InSystemRequest struct {
	ID              string // CodeSystem/{id}/$validate-code
	URL             string // canonical of the code system, may be url|version
	Version         string // "" asks for the default version
	CodeSystem      []byte // JSON of a CodeSystem to use instead of URL
	Code            string
	NoSystem        bool   // Code has no system: the result is false; otherwise it is an error that URL is missing
	Display         string // checked if not empty
	Coding          *r4.Coding
	CodeableConcept *r4.CodeableConcept
	Date            string // accepted
	Abstract        *bool  // false: an abstract code is not valid
	DisplayLanguage string
	AcceptLanguage  string   // of the HTTP request, used if DisplayLanguage is empty
	UseSupplements  []string // canonicals of supplements that must be used
	LenientDisplay  bool     // a wrong display is a warning (lenient-display-validation)
	StrictDisplay   bool     // a display that is no longer in use is an error (lenient-display-validation=false)
	Versions        catalog.VersionRules
	Shared          *Shared // with other checks of the same request; nil: nothing
}

// maxCodings bounds the codings of a CodeableConcept, because the issues of all codings go into
// one answer.
const maxCodings = 1000

// OneOf returns an error if a request has no code to check, more than one, or too many codings.
func OneOf(code string, coding *r4.Coding, concept *r4.CodeableConcept) error {
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

// withParameters returns the request completed by the parameters of a value set. A parameter of
// the request takes precedence over one of the same name, the values of repeatable parameters are
// combined, and parameters for expansions are ignored.
func (req *Request) withParameters(vs *r4.ValueSet) *Request {
	list := valueset.Parameters(vs.Compose)
	if len(list) == 0 {
		return req
	}
	full := *req
	for _, p := range list {
		full.complete(p.Name, p.Value.Text)
	}
	return &full
}

// complete adds one parameter of the value set.
func (req *Request) complete(name, text string) {
	switch name {
	case "displayLanguage":
		if req.DisplayLanguage == "" {
			req.DisplayLanguage = text
		}
	case "abstract":
		if req.Abstract == nil && (text == "true" || text == "false") {
			yes := text == "true"
			req.Abstract = &yes
		}
	case "activeOnly":
		req.ActiveOnly = req.ActiveOnly || text == "true"
	case "inferSystem":
		req.InferSystem = req.InferSystem || text == "true"
	case "lenient-display-validation":
		req.StrictDisplay = !req.LenientDisplay && (req.StrictDisplay || text == "false")
		req.LenientDisplay = !req.StrictDisplay && (req.LenientDisplay || text == "true")
	case "valueset-membership-only":
		req.MembershipOnly = req.MembershipOnly || text == "true"
	case "useSupplement":
		if !slices.Contains(req.UseSupplements, text) {
			req.UseSupplements = append(slices.Clip(req.UseSupplements), text)
		}
	default:
		req.Versions.Complete(name, text)
	}
}
