package synth

import "encoding/base64"

// A logic is the content of a Library in CQL (https://cql.hl7.org) and in ELM, its
// machine-readable form. It has an expression for each population of a measure.
type logic struct {
	name, title string
	valueSet    string // id of the sample value set that lists the conditions
	valueName   string // its name in the logic
	// Types of resources that put a patient into a population.
	numerator, exclusion, exception, numeratorExclusion string
}

var logics = []logic{
	{"BloodPressureControl", "Blood pressure is controlled", "clinic-diseases", "Diseases", "Observation", "Procedure", "MedicationRequest", "ServiceRequest"},
	{"InfectionTreatment", "Infections are treated", "clinic-infections", "Infections", "MedicationRequest", "Procedure", "ServiceRequest", "Observation"},
	{"VaccinationCoverage", "The ill are vaccinated", "clinic-diseases", "Diseases", "Immunization", "Procedure", "Observation", "MedicationRequest"},
	{"InfectionFollowUp", "Infections are followed up", "clinic-infections", "Infections", "DiagnosticReport", "MedicationRequest", "Immunization", "ServiceRequest"},
}

// A statement is a definition in a logic.
type statement struct {
	name    string
	kind    int
	operand string // referenced definition, retrieved type, or name of a type field of logic
}

const (
	existsInValueSet = iota // a condition from the value set exists
	namedDefinition         // a reference to another definition
	existsOfType            // a resource of a type exists
	allOfType               // all resources of a type
	diagnosisCount          // a function: the number of diagnoses of an encounter
)

var statements = []statement{
	{"Initial Population", existsInValueSet, "Condition"},
	{"Denominator", namedDefinition, "Initial Population"},
	{"Denominator Exclusion", existsOfType, "excluded"},
	{"Denominator Exception", existsOfType, "excused"},
	{"Numerator", existsOfType, "done"},
	{"Numerator Exclusion", existsOfType, "annulled"},
	{"All Encounters", allOfType, "Encounter"},
	{"Measure Population", namedDefinition, "All Encounters"},
	{"Measure Observation", diagnosisCount, ""},
}

// typeOf returns the resource type that a statement retrieves.
func (l *logic) typeOf(s *statement) string {
	switch s.operand {
	case "excluded":
		return l.exclusion
	case "excused":
		return l.exception
	case "done":
		return l.numerator
	case "annulled":
		return l.numeratorExclusion
	}
	return s.operand
}

// valueSets is the prefix of canonical URLs of sample value sets.
const valueSets = roget + "ValueSet/"

// base64Text writes a string member with the base64 encoding of the text that write appends.
func (d *draft) base64Text(name string, l *logic, version string, write func(d *draft, l *logic, version string)) {
	d.member(name)
	d.buf = append(d.buf, '"')
	begun, from := d.start, len(d.buf)
	d.start = from
	write(d, l, version)
	d.start = begun
	to := len(d.buf)
	d.buf = base64.StdEncoding.AppendEncode(d.buf, d.buf[from:to])
	d.buf = append(d.buf[:from], d.buf[to:]...)
	d.buf = append(d.buf, '"')
}

// cql appends the logic in CQL.
func (d *draft) cql(l *logic, version string) {
	d.add("library ", l.name, " version '", version, "'\n\nusing FHIR version '4.0.1'\n\n")
	d.add("valueset \"", l.valueName, "\": '", valueSets, l.valueSet, "'\n\n")
	d.add("parameter \"Measurement Period\" Interval<DateTime>\n\ncontext Patient\n")
	for i := range statements {
		s := &statements[i]
		if s.kind == diagnosisCount {
			d.add("\ndefine function \"", s.name, "\"(visit Encounter):\n  Count(visit.diagnosis)\n")
			continue
		}
		d.add("\ndefine \"", s.name, "\":\n  ")
		d.cqlExpression(l, s)
		d.add("\n")
	}
}

// cqlExpression appends the expression of a statement in CQL, except for functions.
func (d *draft) cqlExpression(l *logic, s *statement) {
	switch s.kind {
	case existsInValueSet:
		d.add("exists ([", l.typeOf(s), ": \"", l.valueName, "\"])")
	case namedDefinition:
		d.add("\"", s.operand, "\"")
	case existsOfType:
		d.add("exists ([", l.typeOf(s), "])")
	case allOfType:
		d.add("[", l.typeOf(s), "]")
	}
}

// elmJSON appends the logic as ELM in JSON.
func (d *draft) elmJSON(l *logic, version string) {
	d.object("")
	d.object("library")
	d.ids("identifier", "id", l.name, "version", version)
	d.ids("schemaIdentifier", "id", "urn:hl7-org:elm", "version", "r1")
	d.definitions("usings")
	d.ids("", "localIdentifier", "System", "uri", "urn:hl7-org:elm-types:r1")
	d.ids("", "localIdentifier", "FHIR", "uri", "http://hl7.org/fhir", "version", "4.0.1")
	d.ends(2)
	d.definitions("parameters")
	d.object("")
	d.text("name", "Measurement Period")
	d.text("accessLevel", "Public")
	d.object("parameterTypeSpecifier")
	d.text("type", "IntervalTypeSpecifier")
	d.ids("pointType", "name", "{urn:hl7-org:elm-types:r1}DateTime", "type", "NamedTypeSpecifier")
	d.ends(4)
	d.definitions("valueSets")
	d.object("")
	d.text("name", l.valueName)
	d.join("id", valueSets, l.valueSet)
	d.text("accessLevel", "Public")
	d.ends(3)
	d.definitions("contexts")
	d.ids("", "name", "Patient")
	d.ends(2)
	d.definitions("statements")
	d.object("")
	d.text("name", "Patient")
	d.text("context", "Patient")
	d.object("expression")
	d.text("type", "SingletonFrom")
	d.ids("operand", "dataType", "{http://hl7.org/fhir}Patient", "type", "Retrieve")
	d.ends(2)
	for i := range statements {
		d.definition(l, &statements[i])
	}
	d.ends(4)
}

