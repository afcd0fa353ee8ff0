package balp

// A pattern is what the profiles of an interaction state.
type pattern struct {
	profile        string // name of the profile; PatientX is the one with a patient; "" if there is none
	action         string // of AuditEvent.action
	client, server codeableConcept
	user           codeableConcept
	query          bool // the entity is the query, not a resource
}

// Code systems.
const (
	systemEvent       = "http://terminology.hl7.org/CodeSystem/audit-event-type"
	systemInteraction = "http://hl7.org/fhir/restful-interaction"
	systemDICOM       = "http://dicom.nema.org/resources/ontology/DCM"
	systemParticipant = "http://terminology.hl7.org/CodeSystem/v3-ParticipationType"
	systemCustodian   = "http://terminology.hl7.org/CodeSystem/provenance-participant-type"
	systemEntity      = "http://terminology.hl7.org/CodeSystem/audit-entity-type"
	systemRole        = "http://terminology.hl7.org/CodeSystem/object-role"
	systemSource      = "http://terminology.hl7.org/CodeSystem/security-source-type"
	systemTransaction = "https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType"
	profiles          = "https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit."
)

// patterns has the pattern of each interaction. Data flows from its source to its destination; the
// client of a search is the source, of the query.
type patterns struct{ create, read, update, remove, query, history, operation pattern }

func newPatterns() patterns {
	concept := func(system, code, display string) codeableConcept {
		return codeableConcept{Coding: []coding{{system, code, display}}}
	}
	source, destination := concept(systemDICOM, "110153", "Source Role ID"), concept(systemDICOM, "110152", "Destination Role ID")
	author, recipient := concept(systemParticipant, "AUT", "author (originator)"), concept(systemParticipant, "IRCP", "information recipient")
	return patterns{
		create:    pattern{"Create", "C", source, destination, author, false},
		read:      pattern{"Read", "R", destination, source, recipient, false},
		update:    pattern{"Update", "U", source, destination, author, false},
		remove:    pattern{"Delete", "D", concept(systemDICOM, "110150", "Application"), concept(systemCustodian, "custodian", "Custodian"), author, false},
		query:     pattern{"Query", "E", source, destination, recipient, true},
		history:   pattern{"", "R", destination, source, recipient, true},
		operation: pattern{"", "E", source, destination, recipient, true},
	}
}
