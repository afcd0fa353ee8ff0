package operation

import (
	"context"

	"github.com/roget-health/roget/engine"
)

var expand = Operation{
	Name: "expand", Type: "ValueSet", Instance: true, Command: "expand", Ruled: true,
	Examples: []string{
		"roget expand https://roget.health/fhir/ValueSet/pets",
		"roget expand 'https://roget.health/fhir/CodeSystem/animals?fhir_vs=isa/dog' --output json",
	},
	Example: []Argument{{"url", "https://roget.health/fhir/ValueSet/pets"}, {"filter", "d"}, {"count", "10"}},
	Summary: "List the codes of a value set",
	Doc: "Returns a page of the codes of a value set, with the exact total. A filter keeps the codes whose code, display " +
		"or designations have words that begin with the words of the filter, best matches first; case and accents are ignored. If there are none, words with another ending count, then misspelt ones. " +
		"Only a whole expansion can be nested; one that is flat although excludeNested is false and the codes have a hierarchy has the parameter excludeNested=true.",
	Spec: "https://hl7.org/fhir/R4/valueset-operation-expand.html; clinical document 4.3",
	In: with([]Param{
		{Name: "url", Type: "uri", Names: "ValueSet", Min: 1, Arg: 1, Doc: "Canonical of the value set, as url or url|version. Required unless valueSet is given or the request is for an instance. SYSTEM?fhir_vs stands for all codes of a code system, SYSTEM?fhir_vs=isa/CODE for a code and its descendants, SYSTEM?fhir_vs=refset for its reference sets, SYSTEM?fhir_vs=refset/CODE for the members of a reference set, and SYSTEM?fhir_vs=ecl/ECL for the codes that an expression constraint selects."},
		{Name: "valueSet", Type: "ValueSet", HTTPOnly: true, Doc: "A value set to use instead of url."},
		{Name: "valueSetVersion", Type: "string", Doc: "Version of the value set; the default version when absent."},
		{Name: "context", Type: "uri", HTTPOnly: true, Refused: true, Doc: "Not supported: a request that has it is refused."},
		{Name: "contextDirection", Type: "code", HTTPOnly: true, Refused: true, Doc: "Not supported: a request that has it is refused."},
		{Name: "filter", Type: "string", Doc: "Words that the code, the display or a designation must have; the beginnings of words are enough."},
		{Name: "forgiving", Type: "boolean", Doc: "Whether a filter that finds nothing as written finds words with another ending or spelling. When absent, the server decides; true by default. Not part of the R4 definition."},
		dateParam(),
		{Name: "offset", Type: "integer", Default: "0", Doc: "Number of codes to skip."},
		{Name: "count", Type: "integer", Doc: "Largest number of codes to return; 0 returns only the total. When absent, clinical rules return a page of 100, and those of the ecosystem all codes."},
		{Name: "limit", Type: "integer", Aliases: []string{"_limit"}, Doc: "Without count: return all codes, or fail if there are more than this. When absent, the server decides."},
		{Name: "incomplete-ok", Type: "boolean", Default: "false", Aliases: []string{"_incomplete", "limitedExpansion"}, Doc: "If there are more codes than the limit, return the first ones, with the extension valueset-toocostly, rather than fail."},
		{Name: "includeDesignations", Type: "boolean", Default: "false", Doc: "Return the designations of each code."},
		{Name: "designation", Type: "string", Many: true, Doc: "Designations to return: system|code of a use, or urn:ietf:bcp:47|LANGUAGE. All when absent."},
		{Name: "includeDefinition", Type: "boolean", Default: "false", Doc: "Return the definition of the value set (its compose) as well."},
		{Name: "activeOnly", Type: "boolean", Default: "false", Doc: "Leave out inactive codes."},
		{Name: "excludeNested", Type: "boolean", Doc: "With false, the codes are nested by their hierarchy, unless only a part of them is returned. When absent, they are flat under clinical rules, and nested under those of the ecosystem if the hierarchy is a tree."},
		{Name: "excludeNotForUI", Type: "boolean", Default: "false", Doc: "Leave out abstract codes, which users should not pick."},
		{Name: "excludePostCoordinated", Type: "boolean", Default: "false", Doc: "Leave out composed expressions. Accepted; expansions have none."},
		{Name: "versionsMatch", Type: "boolean", Doc: "Treat a code of several versions of a code system as one code. When absent, the value set decides."},
		displayLanguageParam(),
		{Name: "exclude-system", Type: "canonical", Names: "CodeSystem", Many: true, Doc: "Code system to leave out, as system or system|version."},
		{Name: "property", Type: "string", Many: true, Doc: "Properties to return with each code: definition, status, a property of the code system, or * for all. They are returned in the extension for the contains.property of R5."},
	}, supplementParams(), versionRuleParams(), requestParams()),
	Out: []Param{
		{Name: "return", Type: "ValueSet", Min: 1, Doc: "The value set with its expansion."},
	},
	Run: runExpand,
}

