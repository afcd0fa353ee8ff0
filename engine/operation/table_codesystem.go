package operation

import (
	"cmp"
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

var lookup = Operation{
	Name: "lookup", Type: "CodeSystem", Instance: true, Command: "lookup",
	Summary: "Show what is known of a code",
	Doc: "Gives a concept by its code: the name of its code system, its display, then version, definition, " +
		"designations and properties, among them its parents and children. Supplements of the code system that are " +
		"asked for, and language packs, add their designations and properties. An unknown code or system is an error of kind not-found.",
	Spec: "https://hl7.org/fhir/R4/codesystem-operation-lookup.html; clinical document 4.3",
	In: with([]Param{
		{Name: "code", Type: "code", Arg: 1, Doc: "The code to look up. Required unless coding is given."},
		{Name: "system", Type: "uri", Doc: "Canonical of the code system. Required unless coding is given or the request is for an instance; url|version is understood."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
		codingParam("The code to look up with its system, instead of code and system."),
		dateParam(),
		displayLanguageParam(),
		{Name: "property", Type: "code", Many: true, Doc: "Properties to give: a property of the code system, or parent, child, inactive, abstract, designation, definition, lang.TAG, * for all. All when absent. 609096000 gives the role groups of SNOMED CT."},
	}, supplementParams(), systemVersionParams(), requestParams()),
	Out: []Param{
		{Name: "name", Type: "string", Min: 1, Doc: "Name of the code system."},
		{Name: "display", Type: "string", Min: 1, Doc: "Display of the code, in the language asked for where there is one."},
		{Name: "code", Type: "code", Min: 1, Doc: "The code."},
		{Name: "system", Type: "uri", Min: 1, Doc: "Canonical of the code system."},
		{Name: "version", Type: "string", Doc: "Version of the code system."},
		{Name: "definition", Type: "string", Doc: "Definition of the concept."},
		{Name: "abstract", Type: "boolean", Doc: "Whether the code is abstract, that is, not meant to be used in data."},
		{Name: "designation", Many: true, Doc: "A further representation.", Part: []Param{
			{Name: "language", Type: "code", Doc: "BCP 47 tag."},
			{Name: "use", Type: "Coding", Doc: "What it is for."},
			{Name: "value", Type: "string", Min: 1, Doc: "The text."},
			{Name: "source", Type: "canonical", Doc: "The supplement it is from."},
		}},
		{Name: "property", Many: true, Doc: "A property of the concept.", Part: []Param{
			{Name: "code", Type: "code", Min: 1, Doc: "The property, or parent, child, inactive."},
			{Name: "value", Type: "string", Doc: "Its value, in the type the property has."},
			{Name: "description", Type: "string", Doc: "Display of a value that is a code of the same system."},
			{Name: "subproperty", Many: true, Doc: "A property within this one: the attributes in a role group.", Part: []Param{
				{Name: "code", Type: "code", Min: 1, Doc: "The attribute."},
				{Name: "value", Type: "string", Min: 1, Doc: "Its value, in the type the attribute has."},
				{Name: "description", Type: "string", Doc: "Display of a value that is a code of the same system."},
			}},
		}},
		{Name: "used-supplement", Type: "canonical", Many: true, Doc: "A supplement that applies, url|version."},
	},
	Run: runLookup,
}

func runLookup(ctx context.Context, env Env, in *Input) (Result, error) {
	return valueResult(env.Engine.Lookup(ctx, &engine.LookupRequest{
		ID:              in.ID,
		System:          in.String("system"),
		Version:         in.String("version"),
		Code:            in.String("code"),
		Coding:          in.Coding("coding"),
		DisplayLanguage: in.String("displayLanguage"),
		AcceptLanguage:  in.AcceptLanguage,
		UseSupplements:  in.Strings("useSupplement"),
		Versions:        versionRules(in),
		Properties:      in.Strings("property"),
		Date:            in.String("date"),
	}))
}

var validateCodeInSystem = Operation{
	Name: "validate-code", Type: "CodeSystem", Instance: true, Command: "validate-code",
	Summary: "Check that a code is in a code system",
	Doc: "Tells whether a code, a Coding or any coding of a CodeableConcept is in a code system, and whether the " +
		"display is one of its own. An unknown code is no error: the result is false, with a message and issues.",
	Spec: "https://hl7.org/fhir/R4/codesystem-operation-validate-code.html",
	In: with([]Param{
		{Name: "url", Type: "uri", Doc: "Canonical of the code system. Required unless the request is for an instance, or codeSystem, coding or codeableConcept is given."},
		{Name: "system", Type: "uri", Doc: "As url, under the name other operations use."},
		{Name: "codeSystem", Type: "CodeSystem", HTTPOnly: true, Doc: "A code system given with the request, instead of url."},
		{Name: "code", Type: "code", Arg: 1, Doc: "The code to check."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
		{Name: "display", Type: "string", Doc: "The display to check; a display that is not one of the concept makes the result false."},
		codingParam("The coding to check, instead of code."),
		codeableConceptParam("The concept to check: true when any of its codings is in the code system."),
		dateParam(),
		{Name: "abstract", Type: "boolean", Doc: "false refuses codes that are abstract, that is, not meant to be used in data."},
		displayLanguageParam(),
		lenientDisplayParam(),
	}, supplementParams(), versionRuleParams(), validationExtras(), requestParams()),
	Out: validateCodeOut(),
	Run: runValidateCodeInSystem,
}

func runValidateCodeInSystem(ctx context.Context, env Env, in *Input) (Result, error) {
	return valueResult(env.Engine.ValidateCodeInSystem(ctx, &engine.ValidateCodeInSystemRequest{
		ID:              in.ID,
		URL:             cmp.Or(in.String("url"), in.String("system")),
		Version:         in.String("version"),
		CodeSystem:      in.Resource("codeSystem"),
		Code:            in.String("code"),
		Display:         in.String("display"),
		Coding:          in.Coding("coding"),
		CodeableConcept: in.CodeableConcept("codeableConcept"),
		Date:            in.String("date"),
		Abstract:        optionalBool(in, "abstract"),
		DisplayLanguage: in.String("displayLanguage"),
		AcceptLanguage:  in.AcceptLanguage,
		UseSupplements:  in.Strings("useSupplement"),
		LenientDisplay:  lenientDisplay(in),
		Versions:        versionRules(in),
	}))
}

var subsumes = Operation{
	Name: "subsumes", Type: "CodeSystem", Instance: true, Command: "subsumes",
	Summary: "Tell how two codes of a code system relate",
	Doc: "Tells whether code A is an ancestor of code B (subsumes), a descendant (subsumed-by), the same " +
		"(equivalent), or none of these (not-subsumed). Systems whose hierarchyMeaning is part-of or grouped-by do not subsume.",
	Spec: "https://hl7.org/fhir/R4/codesystem-operation-subsumes.html; clinical document 4.3",
	In: with([]Param{
		{Name: "codeA", Type: "code", Arg: 1, Doc: "The potential ancestor. Required unless codingA is given."},
		{Name: "codeB", Type: "code", Arg: 2, Doc: "The potential descendant. Required unless codingB is given."},
		{Name: "system", Type: "uri", Doc: "Canonical of the code system. Required unless Codings are given or the request is for an instance; url|version is understood."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
		{Name: "codingA", Type: "Coding", Doc: "The potential ancestor with its system."},
		{Name: "codingB", Type: "Coding", Doc: "The potential descendant with its system."},
	}, requestParams()),
	Out: []Param{
		{Name: "outcome", Type: "code", Min: 1, Doc: "equivalent, subsumes, subsumed-by or not-subsumed."},
	},
	Run: runSubsumes,
}

func runSubsumes(ctx context.Context, env Env, in *Input) (Result, error) {
	return valueResult(env.Engine.Subsumes(ctx, &engine.SubsumesRequest{
		ID:      in.ID,
		System:  in.String("system"),
		Version: in.String("version"),
		CodeA:   in.String("codeA"),
		CodeB:   in.String("codeB"),
		CodingA: in.Coding("codingA"),
		CodingB: in.Coding("codingB"),
	}))
}

var findMatches = Operation{
	Name: "find-matches", Type: "CodeSystem", Instance: true, Command: "find-matches",
	Summary: "Find codes by their properties",
	Doc: "Gives the concepts of a code system that have every property asked for. The names code and display " +
		"stand for the concept's own; parent, child and any property of the code system are understood.",
	Spec: "https://hl7.org/fhir/R4/codesystem-operation-find-matches.html",
	In: with([]Param{
		{Name: "system", Type: "uri", Doc: "Canonical of the code system. Required unless the request is for an instance; url|version is understood."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
		{Name: "property", Many: true, Doc: "A property that must hold: the parts code and value; code=value in the terminal.", Part: []Param{
			{Name: "code", Type: "code", Min: 1, Doc: "The property."},
			{Name: "value", Type: "string", Doc: "Its value."},
		}},
		{Name: "exact", Type: "boolean", Default: "true", Doc: "true gives complete matches only; false also those that lack some of the properties, with what they lack."},
		{Name: "compositional", Type: "boolean", Default: "false", Doc: "Whether composed expressions are wanted. The answer has single codes only."},
		{Name: "count", Type: "integer", Default: "100", Doc: "Number of matches to give at most; not in the definition of R4."},
	}, requestParams()),
	Out: []Param{
		{Name: "match", Many: true, Doc: "A concept that has the properties.", Part: []Param{
			{Name: "code", Type: "Coding", Doc: "The concept."},
			{Name: "unmatched", Many: true, Doc: "A property it lacks.", Part: []Param{
				{Name: "code", Type: "code", Min: 1, Doc: "The property."},
				{Name: "value", Type: "string", Min: 1, Doc: "The value asked for."},
			}},
			{Name: "comment", Type: "string", Doc: "Says that properties are lacking."},
		}},
		{Name: "total", Type: "integer", Doc: "Number of matches, when there are more than are given; not in the definition of R4."},
	},
	Run: runFindMatches,
}

func runFindMatches(ctx context.Context, env Env, in *Input) (Result, error) {
	given := in.Parts("property")
	properties := make([]codesystem.Property, 0, len(given))
	for _, parts := range given {
		var p codesystem.Property
		for i := range parts {
			switch part := &parts[i]; part.Name {
			case "code":
				p.Code = part.Value.Text
			case "value":
				p.Value = part.Value
			case "subproperty":
				return nil, &engine.ParameterError{Name: "property", Problem: engine.ErrNotSupported, Detail: "subproperty: concepts have single codes as values"}
			}
		}
		properties = append(properties, p)
	}
	exact, stated := in.Bool("exact")
	var most *int
	if count, given := in.Int("count"); given {
		most = &count
	}
	return result(env.Engine.FindMatches(ctx, &engine.FindMatchesRequest{
		ID:            in.ID,
		System:        in.String("system"),
		Version:       in.String("version"),
		Properties:    properties,
		Partial:       stated && !exact,
		Compositional: isTrue(in, "compositional"),
		Count:         most,
	}))
}
