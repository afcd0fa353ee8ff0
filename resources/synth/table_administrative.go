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
}

// administrativeLists are the lists of the document for them, and those of R4.
var administrativeLists = []*list{
	&patientGender, &patientMaritalStatus, &patientContactRelationship, &patientLink, &identifierType,
	&organizationType, &organizationContact, &locationStatus, &locationOperational, &locationType, &locationUnit, &locationSite, &locationPart,
}
