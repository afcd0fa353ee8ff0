// Package fhirpath evaluates FHIRPath on a document.Document with the types of definitions.Tables.
// It has what N1 and R4 define:
//
//	paths        Patient.name.given, value (all variants of value[x]), name[0], $this, $index, $total
//	variables    %resource, %rootResource, %context, %ucum, %sct, %loinc, %`vs-name`, %`ext-name`
//	types        value as Quantity, value.as(Quantity), ofType(…), is
//	existence    empty exists all allTrue anyTrue allFalse anyFalse subsetOf supersetOf count distinct isDistinct
//	selection    where select repeat aggregate first last tail skip take single intersect exclude union combine
//	             iif children descendants extension hasExtension resolve hasValue getValue trace
//	texts        contains startsWith endsWith matches replace replaceMatches substring indexOf length upper lower
//	             trim & +
//	numbers      + - * / div mod abs ceiling floor round truncate sqrt exp ln log power
//	views        join lowBoundary highBoundary getResourceKey getReferenceKey, %rowIndex and constants
//	conversion   toString toInteger toDecimal toBoolean toDate toDateTime toTime toQuantity convertsTo…
//	dates        now today timeOfDay, and + and - of 3 days and other durations
//	operators    = != ~ !~ < <= > >= in contains | and or xor implies not()
//	literals     'text', 12, 1.50, true, @2020-01-01T10:00Z, @T10:00, 4 days, 5 'mg', {}
//
// memberOf, conformsTo, subsumes, subsumedBy and htmlChecks are answered by the caller (Scope.Answer).
// Not supported are toChars, type, elementDefinition, slice and checkModifiers. Quantities are
// compared only if they have the same unit. resolve() finds contained resources, and of others only
// the type. Regular expressions are RE2, and match if a part of the text does.
//
// An expression is compiled once and safe for concurrent use. It is evaluated in a Scope, which is
// for one goroutine and reuses its memory.
//
// As in search parameters, as(T) and "as T" select the items of a type from any number of items,
// type names of primitives may begin with a capital letter, a path that begins with the name of
// another type is empty, and a union does not repeat a place of the document but keeps equal values
// of different places. The right operand of and, or and implies is not evaluated if the left one
// decides.
//
// The key of a resource is its id. The key of a reference is the id in it, empty for references to
// other servers and to contained resources.
//
// Source: http://hl7.org/fhirpath/N1, https://sql-on-fhir.org, https://hl7.org/fhir/R4/fhirpath.html.
package fhirpath
