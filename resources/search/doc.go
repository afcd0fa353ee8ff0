// Package search runs FHIR searches. It parses a search string into a Query, plans and runs the
// Query on an index.Reader, and decides matches on index.Values, so that every store returns the
// same results.
//
// The files follow a search: parse* reads the parameters into a Query (query.go), searcher.go and
// run* find a page of matches, plan* choose the index ranges to read, match* decide whether a
// resource matches, and cursor.go makes the links to other pages.
//
// Source: https://hl7.org/fhir/R4/search.html.
package search
