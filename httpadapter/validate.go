package httpadapter

import (
	"net/http"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// validateOperation tells what a create or update would say of a resource.
var validateOperation = resourceOperation{
	Operation: operation.Operation{
		Name: "validate", Type: typeAny, Instance: true,
		Summary: "Check a resource without storing it",
		Doc: "Checks a resource as a create, or at an instance an update, would, and tells all its problems at once. " +
			"At an instance without a resource, what is stored is checked. The answer is 200 whatever is wrong.",
		Spec: "https://hl7.org/fhir/R4/resource-operation-validate.html",
		In: []operation.Param{
			{Name: "resource", Type: typeAny, Doc: "The resource to check; at an instance it may be left out.", HTTPOnly: true},
			{Name: "mode", Type: "code", Doc: "create, update or delete: what is to be done with the resource."},
			{Name: "profile", Type: "uri", Refused: true, Doc: "Profiles are not checked."},
		},
		Out: []operation.Param{{Name: "return", Type: "OperationOutcome", Min: 1, Doc: "The problems, or that there are none."}},
	},
	onType: true,
	run:    (*call).validate,
}

// validate answers $validate.
func (c *call) validate(in *operation.Input) {
	if in.Has("profile") {
		c.refuse(http.StatusBadRequest, "not-supported", "resources are not validated against profiles; leave profile out to check what R4 itself asks")
		return
	}
	mode := in.String("mode")
	switch mode {
	case "", "create", "update", "delete":
	default:
		c.fail(operation.Invalid("mode", "it is none of create, update, delete"))
		return
	}
	body := []byte(in.Resource("resource"))
	if in.ID == "" && body == nil && mode != "delete" {
		c.fail(operation.Missing("resource", "what to check"))
		return
	}
	typ := c.label.typ
	issues, err := c.h.Resources.Validate(c.context(), typ, in.ID, mode, body)
	if err != nil {
		c.fail(notFoundIfBadID(err, typ, in.ID))
		return
	}
	outcome := r4.OperationOutcome{Issue: issuesOf(issues)}
	if len(issues) == 0 {
		outcome.Issue = []r4.Issue{{Severity: "information", Code: validate.CodeInformation, Diagnostics: "no problems were found"}}
	}
	c.fhir(http.StatusOK, outcome.AppendJSON(nil))
}

// issuesOf returns problems of a document as issues of an OperationOutcome.
func issuesOf(issues []validate.Issue) []r4.Issue {
	return lo.Map(issues, func(is validate.Issue, _ int) r4.Issue { return is.R4() })
}
