package synth

import "sync"

// ClinicURL is the canonical URL of Clinic, a small code system of the project. Codes of elements
// without a documented list are drawn from it. It is a hierarchy, so searches with :below have
// something to find: Condition?code:below=…/clinic|infection.
const ClinicURL = roget + "CodeSystem/clinic"

// A term is a concept of Clinic.
type term struct{ code, display, parent string }

// A branch is a part of Clinic that codes are drawn from: the leaves below one concept.
type branch int

const (
	branchDisease branch = iota
	branchSymptom
	branchBodySite
	branchReason
	branchEncounterType
	branchVital
	branchLaboratory
	branchLabPanel
	branchImaging
	branchPathology
	branchReferral
	branchRehabilitation
	branchVaccine
	branchMedication
	branchRoute
	branchDevice
	branchSupply
	branchSpecialty
	branchServiceType
	branchCharacteristic
	branchTopic
	branchServiceCharacteristic
	branchEligibility
	branchDeviceCapability
	branchDeviceVersion
	branchDeviceProperty
	branchDeviceSafety
	branchMaterial
	branchSupplyParameter
	branchColour
	branchStage
	branchStaging
	branchCardiac
	branchNursing
	branchLaboratoryConclusion
	branchImagingConclusion
	branchPathologyConclusion
	branchNursingConclusion
	branchCardiacConclusion
	branchCount
)

// branchRoots are the root concepts of the branches.
var branchRoots = [branchCount]string{
	branchDisease: "disease", branchSymptom: "symptom", branchBodySite: "body-site", branchReason: "reason", branchEncounterType: "encounter-type",
	branchVital: "vital-sign", branchLaboratory: "laboratory-test", branchLabPanel: "laboratory-panel", branchImaging: "imaging-procedure",
	branchPathology: "pathology-examination", branchReferral: "referral", branchRehabilitation: "rehabilitation", branchVaccine: "vaccine",
	branchMedication: "medication", branchRoute: "route", branchDevice: "device", branchSupply: "supply", branchSpecialty: "specialty",
	branchServiceType: "service-type", branchCharacteristic: "characteristic", branchTopic: "topic",
	branchServiceCharacteristic: "service-characteristic", branchEligibility: "eligibility",
	branchDeviceCapability: "device-capability", branchDeviceVersion: "device-version", branchDeviceProperty: "device-property",
	branchDeviceSafety: "device-safety", branchMaterial: "material", branchSupplyParameter: "supply-parameter", branchColour: "colour",
	branchStage: "stage", branchStaging: "staging", branchCardiac: "cardiac-ultrasound", branchNursing: "nursing-assessment",
	branchLaboratoryConclusion: "laboratory-conclusion", branchImagingConclusion: "imaging-conclusion",
	branchPathologyConclusion: "pathology-conclusion", branchNursingConclusion: "nursing-conclusion",
	branchCardiacConclusion: "cardiac-conclusion",
}

// clinicTerms returns all concepts, parents before their children. The tables are in clinic_*.go.
func clinicTerms() [][]term {
	return [][]term{
		conditionTerms, serviceTerms, deviceTerms,
		topicTerms, answerTerms, painQualities, coldSigns, testResults, difficulties, smokingHabits, allergens,
		encounterTerms, vitalTerms, laboratoryTerms, imagingTerms, pathologyTerms, medicationTerms, referralTerms,
	}
}

// clinic is the code system, prepared for drawing.
type clinic struct {
	leaves [branchCount][]Coding
	codes  map[string]Coding // by code
}

// loadClinic returns Clinic. It is built once.
var loadClinic = sync.OnceValue(newClinic)

// newClinic collects the leaves of each branch in the order of the tables.
func newClinic() *clinic {
	branches := map[string]branch{} // by concept
	for b, root := range branchRoots {
		branches[root] = branch(b)
	}
	above := map[string]bool{}
	for _, terms := range clinicTerms() {
		for _, t := range terms {
			above[t.parent] = true
			if b, ok := branches[t.parent]; ok {
				if _, root := branches[t.code]; !root {
					branches[t.code] = b
				}
			}
		}
	}
	c := &clinic{codes: map[string]Coding{}}
	for _, terms := range clinicTerms() {
		for _, t := range terms {
			c.codes[t.code] = t.coding()
			if b, ok := branches[t.code]; ok && !above[t.code] {
				c.leaves[b] = append(c.leaves[b], t.coding())
			}
		}
	}
	return c
}

// coding returns the Coding of a concept of Clinic.
func (t term) coding() Coding { return Coding{ClinicURL, t.code, t.display} }
