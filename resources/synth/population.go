package synth

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// PopulationOptions select the patients to generate.
type PopulationOptions struct {
	// Seed determines all random choices.
	Seed uint64
	// First is the number of the first patient. Adjacent populations with the same seed are parts
	// of one population, so several machines can share the work. Start each part at a multiple of
	// PatientsPerStudy, so that its studies are complete.
	First uint64
	// Patients is the number of patients.
	Patients uint64
	// Codes are the codes to draw from for elements without a list, as in Options.Codes.
	// CodePaths lists the paths.
	Codes map[string][]Coding
	// Workers is the number of patients generated in parallel. The default is the number of
	// processors. The output does not depend on it.
	Workers int
}

// PatientsPerStudy is the number of consecutive patients who may take part in the same
// ResearchStudy. The Group of its participants is written after the last of them.
const PatientsPerStudy = 200

// MaxPatients is the largest patient number and the largest number of patients.
const MaxPatients = 1 << 40

// A Population generates patients with their histories. It is immutable and safe for concurrent
// use.
//
// Patient i is resource i of the generator for Patient. Resources that many patients refer to
// (Practitioner, Organization, …) are those of the generators for their types and precede the
// first patient that needs them. Resources about a single patient have ids of the form SEED-i-k
// and follow the patient in chronological order. Referenced resources come first, with two
// exceptions: the diagnoses of an Encounter follow it, and the Groups that a ResearchStudy or
// Measure refers to are written once they are complete.
type Population struct {
	first, end uint64 // patient numbers; end is exclusive
	seed       uint64
	workers    int
	makers     [kindCount]*Generator
}

// NewPopulation returns a population. Errors: ErrOption.
func NewPopulation(o PopulationOptions) (*Population, error) {
	switch {
	case o.First > MaxPatients:
		return nil, fmt.Errorf("%w: the number of the first patient must be at most %d", ErrOption, uint64(MaxPatients))
	case o.Patients > MaxPatients:
		return nil, fmt.Errorf("%w: the number of patients must be at most %d", ErrOption, uint64(MaxPatients))
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
		if err := p.makers[k].setCodes(p.makers[k].row.codes, path, o.Codes[path]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// A kind is a resource type of a population. It is an index into kindNames.
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

// A sharedRow determines when shared resources of a kind are written.
type sharedRow struct {
	kind kind
	// begin is the number of resources written before the first patient. After that, one more is
	// written before each patient whose number is a multiple of every.
	begin uint64
	every uint64 // 0: no more follow
}

// sharedRows lists the resources that precede a patient, in this order.
var sharedRows = [...]sharedRow{
	{kindCodeSystem, 2, 0},
	{kindValueSet, 2, 0},
	{kindLibrary, 3, 0},
	{kindMeasure, 3, 0},
	{kindQuestionnaire, 5, 0},
	{kindOrganization, 7, roles[roleOrganization].share}, // affiliations refer to organizations up to six numbers ahead
	{kindLocation, 1, roles[roleLocation].share},
	{kindPractitioner, 1, roles[rolePractitioner].share},
	{kindHealthcareService, 1, roles[roleHealthcareService].share},
	{kindOrganizationAffiliation, 1, roles[roleOrganization].share},
	{kindResearchStudy, 1, PatientsPerStudy},
}

// Append appends the lines of one patient, by its number, and returns the number of resources. It
// does not depend on the patients generated before.
func (p *Population) Append(dst []byte, form Form, patient uint64) ([]byte, int) {
	t := newStoryWriter(p, form)
	t.d.buf = dst
	t.chunk(patient)
	return t.d.buf, t.framer.count
}
