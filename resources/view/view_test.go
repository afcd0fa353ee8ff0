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
	  "contact":[{"telecom":[{"value":"1"},{"value":"2"}]},{"name":{"family":"C"}}],"maritalStatus":{"coding":[{"system":"http://s","code":"m"}]}}`,
	`{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"b","active":false,"gender":"female"}}]}`,
	`{"resourceType":"QuestionnaireResponse","id":"q","status":"completed","item":[{"linkId":"1","item":[{"linkId":"1.1","answer":[{"valueString":"x","item":[{"linkId":"1.1.1"}]}]}]},{"linkId":"2"}]}`,
}

// definition writes a view, of Patient unless it states a type. "<*name:type path, …>" begins a select
// with columns, * for a collection. ' stands for ", and ` for '.
func definition(text string) string {
	if !strings.Contains(text, "'resource'") {
		text = "'resource':'Patient'," + text
	}
	for {
		before, rest, found := strings.Cut(text, "<")
		if !found {
			return "{" + strings.NewReplacer("'", `"`, "`", "'").Replace(text) + "}"
		}
		list, after, _ := strings.Cut(rest, ">")
		var columns []string
		for _, c := range strings.Split(list, ", ") {
			name, path, _ := strings.Cut(c, " ")
			name, typ, typed := strings.Cut(name, ":")
			plain, many := strings.CutPrefix(name, "*")
			c = fmt.Sprintf("{'name':'%s','path':'%s'", plain, path)
			if many {
				c += ",'collection':true"
			}
			if typed {
				c += ",'type':'" + typ + "'"
			}
			columns = append(columns, c+"}")
		}
		text = before + "{'column':[" + strings.Join(columns, ",") + "]" + after
	}
}

func parse(t testing.TB, text string) (*view.View, error) {
	d, err := document.Parse([]byte(text), r4.Limits{})
	if err != nil {
		t.Fatal(text, err)
	}
	return view.Parse(definitions.R4(), d.Root())
}

