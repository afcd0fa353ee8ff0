package httpadapter

import (
	"errors"
	"net/http"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// validateOperation is $validate, which checks a resource as a create or update would.
var validateOperation = resourceOperation{
	Operation: operation.Operation{
		Name: "validate", Type: typeAny, Instance: true,
		Summary: "Check a resource without storing it",
		Doc: "Checks a resource as a create, or on an instance an update, would, but to the letter of R4, and reports all its problems. " +
			"On an instance without the parameter resource, the stored resource is checked. " +
			"The profiles that it claims in meta.profile are checked, too, if their StructureDefinitions are stored here. The status is 200 even if the resource is invalid.",
		Spec: "https://hl7.org/fhir/R4/resource-operation-validate.html",
		In: []operation.Param{
			{Name: "resource", Type: typeAny, Doc: "The resource to check; optional on an instance.", HTTPOnly: true},
			{Name: "mode", Type: "code", Doc: "The intended interaction: create, update or delete."},
			{Name: "profile", Type: "uri", Doc: "A profile to check in addition: the url of a StructureDefinition that is stored here, or that of a type of R4."},
		},
		Out: []operation.Param{{Name: "return", Type: "OperationOutcome", Min: 1, Doc: "The problems, or an issue that states that there are none."}},
	},
	onType: true,
	run:    (*call).validate,
}

// validate runs $validate.
func (c *call) validate(in *operation.Input) {
	mode := in.String("mode")
	switch mode {
	case "", "create", "update", "delete":
	default:
		c.fail(operation.Invalid("mode", "it is not one of create, update, delete"))
		return
	}
	body := []byte(in.Resource("resource"))
	if in.ID == "" && body == nil && mode != "delete" {
		c.fail(operation.Missing("resource", "the resource to check"))
		return
	}
	typ := c.label.typ
	issues, err := c.problems(typ, in.ID, mode, body, in.String("profile"))
	if err != nil {
		c.fail(notFoundIfBadID(err, typ, in.ID))
		return
	}
	outcome := r4.OperationOutcome{Issue: c.issuesOf(issues)}
	if len(issues) == 0 {
		outcome.Issue = []r4.Issue{{Severity: "information", Code: validate.CodeInformation, Diagnostics: "no problems were found"}}
	}
	c.fhir(http.StatusOK, outcome.AppendJSON(nil))
}

// problems returns the problems of a resource in the version of the base. One that is not valid R5 is
// not checked further.
func (c *call) problems(typ, id, mode string, body []byte, profile string) ([]validate.Issue, error) {
	if body != nil {
		as4, err := c.understood(body)
		if invalid, ok := errors.AsType[*validate.Invalid](err); ok {
			return invalid.Issues, nil
		}
		if err != nil {
			return nil, err
		}
		body = as4
	}
	var profiles []string
	if profile != "" {
		profiles = []string{profile}
	}
	return c.h.Resources.Validate(c.context(), typ, id, mode, body, profiles...)
}

// issuesOf converts the problems of a document to issues of an OperationOutcome.
func (c *call) issuesOf(issues []validate.Issue) []r4.Issue {
	if c.converted {
		issues = unplacedIssues(issues)
	}
	return lo.Map(issues, func(is validate.Issue, _ int) r4.Issue { return is.R4() })
}
