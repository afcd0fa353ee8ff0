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
