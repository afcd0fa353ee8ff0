// Package bulk moves many resources at once. Import reads files and folders of bundles, NDJSON and
// single resources into a resources.Service. Export writes the resources of a service as NDJSON.
//
// Source: https://hl7.org/fhir/R4/bundle.html, https://hl7.org/fhir/R4/nd-json.html.
package bulk
