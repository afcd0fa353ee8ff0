package patch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/r4"
)

// op returns a Parameters resource with one operation: its type and path, then the other parts as
// JSON.
func op(kind, path string, rest ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":%q},{"name":"path","valueString":%q}`, kind, path)
	for _, part := range rest {
		b.WriteString("," + part)
	}
	return b.String() + `]}]}`
}

func named(name string) string   { return fmt.Sprintf(`{"name":"name","valueString":%q}`, name) }
func value(member string) string { return `{"name":"value",` + member + `}` }
func number(name string, n int) string {
	return fmt.Sprintf(`{"name":%q,"valueInteger":%d}`, name, n)
}

func TestFHIRPath(t *testing.T) {
	for _, test := range []struct{ doc, patch, want string }{
		{
			`"birthDate":"1920-01-01"`,
			op("add", "Patient", named("active"), value(`"valueBoolean":true`)),
			`"birthDate":"1920-01-01","active":true`,
		},
		{``, op("add", "Patient", named("name"), value(`"valueHumanName":{"family":"x"}`)), `"name":[{"family":"x"}]`},
		{`"name":[{"family":"x"}]`, op("add", "Patient", named("name"), value(`"valueHumanName":{"family":"y"}`)), `"name":[{"family":"x"},{"family":"y"}]`},
		{`"name":[{"family":"x"}]`, op("add", "Patient.name", named("given"), value(`"valueString":"g"`)), `"name":[{"family":"x","given":["g"]}]`},
		{``, op("add", "Patient", named("deceased"), value(`"valueBoolean":false`)), `"deceasedBoolean":false`},
		{``, op("add", "Patient", named("deceased[x]"), value(`"valueDateTime":"2020"`)), `"deceasedDateTime":"2020"`},
		{
			``, op("add", "Patient", named("birthDate"), value(`"_valueDate":{"extension":[{"url":"u","valueCode":"c"}]}`)),
			`"_birthDate":{"extension":[{"url":"u","valueCode":"c"}]}`,
		},
		{
			``, op("add", "Patient", named("contact"), value(`"part":[{"name":"name","valueHumanName":{"text":"t"}},{"name":"gender","valueCode":"male"},{"name":"telecom","valueContactPoint":{"value":"1"}},{"name":"telecom","valueContactPoint":{"value":"2"}}]`)),
			`"contact":[{"name":{"text":"t"},"gender":"male","telecom":[{"value":"1"},{"value":"2"}]}]`,
		},
		{``, op("add", "Patient", named("contained"), value(`"resource":{"resourceType":"Organization","id":"o"}`)), `"contained":[{"resourceType":"Organization","id":"o"}]`},
		{`"gender":"male"`, op("add", "Patient.gender", named("extension"), value(`"valueExtension":{"url":"u"}`)), `"gender":"male","_gender":{"extension":[{"url":"u"}]}`},
		{`"gender":"male","_gender":{"id":"i"}`, op("add", "Patient.gender", named("extension"), value(`"valueExtension":{"url":"u"}`)), `"gender":"male","_gender":{"id":"i","extension":[{"url":"u"}]}`},
		{
			`"name":[{"given":["a","b"]}]`, op("add", "Patient.name.given[1]", named("extension"), value(`"part":[{"name":"url","valueUri":"u"},{"name":"value","valueString":"x"}]`)),
			`"name":[{"given":["a","b"],"_given":[null,{"extension":[{"url":"u","valueString":"x"}]}]}]`,
		},
		{`"name":[{"text":"a"},{"text":"b"}]`, op("insert", "Patient.name", number("index", 1), value(`"valueHumanName":{"text":"x"}`)), `"name":[{"text":"a"},{"text":"x"},{"text":"b"}]`},
		{`"name":[{"text":"a"}]`, op("insert", "Patient.name", number("index", 1), value(`"valueHumanName":{"text":"x"}`)), `"name":[{"text":"a"},{"text":"x"}]`},
		{``, op("insert", "name", number("index", 0), value(`"valueHumanName":{"text":"x"}`)), `"name":[{"text":"x"}]`},
		{`"name":[{"given":["a","b"],"_given":[null,{"id":"i"}]}]`, op("insert", "Patient.name.given", number("index", 1), value(`"valueString":"x"`)), `"name":[{"given":["a","x","b"],"_given":[null,null,{"id":"i"}]}]`},
		{`"birthDate":"1920-01-01"`, op("replace", "Patient.birthDate", value(`"valueDate":"1930-01-01"`)), `"birthDate":"1930-01-01"`},
		{`"birthDate":"1920","_birthDate":{"id":"i"}`, op("replace", "Patient.birthDate", value(`"valueDate":"1930"`)), `"birthDate":"1930"`},
		{`"_birthDate":{"id":"i"},"active":true`, op("replace", "Patient.birthDate", value(`"valueDate":"1930"`)), `"active":true,"birthDate":"1930"`},
		{`"deceasedBoolean":false`, op("replace", "Patient.deceased", value(`"valueDateTime":"2020"`)), `"deceasedDateTime":"2020"`},
		{`"deceasedBoolean":false`, op("replace", "Patient.deceased", value(`"valueBoolean":true`)), `"deceasedBoolean":true`},
		{`"name":[{"given":["a","b"],"_given":[null,{"id":"i"}]}]`, op("replace", "Patient.name.given[1]", value(`"valueString":"x"`)), `"name":[{"given":["a","x"]}]`},
		{`"contact":[{"name":{"text":"a"}}]`, op("replace", "Patient.contact[0]", value(`"part":[{"name":"name","valueHumanName":{"text":"b"}}]`)), `"contact":[{"name":{"text":"b"}}]`},
		{
			`"identifier":[{"system":"a","value":"1"},{"system":"b","value":"2"}]`,
			op("replace", "Patient.identifier.where(system='b').value", value(`"valueString":"3"`)),
			`"identifier":[{"system":"a","value":"1"},{"system":"b","value":"3"}]`,
		},
		{`"birthDate":"1920","_birthDate":{"id":"i"},"active":true`, op("delete", "Patient.birthDate"), `"active":true`},
		{`"active":true`, op("delete", "Patient.birthDate"), `"active":true`},
		{`"name":[{"text":"a"}],"active":true`, op("delete", "Patient.name[0]"), `"active":true`},
		{`"name":[{"given":["a","b"],"_given":[{"id":"i"},{"id":"j"}]}]`, op("delete", "Patient.name.given[0]"), `"name":[{"given":["b"],"_given":[{"id":"j"}]}]`},
		{`"name":[{"given":["a","b"],"_given":[{"id":"i"}]}]`, op("delete", "Patient.name.given[0]"), `"name":[{"given":["b"]}]`},
		{`"name":[{"text":"a"},{"text":"b"},{"text":"c"}]`, op("move", "Patient.name", number("source", 0), number("destination", 2)), `"name":[{"text":"b"},{"text":"c"},{"text":"a"}]`},
		{`"name":[{"text":"a"},{"text":"b"},{"text":"c"}]`, op("move", "Patient.name", number("source", 2), number("destination", 0)), `"name":[{"text":"c"},{"text":"a"},{"text":"b"}]`},
		{`"name":[{"text":"a"}]`, op("move", "Patient.name", number("source", 0), number("destination", 0)), `"name":[{"text":"a"}]`},
		{`"name":[{"given":["a","b"],"_given":[{"id":"i"}]}]`, op("move", "Patient.name.given", number("source", 0), number("destination", 1)), `"name":[{"given":["b","a"],"_given":[null,{"id":"i"}]}]`},
	} {
		resource := func(members string) string {
			if members == "" {
				return `{"resourceType":"Patient","id":"p"}`
			}
			return `{"resourceType":"Patient","id":"p",` + members + `}`
		}
		p, err := patch.FHIRPath(definitions.R4(), []byte(test.patch))
		if err != nil {
			t.Errorf("%s: %v", test.patch, err)
			continue
		}
		got, err := p.Apply([]byte(resource(test.doc)))
		if err != nil || string(got) != resource(test.want) {
			t.Errorf("%s on %s: got %s, %v; want %s", test.patch, test.doc, got, err, test.want)
		}
	}
}

