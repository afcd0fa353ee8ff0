package definitions

// ownParam is a search parameter that R4 lacks or defines differently.
type ownParam struct {
	Type, Code  string
	Kind        ParamKind
	Expression  string
	components  [][2]string // code of the parameter, expression
	alternative string      // code of SearchParam.Alternative
}

// ownParams are the search parameters of this project. In R4, DiagnosticReport.conclusion is a
// token on the codes, which are conclusion-code here. Group.characteristic is a token in R4 and a
// composite here, and characteristic-value the reverse. ImagingStudy.modality is that of the series
// in R4, and here also that of the study. DocumentReference.relationship has its two component
// parameters interchanged in R4.
var ownParams = []ownParam{
	{Type: "Immunization", Code: "site", Kind: Token, Expression: "Immunization.site"},
	{Type: "Immunization", Code: "route", Kind: Token, Expression: "Immunization.route"},
	{Type: "ImagingStudy", Code: "modality", Kind: Token, Expression: "ImagingStudy.modality | ImagingStudy.series.modality"},
	{Type: "SupplyRequest", Code: "priority", Kind: Token, Expression: "SupplyRequest.priority"},
	{Type: "ResearchStudy", Code: "phase", Kind: Token, Expression: "ResearchStudy.phase"},
	{Type: "ResearchStudy", Code: "condition", Kind: Token, Expression: "ResearchStudy.condition"},
	{Type: "DiagnosticReport", Code: "conclusion", Kind: String, Expression: "DiagnosticReport.conclusion", alternative: "conclusion-code"},
	{Type: "DiagnosticReport", Code: "conclusion-code", Kind: Token, Expression: "DiagnosticReport.conclusionCode"},
	{Type: "Group", Code: "name", Kind: String, Expression: "Group.name"},
	{
		Type: "Group", Code: "characteristic", Kind: Composite, Expression: "Group.characteristic", alternative: "characteristic-code",
		components: [][2]string{{"characteristic-code", "code"}, {"characteristic-value", "value"}},
	},
	{Type: "Group", Code: "characteristic-code", Kind: Token, Expression: "Group.characteristic.code"},
	{
		Type: "Group", Code: "characteristic-value", Kind: Token, Expression: "(Group.characteristic.value as CodeableConcept) | (Group.characteristic.value as boolean)",
		alternative: "characteristic",
	},
	{
		Type: "DocumentReference", Code: "relationship", Kind: Composite, Expression: "DocumentReference.relatesTo",
		components: [][2]string{{"relation", "code"}, {"relatesto", "target"}},
	},
}

// ownMembers are members of compartments that R4 does not include.
var ownMembers = []struct{ compartment, typ, param string }{
	{"Patient", "Device", "patient"},
}
