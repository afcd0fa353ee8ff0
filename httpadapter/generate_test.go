package httpadapter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/synth"
)

// generating adds $generate to the operations.
func generating(config *Config) {
	config.Operations = append(operation.All(), operation.Generate()...)
}

// TestGenerate checks that a request generates the same bytes as the library.
func TestGenerate(t *testing.T) {
	c := newClient(t, generating)
	g, err := synth.New("Condition", synth.Options{
		Seed: 42, Values: map[string]string{"patient_ref": "Patient/anna"},
		Codes: map[string][]synth.Coding{"Condition.code": {{System: "http://t.example/animals", Code: "cat", Display: "Cat"}, {System: "http://t.example/animals", Code: "dog", Display: "Good dog"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"resourceType":"Bundle","type":"collection","entry":[`
	for n := range 2 {
		if n > 0 {
			want += ","
		}
		want += fmt.Sprintf(`{"fullUrl":"http://example.com/baseR4/Condition/42-%d","resource":%s}`, n, g.Append(nil, uint64(n)))
	}
	want += "]}"
	parameters := `{"resourceType":"Parameters","parameter":[{"name":"seed","%s":%s},{"name":"count","valueInteger":2},` +
		`{"name":"patient_ref","valueString":"Patient/anna"},{"name":"codes","valueString":"Condition.code=valueset:http://t.example/vs/pets"}]}`
	for _, tt := range []struct{ path, body, media string }{
		{"", fmt.Sprintf(parameters, "valueInteger", "42"), ""},
		{"", fmt.Sprintf(parameters, "valueDecimal", "42"), ""},
		{"", fmt.Sprintf(parameters, "valueString", `"42"`), ""},
		{"?seed=42&count=2&patient_ref=Patient/anna&codes=Condition.code%3Dvalueset:http://t.example/vs/pets", "", ""},
		{"", "seed=42&count=2&patient_ref=Patient/anna&codes=Condition.code%3Dvalueset:http://t.example/vs/pets", mediaForm},
	} {
		headers := []string{}
		if tt.media != "" {
			headers = []string{"Content-Type", tt.media}
		}
		r := c.do("POST", "/baseR4/Condition/$generate"+tt.path, tt.body, headers...)
		r.want(t, 200)
		if r.body != want {
			t.Errorf("%s %s\n got %s\nwant %s", tt.path, tt.body, r.body, want)
		}
	}

	// Stored resources are at their Location, and can be searched.
	r := c.do("POST", "/Patient/$generate?seed=9&count=3&store=true", "")
	doc := r.want(t, 200)
	if at(doc, "type") != "batch-response" || at(doc, "entry", 2, "response", "status") != "201 Created" {
		t.Errorf("%s", r.body)
	}
	for i := range 3 {
		place, _ := at(doc, "entry", i, "response", "location").(string)
		path, found := strings.CutPrefix(place, "http://example.com")
		if !found {
			t.Fatalf("location %q", place)
		}
		c.get(path).want(t, 200)
	}
	if n := at(c.get("/Patient?_security=HTEST").want(t, 200), "total"); n != 3.0 {
		t.Errorf("%v patients", n)
	}

	// A population, on the system.
	r = c.do("POST", "/baseR4/$generate?seed=9&patients=2", "")
	if doc = r.want(t, 200); at(doc, "type") != "collection" || !strings.Contains(r.body, `"fullUrl":"http://example.com/baseR4/Patient/9-1"`) {
		t.Errorf("%.500s", r.body)
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/$generate", "", 405, "not-supported"},
		{"POST", "/$generate?patients=101&store=true", "", 400, "invalid"},
		{"GET", "/Patient/$generate", "", 405, "not-supported"},
		{"POST", "/Patient/$generate?count=1001&store=true", "", 400, "invalid"},
		{"POST", "/Patient/$generate?store=perhaps", "", 400, "invalid"},
		{"POST", "/Patient/$generate?store=true&practitioner_ref=nobody", "", 400, "invalid"},
		{"POST", "/Patient/$generate?store=true&count=1&count=2", "", 400, "invalid"},
		{"POST", "/Patient/$generate", `{"resourceType":"Parameters","parameter":[{"name":"store","valueBoolean":true},{"name":"seed","valueCoding":{}}]}`, 400, "invalid"},
		{"POST", "/Patient/$generate", `{"resourceType":"Parameters","parameter":[{"name":"store","valueBoolean":true}`, 400, "structure"},
		{"POST", "/Patient/9-0/$generate", "", 404, "not-supported"},
		{"POST", "/Appointment/$generate", "", 404, "not-supported"},
	} {
		c.do(tt.method, tt.path, tt.body).wantIssue(t, tt.status, tt.code)
	}
	if n := at(c.get("/Patient?_security=HTEST").want(t, 200), "total"); n != 3.0 {
		t.Errorf("%v patients after what was refused", n)
	}
}

// TestGenerateDeclared checks that $generate is declared if and only if it is offered.
func TestGenerateDeclared(t *testing.T) {
	const definition = "/OperationDefinition/Patient-generate"
	c := newClient(t, generating)
	if d := c.get(definition).want(t, 200); at(d, "affectsState") != true || at(d, "type") != true || at(d, "instance") != false {
		t.Errorf("%v", d)
	}
	if d := c.get("/OperationDefinition/generate").want(t, 200); at(d, "affectsState") != true || at(d, "system") != true || at(d, "type") != false {
		t.Errorf("%v", d)
	}
	if n := strings.Count(c.get("/metadata").body, "-generate\""); n != len(synth.TypeNames()) {
		t.Errorf("metadata lists %d, want %d", n, len(synth.TypeNames()))
	}
	off := newClient(t)
	off.do("POST", "/Patient/$generate", "").wantIssue(t, 404, "not-supported")
	off.do("POST", "/$generate", "").wantIssue(t, 404, "not-supported")
	off.get(definition).wantIssue(t, 404, "not-found")
	if strings.Contains(off.get("/metadata").body, "generate") {
		t.Error("metadata has $generate where it is off")
	}
}
