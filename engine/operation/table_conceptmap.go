package operation

import (
	"cmp"
	"context"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

var translate = Operation{
	Name: "translate", Type: "ConceptMap", Instance: true, Command: "translate", Ruled: true,
	Examples: []string{
		"roget translate red --system https://roget.health/fhir/CodeSystem/triage-colours",
		"roget translate 22298006 --system http://snomed.info/sct --targetsystem http://hl7.org/fhir/sid/icd-10",
		"roget translate 32398004 --system http://snomed.info/sct --dependency 'http://snomed.info/id/445518008=12 a'",
	},
	Example: []Argument{{"code", "red"}, {"system", "https://roget.health/fhir/CodeSystem/triage-colours"}},
	Summary: "Translate a code to other code systems",
	Doc: "Returns the mappings of a code in one concept map. Without a map, every loaded map that fits is used, and every reference set of SNOMED CT that is a map. " +
		"With reverse, the code is a target, and the answer has its sources. Under the rules of the ecosystem, and in an answer to targetCode and so on, " +
		"concept is then the target, and source its source, a Coding. A request may use the parameter names of R5 (sourceCode, " +
		"targetCode and so on) instead: then the value sets it names, and those the maps name, limit the codes that are translated.",
	Spec: "https://hl7.org/fhir/R4/conceptmap-operation-translate.html",
	In: with([]Param{
		{Name: "url", Type: "uri", Names: "ConceptMap", Doc: "Canonical of the concept map, as url or url|version. http://snomed.info/sct?fhir_cm=ID stands for a reference set of SNOMED CT. Every map that fits is used when absent."},
		{Name: "conceptMap", Type: "ConceptMap", HTTPOnly: true, Doc: "A concept map to use instead of url."},
		{Name: "conceptMapVersion", Type: "string", Doc: "Version of the concept map; the default version when absent."},
		{Name: "code", Type: "code", Arg: 1, Doc: "The code to translate. Required unless coding or codeableConcept is given."},
		{Name: "system", Type: "uri", Names: "CodeSystem", Doc: "Code system of the code."},
		{Name: "version", Type: "string", Doc: "Version of that code system."},
		{Name: "source", Type: "uri", Names: "ValueSet", Doc: "Value set of the code: only maps from this value set are used."},
		codingParam("The coding to translate, instead of code and system."),
		codeableConceptParam("The concept to translate, with all its codings."),
		{Name: "target", Type: "uri", Names: "ValueSet", Doc: "Value set of the translation: only maps to this value set are used."},
		{Name: "targetsystem", Type: "uri", Names: "CodeSystem", Doc: "Code system of the translation."},
		{Name: "dependency", Many: true, Doc: "A further value, for mappings that depend on one, with the parts element and concept; written element=system|code in the terminal. Mappings that depend on another value of the element are left out. " +
			"Facts about a patient decide the rules of maps of SNOMED CT: the elements http://snomed.info/id/263495000 (gender: male, female, other, unknown, or a code), " +
			"445518008 (age at onset, such as 12 a), 424144002 (age now) and 404684003 (a finding, a code; the patient has no others).", Part: []Param{
			{Name: "element", Type: "uri", Min: 1, Doc: "The element, as in dependsOn.property of the map."},
			{Name: "concept", Type: "CodeableConcept", Min: 1, Doc: "The value of the element."},
		}},
		{Name: "reverse", Type: "boolean", Default: "false", Doc: "Translate from target to source."},
	}, translateParamsR5(), requestParams()),
	Out: []Param{
		{Name: "result", Type: "boolean", Min: 1, Doc: "Whether there is a translation: a match whose equivalence is not unmatched or disjoint."},
		{Name: "message", Type: "string", Doc: "Why there is no translation."},
		{Name: "match", Many: true, Doc: "A translation.", Part: []Param{
			{Name: "equivalence", Type: "code", Doc: "How close the translation is, a code of http://hl7.org/fhir/concept-map-equivalence."},
			{Name: "concept", Type: "Coding", Doc: "The translation."},
			{Name: "product", Many: true, Doc: "A further element the mapping produces. If a map rule was evaluated, mapDecision is decides, open (facts are missing), or otherwise (it decides if none before it does).", Part: []Param{
				{Name: "element", Type: "uri", Doc: "The element."},
				{Name: "concept", Type: "Coding", Doc: "The value of the element."},
			}},
			{Name: "source", Type: "uri", Doc: "Canonical of the concept map; in a translation back, see above, the source as a Coding."},
			{Name: "originMap", Type: "canonical", Doc: "Canonical of the concept map, url|version, in the answer to a request with R5 parameters."},
			{Name: "comment", Type: "string", Doc: "The comment of the map, after what its rule decided, and why it is open."},
		}},
	},
	Run: runTranslate,
}

// translateParamsR5 returns the parameters that R5 renamed. A code of the target is translated
// back.
func translateParamsR5() []Param {
	return []Param{
		{Name: "sourceCode", Type: "code", HTTPOnly: true, Doc: "Same as code."},
		{Name: "sourceSystem", Type: "uri", HTTPOnly: true, Doc: "Same as system; with targetCode, the system to translate back to."},
		{Name: "sourceVersion", Type: "string", HTTPOnly: true, Doc: "Same as version."},
		{Name: "sourceCoding", Type: "Coding", HTTPOnly: true, Doc: "Same as coding."},
		{Name: "sourceCodeableConcept", Type: "CodeableConcept", HTTPOnly: true, Doc: "Same as codeableConcept."},
		{Name: "sourceScope", Type: "uri", HTTPOnly: true, Doc: "Value set that the code must be in."},
		{Name: "targetCode", Type: "code", HTTPOnly: true, Doc: "A code of the target to translate back; needs targetSystem."},
		{Name: "targetSystem", Type: "uri", HTTPOnly: true, Doc: "Same as targetsystem; the system of targetCode."},
		{Name: "targetVersion", Type: "string", HTTPOnly: true, Doc: "Version of the system of targetCode."},
		{Name: "targetCoding", Type: "Coding", HTTPOnly: true, Doc: "A coding of the target to translate back."},
		{Name: "targetCodeableConcept", Type: "CodeableConcept", HTTPOnly: true, Doc: "A concept of the target to translate back."},
		{Name: "targetScope", Type: "uri", HTTPOnly: true, Doc: "Same as target."},
	}
}

// translateRequest reads the request from parameters of R4 or R5.
func translateRequest(in *Input) engine.TranslateRequest {
	req := engine.TranslateRequest{
		ID:                in.ID,
		URL:               in.String("url"),
		ConceptMapVersion: in.String("conceptMapVersion"),
		Code:              cmp.Or(in.String("sourceCode"), in.String("code")),
		System:            cmp.Or(in.String("sourceSystem"), in.String("system")),
		Version:           cmp.Or(in.String("sourceVersion"), in.String("version")),
		Coding:            cmp.Or(in.Coding("sourceCoding"), in.Coding("coding")),
		CodeableConcept:   cmp.Or(in.CodeableConcept("sourceCodeableConcept"), in.CodeableConcept("codeableConcept")),
		Source:            cmp.Or(in.String("sourceScope"), in.String("source")),
		Target:            cmp.Or(in.String("targetScope"), in.String("target")),
		TargetSystem:      cmp.Or(in.String("targetSystem"), in.String("targetsystem")),
		Reverse:           isTrue(in, "reverse"),
	}
	for _, p := range translateParamsR5() {
		req.Scoped = req.Scoped || in.Has(p.Name)
	}
	if req.Code != "" || req.Coding != nil || req.CodeableConcept != nil {
		return req
	}
	if in.Has("targetCode") || in.Has("targetCoding") || in.Has("targetCodeableConcept") {
		req.Reverse = true
		req.Code, req.Coding, req.CodeableConcept = in.String("targetCode"), in.Coding("targetCoding"), in.CodeableConcept("targetCodeableConcept")
		req.System, req.TargetSystem = req.TargetSystem, req.System
		req.Version = in.String("targetVersion")
		req.Source, req.Target = req.Target, req.Source
	}
	return req
}

func runTranslate(ctx context.Context, env Env, in *Input) (Result, error) {
	req := translateRequest(in)
	for _, parts := range in.Parts("dependency") {
		facts, err := dependency(parts)
		if err != nil {
			return nil, err
		}
		req.DependsOn = append(req.DependsOn, facts...)
	}
	if raw := in.Resource("conceptMap"); raw != nil {
		m, err := r4.DecodeConceptMap(raw)
		if err != nil {
			return nil, &engine.ParameterError{Name: "conceptMap", Problem: engine.ErrInvalidParameter, Cause: err}
		}
		req.ConceptMap = m
	}
	return result(env.Engine.Translate(ctx, &req))
}

// dependency reads one dependency parameter: one value for each coding, and one for the text of
// the concept.
func dependency(parts []r4.Parameter) ([]r4.ConceptMapDependsOn, error) {
	element := ""
	var concept *r4.CodeableConcept
	for i := range parts {
		switch part := &parts[i]; part.Name {
		case "element":
			element = part.Value.Text
		case "concept":
			concept = part.Value.Concept
		}
	}
	if element == "" || concept == nil {
		return nil, invalid("dependency", "it needs the parts element (a uri) and concept (a CodeableConcept)")
	}
	facts := make([]r4.ConceptMapDependsOn, 0, len(concept.Coding)+1)
	for i := range concept.Coding {
		c := &concept.Coding[i]
		facts = append(facts, r4.ConceptMapDependsOn{Property: element, System: c.System, Value: c.Code})
	}
	if concept.Text != "" {
		facts = append(facts, r4.ConceptMapDependsOn{Property: element, Value: concept.Text})
	}
	return facts, nil
}
