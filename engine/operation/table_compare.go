package operation

import (
	"context"

	"github.com/roget-health/roget/engine"
)

var compare = Operation{
	Name: "compare", Type: "ValueSet", Instance: true, Command: "compare",
	Examples: []string{
		"roget compare https://roget.health/fhir/ValueSet/pets 'https://roget.health/fhir/CodeSystem/animals?fhir_vs'",
		"roget compare http://hl7.org/fhir/ValueSet/administrative-gender http://example.org/my-genders --load my.json",
	},
	Example: []Argument{{"thisUrl", "https://roget.health/fhir/ValueSet/pets"}, {"otherUrl", "https://roget.health/fhir/ValueSet/four-legged"}},
	Summary: "Compare the codes of two value sets",
	Doc: "Compares the codes of two value sets: same, subset, superset, overlapping, disjoint, empty when neither has a " +
		"code, or indeterminate, with the reason in the message. The result describes the first value set. The value sets are " +
		"evaluated only if comparing their definitions is not enough, and only up to a limit. In the terminal, the exit code is 0 if both have the same codes, and otherwise 1.",
	Spec: "https://build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig/ (ValueSet/$compare)",
	In: with([]Param{
		{Name: "thisUrl", Type: "uri", Names: "ValueSet", Min: 1, Arg: 1, Doc: "Canonical of the first value set, as url or url|version. Required unless thisValueSet is given or the request is for an instance."},
		{Name: "otherUrl", Type: "uri", Names: "ValueSet", Min: 1, Arg: 2, Doc: "Canonical of the other value set, as url or url|version. Required unless otherValueSet is given."},
		{Name: "thisValueSet", Type: "ValueSet", HTTPOnly: true, Doc: "The first value set, instead of thisUrl."},
		{Name: "otherValueSet", Type: "ValueSet", HTTPOnly: true, Doc: "The other value set, instead of otherUrl."},
		{Name: "valueSetVersion", Type: "string", Doc: "Version of the value sets that are named without one; the default version when absent."},
		{Name: "diagnostics", Type: "boolean", Default: "false", Doc: "Return whether the value sets had to be evaluated, and which codes both or only one of them has."},
		{Name: "version-policy", Type: "code", Codes: []string{"always", "never", "as-needed"}, Default: "as-needed", Doc: "Whether codes of two versions of a code system are different codes: always, never, or as-needed, where the code system says versionNeeded."},
		{Name: "limit", Type: "integer", Aliases: []string{"_limit"}, Default: "10000", Doc: "If the value sets have to be evaluated, the result is indeterminate if one has more codes than this; at most 1,000,000."},
	}, versionRuleParams(), requestParams()),
	Out: []Param{
		{Name: "result", Type: "code", Codes: []string{"same", "subset", "superset", "overlapping", "disjoint", "empty", "indeterminate"}, Min: 1, Doc: "same, subset, superset, overlapping, disjoint, empty or indeterminate."},
		{Name: "message", Type: "string", Min: 1, Doc: "The result as a sentence; if it is indeterminate, the reason."},
		{Name: "performed-expansion", Type: "boolean", Doc: "Diagnostics: whether the value sets had to be evaluated; false if comparing their definitions was enough."},
		{Name: "common-codes", Type: "string", Doc: "Diagnostics: codes that both have, separated by commas. This list and the other two are left out if they have more than 10,000 codes."},
		{Name: "missing-codes", Type: "string", Doc: "Diagnostics: codes that only the first has."},
		{Name: "extra-codes", Type: "string", Doc: "Diagnostics: codes that only the other has."},
	},
	Run: runCompare,
}

// related returns compare under its former name.
func related() *Operation {
	op := compare
	op.Name = "related"
	op.Summary = "Compare the codes of two value sets (former name of compare)"
	return &op
}

func runCompare(ctx context.Context, env Env, in *Input) (Result, error) {
	req := engine.CompareRequest{
		ID:              in.ID,
		ThisURL:         in.String("thisUrl"),
		OtherURL:        in.String("otherUrl"),
		ValueSetVersion: in.String("valueSetVersion"),
		VersionPolicy:   in.String("version-policy"),
		Versions:        versionRules(in),
		Diagnostics:     isTrue(in, "diagnostics"),
	}
	if limit, given := in.Int("limit"); given {
		req.Limit = &limit
	}
	var err error
	if req.ThisValueSet, err = valueSetOf(in, "thisValueSet"); err != nil {
		return nil, err
	}
	if req.OtherValueSet, err = valueSetOf(in, "otherValueSet"); err != nil {
		return nil, err
	}
	return result(env.Engine.Compare(ctx, &req))
}
