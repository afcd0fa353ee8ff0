// Package patch changes parts of a resource, in three forms: JSON Patch (RFC 6902), JSON
// Merge Patch (RFC 7396), and FHIRPath Patch, the Parameters resource of R4. What a patch
// does not name keeps every byte: white space, order of members, and the digits of decimals.
//
// A patch is read once, which finds what is malformed, and applied to one document or many.
// Whether the result is a valid resource is for the package validate to say.
//
// Source: https://hl7.org/fhir/R4/http.html#patch, https://hl7.org/fhir/R4/fhirpatch.html.
package patch
