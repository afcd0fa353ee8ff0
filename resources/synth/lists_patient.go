package synth

var (
	patientGender = list{
		path: "Patient.gender",
		codes: []listed{
			{"male", "", 48, false},
			{"female", "", 48, false},
			{"other", "", 2, false},
			{"unknown", "", 2, false},
		},
	}
	patientMaritalStatus = list{
		path: "Patient.maritalStatus", system: "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus",
		codes: []listed{
			{"A", "Annulled", 2, false},
			{"D", "Divorced", 12, false},
			{"I", "Interlocutory", 2, false},
			{"L", "Legally Separated", 4, false},
			{"M", "Married", 45, false},
			{"P", "Polygamous", 2, false},
			{"S", "Never Married", 15, false},
			{"T", "Domestic partner", 6, false},
			{"U", "unmarried", 4, false},
			{"W", "Widowed", 8, false},
		},
	}
	// The document has no codes for the elements that follow: these are R4's.
	patientContactRelationship = list{
		path: "Patient.contact.relationship", system: "http://terminology.hl7.org/CodeSystem/v2-0131",
		codes: []listed{
			{"C", "Emergency Contact", 55, false},
			{"N", "Next-of-Kin", 30, false},
			{"CP", "Contact person", 7, false},
			{"E", "Employer", 5, false},
			{"BP", "Billing contact person", 3, false},
		},
	}
	patientLink = list{
		path: "Patient.link.type",
		codes: []listed{
			{"replaced-by", "", 20, false},
			{"replaces", "", 20, false},
			{"refer", "", 20, false},
			{"seealso", "", 40, false},
		},
	}
	identifierType = list{
		path: "Identifier.type", system: "http://terminology.hl7.org/CodeSystem/v2-0203",
		codes: []listed{
			{"MR", "Medical record number", 70, false},
			{"HC", "Health Card Number", 10, false},
			{"DL", "Driver's license number", 5, false},
			{"PPN", "Passport number", 5, false},
			{"PRN", "Provider number", 5, false},
			{"SNO", "Serial Number", 5, false},
			{"MD", "Medical License number", 5, false},
			{"XX", "Organization identifier", 5, false},
		},
	}
)
