package synth

// A role is the purpose of a reference. It is an index into roles.
type role int

// The roles up to roleGroup have types that can be generated. The others are written only if an
// option sets the reference.
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

// roleRow describes a role.
type roleRow struct {
	option string // name of the option that sets the reference
	typ    string // type of the referenced resource
	// share is the number of consecutive resources that refer to the same one by default: 1 if
	// each has its own, 0 for no reference.
	share     uint64
	alsoTypes string // other types that the reference may have
	doc       string
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
	roleQuestionnaire:     {"questionnaire_ref", "Questionnaire", 0, "", "Canonical of the questionnaire; by default the one of the template."},
	roleAuthor:            {"author_ref", "Practitioner", 0, "PractitionerRole Patient RelatedPerson Organization Device", "The author of the response."},
	roleSource:            {"source_ref", "Patient", 0, "Practitioner PractitionerRole RelatedPerson", "The person who answered."},
	roleConsent:           {"consent_ref", "Consent", 0, "", "The consent."},
	roleEndpoint:          {"endpoint_ref", "Endpoint", 0, "", "The endpoint."},
	roleAppointment:       {"appointment_ref", "Appointment", 0, "", "The appointment."},
	roleEpisodeOfCare:     {"episode_of_care_ref", "EpisodeOfCare", 0, "", "The episode of care."},
	roleCarePlan:          {"care_plan_ref", "CarePlan", 0, "", "The care plan."},
	roleProcedure:         {"procedure_ref", "Procedure", 0, "", "The procedure."},
	roleMedication:        {"medication_ref", "Medication", 0, "", "The medication, instead of a code."},
	roleSubstance:         {"substance_ref", "Substance", 0, "", "The substance."},
	rolePlanDefinition:    {"plan_definition_ref", "PlanDefinition", 0, "", "The protocol."},
	roleDeviceDefinition:  {"device_definition_ref", "DeviceDefinition", 0, "", "The definition of the device."},
	roleParticipating:     {"participating_organization_ref", "Organization", 0, "", "The participating organization; by default one with a higher number."},
	roleNetwork:           {"network_ref", "Organization", 0, "", "The network; by default an organization with a higher number."},
}

// ref returns the reference for a role: the one set by the story, the one set by an option, or
// the resource of the same seed that Generator would create. It is "" if there is none.
func (d *draft) ref(r role) string {
	if n, made := d.made(r); made {
		return d.other(roles[r].typ, n)
	}
	return d.given(r)
}

// made returns the number of the generated resource for a role. made is false if the story or an
// option sets the reference, and if there is none.
func (d *draft) made(r role) (n uint64, made bool) {
	switch {
	case d.inStory || roles[r].share == 0 || d.given(r) != "":
		return 0, false
	case r == rolePatient:
		return d.patientNumber(), true
	}
	return d.number / roles[r].share, true
}

// refer writes the Reference for a role, if any.
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

// refers writes a list with the Reference for a role, if any.
func (d *draft) refers(name string, r role) {
	if _, made := d.made(r); made || d.given(r) != "" {
		d.list(name)
		d.refer("", r)
		d.end()
	}
}

// isPart reports whether Encounter n is by default a part of Encounter n-1. All resources with
// such a number then belong to the patient of the number before.
func isPart(n uint64) bool { return n%16 == 15 }

// patientNumber returns the default number of the patient of a resource. In a story it is the
// number of the patient.
func (d *draft) patientNumber() uint64 {
	if !d.inStory && isPart(d.number) {
		return d.number - 1
	}
	return d.number
}

// given returns the reference for a role that the story or an option sets, or "".
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

// noteReference records a reference by canonical URL to resource n of a type of the same seed.
func (d *draft) noteReference(typ string, n uint64) {
	if d.follow {
		d.refs = append(d.refs, d.other(typ, n))
	}
}
