package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
)

// clinical are resources of the types that a clinical server stores, with the elements that their
// clients send.
var clinical = []string{
	`{"resourceType":"Patient","id":"p1","identifier":[{"system":"urn:mrn","value":"1"}],"active":true,"name":[{"use":"official","family":"Doe","given":["Jane","Q"]}],"telecom":[{"system":"phone","value":"555","use":"home"},{"system":"email","value":"j@example.org"}],"gender":"female","birthDate":"1980-02-29","deceasedBoolean":false,"address":[{"use":"home","line":["1 Main St"],"city":"Utrecht","state":"UT","postalCode":"3511"}],"maritalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v3-MaritalStatus","code":"M"}]},"multipleBirthInteger":2,"photo":[{"contentType":"image/png","data":"AAAA"}],"contact":[{"relationship":[{"text":"mother"}],"name":{"family":"Doe"}}],"communication":[{"language":{"coding":[{"system":"urn:ietf:bcp:47","code":"en"}]},"preferred":true}],"generalPractitioner":[{"reference":"Practitioner/1","display":"Dr. A"}],"managingOrganization":{"reference":"Organization/1"},"link":[{"other":{"reference":"Patient/2"},"type":"seealso"}]}`,
	`{"resourceType":"Encounter","identifier":[{"value":"1"}],"status":"in-progress","statusHistory":[{"status":"arrived","period":{"start":"2024-01-01T10:00:00Z"}}],"class":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"AMB"},"classHistory":[{"class":{"code":"IMP"},"period":{"start":"2024"}}],"type":[{"text":"checkup"}],"serviceType":{"text":"a"},"priority":{"text":"routine"},"subject":{"reference":"Patient/1"},"episodeOfCare":[{"reference":"EpisodeOfCare/1"}],"basedOn":[{"reference":"ServiceRequest/1"}],"participant":[{"type":[{"text":"attender"}],"individual":{"reference":"Practitioner/1"}}],"appointment":[{"reference":"Appointment/1"}],"period":{"start":"2024-01-01T10:00:00Z","end":"2024-01-01T11:00:00Z"},"length":{"value":60,"unit":"min","system":"http://unitsofmeasure.org","code":"min"},"reasonCode":[{"text":"cough"}],"diagnosis":[{"condition":{"reference":"Condition/1"}}],"hospitalization":{"dischargeDisposition":{"text":"home"}},"location":[{"location":{"reference":"Location/1"}}],"serviceProvider":{"reference":"Organization/1"},"partOf":{"reference":"Encounter/2"}}`,
	`{"resourceType":"Condition","identifier":[{"value":"1"}],"clinicalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/condition-clinical","code":"resolved"}]},"verificationStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/condition-ver-status","code":"confirmed"}]},"category":[{"coding":[{"code":"problem-list-item"}]}],"severity":{"text":"mild"},"code":{"coding":[{"system":"http://snomed.info/sct","code":"73211009"}]},"bodySite":[{"text":"arm"}],"subject":{"reference":"Patient/1"},"encounter":{"reference":"Encounter/1"},"onsetAge":{"value":52,"unit":"years","system":"http://unitsofmeasure.org","code":"a"},"abatementString":"last year","recordedDate":"2024-01","recorder":{"reference":"Practitioner/1"},"asserter":{"reference":"Patient/1"},"stage":[{"summary":{"text":"II"}}],"evidence":[{"code":[{"text":"a"}]}],"note":[{"text":"a"}]}`,
	`{"resourceType":"MedicationRequest","identifier":[{"value":"1"}],"status":"active","statusReason":{"text":"a"},"intent":"order","category":[{"coding":[{"code":"outpatient"}]}],"priority":"routine","doNotPerform":false,"reportedBoolean":true,"medicationCodeableConcept":{"text":"aspirin"},"subject":{"reference":"Patient/1"},"encounter":{"reference":"Encounter/1"},"authoredOn":"2024-01-01","requester":{"reference":"Practitioner/1"},"performer":{"reference":"Practitioner/1"},"reasonCode":[{"text":"a"}],"reasonReference":[{"reference":"Condition/1"}],"note":[{"text":"a"}],"dosageInstruction":[{"sequence":1,"text":"one daily","timing":{"repeat":{"frequency":1,"period":1,"periodUnit":"d"}},"route":{"text":"oral"},"doseAndRate":[{"doseQuantity":{"value":1,"unit":"tablet"}}]}],"dispenseRequest":{"validityPeriod":{"start":"2024"},"numberOfRepeatsAllowed":3,"quantity":{"value":30},"expectedSupplyDuration":{"value":30,"unit":"d"}},"substitution":{"allowedBoolean":true}}`,
	`{"resourceType":"DiagnosticReport","status":"final","category":[{"coding":[{"code":"LAB"}]}],"code":{"text":"CBC"},"subject":{"reference":"Patient/1"},"encounter":{"reference":"Encounter/1"},"effectiveDateTime":"2024-01-01T10:00:00+01:00","issued":"2024-01-01T10:00:00Z","performer":[{"reference":"Practitioner/1"}],"result":[{"reference":"Observation/1"}],"conclusion":"normal","conclusionCode":[{"text":"a"}]}`,
	`{"resourceType":"Immunization","status":"not-done","statusReason":{"coding":[{"code":"VACEFF"}]},"vaccineCode":{"text":"flu"},"patient":{"reference":"Patient/1"},"encounter":{"reference":"Encounter/1"},"occurrenceDateTime":"2024-01-01","primarySource":true,"site":{"coding":[{"code":"LA"}]},"route":{"coding":[{"code":"SC"}]},"lotNumber":"A1","expirationDate":"2025-01-01","performer":[{"function":{"text":"a"},"actor":{"reference":"Practitioner/1"}}],"doseQuantity":{"value":0.50,"unit":"mL"},"note":[{"text":"a"}]}`,
	`{"resourceType":"Device","identifier":[{"value":"1"}],"definition":{"reference":"DeviceDefinition/1"},"udiCarrier":[{"deviceIdentifier":"1","carrierHRF":"(01)1"}],"status":"active","statusReason":[{"text":"online"}],"distinctIdentifier":"a","manufacturer":"a","manufactureDate":"2020","expirationDate":"2030-01","lotNumber":"a","serialNumber":"a","deviceName":[{"name":"a","type":"user-friendly-name"}],"modelNumber":"a","partNumber":"a","type":{"text":"pump"},"specialization":[{"systemType":{"text":"a"}}],"version":[{"value":"1"}],"property":[{"type":{"text":"a"}}],"patient":{"reference":"Patient/1"},"owner":{"reference":"Organization/1"},"contact":[{"system":"phone","value":"5"}],"location":{"reference":"Location/1"},"url":"http://example.org/d","note":[{"text":"a"}],"safety":[{"text":"a"}],"parent":{"reference":"Device/2"}}`,
	`{"resourceType":"RelatedPerson","identifier":[{"value":"1"}],"active":true,"patient":{"reference":"Patient/1"},"relationship":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v3-RoleCode","code":"MTH"}]}],"name":[{"family":"Doe"}],"telecom":[{"system":"email","value":"a@example.org"}],"gender":"other","birthDate":"1950","address":[{"city":"a"}],"photo":[{"url":"http://example.org/p.png"}],"period":{"start":"2020"},"communication":[{"language":{"text":"nl"},"preferred":false}]}`,
	`{"resourceType":"ServiceRequest","status":"active","intent":"original-order","priority":"stat","category":[{"text":"laboratory"}],"code":{"text":"a"},"subject":{"reference":"Patient/1"},"encounter":{"reference":"Encounter/1"},"authoredOn":"2024-01-01","requester":{"reference":"Practitioner/1"},"performer":[{"reference":"Practitioner/2"}],"reasonCode":[{"text":"a"}],"note":[{"text":"a"}]}`,
	`{"resourceType":"SupplyRequest","identifier":[{"value":"1"}],"status":"active","category":{"coding":[{"code":"central"}]},"priority":"asap","itemCodeableConcept":{"text":"gloves"},"quantity":{"value":10},"parameter":[{"code":{"text":"size"},"valueCodeableConcept":{"text":"L"}}],"occurrenceTiming":{"event":["2024-01-01"]},"authoredOn":"2024","requester":{"reference":"Practitioner/1"},"supplier":[{"reference":"Organization/1"}],"reasonCode":[{"coding":[{"code":"ward-stock"}]}],"reasonReference":[{"reference":"Condition/1"}],"deliverFrom":{"reference":"Location/1"},"deliverTo":{"reference":"Patient/1"}}`,
	`{"resourceType":"HealthcareService","active":true,"providedBy":{"reference":"Organization/1"},"category":[{"text":"a"}],"type":[{"text":"a"}],"specialty":[{"text":"a"}],"location":[{"reference":"Location/1"}],"name":"a","comment":"a","telecom":[{"system":"phone","value":"a"}],"serviceProvisionCode":[{"text":"free"}],"program":[{"text":"a"}],"characteristic":[{"text":"a"}],"referralMethod":[{"coding":[{"code":"fax"}]}],"appointmentRequired":false,"availableTime":[{"daysOfWeek":["mon","sun"],"availableStartTime":"08:00:00","availableEndTime":"17:00:00"}],"notAvailable":[{"description":"a"}],"availabilityExceptions":"a"}`,
	`{"resourceType":"OrganizationAffiliation","identifier":[{"value":"1"}],"active":true,"period":{"start":"2020"},"organization":{"reference":"Organization/1"},"participatingOrganization":{"reference":"Organization/2"},"network":[{"reference":"Organization/3"}],"code":[{"coding":[{"code":"provider"}]}],"specialty":[{"text":"a"}],"location":[{"reference":"Location/1"}],"healthcareService":[{"reference":"HealthcareService/1"}],"telecom":[{"system":"phone","value":"1"}],"endpoint":[{"reference":"Endpoint/1"}]}`,
	`{"resourceType":"ResearchStudy","identifier":[{"value":"1"}],"title":"a","protocol":[{"reference":"PlanDefinition/1"}],"partOf":[{"reference":"ResearchStudy/2"}],"status":"active","primaryPurposeType":{"coding":[{"code":"treatment"}]},"phase":{"coding":[{"code":"phase-2"}]},"category":[{"text":"interventional"}],"focus":[{"text":"a"}],"condition":[{"text":"a"}],"contact":[{"name":"a"}],"relatedArtifact":[{"type":"documentation"}],"keyword":[{"text":"a"}],"location":[{"text":"a"}],"description":"# a","enrollment":[{"reference":"Group/1"}],"period":{"start":"2020"},"sponsor":{"reference":"Organization/1"},"principalInvestigator":{"reference":"Practitioner/1"},"site":[{"reference":"Location/1"}],"reasonStopped":{"text":"a"},"note":[{"text":"a"}],"arm":[{"name":"a","type":{"text":"placebo-comparator"},"description":"a"}],"objective":[{"name":"a","type":{"text":"primary"}}]}`,
	`{"resourceType":"ResearchSubject","identifier":[{"value":"1"}],"status":"on-study","period":{"start":"2020"},"study":{"reference":"ResearchStudy/1"},"individual":{"reference":"Patient/1"},"assignedArm":"a","actualArm":"b","consent":{"reference":"Consent/1"}}`,
	`{"resourceType":"Group","identifier":[{"value":"1"}],"active":true,"type":"person","actual":true,"code":{"text":"a"},"name":"a","quantity":2,"managingEntity":{"reference":"Organization/1"},"characteristic":[{"code":{"text":"a"},"valueBoolean":true,"exclude":false},{"code":{"text":"b"},"valueRange":{"low":{"value":18,"unit":"a"}},"exclude":true}],"member":[{"entity":{"reference":"Patient/1"},"period":{"start":"2020"}}]}`,
	`{"resourceType":"Library","url":"http://example.org/l","identifier":[{"value":"1"}],"version":"1","name":"A","title":"a","subtitle":"a","status":"draft","experimental":true,"type":{"coding":[{"code":"logic-library"}]},"subjectReference":{"reference":"Group/1"},"date":"2024","publisher":"a","contact":[{"name":"a"}],"description":"a","useContext":[{"code":{"code":"focus"},"valueCodeableConcept":{"text":"a"}}],"jurisdiction":[{"text":"a"}],"purpose":"a","usage":"a","copyright":"a","approvalDate":"2024-01-01","lastReviewDate":"2024-01-01","effectivePeriod":{"start":"2024"},"topic":[{"text":"a"}],"author":[{"name":"a"}],"editor":[{"name":"a"}],"reviewer":[{"name":"a"}],"endorser":[{"name":"a"}],"relatedArtifact":[{"type":"depends-on","resource":"http://example.org/m|1"}],"parameter":[{"name":"a","use":"in","type":"string"}],"dataRequirement":[{"type":"Condition","codeFilter":[{"path":"code","valueSet":"http://example.org/vs","code":[{"code":"a"}]}]}],"content":[{"contentType":"text/cql","data":"AAAA"}]}`,
	`{"resourceType":"Measure","url":"http://example.org/m","identifier":[{"value":"1"}],"version":"1","name":"A","title":"a","status":"active","experimental":false,"date":"2024-01-01","publisher":"a","description":"a","purpose":"a","effectivePeriod":{"start":"2024"},"library":["http://example.org/l|1"],"scoring":{"coding":[{"code":"proportion"}]},"type":[{"text":"outcome"}],"improvementNotation":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/measure-improvement-notation","code":"increase"}]},"group":[{"population":[{"code":{"coding":[{"code":"initial-population"}]},"criteria":{"language":"text/cql-identifier","expression":"Initial Population"}}]}]}`,
	`{"resourceType":"QuestionnaireResponse","identifier":{"value":"1"},"basedOn":[{"reference":"CarePlan/1"}],"partOf":[{"reference":"Procedure/1"}],"questionnaire":"http://example.org/phq-9|1","status":"completed","subject":{"reference":"Patient/1"},"encounter":{"reference":"Encounter/1"},"authored":"2024-01-01","author":{"reference":"Practitioner/1"},"source":{"reference":"Patient/1"},"item":[{"linkId":"1","text":"a","answer":[{"valueInteger":3}]},{"linkId":"2","item":[{"linkId":"2.1","answer":[{"valueCoding":{"code":"a"}},{"valueDecimal":1.0},{"valueDate":"2024"},{"valueTime":"10:00:00"},{"valueUri":"urn:x"},{"valueAttachment":{"url":"http://x"}},{"valueQuantity":{"value":1}},{"valueReference":{"reference":"Patient/1"}}]}]}]}`,
	`{"resourceType":"ImagingStudy","identifier":[{"value":"1"}],"status":"available","modality":[{"system":"http://dicom.nema.org/resources/ontology/DCM","code":"CT"}],"subject":{"reference":"Patient/1"},"encounter":{"reference":"Encounter/1"},"started":"2024-01-01T10:00:00Z","basedOn":[{"reference":"ServiceRequest/1"}],"referrer":{"reference":"Practitioner/1"},"interpreter":[{"reference":"Practitioner/1"}],"endpoint":[{"reference":"Endpoint/1"}],"numberOfSeries":1,"numberOfInstances":2,"procedureReference":{"reference":"Procedure/1"},"procedureCode":[{"text":"a"}],"location":{"reference":"Location/1"},"reasonCode":[{"text":"a"}],"note":[{"text":"a"}],"description":"a","series":[{"uid":"1.2.3","modality":{"code":"CT"}}]}`,
	`{"resourceType":"CodeSystem","id":"c","url":"http://example.org/c","name":"C","status":"active","concept":[{"code":"a","display":"A","concept":[{"code":"b","display":"B","definition":"b","concept":[{"code":"c","display":"C"}]}]}]}`,
	`{"resourceType":"ValueSet","id":"v","url":"http://example.org/v","name":"V","status":"active","compose":{"include":[{"system":"http://example.org/c"},{"system":"http://example.org/d","concept":[{"code":"a","display":"A"}]}]}}`,
}

