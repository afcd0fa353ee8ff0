package validate_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

const questionnaire = `{"resourceType":"Questionnaire","status":"active","item":[
 {"linkId":"smoker","type":"boolean","required":true},
 {"linkId":"packs","type":"integer","required":true,"enableWhen":[{"question":"smoker","operator":"=","answerBoolean":true}]},
 {"linkId":"doubt","type":"string","enableBehavior":"any","enableWhen":[{"question":"packs","operator":">","answerInteger":5},{"question":"note","operator":"exists","answerBoolean":true}]},
 {"linkId":"info","type":"display"},
 {"linkId":"note","type":"string","maxLength":3,"repeats":true},
 {"linkId":"colour","type":"choice","answerOption":[{"valueCoding":{"system":"http://x","code":"red"}},{"valueString":"none"}],"item":[{"linkId":"shade","type":"decimal"}]},
 {"linkId":"pet","type":"open-choice","answerOption":[{"valueCoding":{"system":"http://x","code":"cat"}}]},
 {"linkId":"group","type":"group","item":[{"linkId":"born","type":"date"}]}]}`

// answerRows returns the issues of completed responses, by their items.
func answerRows() map[string][]string {
	rows := map[string][]string{}
	for items, want := range map[string][]string{
		`{"linkId":"smoker","answer":[{"valueBoolean":false}]}`:                                                                    nil,
		`{"linkId":"smoker","answer":[{"valueBoolean":true}]},{"linkId":"packs","answer":[{"valueInteger":6}]},{"linkId":"doubt"}`: nil,
		`{"linkId":"smoker","answer":[{"valueBoolean":true}]}`:                                                                     {"required QuestionnaireResponse"},
		`{"linkId":"smoker"}`: {"required QuestionnaireResponse.item[0]"},
		`{"linkId":"note"}`:   {"required QuestionnaireResponse"},
		`SMOKER{"linkId":"packs","answer":[{"valueInteger":1}]}`:                                                   {"invariant QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"doubt","answer":[{"valueString":"a"}]}`:                                                  {"invariant QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"note","answer":[{"valueString":"a"}]},{"linkId":"doubt","answer":[{"valueString":"a"}]}`: {"structure QuestionnaireResponse.item[2]"},
		`SMOKER{"linkId":"none"}`: {"value QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"born"}`: {"value QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"group","item":[{"linkId":"born","answer":[{"valueDate":"2020"}]}]}`:                                     nil,
		`SMOKER{"linkId":"group","item":[{"linkId":"born","answer":[{"valueString":"2020"}]}]}`:                                   {"value QuestionnaireResponse.item[1].item[0].answer[0].value"},
		`SMOKER{"linkId":"info","answer":[{"valueString":"a"}]}`:                                                                  {"structure QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"note","answer":[{"valueString":"a"},{"valueString":"b"}]}`:                                              nil,
		`SMOKER{"linkId":"note","answer":[{"valueString":"abcd"}]}`:                                                               {"value QuestionnaireResponse.item[1].answer[0].value"},
		`SMOKER{"linkId":"pet","answer":[{"valueString":"dog"}]}`:                                                                 nil,
		`SMOKER{"linkId":"pet","answer":[{"valueCoding":{"system":"http://x","code":"cat","display":"Cat"}}]}`:                    nil,
		`SMOKER{"linkId":"pet","answer":[{"valueCoding":{"system":"http://x","code":"dog"}}]}`:                                    {"value QuestionnaireResponse.item[1].answer[0].value"},
		`SMOKER{"linkId":"pet","answer":[{"valueString":"a"},{"valueString":"b"}]}`:                                               {"structure QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"pet"},{"linkId":"pet"}`:                                                                                 {"structure QuestionnaireResponse.item[2]"},
		`SMOKER{"linkId":"colour","answer":[{"valueString":"none"}]}`:                                                             nil,
		`SMOKER{"linkId":"colour","answer":[{"valueString":"blue"}]}`:                                                             {"value QuestionnaireResponse.item[1].answer[0].value"},
		`SMOKER{"linkId":"colour","answer":[{"valueString":"none","item":[{"linkId":"shade","answer":[{"valueDecimal":0.5}]}]}]}`: nil,
		`SMOKER{"linkId":"colour","answer":[{"valueString":"none","item":[{"linkId":"shade","answer":[{"valueInteger":1}]}]}]}`:   {"value QuestionnaireResponse.item[1].answer[0].item[0].answer[0].value"},
	} {
		if rest, cut := strings.CutPrefix(items, "SMOKER"); cut {
			items = `{"linkId":"smoker","answer":[{"valueBoolean":false}]},` + rest
		}
		rows[items] = want
	}
	return rows
}

func TestAnswers(t *testing.T) {
	q := parse(t, questionnaire)
	for items, want := range answerRows() {
		response := parse(t, `{"resourceType":"QuestionnaireResponse","status":"completed","item":[`+items+`]}`)
		var got []string
		for _, i := range validate.Answers(response, q.Root()) {
			got = append(got, i.Code+" "+i.Expression)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", items, got, want)
		}
	}
	unfinished := parse(t, `{"resourceType":"QuestionnaireResponse","status":"in-progress"}`)
	if list := validate.Answers(unfinished, q.Root()); list != nil {
		t.Errorf("in progress: %v", list)
	}
	// A Quantity in an answer enables a question.
	q = parse(t, `{"item":[{"linkId":"a","type":"string","item":[{"linkId":"b","type":"quantity"}]},
		{"linkId":"c","required":true,"enableWhen":[{"question":"b","operator":">","answerQuantity":{"value":5}}]}]}`)
	nested := parse(t, `{"status":"completed","item":[{"linkId":"a","answer":[{"valueString":"a","item":[{"linkId":"b","answer":[{"valueQuantity":{"value":10}}]}]}]}]}`)
	if list := validate.Answers(nested, q.Root()); len(list) != 1 || list[0].Code != validate.CodeRequired {
		t.Errorf("above 5: %v", list)
	}
}

func parse(t *testing.T, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text), r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

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

// blank are the examples of the specification whose narrative has no text, which txt-2 refuses.
var blank = []string{"blood-tubes-supply", "heart-valve-replacement", "example", "zika-virus-exposure-assessment"}

// TestExamples validates the examples of the specification. No other rule may refuse them.
func TestExamples(t *testing.T) {
	v := validate.New(definitions.R4())
	n, refused := 0, []string(nil)
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		n++
		d, err := document.Parse(line, r4.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, issue := range v.Validate(d) {
			if strings.HasPrefix(issue.Text, "txt-2: ") {
				refused = append(refused, d.Root().Get("id").Text())
			} else if issue.Severity == validate.Error {
				t.Errorf("%s %s: %s", d.ResourceType(), d.Root().Get("id").Text(), issue)
			}
		}
	}
	if !slices.Equal(refused, blank) {
		t.Errorf("refused: %q", refused)
	}
	if n != 712 {
		t.Errorf("%d examples", n)
	}
}

func TestSynthea(t *testing.T) {
	v := validate.New(definitions.R4())
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/synthea"), "*"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !strings.HasSuffix(f, ".json.gz") })
	if len(files) != 22 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files[:8] { // hospitals, practitioners, six patients
		expectValid(t, v, sharedtest.Unzipped(t, file))
	}
}

func expectValid(t *testing.T, v *validate.Validator, data []byte) {
	t.Helper()
	d, err := document.Parse(data, r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, issue := range v.Validate(d) {
		if issue.Severity != validate.Error {
			continue
		}
		t.Errorf("%s %s: %s", d.ResourceType(), d.Root().Get("id").Text(), issue)
	}
}