// definitions begins a section of an ELM library: an object with the list def.
func (d *draft) definitions(name string) {
	d.object(name)
	d.list("def")
}

// ids writes an object with string members, passed as alternating names and values.
func (d *draft) ids(name string, members ...string) {
	d.object(name)
	for i := 0; i < len(members); i += 2 {
		d.text(members[i], members[i+1]) //nolint:gosec // members are pairs
	}
	d.end()
}

// definition writes a statement as ELM in JSON.
func (d *draft) definition(l *logic, s *statement) {
	d.object("")
	d.text("name", s.name)
	d.text("context", "Patient")
	d.text("accessLevel", "Public")
	if s.kind == diagnosisCount {
		d.text("type", "FunctionDef")
	}
	d.object("expression")
	switch s.kind {
	case existsInValueSet, existsOfType:
		d.text("type", "Exists")
		d.object("operand")
		d.retrieve(l, s)
		d.end()
	case namedDefinition:
		d.text("name", s.operand)
		d.text("type", "ExpressionRef")
	case allOfType:
		d.retrieve(l, s)
	case diagnosisCount:
		d.text("type", "Count")
		d.object("source")
		d.text("path", "diagnosis")
		d.text("type", "Property")
		d.ids("source", "name", "visit", "type", "OperandRef")
		d.end()
	}
	d.end()
	if s.kind == diagnosisCount {
		d.list("operand")
		d.object("")
		d.text("name", "visit")
		d.ids("operandTypeSpecifier", "name", "{http://hl7.org/fhir}Encounter", "type", "NamedTypeSpecifier")
		d.ends(2)
	}
	d.end()
}

// retrieve writes the members of a Retrieve.
func (d *draft) retrieve(l *logic, s *statement) {
	d.join("dataType", "{http://hl7.org/fhir}", l.typeOf(s))
	if s.kind == existsInValueSet {
		d.text("codeProperty", "code")
		d.text("codeComparator", "in")
	}
	d.text("type", "Retrieve")
	if s.kind == existsInValueSet {
		d.ids("codes", "name", l.valueName, "type", "ValueSetRef")
	}
}

// elmXML appends the logic as ELM in XML.
func (d *draft) elmXML(l *logic, version string) {
	d.add(`<?xml version="1.0" encoding="UTF-8"?>`, "\n", `<library xmlns="urn:hl7-org:elm:r1" xmlns:fhir="http://hl7.org/fhir" xmlns:t="urn:hl7-org:elm-types:r1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">`)
	d.add(`<identifier id="`, l.name, `" version="`, version, `"/><schemaIdentifier id="urn:hl7-org:elm" version="r1"/>`)
	d.add(`<usings><def localIdentifier="System" uri="urn:hl7-org:elm-types:r1"/><def localIdentifier="FHIR" uri="http://hl7.org/fhir" version="4.0.1"/></usings>`)
	d.add(`<parameters><def name="Measurement Period" accessLevel="Public"><parameterTypeSpecifier xsi:type="IntervalTypeSpecifier"><pointType xsi:type="NamedTypeSpecifier" name="t:DateTime"/></parameterTypeSpecifier></def></parameters>`)
	d.add(`<valueSets><def name="`, l.valueName, `" id="`, valueSets, l.valueSet, `" accessLevel="Public"/></valueSets><contexts><def name="Patient"/></contexts><statements>`)
	d.add(`<def name="Patient" context="Patient"><expression xsi:type="SingletonFrom"><operand xsi:type="Retrieve" dataType="fhir:Patient"/></expression></def>`)
	for i := range statements {
		s := &statements[i]
		d.add(`<def name="`, s.name, `" context="Patient" accessLevel="Public"`)
		switch s.kind {
		case existsInValueSet:
			d.add(`><expression xsi:type="Exists"><operand xsi:type="Retrieve" dataType="fhir:`, l.typeOf(s), `" codeProperty="code" codeComparator="in"><codes xsi:type="ValueSetRef" name="`, l.valueName, `"/></operand></expression></def>`)
		case namedDefinition:
			d.add(`><expression xsi:type="ExpressionRef" name="`, s.operand, `"/></def>`)
		case existsOfType:
			d.add(`><expression xsi:type="Exists"><operand xsi:type="Retrieve" dataType="fhir:`, l.typeOf(s), `"/></expression></def>`)
		case allOfType:
			d.add(`><expression xsi:type="Retrieve" dataType="fhir:`, l.typeOf(s), `"/></def>`)
		case diagnosisCount:
			d.add(` xsi:type="FunctionDef"><expression xsi:type="Count"><source xsi:type="Property" path="diagnosis"><source xsi:type="OperandRef" name="visit"/></source></expression><operand name="visit"><operandTypeSpecifier xsi:type="NamedTypeSpecifier" name="fhir:Encounter"/></operand></def>`)
		}
	}
	d.add("</statements></library>\n")
}