func runExpand(ctx context.Context, env Env, in *Input) (Result, error) {
	req := expandRequest(in)
	var err error
	if req.ValueSet, err = valueSetOf(in, "valueSet"); err != nil {
		return nil, err
	}
	return result(env.Engine.Expand(ctx, req))
}

// expandRequest reads the parameters of expand, except the value set.
func expandRequest(in *Input) *engine.ExpandRequest {
	req := engine.ExpandRequest{
		ID:                     in.ID,
		URL:                    in.String("url"),
		ValueSetVersion:        in.String("valueSetVersion"),
		Context:                in.String("context"),
		ContextDirection:       in.String("contextDirection"),
		Filter:                 in.String("filter"),
		Forgiving:              optionalBool(in, "forgiving"),
		Date:                   in.String("date"),
		IncompleteOK:           isTrue(in, "incomplete-ok"),
		IncludeDesignations:    optionalBool(in, "includeDesignations"),
		Designations:           in.Strings("designation"),
		IncludeDefinition:      optionalBool(in, "includeDefinition"),
		ActiveOnly:             optionalBool(in, "activeOnly"),
		ExcludeNested:          optionalBool(in, "excludeNested"),
		ExcludeNotForUI:        optionalBool(in, "excludeNotForUI"),
		ExcludePostCoordinated: optionalBool(in, "excludePostCoordinated"),
		VersionsMatch:          optionalBool(in, "versionsMatch"),
		DisplayLanguage:        in.String("displayLanguage"),
		AcceptLanguage:         in.AcceptLanguage,
		UseSupplements:         in.Strings("useSupplement"),
		ExcludeSystems:         in.Strings("exclude-system"),
		Versions:               versionRules(in),
		Properties:             in.Strings("property"),
	}
	if offset, given := in.Int("offset"); given {
		req.Offset = &offset
	}
	if count, given := in.Int("count"); given {
		req.Count = &count
	}
	if limit, given := in.Int("limit"); given {
		req.Limit = &limit
	}
	return &req
}

var validateCode = Operation{
	Name: "validate-code", Type: "ValueSet", Instance: true, Command: "validate-code", Ruled: true,
	Examples: []string{
		"roget validate-code male --url http://hl7.org/fhir/ValueSet/administrative-gender",
	},
	Example: []Argument{{"url", "https://roget.health/fhir/ValueSet/pets"}, {"code", "dog"}, {"system", "https://roget.health/fhir/CodeSystem/animals"}},
	Summary: "Check that a code is in a value set",
	Doc: "Checks that a code, a Coding or at least one coding of a CodeableConcept is in a value set, and that the display " +
		"is one the concept has. Without a system, the code is looked up in the code systems of the value set. An unknown code is " +
		"not an error: the result is false, with a message and issues.",
	Spec: "https://hl7.org/fhir/R4/valueset-operation-validate-code.html; clinical document 4.3",
	In: with([]Param{
		{Name: "url", Type: "uri", Names: "ValueSet", Min: 1, Doc: "Canonical of the value set, as url or url|version. Required unless valueSet is given or the request is for an instance."},
		{Name: "context", Type: "uri", HTTPOnly: true, Refused: true, Doc: "Not supported: a request that has it is refused."},
		{Name: "valueSet", Type: "ValueSet", HTTPOnly: true, Doc: "A value set to use instead of url."},
		{Name: "valueSetVersion", Type: "string", Doc: "Version of the value set; the default version when absent."},
		{Name: "code", Type: "code", Arg: 1, Doc: "The code to check. Required unless coding or codeableConcept is given."},
		{Name: "system", Type: "uri", Names: "CodeSystem", Doc: "Code system of the code. When absent, it is inferred from the value set."},
		{Name: "systemVersion", Type: "string", Doc: "Version of the code system."},
		{Name: "display", Type: "string", Doc: "The display to check; if the concept does not have it, the result is false."},
		codingParam("The coding to check, instead of code and system."),
		codeableConceptParam("The concept to check: valid if at least one of its codings is in the value set."),
		dateParam(),
		{Name: "abstract", Type: "boolean", Doc: "With false, an abstract code (one not meant to be used in data) is not valid."},
		displayLanguageParam(),
		{Name: "inferSystem", Type: "boolean", Default: "false", Doc: "Infer the system of the code from the value set. That happens anyway when system is absent."},
		{Name: "implySystem", Type: "boolean", Default: "false", Doc: "Same as inferSystem, under its former name.", HTTPOnly: true},
		{Name: "activeOnly", Type: "boolean", Default: "false", Doc: "With true, an inactive code is not valid."},
		{Name: "valueset-membership-only", Type: "boolean", Default: "false", Doc: "If the code is not in the value set, report only that, and not what its code system knows about it."},
		lenientDisplayParam(),
	}, supplementParams(), versionRuleParams(), validationExtras(), requestParams()),
	Out: validateCodeOut(),
	Run: runValidateCode,
}

