package validate_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// issues returns the issues of a document, except that it has no narrative, as "severity code expression".
func issues(t *testing.T, data string, opts ...validate.Option) []string {
	t.Helper()
	return judged(t, data, validate.New(definitions.R4(), opts...).Validate)
}

// judged is issues with a method of a Validator.
func judged(t *testing.T, data string, by func(*document.Document) []validate.Issue) []string {
	t.Helper()
	d, err := document.Parse([]byte(data), r4.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	var list []string
	for _, i := range by(d) {
		if strings.HasPrefix(i.Text, "dom-6:") {
			continue // few of the documents have a narrative
		}
		list = append(list, fmt.Sprintf("%s %s %s", i.Severity, i.Code, i.Expression))
		if i.Text == "" || i.Severity != validate.Information && (i.Line < 1 || i.Column < 1) {
			t.Errorf("%+v", i)
		}
	}
	return list
}

func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		data string
		want []string // none when the document is valid
	}{
		"no object":         {`[]`, []string{"error structure "}},
		"no type":           {`{}`, []string{"error required "}},
		"type no string":    {`{"resourceType":1}`, []string{"error structure "}},
		"unknown type":      {`{"resourceType":"Patients"}`, []string{"error structure "}},
		"abstract type":     {`{"resourceType":"DomainResource"}`, []string{"error structure "}},
		"only a type":       {`{"resourceType":"Patient"}`, nil},
		"unknown element":   {`{"resourceType":"Patient","nickname":"x"}`, []string{"error structure Patient.nickname"}},
		"odd name":          {`{"resourceType":"Patient","a\"b":"x"}`, []string{`error structure Patient."a\"b"`}},
		"unknown below":     {`{"resourceType":"Patient","name":[{"family":"a"},{"famly":"b"}]}`, []string{"error structure Patient.name[1].famly"}},
		"type within":       {`{"resourceType":"Patient","name":[{"resourceType":"HumanName"}]}`, []string{"error structure Patient.name[0].resourceType"}},
		"no array":          {`{"resourceType":"Patient","name":{"family":"a"}}`, []string{"error structure Patient.name"}},
		"an array":          {`{"resourceType":"Patient","gender":["male"]}`, []string{"error structure Patient.gender"}},
		"empty array":       {`{"resourceType":"Patient","name":[]}`, []string{"error structure Patient.name"}},
		"empty object":      {`{"resourceType":"Patient","name":[{}]}`, []string{"error structure Patient.name[0]"}},
		"empty string":      {`{"resourceType":"Patient","name":[{"family":""}]}`, []string{"error value Patient.name[0].family"}},
		"null":              {`{"resourceType":"Patient","gender":null}`, []string{"error structure Patient.gender"}},
		"null in an array":  {`{"resourceType":"Patient","name":[null]}`, []string{"error structure Patient.name[0]"}},
		"null in strings":   {`{"resourceType":"Patient","name":[{"given":["a",null]}]}`, []string{"error structure Patient.name[0].given[1]"}},
		"string for object": {`{"resourceType":"Patient","name":["a"]}`, []string{"error structure Patient.name[0]"}},
		"object for string": {`{"resourceType":"Patient","gender":{"a":1}}`, []string{"error structure Patient.gender"}},
		"text for boolean":  {`{"resourceType":"Patient","active":"true"}`, []string{"error structure Patient.active"}},
		"number for text":   {`{"resourceType":"Patient","birthDate":2020}`, []string{"error structure Patient.birthDate"}},
		"required":          {`{"resourceType":"Observation","status":"final"}`, []string{"error required Observation.code"}},
		"required below":    {`{"resourceType":"Patient","communication":[{"preferred":true}]}`, []string{"error required Patient.communication[0].language"}},
		"required choice":   {`{"resourceType":"MedicationRequest","status":"active","intent":"order","subject":{"reference":"Patient/1"}}`, []string{"error required MedicationRequest.medication"}},
		"required as extension only": {
			`{"resourceType":"Observation","_status":{"extension":[{"url":"http://x/absent","valueCode":"unknown"}]},"code":{"text":"a"}}`, nil,
		},
		"two of a choice": {
			`{"resourceType":"Patient","deceasedBoolean":true,"deceasedDateTime":"2020"}`, []string{"error structure Patient.deceased"},
		},
		"one of a choice, with extension": {
			`{"resourceType":"Patient","deceasedBoolean":true,"_deceasedBoolean":{"id":"a"}}`, nil,
		},
		"choice without type":    {`{"resourceType":"Observation","status":"final","code":{"text":"a"},"value":"x"}`, []string{"error structure Observation.value"}},
		"choice of another type": {`{"resourceType":"Observation","status":"final","code":{"text":"a"},"valueDecimal":1}`, []string{"error structure Observation.valueDecimal"}},
		"below a choice": {
			`{"resourceType":"Observation","status":"final","code":{"text":"a"},"valueQuantity":{"value":"1"}}`,
			[]string{"error structure Observation.value.ofType(Quantity).value"},
		},
		"binding":               {`{"resourceType":"Patient","gender":"m"}`, []string{"error code-invalid Patient.gender"}},
		"binding of a concept":  {`{"resourceType":"Condition","subject":{"reference":"Patient/1"},"clinicalStatus":{"coding":[{"code":"cured"}]}}`, []string{"error code-invalid Condition.clinicalStatus"}},
		"binding, other system": {`{"resourceType":"Condition","subject":{"reference":"Patient/1"},"clinicalStatus":{"coding":[{"system":"http://x","code":"active"}]}}`, []string{"error code-invalid Condition.clinicalStatus"}},
		"binding, one of two":   {`{"resourceType":"Condition","subject":{"reference":"Patient/1"},"clinicalStatus":{"coding":[{"system":"http://x","code":"a"},{"system":"http://terminology.hl7.org/CodeSystem/condition-clinical","code":"active"}]}}`, nil},
		"reference":             {`{"resourceType":"Condition","subject":{"reference":"Patient/1/x"}}`, []string{"error value Condition.subject.reference"}},
		"reference to no type":  {`{"resourceType":"Condition","subject":{"reference":"Patients/1"}}`, []string{"error value Condition.subject.reference"}},
		"reference, other type": {`{"resourceType":"Condition","subject":{"reference":"Device/1"}}`, []string{"warning value Condition.subject.reference"}},
		"reference, a search":   {`{"resourceType":"Condition","subject":{"reference":"Patient?identifier=1"}}`, []string{"error value Condition.subject.reference"}},
		"reference, versioned":  {`{"resourceType":"Condition","subject":{"reference":"Patient/1/_history/2"}}`, nil},
		"reference, absolute":   {`{"resourceType":"Condition","subject":{"reference":"https://x/fhir/Patient/1"}}`, nil},
		"reference, urn":        {`{"resourceType":"Condition","subject":{"reference":"urn:uuid:7b4ab6f3-6c38-4a4f-a1b6-1f5b4d0f3c51"}}`, nil},
		"reference, type":       {`{"resourceType":"Condition","subject":{"reference":"Patient/1","type":"Group"}}`, []string{"error invariant Condition.subject.type"}},
		"reference, contained":  {`{"resourceType":"Condition","contained":[{"resourceType":"Patient","id":"p"}],"subject":{"reference":"#p"}}`, nil},
		"reference to nothing":  {`{"resourceType":"Condition","subject":{"reference":"#p"}}`, []string{"error invariant Condition.subject.reference"}},
		"contained twice":       {`{"resourceType":"Patient","contained":[{"resourceType":"Organization","id":"o","name":"a"},{"resourceType":"Organization","id":"o","name":"b"}],"managingOrganization":{"reference":"#o"}}`, []string{"error duplicate Patient.contained[1]"}},
		"contained for nothing": {`{"resourceType":"Condition","contained":[{"resourceType":"Patient","id":"p"}],"subject":{"reference":"Patient/1"}}`, []string{"error invariant Condition.contained[0]"}},
		"contained, named back": {`{"resourceType":"Patient","contained":[{"resourceType":"Condition","id":"c","subject":{"reference":"#"}}]}`, nil},
		"contained without id":  {`{"resourceType":"Patient","contained":[{"resourceType":"Patient"}]}`, []string{"error required Patient.contained[0].id"}},
		"contained in contained": {
			`{"resourceType":"Patient","contained":[{"resourceType":"Patient","id":"a","contained":[{"resourceType":"Patient","id":"b"}],"managingOrganization":{"reference":"#"}}]}`,
			[]string{"error invariant Patient"},
		},
		"contained with version": {
			`{"resourceType":"Patient","contained":[{"resourceType":"Patient","id":"a","meta":{"versionId":"1"},"link":[{"other":{"reference":"#"},"type":"refer"}]}]}`,
			[]string{"error invariant Patient"},
		},
		"contained is checked":     {`{"resourceType":"Patient","contained":[{"resourceType":"Patient","id":"a","gender":"x","link":[{"other":{"reference":"#"},"type":"refer"}]}]}`, []string{"error code-invalid Patient.contained[0].gender"}},
		"contained, unknown type":  {`{"resourceType":"Patient","contained":[{"resourceType":"Nothing","id":"a"}]}`, []string{"error structure Patient.contained[0]", "error invariant Patient.contained[0]"}},
		"entry is checked":         {`{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","gender":"x"}}]}`, []string{"error code-invalid Bundle.entry[0].resource.gender"}},
		"entry, a search":          {`{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"POST","url":"Condition"},"resource":{"resourceType":"Condition","subject":{"reference":"Patient?identifier=1"}}}]}`, nil},
		"entries contain":          {`{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Condition","contained":[{"resourceType":"Patient","id":"p"}],"subject":{"reference":"#p"}}},{"resource":{"resourceType":"Condition","subject":{"reference":"#p"}}}]}`, []string{"error invariant Bundle.entry[1].resource.subject.reference"}},
		"extension with nothing":   {`{"resourceType":"Patient","extension":[{"url":"http://x"}]}`, []string{"error invariant Patient.extension[0]"}},
		"extension with both":      {`{"resourceType":"Patient","extension":[{"url":"http://x","valueCode":"a","extension":[{"url":"y","valueCode":"a"}]}]}`, []string{"error invariant Patient.extension[0]"}},
		"extension with two":       {`{"resourceType":"Patient","extension":[{"url":"http://x","valueCode":"a","valueString":"b"}]}`, []string{"error structure Patient.extension[0].value"}},
		"extension without url":    {`{"resourceType":"Patient","extension":[{"valueCode":"a"}]}`, []string{"error required Patient.extension[0].url"}},
		"extension, nested":        {`{"resourceType":"Patient","extension":[{"url":"http://x","extension":[{"url":"y","valueCode":"a"}]}]}`, nil},
		"extension, of a complex":  {`{"resourceType":"Patient","extension":[{"url":"http://x","valueCodeableConcept":{"codin":[]}}]}`, []string{"error structure Patient.extension[0].value.ofType(CodeableConcept).codin"}},
		"siblings":                 {`{"resourceType":"Patient","name":[{"given":["a",null],"_given":[null,{"extension":[{"url":"http://x","valueCode":"a"}]}]}],"_birthDate":{"id":"b"}}`, nil},
		"sibling of another count": {`{"resourceType":"Patient","name":[{"given":["a","b"],"_given":[{"id":"x"}]}]}`, []string{"error structure Patient.name[0].given"}},
		"sibling of nulls":         {`{"resourceType":"Patient","name":[{"given":["a"],"_given":[null]}]}`, []string{"error structure Patient.name[0].given"}},
		"sibling, no array":        {`{"resourceType":"Patient","name":[{"given":["a"],"_given":{"id":"x"}}]}`, []string{"error structure Patient.name[0].given"}},
		"sibling alone, of nulls":  {`{"resourceType":"Patient","name":[{"_given":[null]}]}`, []string{"error structure Patient.name[0].given"}},
		"sibling with a value":     {`{"resourceType":"Patient","_birthDate":{"value":"2020"}}`, []string{"error structure Patient.birthDate.value"}},
		"sibling of an object":     {`{"resourceType":"Patient","_name":[{"id":"x"}]}`, []string{"error structure Patient._name"}},
		"sibling of xhtml":         {`{"resourceType":"Patient","text":{"status":"empty","div":"<div>a</div>","_div":{"extension":[{"url":"http://x","valueCode":"a"}]}}}`, []string{"error structure Patient.text.div.extension"}},
		"narrative":                {`{"resourceType":"Patient","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">a</div>"}}`, nil},
		"narrative, plain text":    {`{"resourceType":"Patient","text":{"status":"generated","div":"hello"}}`, []string{"error value Patient.text.div"}},
		"narrative, open":          {`{"resourceType":"Patient","text":{"status":"generated","div":"<div>hello"}}`, []string{"error value Patient.text.div"}},
		"narrative without div":    {`{"resourceType":"Patient","text":{"status":"generated"}}`, []string{"error required Patient.text.div"}},
		"recursion":                {`{"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","type":"group","item":[{"linkId":"1.1","type":"odd"}]}]}`, []string{"error code-invalid Questionnaire.item[0].item[0].type"}},
		"CodeSystem, no content":   {`{"resourceType":"CodeSystem","url":"http://x","status":"active","concept":[{"code":"a"}]}`, nil},
		"SupplyRequest":            {`{"resourceType":"SupplyRequest","itemCodeableConcept":{"text":"gloves"}}`, []string{"error required SupplyRequest.quantity"}},
		"class":                    {`{"resourceType":"Encounter","status":"planned","class":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"XYZ"}}`, []string{"error code-invalid Encounter.class.code"}},
		"class, no system":         {`{"resourceType":"Encounter","status":"planned","class":{"code":"XYZ"}}`, []string{"error code-invalid Encounter.class.code"}},
		"class, other system":      {`{"resourceType":"Encounter","status":"planned","class":{"system":"http://x","code":"XYZ"}}`, nil},
		"answer without value":     {`{"resourceType":"QuestionnaireResponse","status":"completed","item":[{"linkId":"1","answer":[{"item":[{"linkId":"1.1"}]}]}]}`, []string{"error required QuestionnaireResponse.item[0].answer[0].value"}},
		"answer with two":          {`{"resourceType":"QuestionnaireResponse","status":"completed","item":[{"linkId":"1","answer":[{"valueInteger":1,"valueString":"a"}]}]}`, []string{"error structure QuestionnaireResponse.item[0].answer[0].value"}},
		"answer beside items":      {`{"resourceType":"QuestionnaireResponse","status":"completed","item":[{"linkId":"1","answer":[{"valueInteger":1}],"item":[{"linkId":"1.1"}]}]}`, []string{"error invariant QuestionnaireResponse.item[0]"}},
		"answers":                  {`{"resourceType":"QuestionnaireResponse","status":"completed","item":[{"linkId":"1","answer":[{"valueInteger":1,"item":[{"linkId":"1.1","answer":[{"valueBoolean":false}]}]}]}]}`, nil},
		"all at once": {
			`{"resourceType":"Encounter","status":"begun","foo":1,"period":{"start":"yesterday"}}`,
			[]string{"error code-invalid Encounter.status", "error structure Encounter.foo", "error value Encounter.period.start", "error required Encounter.class"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := issues(t, test.data); !slices.Equal(got, test.want) {
				t.Errorf("%s\ngot  %q\nwant %q", test.data, got, test.want)
			}
		})
	}
}

