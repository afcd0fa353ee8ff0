package synth

// A role is what a reference of a resource is for; it is an index into roles.
type role int

// The roles. Those up to roleDevice and a few more are of types that are made here; the
// others are written only where a reference is given.
const (
	rolePatient role = iota
	rolePractitioner
	roleEncounter
	roleOrganization
	roleLocation
	roleDevice
	roleServiceRequest
	roleObservation
	roleCondition
	roleHealthcareService
	roleStudy
	roleGroup
	roleQuestionnaire
	roleAuthor
	roleSource
	roleConsent
	roleEndpoint
	roleAppointment
	roleEpisodeOfCare
	roleCarePlan
	roleProcedure
	roleMedication
	roleSubstance
	rolePlanDefinition
	roleDeviceDefinition
	roleParticipating
	roleNetwork
	roleCount
)

// roleRow tells of a role.
type roleRow struct {
	option string // name of the option that gives the reference
	typ    string // type of what is referred to
	// share is how many resources in a row refer to the same one when nothing else is said: 1
	// for a patient of its own, 0 for none.
	share uint64
	also  string // other types that may be referred to
	doc   string
}

var roles = [roleCount]roleRow{
	rolePatient:           {"patient_ref", "Patient", 1, "", "The patient."},
	rolePractitioner:      {"practitioner_ref", "Practitioner", 20, "", "The practitioner: requester, performer, participant."},
	roleEncounter:         {"encounter_ref", "Encounter", 1, "", "The encounter."},
	roleOrganization:      {"organization_ref", "Organization", 50, "", "The organization."},
	roleLocation:          {"location_ref", "Location", 50, "", "The location."},
	roleDevice:            {"device_ref", "Device", 1, "", "The device."},
	roleServiceRequest:    {"service_request_ref", "ServiceRequest", 1, "", "The request it is based on."},
	roleObservation:       {"observation_ref", "Observation", 1, "", "The observation."},
	roleCondition:         {"condition_ref", "Condition", 1, "", "The condition."},
	roleHealthcareService: {"healthcare_service_ref", "HealthcareService", 50, "", "The healthcare service."},
	roleStudy:             {"study_ref", "ResearchStudy", 20, "", "The study."},
	roleGroup:             {"group_ref", "Group", 1, "", "The group."},
	roleQuestionnaire:     {"questionnaire_ref", "Questionnaire", 0, "", "Canonical of the questionnaire; by default that of the template."},
	roleAuthor:            {"author_ref", "Practitioner", 0, "PractitionerRole Patient RelatedPerson Organization Device", "Who wrote it down."},
	roleSource:            {"source_ref", "Patient", 0, "Practitioner PractitionerRole RelatedPerson", "Who gave the answers."},
	roleConsent:           {"consent_ref", "Consent", 0, "", "The consent."},
	roleEndpoint:          {"endpoint_ref", "Endpoint", 0, "", "The endpoint."},
	roleAppointment:       {"appointment_ref", "Appointment", 0, "", "The appointment."},
	roleEpisodeOfCare:     {"episode_of_care_ref", "EpisodeOfCare", 0, "", "The episode of care."},
	roleCarePlan:          {"care_plan_ref", "CarePlan", 0, "", "The care plan."},
	roleProcedure:         {"procedure_ref", "Procedure", 0, "", "The procedure."},
	roleMedication:        {"medication_ref", "Medication", 0, "", "The medication, instead of a code."},
	roleSubstance:         {"substance_ref", "Substance", 0, "", "The substance."},
	rolePlanDefinition:    {"plan_definition_ref", "PlanDefinition", 0, "", "The protocol."},
	roleDeviceDefinition:  {"device_definition_ref", "DeviceDefinition", 0, "", "What the device is one of."},
	roleParticipating:     {"participating_organization_ref", "Organization", 0, "", "The organization that takes part; by default one that follows the other."},
	roleNetwork:           {"network_ref", "Organization", 0, "", "The network; by default an organization that follows the other."},
}

// ref returns the reference for a role: the one of the story, else the one that the options
// give, else the resource of its type that Generator makes with the same seed; "" for none.
func (d *draft) ref(r role) string {
	if n, made := d.made(r); made {
		return d.other(roles[r].typ, n)
	}
	return d.given(r)
}

// made returns the number of the resource that Generator makes for a role; made is false where
// the story or the options give the reference, and where there is none.
func (d *draft) made(r role) (n uint64, made bool) {
	switch {
	case d.told || roles[r].share == 0 || d.given(r) != "":
		return 0, false
	case r == rolePatient:
		return d.patientNumber(), true
	}
	return d.number / roles[r].share, true
}

// refer writes the Reference for a role, none when there is none.
func (d *draft) refer(name string, r role) {
	n, made := d.made(r)
	if !made {
		d.reference(name, d.given(r))
		return
	}
	if d.follow {
		d.refs = append(d.refs, d.other(roles[r].typ, n))
	}
	d.object(name)
	d.member("reference")
	d.buf = append(d.g.appendReference(append(d.buf, '"'), roles[r].typ, n), '"')
	d.end()
}

// refers writes a list of the Reference for a role, none when there is none.
func (d *draft) refers(name string, r role) {
	if _, made := d.made(r); made || d.given(r) != "" {
		d.list(name)
		d.refer("", r)
		d.end()
	}
}

// isPart reports whether Encounter n is a part of Encounter n-1, when nothing else is said. The
// patient of everything that has such a number is then that of the number before it.
func isPart(n uint64) bool { return n%16 == 15 }

// patientNumber returns the number of the patient of a resource, when nothing else is said. What
// a story tells of has the number of its patient.
func (d *draft) patientNumber() uint64 {
	if !d.told && isPart(d.number) {
		return d.number - 1
	}
	return d.number
}

// given returns the reference that the story or the options give for a role; "" for none.
func (d *draft) given(r role) string {
	if d.facts.refs[r] != "" {
		return d.facts.refs[r]
	}
	return d.g.refs[r]
}

// other returns the reference to resource n of a type of the same seed.
func (d *draft) other(typ string, n uint64) string {
	return string(d.g.appendReference(make([]byte, 0, 72), typ, n))
}

func (g *Generator) appendReference(dst []byte, typ string, n uint64) []byte {
	return g.appendID(append(append(dst, typ...), '/'), n)
}

// needs notes that resource n of a type of the same seed is referred to, by its canonical.
func (d *draft) needs(typ string, n uint64) {
	if d.follow {
		d.refs = append(d.refs, d.other(typ, n))
	}
}
