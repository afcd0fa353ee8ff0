// Package openapi has the elements of OpenAPI 3.1 documents and makes the parts of them that follow
// from definitions: the schemas of resources from the tables of FHIR (Builder.Type), and the
// parameters, bodies and responses of operations from the operation table (Builder.Query, Request and
// Answer).
//
// What is marshalled has a fixed order, so equal servers have equal documents.
package openapi
