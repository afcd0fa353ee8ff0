package operation

import (
	"context"

	"github.com/roget-health/roget/engine"
)

var expand = Operation{
	Name: "expand", Type: "ValueSet", Instance: true, Command: "expand",
	Summary: "List the codes of a value set",
	Doc: "Gives a page of the codes of a value set with the exact total. A filter keeps the codes whose code, display " +
		"or designation has words that begin with the words of the filter, best hits first, whatever the case and accents. " +
		"The expansion is flat unless excludeNested is false.",
	Spec: "https://hl7.org/fhir/R4/valueset-operation-expand.html; clinical document 4.3",
	In: with([]Param{
		{Name: "url", Type: "uri", Min: 1, Arg: 1, Doc: "Canonical of the value set, url|version is understood. Required unless valueSet is given or the request is for an instance. system?fhir_vs stands for all codes of a system, system?fhir_vs=isa/CODE for a code and what is below it, =refset for its reference sets, =refset/CODE for the members of one, =ecl/ECL for what fits an expression constraint."},
		{Name: "valueSet", Type: "ValueSet", HTTPOnly: true, Doc: "A value set given with the request, instead of url."},
		{Name: "valueSetVersion", Type: "string", Doc: "Version of the value set; the default version when absent."},
		{Name: "context", Type: "uri", HTTPOnly: true, Refused: true, Doc: "Not supported: a request with it is refused."},
		{Name: "contextDirection", Type: "code", HTTPOnly: true, Refused: true, Doc: "Not supported: a request with it is refused."},
		{Name: "filter", Type: "string", Doc: "Text that code, display or a designation must match."},
		dateParam(),
		{Name: "offset", Type: "integer", Default: "0", Doc: "Number of codes to skip."},
		{Name: "count", Type: "integer", Default: "100", Doc: "Number of codes to give at most; 0 gives the total only."},
		{Name: "includeDesignations", Type: "boolean", Default: "false", Doc: "Give the designations of each code."},
		{Name: "designation", Type: "string", Many: true, Doc: "Designations to give: system|code of a use, or urn:ietf:bcp:47|language. All when absent."},
		{Name: "includeDefinition", Type: "boolean", Default: "false", Doc: "Give the definition of the value set (its compose) as well."},
		{Name: "activeOnly", Type: "boolean", Default: "false", Doc: "Leave out inactive codes."},
		{Name: "excludeNested", Type: "boolean", Default: "true", Doc: "false gives the codes nested as their hierarchy has them."},
		{Name: "excludeNotForUI", Type: "boolean", Default: "false", Doc: "Leave out codes that are abstract, that is, not to be picked."},
		{Name: "excludePostCoordinated", Type: "boolean", Default: "false", Doc: "Leave out composed expressions. Expansions have none."},
		{Name: "versionsMatch", Type: "boolean", Doc: "Take the codes of all versions of a code system for one, listed and left out at once. As the value set has it when absent."},
		displayLanguageParam(),
		{Name: "exclude-system", Type: "canonical", Many: true, Doc: "Code systems, each as system or system|version, to leave out."},
		{Name: "property", Type: "string", Many: true, Doc: "Properties to give with each code, such as definition, status or one of the code system, * for all of these: in the extension that stands for R5's contains.property."},
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

// expandRequest reads the parameters of expand, but for the value set that is given.
func expandRequest(in *Input) *engine.ExpandRequest {
	req := engine.ExpandRequest{
		ID:                     in.ID,
		URL:                    in.String("url"),
		ValueSetVersion:        in.String("valueSetVersion"),
		Context:                in.String("context"),
		ContextDirection:       in.String("contextDirection"),
		Filter:                 in.String("filter"),
		Date:                   in.String("date"),
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
	return &req
}

var validateCode = Operation{
	Name: "validate-code", Type: "ValueSet", Instance: true, Command: "validate-code",
	Summary: "Check that a code is in a value set",
	Doc: "Tells whether a code, a Coding or any coding of a CodeableConcept is in a value set, and whether the display " +
		"is one of its own. Without a system, the code is sought in the systems of the value set. An unknown code is no " +
		"error: the result is false, with a message and issues.",
	Spec: "https://hl7.org/fhir/R4/valueset-operation-validate-code.html; clinical document 4.3",
	In: with([]Param{
		{Name: "url", Type: "uri", Min: 1, Doc: "Canonical of the value set, url|version is understood. Required unless valueSet is given or the request is for an instance."},
		{Name: "context", Type: "uri", HTTPOnly: true, Refused: true, Doc: "Not supported: a request with it is refused."},
		{Name: "valueSet", Type: "ValueSet", HTTPOnly: true, Doc: "A value set given with the request, instead of url."},
		{Name: "valueSetVersion", Type: "string", Doc: "Version of the value set; the default version when absent."},
		{Name: "code", Type: "code", Arg: 1, Doc: "The code to check. Required unless coding or codeableConcept is given."},
		{Name: "system", Type: "uri", Doc: "Code system of the code. When absent, the system is found from the value set."},
		{Name: "systemVersion", Type: "string", Doc: "Version of the code system."},
		{Name: "display", Type: "string", Doc: "The display to check; a display that is not one of the concept makes the result false."},
		codingParam("The coding to check, instead of code and system."),
		codeableConceptParam("The concept to check: true when any of its codings is in the value set."),
		dateParam(),
		{Name: "abstract", Type: "boolean", Doc: "false refuses codes that are abstract, that is, not meant to be used in data."},
		displayLanguageParam(),
		{Name: "inferSystem", Type: "boolean", Default: "false", Doc: "Find the system of the code from the value set. That is done anyway when there is no system."},
		{Name: "implySystem", Type: "boolean", Default: "false", Doc: "As inferSystem, under its former name.", HTTPOnly: true},
		{Name: "activeOnly", Type: "boolean", Default: "false", Doc: "Refuse codes that are inactive."},
		{Name: "valueset-membership-only", Type: "boolean", Default: "false", Doc: "Of a code that is not in the value set, say only that, and not what its code system knows of it."},
		lenientDisplayParam(),
	}, supplementParams(), versionRuleParams(), validationExtras(), requestParams()),
	Out: validateCodeOut(),
	Run: runValidateCode,
}

func validateCodeOut() []Param {
	return []Param{
		{Name: "result", Type: "boolean", Min: 1, Doc: "Whether the code is valid."},
		{Name: "display", Type: "string", Doc: "Display of the code: always when it is valid, and when the code is known but not valid, for comparison."},
		{Name: "code", Type: "code", Doc: "The code that was checked, or the coding of the concept that decided."},
		{Name: "system", Type: "uri", Doc: "Its code system."},
		{Name: "version", Type: "string", Doc: "The version of the code system that decided."},
		{Name: "inactive", Type: "boolean", Doc: "Given as true for a code that is inactive."},
		{Name: "status", Type: "code", Doc: "The status of the code, when it says more than inactive: retired, deprecated and so on."},
		{Name: "normalized-code", Type: "code", Doc: "The code as its code system writes it, when that is not how it was given."},
		{Name: "codeableConcept", Type: "CodeableConcept", Doc: "The concept that was checked, when it was one."},
		{Name: "x-caused-by-unknown-system", Type: "canonical", Many: true, Doc: "A code system that is not there, without which nobody can tell whether the code is valid."},
		{Name: "x-unknown-system", Type: "canonical", Many: true, Doc: "A code system, or version, that is not there; the result would be false with it as well."},
		{Name: "message", Type: "string", Doc: "What is wrong, when the result is false; hints otherwise."},
		{Name: "issues", Type: "OperationOutcome", Doc: "The same and more, coded, when there is something to say."},
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
		MembershipOnly:  isTrue(in, "valueset-membership-only"),
		Versions:        versionRules(in),
	}))
}

var memberOf = Operation{
	Name: "memberOf", Type: "", Path: "/terminology/memberOf", Command: "member-of",
	Summary: "Tell whether a code is in a value set",
	Doc:     "Tells whether a code of a system is a member of a value set. An unknown code is a plain no.",
	Spec:    "clinical document 4.2",
	In: with([]Param{
		{Name: "code", Type: "code", Min: 1, Arg: 1, Doc: "The code."},
		{Name: "system", Type: "uri", Min: 1, Doc: "Its code system."},
		{Name: "valueSetUrl", Type: "uri", Min: 1, Doc: "Canonical of the value set, url|version is understood."},
	}, requestParams()),
	Out: []Param{
		{Name: "result", Type: "boolean", Min: 1, Doc: "Whether the code is in the value set."},
		{Name: "display", Type: "string", Doc: "Display of the code, when it is."},
		{Name: "code", Type: "code", Min: 1, Doc: "The code asked for."},
		{Name: "system", Type: "uri", Min: 1, Doc: "The system asked for."},
		{Name: "valueSetUrl", Type: "uri", Min: 1, Doc: "The value set asked for."},
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
	Summary: "Tell why a code is or is not in a value set",
	Doc: "Walks the definition of a value set with one code and tells, for each include, filter, imported value set and " +
		"exclude, whether it takes the code in, as a tree.",
	Spec: "an operation of Roget; the definition follows https://hl7.org/fhir/R4/valueset.html#compositions",
	In: with([]Param{
		{Name: "code", Type: "code", Arg: 1, Doc: "The code. Required unless coding is given."},
		{Name: "system", Type: "uri", Doc: "Its code system. When absent, it is found from the value set."},
		{Name: "version", Type: "string", Doc: "Version of the code system."},
		codingParam("The code with its system, instead of code and system."),
		{Name: "url", Type: "uri", Min: 1, Doc: "Canonical of the value set, url|version is understood. Required unless valueSet is given or the request is for an instance."},
		{Name: "valueSet", Type: "ValueSet", HTTPOnly: true, Doc: "A value set given with the request, instead of url."},
		{Name: "valueSetVersion", Type: "string", Doc: "Version of the value set; the default version when absent."},
		displayLanguageParam(),
	}, requestParams()),
	Out: []Param{
		{Name: "result", Type: "boolean", Min: 1, Doc: "Whether the code is in the value set."},
		{Name: "display", Type: "string", Doc: "Display of the code."},
		{Name: "code", Type: "code", Min: 1, Doc: "The code asked for."},
		{Name: "system", Type: "uri", Doc: "Its code system."},
		{Name: "version", Type: "string", Doc: "The version asked for."},
		{Name: "message", Type: "string", Doc: "The reason in a sentence."},
		{Name: "explanation", Min: 1, Doc: "A node of the tree.", Part: []Param{
			{Name: "label", Type: "string", Min: 1, Doc: "The element of the value set the node is about."},
			{Name: "verdict", Type: "boolean", Min: 1, Doc: "Whether it selects the code; for an exclude, whether it takes the code away."},
			{Name: "reason", Type: "string", Doc: "Why."},
			{Name: "expression", Type: "string", Doc: "FHIRPath of the element."},
			{Name: "explanation", Many: true, Doc: "The nodes below it, of the same shape."},
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
