package synth

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