func validateCodeOut() []Param {
	return []Param{
		{Name: "result", Type: "boolean", Min: 1, Doc: "Whether the code is valid."},
		{Name: "display", Type: "string", Doc: "Display of the code. Present if the code is known, even if it is not valid."},
		{Name: "code", Type: "code", Doc: "The code that was checked; for a concept, the code of the coding that decided."},
		{Name: "system", Type: "uri", Names: "CodeSystem", Doc: "Its code system."},
		{Name: "version", Type: "string", Doc: "The version of the code system that was used."},
		{Name: "inactive", Type: "boolean", Doc: "true for an inactive code, otherwise absent."},
		{Name: "status", Type: "code", Doc: "The status of the code, if it says more than inactive: retired or deprecated, for example."},
		{Name: "normalized-code", Type: "code", Doc: "The code as its code system writes it, if the request wrote it differently."},
		{Name: "codeableConcept", Type: "CodeableConcept", Doc: "The concept that was checked, if the request had one."},
		{Name: "x-caused-by-unknown-system", Type: "canonical", Many: true, Doc: "A code system that is not loaded and without which the code cannot be checked."},
		{Name: "x-unknown-system", Type: "canonical", Many: true, Doc: "A code system or version that is not loaded. The result would be false with it too."},
		{Name: "message", Type: "string", Doc: "What is wrong, if the result is false; otherwise hints."},
		{Name: "issues", Type: "OperationOutcome", Doc: "The problems and hints in coded form, if there are any."},
	}
}

func runValidateCode(ctx context.Context, env Env, in *Input) (Result, error) {
	vs, err := valueSetOf(in, "valueSet")
	if err != nil {
		return nil, err
	}
	return valueResult(env.Engine.ValidateCode(ctx, &engine.ValidateCodeRequest{
		ID:              in.ID,
		URL:             in.String("url"),
		ValueSetVersion: in.String("valueSetVersion"),
		ValueSet:        vs,
		Context:         in.String("context"),
		Code:            in.String("code"),
		System:          in.String("system"),
		SystemVersion:   in.String("systemVersion"),
		Display:         in.String("display"),
		Coding:          in.Coding("coding"),
		CodeableConcept: in.CodeableConcept("codeableConcept"),
		Date:            in.String("date"),
		Abstract:        optionalBool(in, "abstract"),
		DisplayLanguage: in.String("displayLanguage"),
		AcceptLanguage:  in.AcceptLanguage,
		UseSupplements:  in.Strings("useSupplement"),
		InferSystem:     isTrue(in, "inferSystem") || isTrue(in, "implySystem"),
		ActiveOnly:      isTrue(in, "activeOnly"),
		LenientDisplay:  lenientDisplay(in),
		StrictDisplay:   strictDisplay(in),
		MembershipOnly:  isTrue(in, "valueset-membership-only"),
		Versions:        versionRules(in),
		Shared:          env.Shared,
	}))
}

var memberOf = Operation{
	Name: "memberOf", Type: "", Path: "/terminology/memberOf", Command: "member-of",
	Examples: []string{
		"roget member-of male --system http://hl7.org/fhir/administrative-gender \\\n    --value-set-url http://hl7.org/fhir/ValueSet/administrative-gender",
		"roget member-of A00.0 --system http://hl7.org/fhir/sid/icd-10-cm \\\n    --value-set-url https://example.org/ValueSet/infections --load my-valuesets/",
	},
	Example: []Argument{{"code", "dog"}, {"system", "https://roget.health/fhir/CodeSystem/animals"}, {"valueSetUrl", "https://roget.health/fhir/ValueSet/pets"}},
	Summary: "Say whether a code is in a value set",
	Doc:     "Says whether a code of a code system is a member of a value set. For an unknown code the answer is no.",
	Spec:    "clinical document 4.2",
	In: with([]Param{
		{Name: "code", Type: "code", Min: 1, Arg: 1, Doc: "The code to check."},
		{Name: "system", Type: "uri", Names: "CodeSystem", Min: 1, Doc: "Its code system."},
		{Name: "valueSetUrl", Type: "uri", Names: "ValueSet", Min: 1, Doc: "Canonical of the value set, as url or url|version."},
	}, requestParams()),
	Out: []Param{
		{Name: "result", Type: "boolean", Min: 1, Doc: "Whether the code is in the value set."},
		{Name: "display", Type: "string", Doc: "Display of the code, if it is in the value set."},
		{Name: "code", Type: "code", Min: 1, Doc: "The requested code."},
		{Name: "system", Type: "uri", Min: 1, Doc: "The requested code system."},
		{Name: "valueSetUrl", Type: "uri", Min: 1, Doc: "The requested value set."},
	},
	Run: runMemberOf,
}

