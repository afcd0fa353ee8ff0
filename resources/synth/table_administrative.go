package synth

// administrativeRows are the types that tell of people, organizations, places and things.
var administrativeRows = []typeRow{
	{
		name: "Patient", doc: "Patients with names of many cultures, addresses, contacts and languages.", make: patient,
		roles: []role{rolePractitioner, roleOrganization},
	},
	{
		name: "Practitioner", doc: "Doctors with their qualification.", make: practitioner,
		roles: []role{roleOrganization}, codes: []string{"Practitioner.qualification.code"},
	},
	{name: "Organization", doc: "Providers with their departments, and others.", make: organization, roles: []role{roleEndpoint}},
	{name: "Location", doc: "Houses and their wards, rooms and beds.", make: location, roles: []role{roleOrganization, roleEndpoint}},
	{name: "RelatedPerson", doc: "Relatives, friends and guardians of patients.", make: relatedPerson, roles: []role{rolePatient}},
	{
		name: "HealthcareService", doc: "What organizations offer, and when.", make: healthcareService,
		roles: []role{roleOrganization, roleLocation, roleEndpoint},
		codes: []string{"HealthcareService.type", "HealthcareService.specialty", "HealthcareService.characteristic", "HealthcareService.eligibility.code"},
	},
	{
		name: "OrganizationAffiliation", doc: "What organizations are to each other.", make: organizationAffiliation,
		roles: []role{roleOrganization, roleParticipating, roleNetwork, roleLocation, roleHealthcareService, roleEndpoint},
		codes: []string{"OrganizationAffiliation.specialty"},
	},
	{
		name: "Device", doc: "Devices with their unique identifiers.", make: device,
		roles: []role{rolePatient, roleOrganization, roleLocation, roleDeviceDefinition},
		codes: []string{"Device.type", "Device.specialization.systemType", "Device.version.type", "Device.property.type", "Device.property.valueCode", "Device.safety"},
	},
	{
		name: "SupplyRequest", doc: "Requests for supplies, to wards and to patients.", make: supplyRequest,
		roles: []role{rolePatient, rolePractitioner, roleOrganization, roleLocation, roleDevice, roleMedication, roleSubstance, roleCondition},
		codes: []string{"SupplyRequest.itemCodeableConcept", "SupplyRequest.parameter.code", "SupplyRequest.parameter.valueCodeableConcept"},
	},
}

// administrativeLists are the lists of the document for them, and those of R4.
var administrativeLists = []*list{
	&patientGender, &patientMaritalStatus, &patientContactRelationship, &patientLink, &identifierType,
	&organizationType, &organizationContact, &locationStatus, &locationOperational, &locationType, &locationUnit, &locationSite, &locationPart,
	&relationship, &referralMethod, &weekdays, &affiliationRole, &serviceCategory, &serviceOther, &serviceProvision, &serviceProgram,
	&deviceStatus, &deviceNameType, &deviceOn, &deviceOff, &deviceEntry, &supplyStatus, &supplyCategory, &supplyPriority, &supplyReason,
}
