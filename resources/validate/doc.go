// Package validate checks FHIR R4 documents against the definitions of their types: names of
// elements, JSON types, lexical forms, cardinalities, choices, required bindings to closed lists of
// codes, references, contained resources, narrative and constraints. It reports all problems of a
// document at once, each with the FHIRPath expression of its element.
//
// The rules are those of the R4 base definitions, read from package definitions, with the few
// exceptions of tolerancesOf. It evaluates the constraints that R4 expresses in FHIRPath, except
// those that are written in Go (written) or corrected (corrected). It ignores profiles. See
// docs/decisions/0026-validation.md.
//
// Source: https://hl7.org/fhir/R4/json.html, datatypes.html, references.html, extensibility.html
// and narrative.html.
package validate
