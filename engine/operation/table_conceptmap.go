package operation

import (
	"cmp"
	"context"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

var translate = Operation{
	Name: "translate", Type: "ConceptMap", Instance: true, Command: "translate",
	Summary: "Give the codes another system has for a code",
	Doc: "Gives the mappings of a code by one concept map, or when none is named by every published one that fits and by the reference sets of SNOMED CT that are maps. " +
		"With reverse, the code is a target and the answer has the sources. A request may use the words of R5 (sourceCode, " +
		"targetCode and so on) instead: then the value sets it names, and those the maps name, limit the codes that are translated.",
	Spec: "https://hl7.org/fhir/R4/conceptmap-operation-translate.html",
	In: with([]Param{
		{Name: "url", Type: "uri", Doc: "Canonical of the concept map, url|version is understood; http://snomed.info/sct?fhir_cm=ID stands for a reference set. All maps when absent."},
		{Name: "conceptMap", Type: "ConceptMap", HTTPOnly: true, Doc: "A concept map given with the request, instead of url."},
		{Name: "conceptMapVersion", Type: "string", Doc: "Version of the concept map; the default version when absent."},
		{Name: "code", Type: "code", Arg: 1, Doc: "The code to translate. Required unless coding or codeableConcept is given."},
		{Name: "system", Type: "uri", Doc: "Code system of the code."},
		{Name: "version", Type: "string", Doc: "Version of that code system."},
		{Name: "source", Type: "uri", Doc: "Value set the code is from: only maps from it are used."},
		codingParam("The coding to translate, instead of code and system."),
		codeableConceptParam("The concept to translate: all its codings are."),
		{Name: "target", Type: "uri", Doc: "Value set the translation should be in: only maps to it are used."},
		{Name: "targetsystem", Type: "uri", Doc: "Code system the translation should be in."},
		{Name: "dependency", Many: true, Doc: "A further fact known, for mappings that depend on one: the parts element and concept; element=system|code in the terminal. Mappings that depend on another value of the element are left out.", Part: []Param{
			{Name: "element", Type: "uri", Min: 1, Doc: "The element, as in dependsOn.property of the map."},
			{Name: "concept", Type: "CodeableConcept", Min: 1, Doc: "Its value."},
		}},
		{Name: "reverse", Type: "boolean", Default: "false", Doc: "Go from target to source."},
	}, translateParamsR5(), requestParams()),
	Out: []Param{
		{Name: "result", Type: "boolean", Min: 1, Doc: "Whether there is a translation: a match that is not unmatched or disjoint."},
		{Name: "message", Type: "string", Doc: "What is wrong, when there is none."},
		{Name: "match", Many: true, Doc: "A translation.", Part: []Param{
			{Name: "equivalence", Type: "code", Doc: "How close it is, from http://hl7.org/fhir/concept-map-equivalence."},
			{Name: "concept", Type: "Coding", Doc: "The translation."},
			{Name: "product", Many: true, Doc: "A further element the mapping produces.", Part: []Param{
				{Name: "element", Type: "uri", Doc: "The element."},
				{Name: "concept", Type: "Coding", Doc: "Its value."},
			}},
			{Name: "source", Type: "uri", Doc: "Canonical of the concept map."},
			{Name: "originMap", Type: "canonical", Doc: "The same, url|version, for a request in the words of R5."},
			{Name: "comment", Type: "string", Doc: "What the map remarks on it."},
		}},
	},
	Run: runTranslate,
}

// translateParamsR5 are the words of R5 for what is to be translated. A code of the
// target side is one to translate back.
func translateParamsR5() []Param {
	return []Param{
		{Name: "sourceCode", Type: "code", HTTPOnly: true, Doc: "As code."},
		{Name: "sourceSystem", Type: "uri", HTTPOnly: true, Doc: "As system; with a code of the target side, the system to translate it back to."},
		{Name: "sourceVersion", Type: "string", HTTPOnly: true, Doc: "As version."},
		{Name: "sourceCoding", Type: "Coding", HTTPOnly: true, Doc: "As coding."},
		{Name: "sourceCodeableConcept", Type: "CodeableConcept", HTTPOnly: true, Doc: "As codeableConcept."},
		{Name: "sourceScope", Type: "uri", HTTPOnly: true, Doc: "Value set that the code must be in to be translated."},
		{Name: "targetCode", Type: "code", HTTPOnly: true, Doc: "A code of the target side to translate back, with targetSystem."},
		{Name: "targetSystem", Type: "uri", HTTPOnly: true, Doc: "As targetsystem; the system of targetCode."},
		{Name: "targetVersion", Type: "string", HTTPOnly: true, Doc: "Version of the system of targetCode."},
		{Name: "targetCoding", Type: "Coding", HTTPOnly: true, Doc: "A coding of the target side to translate back."},
		{Name: "targetCodeableConcept", Type: "CodeableConcept", HTTPOnly: true, Doc: "A concept of the target side to translate back."},
		{Name: "targetScope", Type: "uri", HTTPOnly: true, Doc: "As target."},
	}
}

// translateRequest reads what is to be translated, in the words of R4 or of R5.
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

// dependency reads one dependency parameter: a fact for each coding and for the text of
// its concept.
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
