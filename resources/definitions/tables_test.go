package definitions_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
)

func TestSearchParams(t *testing.T) {
	tables := definitions.R4()
	numbers := map[uint32]string{}
	for _, typ := range append(tables.Resources(), "Resource") {
		list := tables.SearchParams(typ)
		if len(list) < 7 {
			t.Errorf("%s: %d parameters", typ, len(list))
		}
		for i, p := range list {
			name := p.Type + "." + p.Code
			if p.Type != typ || p.Number == 0 || p.Kind == 0 || numbers[p.Number] != "" || i > 0 && list[i-1].Code >= p.Code {
				t.Errorf("%s: %+v, number of %q", name, p, numbers[p.Number])
			}
			numbers[p.Number] = name
			if tables.SearchParam(typ, p.Code) != p {
				t.Errorf("%s is not found", name)
			}
			if (p.Kind == definitions.Composite) != (len(p.Components) > 0) {
				t.Errorf("%s: components %v", name, p.Components)
			}
			for _, c := range p.Components {
				if c.Param == nil || c.Param.Kind == 0 || c.Expression == "" {
					t.Errorf("%s: component %+v", name, c)
				}
			}
			for _, target := range p.Targets {
				if !tables.IsResource(target) {
					t.Errorf("%s: target %s", name, target)
				}
			}
		}
	}
	t.Log(len(numbers))
}

// TestNamedParams checks the parameters that a clinical server documents, by type, with their
// kinds: those of R4 and those of this project.
func TestNamedParams(t *testing.T) {
	tables := definitions.R4()
	for typ, list := range map[string]string{
		"Patient":                 "_id:token identifier:token name:string family:string given:string gender:token birthdate:date address:string address-city:string address-state:string address-postalcode:string telecom:token active:token general-practitioner:reference organization:reference",
		"Encounter":               "patient:reference subject:reference status:token class:token type:token date:date participant:reference service-provider:reference",
		"Condition":               "patient:reference subject:reference encounter:reference code:token clinical-status:token verification-status:token category:token onset-date:date severity:token",
		"MedicationRequest":       "patient:reference subject:reference code:token status:token intent:token authoredon:date requester:reference encounter:reference",
		"DiagnosticReport":        "patient:reference subject:reference code:token category:token status:token date:date issued:date encounter:reference performer:reference result:reference conclusion:string conclusion-code:token",
		"Immunization":            "patient:reference vaccine-code:token status:token date:date lot-number:string performer:reference site:token route:token",
		"Device":                  "identifier:token patient:reference status:token type:token manufacturer:string model:string udi-carrier:string udi-di:string device-name:string organization:reference location:reference",
		"RelatedPerson":           "identifier:token patient:reference name:string active:token gender:token birthdate:date relationship:token telecom:token address:string address-city:string address-state:string",
		"ServiceRequest":          "patient:reference subject:reference code:token category:token status:token intent:token priority:token authored:date encounter:reference requester:reference performer:reference",
		"SupplyRequest":           "identifier:token status:token category:token date:date requester:reference subject:reference supplier:reference priority:token",
		"HealthcareService":       "active:token name:string organization:reference location:reference service-category:token service-type:token specialty:token",
		"OrganizationAffiliation": "identifier:token active:token date:date email:token phone:token role:token specialty:token endpoint:reference location:reference network:reference participating-organization:reference primary-organization:reference service:reference",
		"ResearchStudy":           "identifier:token title:string status:token phase:token category:token condition:token date:date sponsor:reference principalinvestigator:reference site:reference",
		"ResearchSubject":         "identifier:token patient:reference individual:reference status:token study:reference date:date",
		"Group":                   "identifier:token type:token actual:token code:token name:string managing-entity:reference member:reference characteristic:composite characteristic-code:token characteristic-value:token exclude:token",
		"Library":                 "identifier:token url:uri version:token status:token type:token content-type:token topic:token name:string title:string publisher:string description:string composed-of:reference depends-on:reference derived-from:reference predecessor:reference successor:reference",
		"Measure":                 "url:uri name:string title:string description:string publisher:string status:token version:token identifier:token topic:token date:date effective:date",
		"QuestionnaireResponse":   "questionnaire:reference patient:reference subject:reference author:reference encounter:reference authored:date status:token",
		"ImagingStudy":            "identifier:token patient:reference subject:reference status:token modality:token started:date encounter:reference referrer:reference basedon:reference",
		"CodeSystem":              "url:uri version:token name:string title:string status:token publisher:string identifier:token system:uri",
		"ValueSet":                "url:uri version:token name:string title:string status:token publisher:string identifier:token reference:uri expansion:uri",
	} {
		for named := range strings.FieldsSeq(list) {
			code, kind, _ := strings.Cut(named, ":")
			if p := tables.SearchParam(typ, code); p == nil || p.Kind.String() != kind {
				t.Errorf("%s %s: %+v", typ, named, p)
			}
		}
	}
}