func runMemberOf(ctx context.Context, env Env, in *Input) (Result, error) {
	return valueResult(env.Engine.MemberOf(ctx, &engine.MemberOfRequest{
		Code:        in.String("code"),
		System:      in.String("system"),
		ValueSetURL: in.String("valueSetUrl"),
	}))
}

var explain = Operation{
	Name: "explain", Type: "ValueSet", Instance: true, Command: "explain",
	Examples: []string{
		"roget explain wolf --system https://roget.health/fhir/CodeSystem/animals --url https://roget.health/fhir/ValueSet/pets",
		"roget explain A00.0 --url https://example.org/ValueSet/infections --load my-valuesets/ --data terminology",
	},
	Example: []Argument{{"code", "wolf"}, {"system", "https://roget.health/fhir/CodeSystem/animals"}, {"url", "https://roget.health/fhir/ValueSet/pets"}},
	Summary: "Explain why a code is or is not in a value set",
	Doc: "Evaluates the definition of a value set for one code and returns a tree that says, for each include, filter, " +
		"imported value set and exclude, whether it selects the code.",
	Spec: "an operation of Roget; the definition follows https://hl7.org/fhir/R4/valueset.html#compositions",
	In: with([]Param{
		{Name: "code", Type: "code", Arg: 1, Doc: "The code. Required unless coding is given."},
		{Name: "system", Type: "uri", Names: "CodeSystem", Doc: "Its code system. When absent, it is inferred from the value set."},
		{Name: "version", Type: "string", Doc: "Version of the code system."},
		codingParam("The code with its system, instead of code and system."),
		{Name: "url", Type: "uri", Names: "ValueSet", Min: 1, Doc: "Canonical of the value set, as url or url|version. Required unless valueSet is given or the request is for an instance."},
		{Name: "valueSet", Type: "ValueSet", HTTPOnly: true, Doc: "A value set to use instead of url."},
		{Name: "valueSetVersion", Type: "string", Doc: "Version of the value set; the default version when absent."},
		displayLanguageParam(),
	}, requestParams()),
	Out: []Param{
		{Name: "result", Type: "boolean", Min: 1, Doc: "Whether the code is in the value set."},
		{Name: "display", Type: "string", Doc: "Display of the code."},
		{Name: "code", Type: "code", Min: 1, Doc: "The requested code."},
		{Name: "system", Type: "uri", Doc: "Its code system."},
		{Name: "version", Type: "string", Doc: "The requested version."},
		{Name: "message", Type: "string", Doc: "The reason in a sentence."},
		{Name: "explanation", Min: 1, Doc: "A node of the tree.", Part: []Param{
			{Name: "label", Type: "string", Min: 1, Doc: "The element of the value set that the node describes."},
			{Name: "verdict", Type: "boolean", Min: 1, Doc: "Whether the element selects the code; for an exclude, whether it removes the code."},
			{Name: "reason", Type: "string", Doc: "Why."},
			{Name: "expression", Type: "string", Doc: "FHIRPath expression of the element."},
			{Name: "explanation", Many: true, Doc: "The nodes below this one, of the same form."},
		}},
	},
	Run: runExplain,
}

func runExplain(ctx context.Context, env Env, in *Input) (Result, error) {
	vs, err := valueSetOf(in, "valueSet")
	if err != nil {
		return nil, err
	}
	return result(env.Engine.Explain(ctx, &engine.ExplainRequest{
		ID:              in.ID,
		URL:             in.String("url"),
		ValueSetVersion: in.String("valueSetVersion"),
		ValueSet:        vs,
		Code:            in.String("code"),
		System:          in.String("system"),
		Version:         in.String("version"),
		Coding:          in.Coding("coding"),
		DisplayLanguage: language(in),
	}))
}
