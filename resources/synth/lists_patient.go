package synth

var (
	patientGender = codeList{
		path: "Patient.gender",
		codes: []weightedCode{
			{"male", "", 48, false},
			{"female", "", 48, false},
			{"other", "", 2, false},
			{"unknown", "", 2, false},
		},
	}
	patientMaritalStatus = codeList{
		path: "Patient.maritalStatus", system: "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus",
		codes: []weightedCode{
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
	// The following elements have no documented codes. These are from R4.
	patientContactRelationship = codeList{
		path: "Patient.contact.relationship", system: "http://terminology.hl7.org/CodeSystem/v2-0131",
		codes: []weightedCode{
			{"C", "Emergency Contact", 55, false},
			{"N", "Next-of-Kin", 30, false},
			{"CP", "Contact person", 7, false},
			{"E", "Employer", 5, false},
			{"BP", "Billing contact person", 3, false},
		},
	}
	patientLink = codeList{
		path: "Patient.link.type",
		codes: []weightedCode{
			{"replaced-by", "", 20, false},
			{"replaces", "", 20, false},
			{"refer", "", 20, false},
			{"seealso", "", 40, false},
		},
	}
	identifierType = codeList{
		path: "Identifier.type", system: "http://terminology.hl7.org/CodeSystem/v2-0203",
		codes: []weightedCode{
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
