// Package search finds resources: it reads search strings into a Query, plans and runs
// it on an index.Reader, and decides matches on index.Values, so that every store answers
// alike.
//
// Source: https://hl7.org/fhir/R4/search.html.
package search
