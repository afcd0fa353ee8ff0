package view_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/view"
)

// people are the resources of the tables below.
var people = []string{
	`{"resourceType":"Patient","id":"a","active":true,"gender":"male","birthDate":"1970-06","name":[{"use":"official","family":"O \"X\", Y","given":["A","B"]},{"family":"Z"}],
	  "contact":[{"telecom":[{"value":"1"},{"value":"2"}]},{"name":{"family":"C"}}],"maritalStatus":{"coding":[{"system":"http://s","code":"m"}]},
	  "managingOrganization":{"reference":"Organization/o"},"extension":[{"url":"http://e","valueDecimal":1.50}]}`,
	`{"resourceType":"Organization","id":"o"}`,
	`{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"b","active":false,"gender":"female"}}]}`,
	`{"resourceType":"QuestionnaireResponse","id":"q","status":"completed","item":[{"linkId":"1","item":[{"linkId":"1.1","answer":[{"valueString":"x","item":[{"linkId":"1.1.1"}]}]}]},{"linkId":"2"}]}`,
}

// columns writes columns with paths, such as "id=id".
func columns(list ...string) string {
	var parts []string
	for _, c := range list {
		name, path, _ := strings.Cut(c, "=")
		more := ""
		if plain, is := strings.CutPrefix(name, "*"); is {
			name, more = plain, `,"collection":true`
		}
		if plain, typ, is := strings.Cut(name, ":"); is {
			name, more = plain, more+fmt.Sprintf(`,"type":%q`, typ)
		}
		parts = append(parts, fmt.Sprintf(`{"name":%q,"path":%q%s}`, name, path, more))
	}
	return `"column":[` + strings.Join(parts, ",") + `]`
}

func ofPatients(members string) string { return `{"resource":"Patient",` + members + `}` }

