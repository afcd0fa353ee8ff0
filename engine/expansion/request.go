package expansion

import (
	"slices"
	"strconv"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// Request is a request for a page of the codes of a value set (ValueSet/$expand). One of ID, URL
// and ValueSet selects the value set.
type Request struct {
	ID                     string
	URL                    string // canonical, may be url|version, also of an implicit value set
	ValueSet               *r4.ValueSet
	ValueSetVersion        string
	Context                string // refused with ErrNotSupported
	ContextDirection       string // refused with ErrNotSupported
	Filter                 string // text; see codesystem.CompileQuery. Matches in the requested language come first
	Forgiving              *bool  // whether the filter forgives, see codesystem.Query.Forgiving; nil: the engine's, see WithExactSearch
	Date                   string // accepted and echoed
	Offset                 *int   // codes to skip; nil: 0
	Count                  *int   // of the page; nil: as the rules say; 0: only the total
	Limit                  *int   // the most codes without Count; nil: the engine's, see WithExpandLimit
	IncompleteOK           bool   // if there are more codes than the limit, return the first ones
	IncludeDesignations    *bool
	Designations           []string // to return: "system|code" of a use, or "urn:ietf:bcp:47|de"
	IncludeDefinition      *bool    // also return compose
	ActiveOnly             *bool
	ExcludeNested          *bool // false: nested if all codes are returned; nil: as the rules say
	ExcludeNotForUI        *bool // leave out abstract codes
	ExcludePostCoordinated *bool // accepted; expansions have no composed expressions
	VersionsMatch          *bool // treat a code of several versions as one code; nil: as in the value set
	DisplayLanguage        string
	AcceptLanguage         string   // of the HTTP request, used if DisplayLanguage is empty
	UseSupplements         []string // canonicals of supplements that must be used
	ExcludeSystems         []string // canonicals, system or system|version
	Versions               catalog.VersionRules
	Properties             []string // to return with each code: definition, a property of the code system, or * for all
}

// A value set may have parameters for its expansion, in extensions of its compose. A parameter of
// the request takes precedence over one of the same name; the values of repeatable parameters are
// combined.

// withParameters returns the request completed by the parameters of a value set.
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
	optional := func(b **bool) {
		if value, err := strconv.ParseBool(text); *b == nil && err == nil {
			*b = &value
		}
	}
	number := func(n **int) {
		if value, err := strconv.Atoi(text); *n == nil && err == nil && value >= 0 {
			*n = &value
		}
	}
	more := func(list *[]string) {
		if !slices.Contains(*list, text) {
			*list = append(slices.Clip(*list), text)
		}
	}
	switch name {
	case "displayLanguage":
		if req.DisplayLanguage == "" {
			req.DisplayLanguage = text
		}
	case "filter":
		if req.Filter == "" {
			req.Filter = text
		}
	case "forgiving":
		optional(&req.Forgiving)
	case "includeDesignations":
		optional(&req.IncludeDesignations)
	case "includeDefinition":
		optional(&req.IncludeDefinition)
	case "excludeNotForUI":
		optional(&req.ExcludeNotForUI)
	case "excludePostCoordinated":
		optional(&req.ExcludePostCoordinated)
	case "activeOnly":
		optional(&req.ActiveOnly)
	case "excludeNested":
		optional(&req.ExcludeNested)
	case "count":
		number(&req.Count)
	case "offset":
		number(&req.Offset)
	case "property":
		more(&req.Properties)
	case "designation":
		more(&req.Designations)
	case "useSupplement":
		more(&req.UseSupplements)
	default:
		req.Versions.Complete(name, text)
	}
}
