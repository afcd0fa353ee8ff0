package synth

// relationship are the relationships of a person to a patient. The order matters: 16 descendants
// and general family members, 4 spouses, 9 parents, 7 siblings, 6 others. The sexes are in
// relationshipSexes.
var relationship = codeList{
	path: "RelatedPerson.relationship", system: "http://terminology.hl7.org/CodeSystem/v3-RoleCode",
	codes: []weightedCode{
		{"FAMMEMB", "family member", 4, false},
		{"CHILD", "child", 4, false},
		{"CHLDADOPT", "adopted child", 2, false},
		{"DAUADOPT", "adopted daughter", 2, false},
		{"SONADOPT", "adopted son", 2, false},
		{"CHLDFOST", "foster child", 2, false},
		{"DAUFOST", "foster daughter", 2, false},
		{"SONFOST", "foster son", 2, false},
		{"DAUC", "daughter", 5, false},
		{"SONC", "son", 5, false},
		{"STPCHLD", "step child", 2, false},
		{"STPDAU", "stepdaughter", 2, false},
		{"STPSON", "stepson", 2, false},
		{"NCHILD", "natural child", 3, false},
		{"DAU", "natural daughter", 5, false},
		{"SON", "natural son", 5, false},
		{"SPS", "spouse", 8, false},
		{"HUSB", "husband", 10, false},
		{"WIFE", "wife", 10, false},
		{"DOMPART", "domestic partner", 5, false},
		{"PRN", "parent", 4, false},
		{"FTH", "father", 6, false},
		{"MTH", "mother", 8, false},
		{"NPRN", "natural parent", 3, false},
		{"NFTH", "natural father", 4, false},
		{"NMTH", "natural mother", 4, false},
		{"STPPRN", "step parent", 2, false},
		{"STPFTH", "stepfather", 2, false},
		{"STPMTH", "stepmother", 2, false},
		{"SIB", "sibling", 3, false},
		{"BRO", "brother", 5, false},
		{"SIS", "sister", 5, false},
		{"HBRO", "half-brother", 2, false},
		{"HSIS", "half-sister", 2, false},
		{"STPBRO", "stepbrother", 2, false},
		{"STPSIS", "stepsister", 2, false},
		{"ECON", "emergency contact", 6, false},
		{"GUARD", "guardian", 3, false},
		{"POWATT", "power of attorney", 3, false},
		{"DPOWATT", "durable power of attorney", 2, false},
		{"FRND", "unrelated friend", 5, false},
		{"NBOR", "neighbor", 4, false},
	},
}

// relationshipSexes are the sexes of the codes of relationship: f, m, or - for any.
const relationshipSexes = "---fm-fmfm-fm-fm" + "-mf-" + "-mf-mf-mf" + "-mfmfmf" + "------"

// A kinship is a group of codes of relationship.
type kinship int

const (
	kinChild kinship = iota
	kinSpouse
	kinParent
	kinSibling
	kinOther
)

// kinshipOf returns the group of code n of relationship.
func kinshipOf(n int) kinship {
	switch {
	case n == 0 || n >= 36: // a general family member may be anyone
		return kinOther
	case n < 16:
		return kinChild
	case n < 20:
		return kinSpouse
	case n < 29:
		return kinParent
	}
	return kinSibling
}