// TestRows checks the rows of views, as CSV without a header.
func TestRows(t *testing.T) {
	id := `{` + columns("id=getResourceKey()") + `}`
	for name, test := range map[string]struct{ definition, want string }{
		"columns":     {ofPatients(`"select":[{` + columns("id=id", "active=active", "f=name.family.first()", "e=extension('http://e').value.ofType(decimal)") + `}]`), "a,true,\"O \"\"X\"\", Y\",1.50\nb,false,,\n"},
		"collection":  {ofPatients(`"select":[{` + columns("id=id", "*g=name.given") + `}]`), "a,\"[\"\"A\"\",\"\"B\"\"]\"\nb,[]\n"},
		"complex":     {ofPatients(`"select":[{` + columns("m:CodeableConcept=maritalStatus", "*c:Patient.contact=contact.where(name.exists())") + `}]`), "\"{\"\"coding\"\":[{\"\"system\"\":\"\"http://s\"\",\"\"code\"\":\"\"m\"\"}]}\",\"[{\"\"name\"\":{\"\"family\"\":\"\"C\"\"}}]\"\n,[]\n"},
		"empty text":  {ofPatients(`"select":[{` + columns("t=''", "n={}") + `}],"where":[{"path":"active"}]`), "\"\",\n"},
		"keys":        {ofPatients(`"select":[{` + columns("k=managingOrganization.getReferenceKey(Organization)", "w=managingOrganization.getReferenceKey(Patient)") + `}]`), "o,\n,\n"},
		"boundaries":  {ofPatients(`"select":[{` + columns("l=birthDate.lowBoundary()", "h=birthDate.highBoundary()") + `}],"where":[{"path":"birthDate.exists()"}]`), "1970-06-01,1970-06-30\n"},
		"join":        {ofPatients(`"select":[{` + columns("j=name.given.join('-')") + `}]`), "A-B\n\n"},
		"where":       {ofPatients(`"select":[` + id + `],"where":[{"path":"active or gender = 'female'"},{"path":"name.empty()"}]`), "b\n"},
		"constants":   {ofPatients(`"constant":[{"name":"use","valueCode":"official"},{"name":"n","valuePositiveInt":1}],"select":[{` + columns("f=name.where(use = %use).family", "g=name.given[%n]", "p=%n + 1") + `}],"where":[{"path":"name.exists(use = %use)"}]`), "\"O \"\"X\"\", Y\",B,2\n"},
		"forEach":     {ofPatients(`"select":[` + id + `,{"forEach":"name",` + columns("f=family", "i=%rowIndex") + `}]`), "a,\"O \"\"X\"\", Y\",0\na,Z,1\n"},
		"orNull":      {ofPatients(`"select":[` + id + `,{"forEachOrNull":"name",` + columns("i=%rowIndex", "c='c'") + `,"select":[{` + columns("j=%rowIndex") + `},{"forEach":"given",` + columns("g=$this") + `}]}]`), "a,0,c,0,A\na,0,c,0,B\nb,0,,0,\n"},
		"nested":      {ofPatients(`"select":[{"forEach":"contact",` + columns("c=%rowIndex") + `,"select":[{"forEach":"telecom",` + columns("v=value", "i=%rowIndex") + `}]}]`), "0,1,0\n0,2,1\n"},
		"product":     {ofPatients(`"select":[{"forEach":"name",` + columns("n=%rowIndex") + `},{"forEach":"contact",` + columns("c=%rowIndex") + `}]`), "0,0\n0,1\n1,0\n1,1\n"},
		"union":       {ofPatients(`"select":[{"unionAll":[{"forEach":"name",` + columns("n=family") + `},{"unionAll":[{` + columns("n=id") + `},{"forEachOrNull":"photo",` + columns("n=title") + `}]}]},` + id + `]`), "\"O \"\"X\"\", Y\",a\nZ,a\na,a\n,a\nb,b\n,b\n"},
		"order":       {ofPatients(`"select":[{` + columns("a='a'") + `,"unionAll":[{` + columns("c='c'") + `}],"select":[{` + columns("b='b'") + `}]},{` + columns("d='d'") + `}],"where":[{"path":"active"}]`), "a,b,c,d\n"},
		"repeat":      {`{"resource":"QuestionnaireResponse","select":[{"repeat":["item","answer.item"],` + columns("i=%rowIndex", "l=linkId") + `}]}`, "0,1\n1,1.1\n2,1.1.1\n3,2\n"},
		"other types": {`{"resource":"Organization","select":[{` + columns("i=id") + `}]}`, "o\n"},
		"codes":       {ofPatients(`"select":[{` + columns("c=maritalStatus.memberOf('http://v')", "g=gender.memberOf('http://v')", "s=maritalStatus.coding.subsumedBy('http://s|top')", "u=maritalStatus.subsumes('http://s|m')", "x=id.memberOf('http://v')") + `}]`), "true,false,true,false,\n,true,,,\n"},
	} {
		got, err := run(t, test.definition, view.Options{Format: "csv", NoHeader: true, Codes: terminology{}}, people...)
		if err != nil || got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s%v", name, got, test.want, err)
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
	if below {
		return codes{"http://s|top": true, "http://s|m": true}, nil
	}
	return codes{system + "|top": true}, nil
}

type codes map[string]bool

func (c codes) Len() int                          { return len(c) }
func (c codes) Contains(system, code string) bool { return c[system+"|"+code] }
func (c codes) Each(func(string, string) bool)    {}
func (c codes) Numbering(string) (any, func(string) (uint32, bool), func(uint32) bool) {
	return nil, nil, nil
}

// TestInvalid checks which place of a definition is reported.
func TestInvalid(t *testing.T) {
	one := `"select":[{` + columns("id=id") + `}]`
	for definition, want := range map[string]string{
		`1`:                                   "ViewDefinition: an object",
		`{}`:                                  "ViewDefinition.resource: it is missing",
		`{"resource":"Patients",` + one + `}`: "ViewDefinition.resource: ",
		`{"resourceType":"Patient","resource":"Patient",` + one + `}`:                                               "ViewDefinition.resourceType: ",
		ofPatients(one + `,"wher":[]`):                                                                              `ViewDefinition: "wher"`,
		ofPatients(one + `,"fhirVersion":["5.0.0"]`):                                                                "ViewDefinition.fhirVersion: ",
		ofPatients(one + `,"where":{"path":"a"}`):                                                                   "ViewDefinition.where: a list",
		ofPatients(one + `,"where":[{"path":"a ="}]`):                                                               "ViewDefinition.where[0].path: FHIRPath",
		ofPatients(one + `,"where":[{"path":"memberOf('http://w')"}]`):                                              "ViewDefinition.where[0].path: an unknown value set",
		ofPatients(one + `,"constant":[{"name":"c"}]`):                                                              "ViewDefinition.constant[0]: value[x]",
		ofPatients(one + `,"constant":[{"name":"c","valueDate":"x"}]`):                                              "ViewDefinition.constant[0].valueDate: ",
		ofPatients(one + `,"constant":[{"name":"c","valueCode":"x","valueId":"y"}]`):                                "ViewDefinition.constant[0].valueId: ",
		ofPatients(one + `,"constant":[{"name":"rowIndex","valueCode":"x"}]`):                                       "ViewDefinition.constant[0].name: ",
		ofPatients(`"select":[]`):                                                                                   "ViewDefinition.select: a list",
		ofPatients(`"select":[{}]`):                                                                                 "ViewDefinition.select: there is no column",
		ofPatients(`"select":[{` + columns("id=id", "id=id") + `}]`):                                                "ViewDefinition.select: there are two",
		ofPatients(`"select":[{` + columns("1=id") + `}]`):                                                          "ViewDefinition.select[0].column[0].name: ",
		ofPatients(`"select":[{` + columns("i=%none") + `}]`):                                                       "ViewDefinition.select[0].column[0].path: ",
		ofPatients(`"select":[{` + columns("i:Nothing=id") + `}]`):                                                  "ViewDefinition.select[0].column[0].type: ",
		ofPatients(`"select":[{"column":[{"name":"a","path":"id","tag":[{"name":"x"}]}]}]`):                         "ViewDefinition.select[0].column[0].tag[0].value: ",
		ofPatients(`"select":[{"column":[{"name":"a","path":"id","collection":1}]}]`):                               "ViewDefinition.select[0].column[0].collection: ",
		ofPatients(`"select":[{"forEach":1,` + columns("i=id") + `}]`):                                              "ViewDefinition.select[0].forEach: a text",
		ofPatients(`"select":[{"forEach":"name","repeat":["name"],` + columns("i=id") + `}]`):                       "ViewDefinition.select[0]: only one",
		ofPatients(`"select":[{"unionAll":[{` + columns("a=id", "b=id") + `},{` + columns("b=id", "a=id") + `}]}]`): "ViewDefinition.select[0].unionAll[1]: ",
		ofPatients(`"select":[{"unionAll":[{` + columns("a:id=id") + `},{` + columns("a:string=id") + `}]}]`):       "ViewDefinition.select[0].unionAll[1]: ",
		ofPatients(strings.Repeat(`"select":[{`, 40) + columns("i=id") + strings.Repeat(`}]`, 40)):                  "ViewDefinition" + strings.Repeat(".select[0]", 33) + ": the view is nested",
		ofPatients(`"select":[{` + columns(strings.Split(strings.Repeat("i=id ", 1001)+"j=id", " ")...) + `}]`):     "ViewDefinition.select[0]: the view has more",
		ofPatients(`"select":[{` + columns("i=id") + `}],"where":[{"path":"name.family"}]`):                         "ViewDefinition.where[0].path: a condition",
		ofPatients(`"select":[{` + columns("n=name.family") + `}]`):                                                 "ViewDefinition.select[0].column[0].path: the column n has 2",
		ofPatients(`"select":[{` + columns("m=maritalStatus") + `}]`):                                               "ViewDefinition.select[0].column[0].path: the column m has a value of type CodeableConcept",
		ofPatients(`"select":[{` + columns("m:Coding=maritalStatus") + `}]`):                                        "ViewDefinition.select[0].column[0].path: the column m has a value",
		ofPatients(`"select":[{` + columns("m:integer=gender") + `}]`):                                              "ViewDefinition.select[0].column[0].path: the column m has a value",
		ofPatients(`"select":[{"repeat":["$this"],` + columns("i=id") + `}]`):                                       "ViewDefinition.select[0].repeat[0]: it repeats",
		ofPatients(`"select":[{` + columns("i=maritalStatus.memberOf(id)") + `}]`):                                  "ViewDefinition.select[0].column[0].path: an unknown value set",
		ofPatients(`"select":[{` + columns("i=(1 | 2).single()") + `}]`):                                            "ViewDefinition.select[0].column[0].path: the FHIRPath",
	} {
		_, err := run(t, definition, view.Options{Format: "csv", Codes: terminology{}}, people...)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.200s: %v, want %s", definition, err, want)
		}
	}
	var failed *view.EvaluationError
	_, err := run(t, ofPatients(`"select":[{`+columns("n=name.family")+`}]`), view.Options{Format: "csv"}, people...)
	if !errors.As(err, &failed) || failed.Resource != "Patient/a" {
		t.Errorf("%v", err)
	}
	if _, err := run(t, ofPatients(`"select":[{`+columns("i=gender.memberOf('http://v')")+`}]`), view.Options{Format: "csv"}, people...); err == nil {
		t.Error("codes without terminology")
	}
}

