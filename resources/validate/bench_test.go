package validate_test

import (
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

const observation = `{
  "resourceType": "Observation",
  "id": "blood-pressure",
  "meta": {"profile": ["http://hl7.org/fhir/StructureDefinition/vitalsigns"], "tag": [{"system": "http://example.org/tags", "code": "t1"}]},
  "text": {"status": "generated", "div": "<div xmlns=\"http://www.w3.org/1999/xhtml\">Blood pressure of Sep 17, 2012</div>"},
  "identifier": [{"system": "urn:ietf:rfc:3986", "value": "urn:uuid:187e0c12-8dd2-67e2-99b2-bf273c878281"}],
  "basedOn": [{"identifier": {"system": "https://acme.org/identifiers", "value": "1234"}}],
  "status": "final",
  "category": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/observation-category", "code": "vital-signs", "display": "Vital Signs"}]}],
  "code": {"coding": [{"system": "http://example.org/codes", "code": "85354-9", "display": "Blood pressure panel with all children optional"}], "text": "Blood pressure systolic & diastolic"},
  "subject": {"reference": "Patient/example"},
  "encounter": {"reference": "Encounter/e1"},
  "effectiveDateTime": "2012-09-17T08:30:00+02:00",
  "issued": "2012-09-17T08:31:00.123Z",
  "performer": [{"reference": "Practitioner/example"}],
  "interpretation": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", "code": "L", "display": "low"}], "text": "Below low normal"}],
  "bodySite": {"coding": [{"system": "http://example.org/sites", "code": "368209003", "display": "Right arm"}]},
  "component": [
    {"code": {"coding": [{"system": "http://example.org/codes", "code": "8480-6", "display": "Systolic blood pressure"}]},
     "valueQuantity": {"value": 107, "unit": "mmHg", "system": "http://unitsofmeasure.org", "code": "mm[Hg]"},
     "interpretation": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", "code": "N", "display": "normal"}], "text": "Normal"}]},
    {"code": {"coding": [{"system": "http://example.org/codes", "code": "8462-4", "display": "Diastolic blood pressure"}]},
     "valueQuantity": {"value": 60.50, "unit": "mmHg", "system": "http://unitsofmeasure.org", "code": "mm[Hg]"},
     "interpretation": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", "code": "L", "display": "low"}], "text": "Below low normal"}]}
  ]
}`

const patient = `{"resourceType":"Patient","id":"p","text":{"status":"generated","div":"<div>Peter</div>"},"identifier":[{"use":"usual","system":"urn:oid:1.2.36.146.595.217.0.1","value":"12345","period":{"start":"2001-05-06"}}],
 "active":true,"name":[{"use":"official","family":"Chalmers","given":["Peter","James"]},{"use":"maiden","family":"Windsor","given":["Peter"],"period":{"start":"2001","end":"2002"}}],
 "telecom":[{"system":"phone","value":"(03) 5555 6473","use":"work","rank":1},{"system":"phone","value":"(03) 3410 5613","use":"mobile"}],"gender":"male","birthDate":"1974-12-25","deceasedBoolean":false,
 "address":[{"use":"home","line":["534 Erewhon St"],"city":"PleasantVille","postalCode":"3999","period":{"start":"1974-12-25"}}],
 "contact":[{"name":{"family":"du Marché"},"telecom":[{"system":"phone","value":"+33 (237) 998327"}],"gender":"female"}],"managingOrganization":{"reference":"Organization/1"}}`

func BenchmarkValidate(b *testing.B) {
	v := validate.New(definitions.R4())
	for name, text := range map[string]string{"Observation": observation, "Patient": patient} {
		b.Run(name, func(b *testing.B) {
			d, err := document.Parse([]byte(text), r4.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			if issues := v.Validate(d); issues != nil {
				b.Fatal(issues)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				v.Validate(d)
			}
		})
	}
}
