package synth

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// PopulationOptions say which patients to make.
type PopulationOptions struct {
	// Seed is what everything follows from.
	Seed uint64
	// First is the number of the first patient: populations with the same seed that follow
	// each other are parts of one, which several machines can make. Let parts begin at
	// multiples of PatientsPerStudy, so that each tells of its own studies.
	First uint64
	// Patients is how many patients there are.
	Patients uint64
	// Codes are the codes to draw from for elements that have no list of their own, as in
	// Options.Codes; paths are those of CodePaths.
	Codes map[string][]Coding
	// Workers is how many patients are made at a time. Default: one for each processor. What
	// is made does not depend on it.
	Workers int
}

// PatientsPerStudy is how many patients in a row may take part in the same ResearchStudy.
// The Group of those who do is written after the last of them.
const PatientsPerStudy = 200

// MaxPatients is the largest number a patient may have, and how many there may be.
const MaxPatients = 1 << 40

// A Population is patients with their histories. It is immutable and safe for concurrent
// use.
//
// Patient i is resource i of the generator of Patient, and the resources that many patients
// refer to (Practitioner, Organization, …) are those of the generators of their types; they
// come before the first patient they are for. What tells of one patient has ids of the form
// SEED-i-k and follows the patient, in the order of time. What is referred to comes before,
// but for the diagnoses of an Encounter, which follow it, and the Groups that a ResearchStudy
// and a Measure are about, which are written when they are complete.
type Population struct {
	first, end uint64 // patients, the end not included
	seed       uint64
	workers    int
	makers     [kindCount]*Generator
}

// NewPopulation makes a population. Errors: ErrOption.
func NewPopulation(o PopulationOptions) (*Population, error) {
	if o.First > MaxPatients || o.Patients > MaxPatients {
		return nil, fmt.Errorf("%w: patients are numbered up to %d", ErrOption, uint64(MaxPatients))
	}
	p := &Population{
		first: o.First, end: o.First + o.Patients, seed: o.Seed,
		workers: cmp.Or(max(o.Workers, 0), runtime.GOMAXPROCS(0)),
	}
	for k := range p.makers {
		p.makers[k] = newGenerator(rowOf(kindNames[k]), o.Seed)
	}
	for _, path := range sortedKeys(o.Codes) {
		name, _, _ := strings.Cut(path, ".")
		k := slices.Index(kindNames[:], name)
		if k < 0 {
			return nil, fmt.Errorf("%w: codes of %s cannot be chosen: a population has no %s", ErrOption, path, name)
		}
		if err := p.makers[k].take(p.makers[k].row.codes, path, o.Codes[path]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// A kind is a type of the resources of a population; it is an index into kindNames.
type kind int

const (
	kindPatient kind = iota
	kindPractitioner
	kindOrganization
	kindLocation
	kindHealthcareService
	kindOrganizationAffiliation
	kindQuestionnaire
	kindCodeSystem
	kindValueSet
	kindLibrary
	kindMeasure
	kindResearchStudy
	kindGroup
	kindRelatedPerson
	kindEncounter
	kindCondition
	kindObservation
	kindServiceRequest
	kindDiagnosticReport
	kindImagingStudy
	kindMedicationRequest
	kindImmunization
	kindDevice
	kindSupplyRequest
	kindQuestionnaireResponse
	kindResearchSubject
	kindCount
)

var kindNames = [kindCount]string{
	"Patient", "Practitioner", "Organization", "Location", "HealthcareService", "OrganizationAffiliation", "Questionnaire",
	"CodeSystem", "ValueSet", "Library", "Measure", "ResearchStudy", "Group", "RelatedPerson", "Encounter", "Condition",
	"Observation", "ServiceRequest", "DiagnosticReport", "ImagingStudy", "MedicationRequest", "Immunization", "Device",
	"SupplyRequest", "QuestionnaireResponse", "ResearchSubject",
}

// A sharedRow says when the resources of a kind are written that are not of one patient.
type sharedRow struct {
	kind kind
	// begin is how many there are before the first patient; then there is one more before
	// each patient whose number is a multiple of every.
	begin uint64
	every uint64 // 0: there are no more
}

// shared is what comes before a patient, in this order.
var shared = [...]sharedRow{
	{kindCodeSystem, 2, 0},
	{kindValueSet, 2, 0},
	{kindLibrary, 3, 0},
	{kindMeasure, 3, 0},
	{kindQuestionnaire, 5, 0},
	{kindOrganization, 7, roles[roleOrganization].share}, // affiliations are of organizations up to six numbers on
	{kindLocation, 1, roles[roleLocation].share},
	{kindPractitioner, 1, roles[rolePractitioner].share},
	{kindHealthcareService, 1, roles[roleHealthcareService].share},
	{kindOrganizationAffiliation, 1, roles[roleOrganization].share},
	{kindResearchStudy, 1, PatientsPerStudy},
}

// Append appends the lines of one patient, by its number, and tells how many resources
// they are. It does not matter which patients were made before.
func (p *Population) Append(dst []byte, form Form, patient uint64) ([]byte, int) {
	t := newTeller(p, form)
	t.d.buf = dst
	t.chunk(patient)
	return t.d.buf, t.lines.count
}
