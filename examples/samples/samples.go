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
	"iter"

	"github.com/roget-health/roget/resources/synth"
)

//go:embed *.json
var files embed.FS

// All yields the samples in JSON, by names such as ValueSet-pets.json. CodeSystem/clinic has no file here:
// synthetic resources are written from what it lists.
func All() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		if !yield("CodeSystem-clinic.json", synth.Clinic()) {
			return
		}
		list, _ := files.ReadDir(".")
		for _, file := range list {
			text, _ := files.ReadFile(file.Name())
			if !yield(file.Name(), text) {
				return
			}
		}
	}
}