func TestClinical(t *testing.T) {
	types := map[string]bool{}
	for _, data := range clinical {
		if got := issues(t, data); got != nil {
			t.Errorf("%.60s: %q", data, got)
		}
		types[data[:strings.IndexByte(data, ',')]] = true
	}
	if len(types) != 21 {
		t.Errorf("%d types", len(types))
	}
}

// TestRequired checks that each type is accepted with its required elements only, and refused
// without any of them, with all missing elements reported at once.
func TestRequired(t *testing.T) {
	for typ, elements := range map[string]string{
		"Patient": "", "Device": "", "HealthcareService": "", "OrganizationAffiliation": "",
		"Encounter": "status class", "Condition": "subject", "MedicationRequest": "status intent medication subject",
		"DiagnosticReport": "status code", "Immunization": "status vaccineCode patient occurrence", "RelatedPerson": "patient",
		"ServiceRequest": "status intent subject", "SupplyRequest": "item quantity", "ResearchStudy": "status",
		"ResearchSubject": "status study individual", "Group": "type actual", "Library": "status type", "Measure": "status",
		"ValueSet": "status", "QuestionnaireResponse": "status", "ImagingStudy": "status subject", "CodeSystem": "status",
	} {
		var want []string
		for name := range strings.FieldsSeq(elements) {
			want = append(want, "error required "+typ+"."+name)
		}
		got := issues(t, `{"resourceType":"`+typ+`"}`)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", typ, got)
		}
	}
}