func TestFHIRPathErrors(t *testing.T) {
	const doc = `{"resourceType":"Patient","id":"p","active":true,"name":[{"text":"a","given":["g"]},{"text":"b"}],"deceasedBoolean":true,"generalPractitioner":[{"reference":"Practitioner/1"}]}`
	boolean := value(`"valueBoolean":true`)
	for _, test := range []struct {
		patch string
		want  error
	}{
		{`[]`, patch.ErrMalformed},
		{`{"a"}`, patch.ErrMalformed},
		{`{"resourceType":"Patient"}`, patch.ErrMalformed},
		{`{"resourceType":"Parameters"}`, patch.ErrMalformed},
		{`{"resourceType":"Parameters","parameter":[{"name":"x"}]}`, patch.ErrMalformed},
		{op("change", "Patient"), patch.ErrMalformed},
		{op("delete", "Patient."), patch.ErrMalformed},
		{op("delete", ""), patch.ErrMalformed},
		{op("delete", "Patient", `{"name":"other"}`), patch.ErrMalformed},
		{op("delete", "Patient", named("x"), named("x")), patch.ErrMalformed},
		{op("add", "Patient", boolean), patch.ErrMalformed},
		{op("add", "Patient", named("active")), patch.ErrMalformed},
		{op("insert", "Patient.name", value(`"valueHumanName":{}`)), patch.ErrMalformed},
		{op("insert", "Patient.name", value(`"valueHumanName":{}`), number("index", -1)), patch.ErrMalformed},
		{op("move", "Patient.name", number("source", 0)), patch.ErrMalformed},
		{op("replace", "Patient.active"), patch.ErrMalformed},
		{op("add", "Patient", named("active"), boolean), patch.ErrPath},
		{op("add", "Patient", named("deceased"), value(`"valueDateTime":"2020"`)), patch.ErrPath},
		{op("add", "Patient", named("deceased"), value(`"valueString":"x"`)), patch.ErrPath},
		{op("add", "Patient", named("nothing"), boolean), patch.ErrPath},
		{op("add", "Patient.contact", named("gender"), value(`"valueCode":"male"`)), patch.ErrPath},
		{op("add", "Patient.name", named("family"), value(`"valueString":"x"`)), patch.ErrPath},
		{op("add", "Patient.active", named("value"), boolean), patch.ErrPath},
		{op("add", "Patient", named("contact"), value(`"part":[{"name":"x","valueString":"y"}]`)), patch.ErrPath},
		{op("add", "Patient", named("contact"), value(`"part":[{"name":"gender","valueCode":"a"},{"name":"gender","valueCode":"b"}]`)), patch.ErrPath},
		{op("add", "Patient", named("birthDate"), value(`"x":1`)), patch.ErrPath},
		{op("add", "Patient", named("birthDate"), value(`"valueDate":"2020","valueString":"x"`)), patch.ErrPath},
		{op("replace", "Patient.birthDate", value(`"valueDate":"2020"`)), patch.ErrPath},
		{op("replace", "Patient", value(`"resource":{"resourceType":"Patient"}`)), patch.ErrPath},
		{op("replace", "Patient.name", value(`"valueHumanName":{}`)), patch.ErrPath},
		{op("replace", "Patient.name.exists()", boolean), patch.ErrPath},
		{op("replace", "Patient.generalPractitioner.resolve()", boolean), patch.ErrPath},
		{op("replace", "Patient.name.single().text", boolean), patch.ErrPath},
		{op("replace", "Patient.deceased", value(`"valueString":"x"`)), patch.ErrPath},
		{op("replace", "Patient.id", value(`"valueId":"q"`)), patch.ErrPath},
		{op("delete", "Patient"), patch.ErrPath},
		{op("delete", "Patient.name"), patch.ErrPath},
		{op("delete", "Patient.id"), patch.ErrPath},
		{op("insert", "Patient.name", value(`"valueHumanName":{}`), number("index", 3)), patch.ErrPath},
		{op("insert", "Patient.name", value(`"valueString":"x","valueHumanName":{}`), number("index", 0)), patch.ErrPath},
		{op("insert", "Patient.active", boolean, number("index", 0)), patch.ErrPath},
		{op("insert", "Patient.name.first()", value(`"valueHumanName":{}`), number("index", 0)), patch.ErrPath},
		{op("insert", "Patient.name.given", value(`"valueString":"x"`), number("index", 0)), patch.ErrPath},
		{op("move", "Patient.name", number("source", 2), number("destination", 0)), patch.ErrPath},
		{op("move", "Patient.name", number("source", 0), number("destination", 2)), patch.ErrPath},
		{op("move", "Patient.contact", number("source", 0), number("destination", 0)), patch.ErrPath},
	} {
		p, err := patch.FHIRPath(definitions.R4(), []byte(test.patch))
		if err == nil {
			var text []byte
			text, err = p.Apply([]byte(doc))
			if err == nil {
				t.Logf("%s", text)
			}
		}
		if !errors.Is(err, test.want) || !json.Valid([]byte(test.patch)) && !errors.As(err, new(*r4.SyntaxError)) {
			t.Errorf("%s: %v, want %v", test.patch, err, test.want)
		}
	}
}

