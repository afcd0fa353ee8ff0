package expansion

import (
	"slices"
	"strconv"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// Request asks for a page of the codes of a value set (ValueSet/$expand). One of
// ID, URL and ValueSet says which.
type Request struct {
	ID                     string
	URL                    string // canonical, may be url|version; implicit value sets are understood
	ValueSet               *r4.ValueSet
	ValueSetVersion        string
	Context                string // refused with ErrNotSupported
	ContextDirection       string // refused with ErrNotSupported
	Filter                 string // text; see codesystem.CompileQuery. Hits in the language asked for come first
	Date                   string // accepted and echoed
	Offset                 *int   // codes to skip; nil: 0
	Count                  *int   // nil: the engine's default, see WithDefaultCount; 0: the total only
	IncludeDesignations    *bool
	Designations           []string // those to give: "system|code" of a use, or "urn:ietf:bcp:47|de"
	IncludeDefinition      *bool    // give compose as well
	ActiveOnly             *bool
	ExcludeNested          *bool // false nests where all of it is on the page; nil: flat, see WithDefaultCount
	ExcludeNotForUI        *bool // leave out abstract codes
	ExcludePostCoordinated *bool // accepted: expansions have no composed expressions
	VersionsMatch          *bool // take codes of all versions of a system for one; nil: as the value set has it
	DisplayLanguage        string
	AcceptLanguage         string   // of the HTTP request, used where DisplayLanguage is empty
	UseSupplements         []string // canonicals of supplements that must be used
	ExcludeSystems         []string // canonicals, system or system|version
	Versions               catalog.VersionRules
	Properties             []string // to give with each code: definition, one of the code system, or * for all of these
}

// A value set may bring parameters for its expansion along, in extensions of its compose.
// A parameter of the request beats one of the same name; those that may be given several
// times add up.

// withParameters returns the request as the parameters of a value set complete it.
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

// complete takes one parameter of the value set.
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
