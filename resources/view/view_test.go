package view_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/view"
)

const (
	ann  = `{"resourceType":"Patient","id":"a","active":true,"gender":"male","birthDate":"1970-06","name":[{"use":"official","family":"O \"X\", Y","given":["A","B"]},{"family":"Z"}],"contact":[{},{"name":{"family":"C"}}],"maritalStatus":{"coding":[{"system":"http://s","code":"m"}]}}`
	bob  = `{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"b","active":false,"gender":"female"}}]}`
	form = `{"resourceType":"QuestionnaireResponse","id":"q","item":[{"linkId":"1","item":[{"linkId":"1.1","answer":[{"item":[{"linkId":"1.1.1"}]}]}]},{"linkId":"2"}]}`

	// many is a view with most elements.
	many = `{"resourceType":"ViewDefinition","resource":"Patient","title":"t","constant":[{"name":"n","valuePositiveInt":1}],"where":[{"path":"active.exists()"},{"path":"id != 'c'"}],
"select":[{"column":[{"name":"id","path":"getResourceKey()"},{"name":"g","path":"name.given | 007","collection":true},{"name":"s","path":"name.given[%n]","type":"string"}]},
{"forEachOrNull":"name","column":[{"name":"i","path":"%rowIndex"}],"select":[{"forEach":"given","column":[{"name":"n","path":"$this"}]}],
"unionAll":[{"column":[{"name":"u","path":"use"}]},{"unionAll":[{"column":[{"name":"u","path":"family"}]}]}]},
{"column":[{"name":"h","path":"birthDate.highBoundary()","tag":[{"name":"t","value":"v"}]},{"name":"t","path":"''"}]}]}`
)

// of writes a view of a type with columns of the given names and paths.
func of(typ, more string, columns ...string) string {
	list := ""
	for _, c := range columns {
		name, path, _ := strings.Cut(c, " ")
		list += fmt.Sprintf(`,{"name":%q,"path":%q}`, name, path)
	}
	return `{"resource":"` + typ + `","select":[{"column":[` + list[1:] + `]` + more + `}]}`
}

// run runs a view over resources and returns what it writes.
func run(t *testing.T, text string, o view.Options, resources ...string) (string, error) {
	d, err := document.Parse([]byte(text), r4.Limits{})
	if err != nil {
		t.Fatal(text, err)
	}
	v, err := view.Parse(definitions.R4(), d.Root())
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = v.Run(t.Context(), o, func(yield func([]byte) error) (err error) {
		for i := 0; i < len(resources) && err == nil; i++ {
			err = yield([]byte(resources[i]))
		}
		return err
	}, &out)
	return out.String(), err
}

// TestRows checks the rows of views.
func TestRows(t *testing.T) {
	const a, b = `a,"[""A"",""B"",""007""]",B,0,`, `,1970-06-30,""` + "\n"
	for _, test := range []struct{ text, format, want string }{
		{many, "csv", "id,g,s,i,n,u,h,t\n" + a + "A,official" + b + a + `A,"O ""X"", Y"` + b + a + "B,official" + b + a + `B,"O ""X"", Y"` + b + `b,"[""007""]",,0,,,,""` + "\n"},
		{of("Patient", "", "id id", "g gender"), "ndjson", `{"id":"a","g":"male"}` + "\n" + `{"id":"b","g":"female"}` + "\n"},
		{of("Patient", "", "a active", "f name.family.last()"), "json", `[{"a":true,"f":"Z"},` + "\n" + `{"a":false,"f":null}]` + "\n"},
		{of("Patient", `},{"forEach":"contact","column":[{"name":"c","path":"name","type":"HumanName"}]`, "j name.given.join('-')", "b 1 + 1"), "csv", "j,b,c\nA-B,2,\nA-B,2,\"{\"\"family\"\":\"\"C\"\"}\"\n"},
		{of("QuestionnaireResponse", `,"repeat":["item","answer.item"]`, "i %rowIndex", "l linkId"), "csv", "i,l\n0,1\n1,1.1\n2,1.1.1\n3,2\n"},
		{of("Patient", "", "c maritalStatus.memberOf('http://v')", "g gender.memberOf('http://v')", "s maritalStatus.coding.subsumedBy('http://s|top')", "u maritalStatus.subsumes('http://s|m')", "x id.memberOf('http://v')"), "csv", "c,g,s,u,x\ntrue,false,true,false,\n,true,,,\n"},
	} {
		got, err := run(t, test.text, view.Options{Format: test.format, Codes: terminology{}}, ann, bob, form)
		if err != nil || got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s%v", test.text, got, test.want, err)
		}
	}
}

// terminology knows one value set and a hierarchy of two codes.
type terminology struct{}

func (terminology) CodesIn(_ context.Context, valueSet string) (r4.Codes, error) {
	if valueSet != "http://v" {
		return nil, errors.New("an unknown value set")
	}
	return codes{"http://s|m": true, "http://hl7.org/fhir/administrative-gender|female": true}, nil
}

func (terminology) CodesBelow(_ context.Context, system, code string, below bool) (r4.Codes, error) {
	return codes{"http://s|top": true, "http://s|m": below}, nil
}

type codes map[string]bool

func (c codes) Len() int                          { return len(c) }
func (c codes) Contains(system, code string) bool { return c[system+"|"+code] }
func (c codes) Each(func(string, string) bool)    {}
func (c codes) Numbering(string) (any, func(string) (uint32, bool), func(uint32) bool) {
	return nil, nil, nil
}