func FuzzFHIRPath(f *testing.F) {
	f.Add([]byte(`{"resourceType":"Patient","id":"p","name":[{"given":["a","b"],"_given":[{"id":"i"}]}]}`), "move", "Patient.name.given", "", `"valueString":"x"`, 1)
	f.Add([]byte(`{"resourceType":"Patient"}`), "add", "Patient", "contact", `"part":[{"name":"gender","valueCode":"a"}]`, 0)
	f.Add([]byte(`{"resourceType":"Patient","_birthDate":{"id":"x"}}`), "replace", "Patient.birthDate", "", `"_valueDate":{"id":"i"}`, 0)
	f.Fuzz(func(t *testing.T, doc []byte, kind, path, name, content string, n int) {
		body := op(kind, path, named(name), value(content), number("index", n), number("source", n/2), number("destination", n))
		p, err := patch.FHIRPath(definitions.R4(), []byte(body))
		applied(t, p, err, doc)
	})
}

func ExampleFHIRPath() {
	p, err := patch.FHIRPath(definitions.R4(), []byte(`{"resourceType":"Parameters","parameter":[{"name":"operation","part":[
		{"name":"type","valueCode":"replace"},
		{"name":"path","valueString":"Patient.telecom.where(system = 'phone').value"},
		{"name":"value","valueString":"555-0100"}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := p.Apply([]byte(`{"resourceType":"Patient", "telecom":[{"system":"phone", "value":"555-0199"}]}`))
	fmt.Println(string(text), err)
	// Output:
	// {"resourceType":"Patient", "telecom":[{"system":"phone", "value":"555-0100"}]} <nil>
}
