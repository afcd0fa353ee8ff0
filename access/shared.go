package access

import "slices"

// Shared reports whether a type is outside of the compartments of patients and its resources are about
// no patient: directories, products, and definitions. A scope of the level Patient covers reading and
// searching all of them, because the record of a patient refers to them. It never covers changing
// them. All other types outside of the compartment may hold data of patients, such as Binary, Bundle
// and Task; no scope of that level covers them.
func Shared(typ string) bool {
	_, found := slices.BinarySearch(sharedTypes[:], typ)
	return found
}

// sharedTypes are the types of Shared, in ascending order.
var sharedTypes = [...]string{
	"ActivityDefinition", "CapabilityStatement", "ChargeItemDefinition", "CodeSystem", "CompartmentDefinition", "ConceptMap",
	"DeviceDefinition", "Endpoint", "EventDefinition", "GraphDefinition", "HealthcareService", "ImplementationGuide",
	"InsurancePlan", "Library", "Location", "Measure", "Medication", "MedicationKnowledge", "MessageDefinition",
	"NamingSystem", "ObservationDefinition", "OperationDefinition", "Organization", "OrganizationAffiliation",
	"PlanDefinition", "Practitioner", "PractitionerRole", "Questionnaire", "SearchParameter", "SpecimenDefinition",
	"StructureDefinition", "StructureMap", "Substance", "TerminologyCapabilities", "ValueSet",
}
