// Package patch changes parts of a resource, in three forms: JSON Patch (RFC 6902), JSON Merge
// Patch (RFC 7396), and FHIRPath Patch, the Parameters resource of R4. Parts that a patch does not
// name keep all bytes: white space, order of members, and the digits of decimals.
//
// A patch is parsed once, which finds malformed patches, and applied to any number of documents.
// Package validate decides whether the result is a valid resource.
//
// Source: https://hl7.org/fhir/R4/http.html#patch, https://hl7.org/fhir/R4/fhirpatch.html.
package patch