// TestStates checks that the statuses that clients know are accepted for each type, and another is
// not.
func TestStates(t *testing.T) {
	for element, states := range map[string]string{
		"Encounter.status":             "planned arrived triaged in-progress onleave finished cancelled entered-in-error unknown",
		"Condition.clinicalStatus":     "active recurrence relapse inactive remission resolved",
		"Condition.verificationStatus": "unconfirmed provisional differential confirmed refuted entered-in-error",
		"MedicationRequest.status":     "active on-hold cancelled completed entered-in-error stopped draft unknown",
		"MedicationRequest.intent":     "proposal plan order original-order reflex-order filler-order instance-order option",
		"DiagnosticReport.status":      "registered partial preliminary final amended corrected appended cancelled entered-in-error unknown",
		"Immunization.status":          "completed entered-in-error not-done",
		"Device.status":                "active inactive entered-in-error unknown",
		"ServiceRequest.status":        "draft active on-hold revoked completed entered-in-error unknown",
		"ServiceRequest.intent":        "proposal plan directive order original-order reflex-order filler-order instance-order option",
		"ServiceRequest.priority":      "routine urgent asap stat",
		"SupplyRequest.status":         "draft active suspended cancelled completed entered-in-error unknown",
		"ResearchStudy.status":         "active administratively-completed approved closed-to-accrual closed-to-accrual-and-intervention completed disapproved in-review temporarily-closed-to-accrual temporarily-closed-to-accrual-and-intervention withdrawn",
		"ResearchSubject.status":       "candidate eligible follow-up ineligible not-registered off-study on-study on-study-intervention on-study-observation pending-on-study potential-candidate screening withdrawn",
		"ImagingStudy.status":          "registered available cancelled entered-in-error unknown",
		"Library.status":               "draft active retired unknown",
		"Measure.status":               "draft active retired unknown",
		"QuestionnaireResponse.status": "in-progress completed amended entered-in-error stopped",
		"Group.type":                   "person animal practitioner device medication substance",
	} {
		typ, name, _ := strings.Cut(element, ".")
		e := definitions.R4().Type(typ).Element(name)
		got := slices.Sorted(slices.Values(e.Binding.Codes()))
		if want := slices.Sorted(strings.FieldsSeq(states)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", element, got, want)
		}
	}
	for _, class := range strings.Fields("AMB EMER FLD HH IMP ACUTE NONAC OBSENC PRENC SS VR") {
		if got := issues(t, fmt.Sprintf(`{"resourceType":"Encounter","status":"planned","class":{"code":%q}}`, class)); got != nil {
			t.Errorf("%s: %q", class, got)
		}
	}
}