func TestPlace(t *testing.T) {
	d, err := document.Parse([]byte("{\n  \"resourceType\": \"Patient\",\n  \"gender\": \"m\"\n}"), r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	list := validate.New(definitions.R4()).Validate(d)
	if len(list) != 2 || list[0].Line != 3 || list[0].Column != 13 || !strings.Contains(list[0].Text, "male, female, other, unknown") {
		t.Errorf("%+v", list)
	}
	for body, want := range map[string]string{
		`{"resourceType":"Task","status":"draft","intent":"order","input":[{"type":{"text":"a"}}]}`: "one of value[x] is required",
		`{"resourceType":"Condition","subject":{"reference":"a_b:c"}}`:                              `"a_b:c" is not a reference`,
	} {
		if list := validate.New(definitions.R4()).Validate(parse(t, body)); len(list) == 0 || !strings.HasPrefix(list[0].Text, want) {
			t.Errorf("%v, want %s", list, want)
		}
	}
	issue := list[0].R4()
	if issue.Severity != "error" || issue.Code != "code-invalid" || issue.Expression[0] != "Patient.gender" || !strings.Contains(issue.Diagnostics, "line 3") {
		t.Errorf("%+v", issue)
	}
	err = validate.Check(list)
	var invalid *validate.Invalid
	if !errors.Is(err, validate.ErrInvalid) || !errors.As(err, &invalid) || !strings.Contains(err.Error(), "Patient.gender") {
		t.Errorf("%v", err)
	}
	if validate.Check(nil) != nil {
		t.Error("an error of nothing")
	}
}

func TestMaxIssues(t *testing.T) {
	data := `{"resourceType":"Patient","name":[` + strings.Repeat(`{"x":1},`, 300) + `{"x":1}]}`
	got := issues(t, data)
	if len(got) != 101 || got[100] != "information informational Patient" {
		t.Errorf("%d issues, the last %q", len(got), got[len(got)-1])
	}
	if got := issues(t, data, validate.MaxIssues(3)); len(got) != 4 {
		t.Errorf("%d issues", len(got))
	}
}

// TestLarge checks that documents made to be slow to check are not: these would take minutes if
// anything were looked up again for each item.
func TestLarge(t *testing.T) {
	const n = 20_000
	repeat := func(s string) string { return strings.Repeat(s+",", n-1) + s }
	for name, data := range map[string]string{
		"nulls":     `{"resourceType":"Patient","name":[{"given":[` + repeat("null") + `],"_given":[` + repeat(`{"id":"a"}`) + `]}]}`,
		"members":   `{"resourceType":"Patient","name":[` + repeat(`{"x":null}`) + `]}`,
		"contained": `{"resourceType":"List","contained":[` + repeat(`{"resourceType":"Patient","id":"a"}`) + `],"entry":[` + repeat(`{"item":{"reference":"#b"}}`) + `]}`,
		"deep":      `{"resourceType":"Questionnaire","status":"draft","item":[` + strings.Repeat(`{"item":[`, 2000) + `{"x":1}` + strings.Repeat(`]}`, 2000) + `]}`,
	} {
		if size := len(strings.Join(issues(t, data), "")); size > 150_000 {
			t.Errorf("%s: issues of %d bytes", name, size)
		}
	}
}

func TestRelaxed(t *testing.T) {
	for data, want := range map[string][]string{
		`{"resourceType":"Observation","foo":{},"status":7}`: nil,
		`{"resourceType":"Nothing"}`:                         {"error structure "},
		`{"resourceType":"Patient","id":"a/b"}`:              {"error value Patient.id"},
		`{"resourceType":"SupplyRequest"}`:                   {"error required SupplyRequest.quantity"},
		`7`:                                                  {"error structure "},
	} {
		if got := issues(t, data, validate.Relaxed()); !slices.Equal(got, want) {
			t.Errorf("%s: %q", data, got)
		}
	}
}

func TestTransition(t *testing.T) {
	states := []string{"in-progress", "completed", "stopped", "amended", "entered-in-error"}
	var moves []string
	for _, from := range states {
		for _, to := range states {
			allowed, ok := validate.Transition(from, to)
			if ok != (from == to || slices.Contains(allowed, to)) {
				t.Errorf("%s to %s: %v, allowed %v", from, to, ok, allowed)
			}
			if ok && from != to {
				moves = append(moves, from+">"+to)
			}
		}
	}
	want := "in-progress>completed in-progress>stopped completed>amended stopped>entered-in-error amended>entered-in-error"
	if got := strings.Join(moves, " "); got != want {
		t.Errorf("moves %s", got)
	}
}

// FuzzValidate checks that validation never fails for a document that parses, and that all
// expressions are within the resource.
func FuzzValidate(f *testing.F) {
	f.Add([]byte(observation))
	for _, seed := range []string{
		`{"resourceType":"Patient","contained":[{"resourceType":"Patient","id":"a","link":[{"other":{"reference":"#"}}]}],"_birthDate":{"id":"x"},"name":[{"given":[null],"_given":[{"id":"a"}]}]}`,
		`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Condition","subject":{"reference":"#"}}}]}`,
		`{"resourceType":"Parameters","parameter":[{"name":"a","valueDateTime":"2020-02-30"},{"name":"b","resource":null}]}`,
		`{"resourceType":"QuestionnaireResponse","item":[{"answer":[{}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	v := validate.New(definitions.R4())
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := document.Parse(data, r4.Limits{MaxDepth: 200})
		if err != nil {
			return
		}
		for _, i := range v.Validate(d) {
			if i.Expression != "" && !strings.HasPrefix(i.Expression, d.ResourceType()) {
				t.Errorf("%+v", i)
			}
		}
	})
}

func TestGoesBack(t *testing.T) {
	for _, test := range []struct {
		from, to string
		want     bool
	}{
		{"candidate", "screening", false},
		{"on-study", "screening", true},
		{"ineligible", "eligible", false},
		{"eligible", "ineligible", false},
		{"off-study", "on-study", true},
		{"withdrawn", "withdrawn", false},
		{"potential-candidate", "candidate", false},
		{"on-study", "not-registered", false},
	} {
		if got := validate.GoesBack(test.from, test.to); got != test.want {
			t.Errorf("%s to %s: %v", test.from, test.to, got)
		}
	}
	known := definitions.R4().Type("ResearchSubject").Element("status").Binding
	for _, stage := range validate.Stages() {
		if !known.Contains(stage) {
			t.Errorf("R4 has no %s", stage)
		}
	}
}

func ExampleValidator_Validate() {
	d, err := document.Parse([]byte(`{"resourceType": "Observation", "status": "done", "valueQuantity": {"value": "5"}}`), r4.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, issue := range validate.New(definitions.R4()).Validate(d) {
		fmt.Println(issue.Severity, issue)
	}
	// Output:
	// error Observation.status: "done" is not one of registered, preliminary, final, amended, corrected, cancelled, entered-in-error, unknown
	// error Observation.value.ofType(Quantity).value: decimal must be a number in JSON, not a string
	// error Observation.code: the required element is missing
	// warning Observation: dom-6: A resource should have narrative for robust management
}
