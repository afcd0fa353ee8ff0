// Package samples holds small code systems, value sets and a concept map of our own,
// to try Roget with before there is anything to load. The program publishes them
// unless told otherwise; every url begins with https://roget.health/fhir/.
//
//	CodeSystem/animals            a polyhierarchy: several parents, three languages,
//	                              properties, abstract and inactive concepts
//	CodeSystem/triage-colours     flat, codes in any case
//	CodeSystem/clinic             a hierarchy: what synthetic resources are about
//	ValueSet/pets                 what is below a concept
//	ValueSet/four-legged          by a property, active only
//	ValueSet/wild-four-legged     an import and an exclude
//	ValueSet/urgent-colours       a list of codes
//	ValueSet/clinic-diseases      all below a concept
//	ValueSet/clinic-infections    a concept with all below it
//	ConceptMap/triage-to-priority from triage colours to FHIR request priorities
package samples

import (
	"embed"
	"io/fs"
)

//go:embed *.json
var files embed.FS

// Files returns the samples, one FHIR resource a JSON file, in the root of a read-only
// file system.
func Files() fs.FS { return files }
