package synth

// administrativeRows are the types for people, organizations, places, devices and supplies.
var administrativeRows = []typeRow{
	{
		name: "Patient", doc: "Patients with names from many cultures, addresses, contacts and languages.", make: patient,
		roles: []role{rolePractitioner, roleOrganization},
	},
	{
		name: "Practitioner", doc: "Doctors with their qualification.", make: practitioner,
		roles: []role{roleOrganization}, codes: []string{"Practitioner.qualification.code"},
	},
	{name: "Organization", doc: "Healthcare providers with departments, and other organizations.", make: organization, roles: []role{roleEndpoint}},
	{name: "Location", doc: "Buildings with their wards, rooms and beds.", make: location, roles: []role{roleOrganization, roleEndpoint}},
	{name: "RelatedPerson", doc: "Relatives, friends and guardians of patients.", make: relatedPerson, roles: []role{rolePatient}},
	{
		name: "HealthcareService", doc: "Services of organizations with opening hours.", make: healthcareService,
		roles: []role{roleOrganization, roleLocation, roleEndpoint},
		codes: []string{"HealthcareService.type", "HealthcareService.specialty", "HealthcareService.characteristic", "HealthcareService.eligibility.code"},
	},
	{
		name: "OrganizationAffiliation", doc: "Relationships between organizations.", make: organizationAffiliation,
		roles: []role{roleOrganization, roleParticipating, roleNetwork, roleLocation, roleHealthcareService, roleEndpoint},
		codes: []string{"OrganizationAffiliation.specialty"},
	},
	{
		name: "Device", doc: "Devices with unique device identifiers.", make: device,
		roles: []role{rolePatient, roleOrganization, roleLocation, roleDeviceDefinition},
		codes: []string{"Device.type", "Device.specialization.systemType", "Device.version.type", "Device.property.type", "Device.property.valueCode", "Device.safety"},
	},
	{
		name: "SupplyRequest", doc: "Requests for supplies for wards and patients.", make: supplyRequest,
		roles: []role{rolePatient, rolePractitioner, roleOrganization, roleLocation, roleDevice, roleMedication, roleSubstance, roleCondition},
		codes: []string{"SupplyRequest.itemCodeableConcept", "SupplyRequest.parameter.code", "SupplyRequest.parameter.valueCodeableConcept"},
	},
}

// administrativeLists are the code lists of these types.
var administrativeLists = []*codeList{
	&patientGender, &patientMaritalStatus, &patientContactRelationship, &patientLink, &identifierType,
	&organizationType, &organizationContact, &locationStatus, &locationOperational, &locationType, &locationUnit, &locationSite, &locationPart,
	&relationship, &referralMethod, &weekdays, &affiliationRole, &serviceCategory, &serviceOther, &serviceProvision, &serviceProgram,
	&deviceStatus, &deviceNameType, &deviceOnReason, &deviceOffReason, &deviceEntry, &supplyStatus, &supplyCategory, &supplyPriority, &supplyReason,
}