// TestAlternatives checks the second meaning of parameters, for values of its form.
func TestAlternatives(t *testing.T) {
	tables := definitions.R4()
	for _, test := range []struct{ typ, code, alternative string }{
		{"DiagnosticReport", "conclusion", "conclusion-code"},
		{"Group", "characteristic", "characteristic-code"},
		{"Group", "characteristic-value", "characteristic"},
	} {
		p := tables.SearchParam(test.typ, test.code)
		if p.Alternative != tables.SearchParam(test.typ, test.alternative) || !p.Own || p.Definition != "" {
			t.Errorf("%s.%s: %+v", test.typ, test.code, p)
		}
	}
}

func TestCompartments(t *testing.T) {
	tables := definitions.R4()
	for _, test := range []struct{ compartment, typ, params string }{
		{"Patient", "Observation", "subject performer"},
		{"Patient", "Condition", "patient asserter"},
		{"Patient", "Encounter", "patient"},
		{"Patient", "MedicationRequest", "subject"},
		{"Patient", "DiagnosticReport", "subject"},
		{"Patient", "Immunization", "patient"},
		{"Patient", "Device", "patient"},
		{"Patient", "RelatedPerson", "patient"},
		{"Patient", "ImagingStudy", "patient"},
		{"Patient", "ResearchSubject", "individual"},
		{"Patient", "QuestionnaireResponse", "subject author"},
		{"Patient", "Patient", "link"},
		{"Patient", "Organization", ""},
		{"Encounter", "Encounter", ""},
		{"Encounter", "Condition", "encounter"},
	} {
		if got := strings.Join(tables.Compartment(test.compartment).Params(test.typ), " "); got != test.params {
			t.Errorf("%s in %s: %q, want %q", test.typ, test.compartment, got, test.params)
		}
	}
	for _, name := range []string{"Patient", "Encounter", "Device", "Practitioner", "RelatedPerson"} {
		c := tables.Compartment(name)
		if c.Name != name || !slices.IsSorted(c.Types()) {
			t.Errorf("%+v", c)
		}
		for _, typ := range c.Types() {
			for _, code := range c.Params(typ) {
				if p := tables.SearchParam(typ, code); p == nil || p.Kind != definitions.Reference {
					t.Errorf("%s: %s.%s is %+v", name, typ, code, p)
				}
			}
		}
	}
	if n := len(tables.Compartment("Patient").Types()); n != 67 {
		t.Errorf("%d types in the compartment of a patient", n)
	}
	if tables.Compartment("Group") != nil {
		t.Error("a compartment of Group")
	}
}

// TestNames checks what is made from the codes of parameters.
func TestNames(t *testing.T) {
	for code, want := range map[string]string{"birth-date": "birthDate", "a-b-c": "aBC", "name": "name"} {
		if got := definitions.ElementOf(code); got != want {
			t.Errorf("%s: %s", code, got)
		}
	}
	h := fnv.New32a()
	h.Write([]byte("Patient.birthdate"))
	if got := definitions.ParamNumber("Patient", "birthdate"); got != h.Sum32() {
		t.Errorf("%d, want %d", got, h.Sum32())
	}
}

func TestCodeList(t *testing.T) {
	tables := definitions.R4()
	gender := tables.Type("Patient").Element("gender").Binding
	if !slices.Equal(gender.Codes(), []string{"male", "female", "other", "unknown"}) || !gender.Contains("other") || gender.Contains("Other") || gender.Contains("") {
		t.Errorf("%v", gender.Codes())
	}
	if !gender.ContainsCoding("http://hl7.org/fhir/administrative-gender", "male") || gender.ContainsCoding("http://hl7.org/fhir/administrative", "male") {
		t.Error("the system of genders")
	}
	if e := tables.Type("Patient").Element("maritalStatus"); e.ValueSet != "http://hl7.org/fhir/ValueSet/marital-status" || !e.Extensible {
		t.Errorf("marital status: %s, %t", e.ValueSet, e.Extensible)
	}
	status := tables.Type("Condition").Element("clinicalStatus").Binding
	const system = "http://terminology.hl7.org/CodeSystem/condition-clinical"
	if !status.ContainsCoding(system, "relapse") || !status.ContainsCoding("", "relapse") || status.ContainsCoding("http://x", "relapse") {
		t.Errorf("%v", status.Codes())
	}
	for typ, codes := range map[string]string{ // nested concepts, several systems
		"Composition.confidentiality":              "V N R U L M",
		"Timing.repeat.periodUnit":                 "s min h d wk mo a",
		"TestReport.setup.action.operation.result": "pass skip fail warning error",
	} {
		cut := strings.LastIndexByte(typ, '.')
		list := tables.Type(typ[:cut]).Element(typ[cut+1:]).Binding
		for code := range strings.FieldsSeq(codes) {
			if list == nil || !list.Contains(code) {
				t.Errorf("%s has no %s", typ, code)
			}
		}
	}
}

func BenchmarkTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		definitions.Unpack()
	}
}

func ExampleTables_SearchParam() {
	p := definitions.R4().SearchParam("Observation", "patient")
	fmt.Println(p.Kind, p.Expression, p.Targets)
	// Output: reference Observation.subject.where(resolve() is Patient) [Patient]
}
