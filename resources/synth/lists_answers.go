package synth

// responseStatus are the states of QuestionnaireResponse.
var responseStatus = list{
	path: "QuestionnaireResponse.status",
	codes: []listed{
		{"in-progress", "", 10, false},
		{"completed", "", 72, false},
		{"amended", "", 9, false},
		{"entered-in-error", "", 3, false},
		{"stopped", "", 6, false},
	},
}

// groupType are the types of members of Group.
var groupType = list{
	path: "Group.type",
	codes: []listed{
		{"person", "", 50, false},
		{"animal", "", 8, false},
		{"practitioner", "", 15, false},
		{"device", "", 15, false},
		{"medication", "", 6, false},
		{"substance", "", 6, false},
	},
}
