package operation

import (
	"cmp"
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

var lookup = Operation{
	Name: "lookup", Type: "CodeSystem", Instance: true, Command: "lookup",
	Examples: []string{
		"roget lookup dog --system https://roget.health/fhir/CodeSystem/animals",
		"roget lookup mg/dL --system http://unitsofmeasure.org --property canonical",
		"roget lookup 22298006 --system http://snomed.info/sct --display-language en-GB",
	},
	Example: []Argument{{"code", "dog"}, {"system", "https://roget.health/fhir/CodeSystem/animals"}},
	Summary: "Show a concept: its display, designations and properties",
	Doc: "Returns a concept by its code: the name and version of its code system, its display, definition, " +
		"designations and properties, including its parents and children. Supplements of the code system that the request " +
		"names, and language packs, add designations and properties. An unknown code or system is an error (not-found).",
	Spec: "https://hl7.org/fhir/R4/codesystem-operation-lookup.html; clinical document 4.3",
	In: with([]Param{
		{Name: "code", Type: "code", Arg: 1, Doc: "The code to look up. Required unless coding is given."},
		{Name: "system", Type: "uri", Names: "CodeSystem", Doc: "Canonical of the code system, as url or url|version. Required unless coding is given or the request is for an instance."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
		codingParam("The code to look up with its system, instead of code and system."),
		dateParam(),
		displayLanguageParam(),
		{Name: "property", Type: "code", Many: true, Doc: "Properties to return: properties of the code system, or parent, child, inactive, abstract, designation, definition, lang.TAG, or * for all. All when absent. 609096000 returns the role groups of SNOMED CT."},
	}, supplementParams(), systemVersionParams(), requestParams()),
	Out: []Param{
		{Name: "name", Type: "string", Min: 1, Doc: "Name of the code system."},
		{Name: "display", Type: "string", Min: 1, Doc: "Display of the code, in the requested language if there is one."},
		{Name: "code", Type: "code", Min: 1, Doc: "The code."},
		{Name: "system", Type: "uri", Min: 1, Doc: "Canonical of the code system."},
		{Name: "version", Type: "string", Doc: "Version of the code system."},
		{Name: "definition", Type: "string", Doc: "Definition of the concept."},
		{Name: "abstract", Type: "boolean", Doc: "Whether the code is abstract, that is, not meant to be used in data."},
		{Name: "designation", Many: true, Doc: "A further name of the concept.", Part: []Param{
			{Name: "language", Type: "code", Doc: "BCP 47 tag."},
			{Name: "use", Type: "Coding", Doc: "What the designation is used for."},
			{Name: "value", Type: "string", Min: 1, Doc: "The text."},
			{Name: "source", Type: "canonical", Doc: "The supplement that the designation comes from."},
		}},
		{Name: "property", Many: true, Doc: "A property of the concept.", Part: []Param{
			{Name: "code", Type: "code", Min: 1, Doc: "The property, or parent, child, inactive."},
			{Name: "value", Type: "string", Doc: "The value, of the type of the property."},
			{Name: "description", Type: "string", Doc: "Display of a value that is a code of the same system."},
			{Name: "subproperty", Many: true, Doc: "A property within this property: an attribute of a role group, or what qualifies the value.", Part: []Param{
				{Name: "code", Type: "code", Min: 1, Doc: "The attribute."},
				{Name: "value", Type: "string", Min: 1, Doc: "The value, of the type of the attribute."},
				{Name: "description", Type: "string", Doc: "Display of a value that is a code of the same system."},
			}},
		}},
		{Name: "used-supplement", Type: "canonical", Many: true, Doc: "A supplement that was used, as url|version."},
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
	Name: "validate-code", Type: "CodeSystem", Instance: true, Command: "validate-code", Ruled: true,
	Examples: []string{
		"roget validate-code dog --system https://roget.health/fhir/CodeSystem/animals --display Dog",
	},
	Example: []Argument{{"url", "https://roget.health/fhir/CodeSystem/animals"}, {"code", "dog"}, {"display", "Dog"}},
	Summary: "Check that a code is in a code system",
	Doc: "Checks that a code, a Coding or at least one coding of a CodeableConcept is in a code system, and that the " +
		"display is one the concept has. An unknown code is not an error: the result is false, with a message and issues. " +
		"In the terminal, this is the check without --url.",
	Spec: "https://hl7.org/fhir/R4/codesystem-operation-validate-code.html",
	In: with([]Param{
		{Name: "url", Type: "uri", Names: "CodeSystem", Doc: "Canonical of the code system. Required unless the request is for an instance, or codeSystem, coding or codeableConcept is given."},
		{Name: "system", Type: "uri", Names: "CodeSystem", Doc: "Same as url, under the name that other operations use."},
		{Name: "codeSystem", Type: "CodeSystem", HTTPOnly: true, Doc: "A code system to use instead of url."},
		{Name: "code", Type: "code", Arg: 1, Doc: "The code to check."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
		{Name: "display", Type: "string", Doc: "The display to check; if the concept does not have it, the result is false."},
		codingParam("The coding to check, instead of code."),
		codeableConceptParam("The concept to check: valid if at least one of its codings is in the code system."),
		dateParam(),
		{Name: "abstract", Type: "boolean", Doc: "With false, an abstract code (one not meant to be used in data) is not valid."},
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
		NoSystem:        in.Empty("url") || in.Empty("system"),
		Display:         in.String("display"),
		Coding:          in.Coding("coding"),
		CodeableConcept: in.CodeableConcept("codeableConcept"),
		Date:            in.String("date"),
		Abstract:        optionalBool(in, "abstract"),
		DisplayLanguage: in.String("displayLanguage"),
		AcceptLanguage:  in.AcceptLanguage,
		UseSupplements:  in.Strings("useSupplement"),
		LenientDisplay:  lenientDisplay(in),
		StrictDisplay:   strictDisplay(in),
		Versions:        versionRules(in),
		Shared:          env.Shared,
	}))
}

var subsumes = Operation{
	Name: "subsumes", Type: "CodeSystem", Instance: true, Command: "subsumes", Ruled: true,
	Examples: []string{
		"roget subsumes dog sheepdog --system https://roget.health/fhir/CodeSystem/animals",
		"roget subsumes A00-A09 A00.0 --system http://hl7.org/fhir/sid/icd-10-cm --load icd10cm_tabular_2026.xml",
	},
	Example: []Argument{{"codeA", "dog"}, {"codeB", "sheepdog"}, {"system", "https://roget.health/fhir/CodeSystem/animals"}},
	Summary: "Compare two codes of a code system by their hierarchy",
	Doc: "Says whether code A is an ancestor of code B (subsumes), a descendant (subsumed-by), the same code " +
		"(equivalent), or none of these (not-subsumed). In a system whose hierarchyMeaning is part-of or grouped-by, no code subsumes another.",
	Spec: "https://hl7.org/fhir/R4/codesystem-operation-subsumes.html; clinical document 4.3",
	In: with([]Param{
		{Name: "codeA", Type: "code", Arg: 1, Doc: "The first code, the potential ancestor. Required unless codingA is given."},
		{Name: "codeB", Type: "code", Arg: 2, Doc: "The second code, the potential descendant. Required unless codingB is given."},
		{Name: "system", Type: "uri", Names: "CodeSystem", Doc: "Canonical of the code system, as url or url|version. Required unless codings are given or the request is for an instance."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
		{Name: "codingA", Type: "Coding", Doc: "The first code with its system."},
		{Name: "codingB", Type: "Coding", Doc: "The second code with its system."},
	}, requestParams()),
	Out: []Param{
		{Name: "outcome", Type: "code", Codes: []string{"equivalent", "subsumes", "subsumed-by", "not-subsumed"}, Min: 1, Doc: "equivalent, subsumes, subsumed-by or not-subsumed."},
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
	Examples: []string{
		"roget find-matches --system https://roget.health/fhir/CodeSystem/animals --property parent=dog",
		"roget find-matches --system https://roget.health/fhir/CodeSystem/animals --text 'a large dgo'",
		"roget find-matches --system http://loinc.org --property COMPONENT=Glucose --property SYSTEM=Bld --count 10",
	},
	Example: []Argument{{"system", "https://roget.health/fhir/CodeSystem/animals"}, {"property", "parent=dog"}, {"count", "10"}},
	Summary: "Find codes by their properties",
	Doc: "Returns the concepts of a code system that have all the given properties, or that a free text may mean. The properties code and display " +
		"are the concept's own; parent, child and every property of the code system can be used.",
	Spec: "https://hl7.org/fhir/R4/codesystem-operation-find-matches.html",
	In: with([]Param{
		{Name: "system", Type: "uri", Names: "CodeSystem", Doc: "Canonical of the code system, as url or url|version. Required unless the request is for an instance."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
		{Name: "property", Many: true, Doc: "A property that the concepts must have, with the parts code and value; written code=value in the terminal.", Part: []Param{
			{Name: "code", Type: "code", Min: 1, Doc: "The property."},
			{Name: "value", Type: "string", Doc: "The value of the property."},
		}},
		{Name: "text", Type: "string", Doc: "A free text. Returns the concepts that it may mean, of those that have all the properties, with a score from 0 to 1 that the comment explains: which words are whole, beginnings, have other endings, are misspelt or absent. Not part of the R4 definition."},
		{Name: "valueSet", Type: "canonical", Names: "ValueSet", Doc: "Canonical of a value set that the concepts must be in. Not part of the R4 definition."},
		{Name: "exact", Type: "boolean", Default: "true", Doc: "With true, only concepts that have all the properties; with false, also concepts that lack some of them, and which ones they lack."},
		{Name: "compositional", Type: "boolean", Default: "false", Doc: "Whether to return composed expressions. Accepted; the answer has single codes only."},
		{Name: "count", Type: "integer", Default: "100", Doc: "Largest number of matches to return. Not part of the R4 definition."},
	}, supplementParams(), requestParams()),
	Out: []Param{
		{Name: "match", Many: true, Doc: "A concept that has the properties.", Part: []Param{
			{Name: "code", Type: "Coding", Doc: "The concept."},
			{Name: "unmatched", Many: true, Doc: "A property that the concept lacks.", Part: []Param{
				{Name: "code", Type: "code", Min: 1, Doc: "The property."},
				{Name: "value", Type: "string", Min: 1, Doc: "The requested value."},
			}},
			{Name: "score", Type: "decimal", Doc: "How well the concept fits the text, from 0 to 1. Not part of the R4 definition."},
			{Name: "comment", Type: "string", Doc: "How many of the properties the concept lacks, or which words of the text it has."},
		}},
		{Name: "total", Type: "integer", Doc: "Number of matches, if the answer does not have all of them. Not part of the R4 definition."},
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
	var limit *int
	if count, given := in.Int("count"); given {
		limit = &count
	}
	return result(env.Engine.FindMatches(ctx, &engine.FindMatchesRequest{
		ID:            in.ID,
		System:        in.String("system"),
		Version:       in.String("version"),
		Properties:    properties,
		Partial:       stated && !exact,
		Compositional: isTrue(in, "compositional"),
		Count:         limit,

		Text: in.String("text"), ValueSet: in.String("valueSet"), UseSupplements: in.Strings("useSupplement"),
	}))
}
