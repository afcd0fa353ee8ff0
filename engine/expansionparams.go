package engine

import (
	"slices"
	"strconv"

	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// A value set may bring parameters for its expansion along, in extensions of its compose.
// A parameter of the request beats one of the same name; those that may be given several
// times add up.

// withParameters returns the request as the parameters of a value set complete it.
func (req *ExpandRequest) withParameters(vs *r4.ValueSet) *ExpandRequest {
	return resolve.Brought(req, vs, (*ExpandRequest).complete)
}

// complete takes one parameter of the value set.
func (req *ExpandRequest) complete(name, text string) {
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