// run runs a view over resources and returns what it writes.
func run(t *testing.T, text string, o view.Options, resources ...string) (string, error) {
	v, err := parse(t, text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = v.Run(t.Context(), o, func(yield func([]byte) error) error {
		for _, r := range resources {
			if err := yield([]byte(r)); err != nil {
				return err
			}
		}
		return nil
	}, &out)
	return out.String(), err
}

// TestRows checks the rows of views, as CSV without a header.
func TestRows(t *testing.T) {
	for text, want := range map[string]string{
		"'select':[<id id, active active, f name.family.first(), e {}, t ``>}]":                                                                                                                                   "a,true,\"O \"\"X\"\", Y\",,\"\"\nb,false,,,\"\"\n",
		"'select':[<id getResourceKey(), *g name.given>}]":                                                                                                                                                        "a,\"[\"\"A\"\",\"\"B\"\"]\"\nb,[]\n",
		"'select':[<m:CodeableConcept maritalStatus, *c:Patient.contact contact.where(name.exists())>}]":                                                                                                          "\"{\"\"coding\"\":[{\"\"system\"\":\"\"http://s\"\",\"\"code\"\":\"\"m\"\"}]}\",\"[{\"\"name\"\":{\"\"family\"\":\"\"C\"\"}}]\"\n,[]\n",
		"'select':[<h:date birthDate.highBoundary(), j name.given.join(`-`)>}]":                                                                                                                                   "1970-06-30,A-B\n,\n",
		"'select':[<id id>}],'where':[{'path':'active or gender = `female`'},{'path':'name.empty()'}]":                                                                                                            "b\n",
		"'constant':[{'name':'n','valuePositiveInt':1}],'select':[<g name.given[%n], p %n + 1>}]":                                                                                                                 "B,2\n,2\n",
		"'select':[<id id>},<f family, i %rowIndex>,'forEach':'name'}]":                                                                                                                                           "a,\"O \"\"X\"\", Y\",0\na,Z,1\n",
		"'select':[<id id>},<i %rowIndex, c `c`>,'forEachOrNull':'name','select':[<g $this>,'forEach':'given'}]}]":                                                                                                "a,0,c,A\na,0,c,B\nb,0,,\n",
		"'select':[<c %rowIndex>,'forEach':'contact','select':[<v value, i %rowIndex>,'forEach':'telecom'}]}]":                                                                                                    "0,1,0\n0,2,1\n",
		"'select':[<n %rowIndex>,'forEach':'name'},<c %rowIndex>,'forEach':'contact'}]":                                                                                                                           "0,0\n0,1\n1,0\n1,1\n",
		"'select':[{'unionAll':[<n use>,'forEach':'name'},{'unionAll':[<n id>},<n title>,'forEachOrNull':'photo'}]}]}]":                                                                                           "official\n\na\n\nb\n\n",
		"'select':[<a `a`>,'unionAll':[<c `c`>}],'select':[<b `b`>}]},<d `d`>}],'where':[{'path':'active'}]":                                                                                                      "a,b,c,d\n",
		"'resource':'QuestionnaireResponse','select':[<i %rowIndex, l linkId>,'repeat':['item','answer.item']}]":                                                                                                  "0,1\n1,1.1\n2,1.1.1\n3,2\n",
		"'select':[<c maritalStatus.memberOf(`http://v`), g gender.memberOf(`http://v`), s maritalStatus.coding.subsumedBy(`http://s|top`), u maritalStatus.subsumes(`http://s|m`), x id.memberOf(`http://v`)>}]": "true,false,true,false,\n,true,,,\n",
	} {
		got, err := run(t, definition(text), view.Options{Format: "csv", NoHeader: true, Codes: terminology{}}, people...)
		if err != nil || got != want {
			t.Errorf("%s: got\n%s\nwant\n%s%v", text, got, want, err)
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

// TestInvalid checks which place is reported, after ViewDefinition.
func TestInvalid(t *testing.T) {
	const one = "'select':[<n name.given.first()>}]"
	for text, want := range map[string]string{
		one + ",'wher':[]":                                      `: "wher"`,
		one + ",'fhirVersion':['5.0.0']":                        ".fhirVersion: ",
		one + ",'where':{'path':'a'}":                           ".where: a list",
		one + ",'where':[{'path':'a ='}]":                       ".where[0].path: FHIRPath",
		one + ",'where':[{'path':'memberOf(`http://w`)'}]":      ".where[0].path: an unknown value set",
		one + ",'where':[{'path':'id'}]":                        ".where[0].path: a condition",
		one + ",'constant':[{'name':'c'}]":                      ".constant[0]: one value[x]",
		one + ",'constant':[{'name':'rowIndex','valueId':'x'}]": ".constant[0].name: ",
		"'select':[]":                                                       ".select: a list",
		"'select':[{}]":                                                     ".select: there is no column",
		"'select':[<i id, i id>}]":                                          ".select: there are two",
		"'select':[<i %none>}]":                                             ".select[0].column[0].path: ",
		"'select':[<i:Nothing id>}]":                                        ".select[0].column[0].type: ",
		"'select':[<i id>,'forEach':1}]":                                    ".select[0].forEach: a text",
		"'select':[<i id>,'forEach':'name','repeat':['name']}]":             ".select[0]: only one",
		"'select':[{'unionAll':[<a id, b id>},<b id, a id>}]}]":             ".select[0].unionAll[1]: ",
		strings.Repeat("'select':[{", 40) + "}]" + strings.Repeat("}]", 39): strings.Repeat(".select[0]", 33) + ": the view is nested",
		"'select':[<i id" + strings.Repeat(", i id", 1000) + ">}]":          ".select[0]: the view has more",
		"'select':[<n name.family>}]":                                       ".select[0].column[0].path: the column n has 2",
		"'select':[<m maritalStatus>}]":                                     ".select[0].column[0].path: the column m has a value of type CodeableConcept",
		"'select':[<i id>,'repeat':['$this']}]":                             ".select[0].repeat[0]: it repeats",
		"'select':[<i (1 | 2).single()>}]":                                  ".select[0].column[0].path: the FHIRPath",
	} {
		var failed *view.Error
		_, err := run(t, definition(text), view.Options{Format: "csv", Codes: terminology{}}, people...)
		if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), "ViewDefinition"+want) || failed.Resource != "" && failed.Resource != "Patient/a" {
			t.Errorf("%.200s: %v, want %s", text, err, want)
		}
	}
	if _, err := run(t, definition("'select':[<i gender.memberOf(`http://v`)>}]"), view.Options{Format: "csv"}); err == nil {
		t.Error("codes without terminology")
	}
}

// TestRun checks formats, limits, order and the ends of a run.
func TestRun(t *testing.T) {
	text := definition("'select':[<id id, *g name.given | 007>}]")
	for format, want := range map[string]string{
		"csv":    "id,g\na,\"[\"\"A\"\",\"\"B\"\",\"\"007\"\"]\"\nb,\"[\"\"007\"\"]\"\n",
		"ndjson": `{"id":"a","g":["A","B","007"]}` + "\n" + `{"id":"b","g":["007"]}` + "\n",
		"json":   `[{"id":"a","g":["A","B","007"]},` + "\n" + `{"id":"b","g":["007"]}]` + "\n",
	} {
		if got, err := run(t, text, view.Options{Format: format}, people...); err != nil || got != want {
			t.Errorf("%s: got\n%s%v", format, got, err)
		}
	}
	const count = 3000
	var many, rows []string
	for i := range count {
		many = append(many, fmt.Sprintf(`{"resourceType":"Patient","id":"%d","name":[{},{}]}`, i))
		rows = append(rows, fmt.Sprintf("%d,0\n", i), fmt.Sprintf("%d,1\n", i))
	}
	text = definition("'select':[<id id>},<n %rowIndex>,'forEach':'name'}]")
	for _, limit := range []int{0, 1, 512, 513, 2*count + 1} {
		want := strings.Join(rows, "")
		if limit > 0 {
			want = strings.Join(rows[:min(limit, len(rows))], "")
		}
		got, err := run(t, text, view.Options{Format: "csv", NoHeader: true, Limit: limit, Workers: 3}, many...)
		if err != nil || got != want {
			t.Errorf("limit %d: %d bytes, want %d, %v", limit, len(got), len(want), err)
		}
	}
	many[2000] = `{"resourceType":"Patient"`
	if _, err := run(t, text, view.Options{Format: "csv"}, many...); err == nil {
		t.Error("a resource that is not JSON")
	}
}

// FuzzParse checks that a definition is refused with its place, or runs.
func FuzzParse(f *testing.F) {
	f.Add(definition("'constant':[{'name':'c','valueCode':'x'}],'select':[<b %rowIndex>,'forEachOrNull':'name','unionAll':[<*a:string given | %c>}]}],'where':[{'path':'active'}]"))
	f.Add(definition("'select':[<id getResourceKey(), r memberOf(`x`)>,'repeat':['contact']}]"))
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := document.Parse([]byte(text), r4.DefaultLimits()); err != nil {
			return
		}
		var failed *view.Error
		if _, err := run(t, text, view.Options{Format: "ndjson"}, people...); err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
	})
}