// TestRun checks formats, limits, order and the ends of a run.
func TestRun(t *testing.T) {
	definition := ofPatients(`"select":[{` + columns("id=id", "a=active", "*g=name.given") + `}]`)
	for format, want := range map[string]string{
		"csv":    "id,a,g\na,true,\"[\"\"A\"\",\"\"B\"\"]\"\nb,false,[]\n",
		"ndjson": "{\"id\":\"a\",\"a\":true,\"g\":[\"A\",\"B\"]}\n{\"id\":\"b\",\"a\":false,\"g\":[]}\n",
		"json":   "[{\"id\":\"a\",\"a\":true,\"g\":[\"A\",\"B\"]},\n{\"id\":\"b\",\"a\":false,\"g\":[]}]\n",
	} {
		if got, err := run(t, definition, view.Options{Format: format}, people...); err != nil || got != want {
			t.Errorf("%s: got\n%s%v", format, got, err)
		}
	}
	if got, err := run(t, definition, view.Options{Format: "json"}); err != nil || got != "[]\n" {
		t.Errorf("no resource: %s, %v", got, err)
	}
	const count = 3000
	var many []string
	want := ""
	for i := range count {
		many = append(many, fmt.Sprintf(`{"resourceType":"Patient","id":"%d","name":[{},{}]}`, i))
		want += fmt.Sprintf("%d,0\n%d,1\n", i, i)
	}
	definition = ofPatients(`"select":[{` + columns("id=id") + `},{"forEach":"name",` + columns("n=%rowIndex") + `}]`)
	for _, limit := range []int{0, 1, 513, 1024, 2*count + 1} {
		all := strings.SplitAfter(want, "\n")[:2*count]
		if limit > 0 {
			all = all[:min(limit, len(all))]
		}
		got, err := run(t, definition, view.Options{Format: "csv", NoHeader: true, Limit: limit, Workers: 3}, many...)
		if err != nil || got != strings.Join(all, "") {
			t.Errorf("limit %d: %d bytes, want %d, %v", limit, len(got), len(strings.Join(all, "")), err)
		}
	}
	many[2000] = `{"resourceType":"Patient","id":"bad","name":[{"given":[]}`
	if _, err := run(t, definition, view.Options{Format: "csv"}, many...); err == nil {
		t.Error("a resource that is not JSON")
	}
	v, err := view.Parse(definitions.R4(), root(t, definition))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = v.Run(ctx, view.Options{Format: "csv"}, func(yield func([]byte) error) error { return yield([]byte(people[0])) }, &strings.Builder{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	failed := errors.New("the source failed")
	if _, err := v.Run(t.Context(), view.Options{Format: "csv"}, func(func([]byte) error) error { return failed }, &strings.Builder{}); !errors.Is(err, failed) {
		t.Errorf("source: %v", err)
	}
}

func root(t testing.TB, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root()
}

// FuzzParse checks that a definition is refused with its place, or runs.
func FuzzParse(f *testing.F) {
	f.Add(ofPatients(`"constant":[{"name":"c","valueCode":"x"}],"select":[{"forEachOrNull":"name","unionAll":[{` + columns("*a:string=given | %c") + `}],"select":[{` + columns("b=%rowIndex") + `}]}],"where":[{"path":"active"}]`))
	f.Add(ofPatients(`"select":[{"repeat":["contact"],` + columns("id=getResourceKey()", "r=memberOf('x')") + `}]`))
	f.Fuzz(func(t *testing.T, definition string) {
		d, err := document.Parse([]byte(definition), r4.DefaultLimits())
		if err != nil {
			return
		}
		v, err := view.Parse(definitions.R4(), d.Root())
		var invalid *view.InvalidError
		if err != nil {
			if !errors.As(err, &invalid) || !strings.HasPrefix(invalid.Path, "ViewDefinition") {
				t.Fatal(err)
			}
			return
		}
		var out strings.Builder
		rows, err := v.Run(t.Context(), view.Options{Format: "ndjson"}, func(yield func([]byte) error) error { return yield([]byte(people[0])) }, &out)
		var failed *view.EvaluationError
		if err != nil && !errors.As(err, &invalid) && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); err == nil && lines != rows {
			t.Fatalf("%d rows, %d lines", rows, lines)
		}
	})
}