// TestInvalid replaces a part of the view and checks which place is reported, after ViewDefinition.
func TestInvalid(t *testing.T) {
	const column = ".select[0].column[0].path: "
	for _, test := range [][3]string{
		{`"Patient"`, `"Patients"`, ".resource: "},
		{`"title"`, `"wher"`, `: "wher"`},
		{`"title":"t"`, `"fhirVersion":["5.0.0"]`, ".fhirVersion: "},
		{`[{"path":"active.exists()"},{"path":"id != 'c'"}]`, `[]`, ".where: a list"},
		{"active.exists()", "active.", ".where[0].path: FHIRPath"},
		{"active.exists()", "memberOf('http://w')", ".where[0].path: an unknown value set"},
		{"active.exists()", "id", ".where[0].path: a condition"},
		{`{"name":"n","valuePositiveInt":1}`, "1", ".constant[0]: an object"},
		{`,"valuePositiveInt":1`, "", ".constant[0]: one value[x]"},
		{"valuePositiveInt", "valueDate", ".constant[0].valueDate: "},
		{`"n","value`, `"rowIndex","value`, ".constant[0].name: "},
		{`"name":"id"`, `"name":"g"`, ".select: there are two"},
		{`"name":"id"`, `"name":"1"`, ".select[0].column[0].name: "},
		{"getResourceKey()", "%none", column},
		{"getResourceKey()", "name.family", column + "the column id has 2"},
		{"getResourceKey()", "maritalStatus", column + "the column id has a value of type CodeableConcept"},
		{"getResourceKey()", "maritalStatus.memberOf(id)", column + "an unknown value set"},
		{"getResourceKey()", "(1 | 2).single()", column + "the FHIRPath"},
		{`"collection":true`, `"collection":1`, ".select[0].column[1].collection: "},
		{`"string"`, `"Nothing"`, ".select[0].column[2].type: "},
		{`"string"`, `"integer"`, ".select[0].column[2].path: "},
		{`"name",`, `1,`, ".select[1].forEachOrNull: a text"},
		{`"name",`, `"name","repeat":["name"],`, ".select[1]: only one"},
		{`"forEachOrNull":"name"`, `"repeat":["$this"]`, ".select[1].repeat[0]: it repeats"},
		{`"u","path":"family"`, `"v","path":"family"`, ".select[1].unionAll[1]: "},
		{`"path":"use"}]},{"unionAll":[{"column":[{"name":"u",`, `"type":"code","path":"use"}]},{"unionAll":[{"column":[{"name":"u","type":"string",`, ".select[1].unionAll[1]: "},
		{`,"value":"v"`, "", ".select[2].column[0].tag[0].value: "},
		{many, `{"resource":"Patient",` + strings.Repeat(`"select":[{`, 40) + strings.Repeat("}]", 40) + "}", strings.Repeat(".select[0]", 33) + ": the view is nested"},
	} {
		var failed *view.Error
		_, err := run(t, strings.Replace(many, test[0], test[1], 1), view.Options{Format: "csv", Codes: terminology{}}, ann)
		if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), "ViewDefinition"+test[2]) || failed.Resource != "" && failed.Resource != "Patient/a" {
			t.Errorf("%s: %v, want %s", test[1], err, test[2])
		}
	}
	if _, err := run(t, of("Patient", "", "i gender.memberOf('http://v')"), view.Options{Format: "csv"}); err == nil {
		t.Error("codes without terminology")
	}
}

// TestTypes checks what the type of a column accepts: values of the type, and of those made from it.
func TestTypes(t *testing.T) {
	for _, test := range []struct {
		path, typ string
		fits      bool
	}{
		{"onset", "Age", true}, {"onset", "Quantity", true}, {"onset", "HumanName", false}, {"onset", "string", false}, {"onset.value", "integer64", true}, {"id", "integer64", false},
	} {
		text := strings.Replace(of("Condition", "", "c "+test.path), `"path"`, `"type":"`+test.typ+`","path"`, 1)
		if _, err := run(t, text, view.Options{Format: "ndjson"}, `{"resourceType":"Condition","id":"c","onsetAge":{"value":1}}`); (err == nil) != test.fits {
			t.Errorf("%s as %s: %v", test.path, test.typ, err)
		}
	}
}

// TestRun checks limits, order and the end of a run.
func TestRun(t *testing.T) {
	var resources, rows []string
	for i := range 3000 {
		resources = append(resources, fmt.Sprintf(`{"resourceType":"Patient","id":"%d"}`, i))
		rows = append(rows, fmt.Sprintln(i))
	}
	for _, limit := range []int{1, 256, 257, 5000} {
		got, err := run(t, of("Patient", "", "id id"), view.Options{Format: "csv", NoHeader: true, Limit: limit, Workers: 3}, resources...)
		if err != nil || got != strings.Join(rows[:min(limit, len(rows))], "") {
			t.Errorf("limit %d: %d bytes, %v", limit, len(got), err)
		}
	}
	d, err := document.Parse([]byte(of("Patient", "", "id id")), r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := view.Parse(definitions.R4(), d.Root())
	if err != nil {
		t.Fatal(err)
	}
	in, out := io.Pipe()
	in.Close()
	if err := v.Run(t.Context(), view.Options{Format: "csv"}, func(func([]byte) error) error { return nil }, out); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the header cannot be written: %v", err)
	}
	resources[2000] = "{"
	if _, err := run(t, of("Patient", "", "id id"), view.Options{Format: "csv"}, resources...); err == nil {
		t.Error("a resource that is not JSON")
	}
}

// FuzzParse checks that a definition is refused with its place, or runs.
func FuzzParse(f *testing.F) {
	f.Add(many)
	f.Add(of("Patient", `,"repeat":["contact"]`, "r memberOf('x')"))
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := document.Parse([]byte(text), r4.DefaultLimits()); err != nil {
			return
		}
		var failed *view.Error
		if _, err := run(t, text, view.Options{Format: "ndjson"}, ann); err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
	})
}
