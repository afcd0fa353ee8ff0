// Package profile checks documents against profiles: StructureDefinitions that constrain a type of
// R4, and definitions of extensions.
//
// A Checker compiles a definition to a tree of the elements that it constrains. A snapshot is used
// if there is one, and otherwise the differential over the compiled tree of its base. The tree of a
// type of R4 itself is empty, because package validate checks what the types require: a document is
// valid if neither package reports an error.
//
// Compiled definitions are kept until the Generation of their Source changes. Sizes, depths and the
// number of steps of a check are limited, and a profile that is unknown or cannot be compiled is
// reported as a warning that names it.
//
// Source: https://hl7.org/fhir/R4/profiling.html, https://hl7.org/fhir/R4/structuredefinition.html,
// https://hl7.org/fhir/R4/elementdefinition.html, https://hl7.org/fhir/R4/defining-extensions.html.
package profile
