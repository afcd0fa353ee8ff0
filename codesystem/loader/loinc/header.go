package loinc

import (
	"cmp"
	"maps"
	"slices"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// propertyBase is where LOINC describes its properties.
const propertyBase = "http://loinc.org/property/"

// described explains the properties whose column in the table does not.
var described = map[string]string{
	"inactive":             "Whether the term or part is deprecated",
	"STATUS":               "Status of the term: ACTIVE, TRIAL, DISCOURAGED or DEPRECATED",
	"COMPONENT":            "What is measured or observed",
	"PROPERTY":             "Kind of quantity or property that is observed",
	"TIME_ASPCT":           "Time over which it is observed",
	"SYSTEM":               "System or specimen in which it is observed",
	"SCALE_TYP":            "Scale of the result",
	"METHOD_TYP":           "Method of the observation",
	"CLASS":                "Class of the term",
	"CLASSTYPE":            "Kind of the class: 1 laboratory, 2 clinical, 3 claims attachments, 4 surveys",
	"ORDER_OBS":            "Whether the term is meant for orders, for observations, or for both",
	"copyright":            "LOINC, or 3rdParty for terms with the copyright of somebody else",
	"MAP_TO":               "Term to use in place of this one",
	"answer-list":          "Answer list of the term",
	"answers-for":          "Term that this answer list answers",
	hasMember:              "Member of the panel, in order; subproperties describe it in this panel",
	memberOf:               "Panel that contains the term",
	externalCode:           "Code of the answer in another system",
	"PartTypeName":         "Kind of the part",
	"AnswerListOID":        "Object identifier of the answer list",
	"CONSUMER_NAME":        "Name for patients",
	"VersionLastChanged":   "Version in which the term was last changed",
	"VersionFirstReleased": "Version in which the term was first published",
}

// newHeader returns the header of the code system, without version and properties.
func newHeader() *r4.CodeSystem {
	h := loader.Header()
	insensitive := false
	h.CaseSensitive = &insensitive
	h.ID, h.URL, h.Name, h.Title = "loinc", System, "LOINC", "LOINC Code System"
	h.Language = "en"
	h.Publisher = "Regenstrief Institute, Inc."
	h.Copyright = "LOINC (http://loinc.org) is copyright of Regenstrief Institute, Inc. and the LOINC Committee; its license is at http://loinc.org/license"
	h.ValueSet = System + "/vs"
	return h
}

// finishHeader declares the properties that concepts have.
func (l *load) finishHeader() *r4.CodeSystem {
	h := *l.header
	h.Version = cmp.Or(h.Version, l.latest)
	axis := "string"
	if l.linked() {
		axis = "Coding"
	}
	types := map[string]string{"STATUS": "string", "inactive": "boolean"}
	for column := range l.columns {
		types[column] = "string"
	}
	for _, k := range l.facts.links.Items() {
		if !l.columns[k.property] {
			types[k.property] = cmp.Or(l.kinds[k.property], "Coding")
		}
	}
	for property := range l.declared {
		types[property] = cmp.Or(l.kinds[property], "Coding")
	}
	for _, a := range axes {
		types[a] = axis
	}
	if l.columns["EXTERNAL_COPYRIGHT_NOTICE"] {
		types["copyright"] = "string"
	}
	if len(l.parts.list) > 0 {
		types["PartTypeName"] = "string"
	}
	if len(l.lists.list) > 0 {
		types["AnswerListOID"], types["ExtDefinedAnswerListCodeSystem"], types["ExtDefinedAnswerListLink"] = "string", "string", "string"
	}
	for _, code := range slices.Sorted(maps.Keys(types)) {
		p := r4.CodeSystemProperty{Code: code, URI: propertyBase + code, Description: described[code], Type: types[code]}
		if code == "inactive" {
			p.URI = "http://hl7.org/fhir/concept-properties#inactive"
		}
		h.Property = append(h.Property, p)
	}
	return &h
}
