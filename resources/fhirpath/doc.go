// Package fhirpath evaluates the subset of FHIRPath that search parameters and FHIRPath Patch of R4
// use, on a document.Document with the types of definitions.Tables:
//
//	paths            Patient.name.given, value (all variants of value[x]), $this, %resource, %context
//	indexers         name[0]
//	types            value as Quantity, value.as(Quantity), ofType(…), is
//	functions        where, exists, empty, not, all, count, first, last, tail, single,
//	                 extension, hasExtension, resolve
//	operators        | = != and or xor implies, and parentheses
//	literals         'text', 12, 1.50, true, @2020-01-01, {}
//
// An expression is compiled once and safe for concurrent use. It is evaluated in a Scope, which is
// for one goroutine and reuses its memory.
//
// As in search parameters, as(T) and "as T" select the items of a type from any number of items,
// type names of primitives may begin with a capital letter, and a path that begins with the name of
// another type is empty.
//
// Source: http://hl7.org/fhirpath/N1, https://hl7.org/fhir/R4/fhirpath.html.
package fhirpath
