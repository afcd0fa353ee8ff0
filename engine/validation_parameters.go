package engine

import (
	"slices"

	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// withParameters returns the request as the parameters that a value set brings along
// complete it; it is not changed. A parameter of the request beats one of the same name,
// those that may be given several times add up, and those for expansions only are passed
// over.
func (req *ValidateCodeRequest) withParameters(vs *r4.ValueSet) *ValidateCodeRequest {
	return resolve.Brought(req, vs, (*ValidateCodeRequest).complete)
}

// complete takes one parameter of the value set.
func (req *ValidateCodeRequest) complete(name, text string) {
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
		req.LenientDisplay = req.LenientDisplay || text == "true"
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
