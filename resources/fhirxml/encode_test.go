package fhirxml_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
)

const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// TestToXML writes documents whose XML is known.
func TestToXML(t *testing.T) {
	for name, row := range map[string]struct{ json, xml string }{
		"the order of the definition": {
			`{"birthDate":"2000","_active":{"id":"x"},"name":[{"given":["A"],"family":"B"}],"resourceType":"Patient","id":"1"}`,
			`<Patient xmlns="http://hl7.org/fhir"><id value="1"/><active id="x"/><name><family value="B"/><given value="A"/></name><birthDate value="2000"/></Patient>`,
		},
		"attributes": {
			`{"resourceType":"Patient","extension":[{"valueDecimal":1.00,"url":"u","id":"e"},{"url":"v"}]}`,
			`<Patient xmlns="http://hl7.org/fhir"><extension id="e" url="u"><valueDecimal value="1.00"/></extension><extension url="v"/></Patient>`,
		},
		"a list of values with extensions": {
			`{"resourceType":"Patient","name":[{"given":["A",null],"_given":[null,{"extension":[{"url":"u"}]}]}]}`,
			`<Patient xmlns="http://hl7.org/fhir"><name><given value="A"/><given><extension url="u"/></given></name></Patient>`,
		},
		"escapes": {
			`{"resourceType":"Patient","id":"a&<>\"'\t\n\r\u0041\u00e9\ud83d\ude00"}`,
			`<Patient xmlns="http://hl7.org/fhir"><id value="a&amp;&lt;&gt;&quot;'&#9;&#10;&#13;Aé😀"/></Patient>`,
		},
		"entities of HTML, and a missing namespace": {
			`{"resourceType":"Patient","text":{"div":" <div class='x'>&nbsp;&eacute;&amp;&lt;&#160;<![CDATA[&&nbsp;]]></div>\n"}}`,
			`<Patient xmlns="http://hl7.org/fhir"><text><div xmlns="http://www.w3.org/1999/xhtml" class='x'>` + "\u00a0é&amp;&lt;&#160;<![CDATA[&&nbsp;]]></div></text></Patient>",
		},
		"an empty resource in a resource": {
			`{"resourceType":"Parameters","parameter":[{"name":"r","resource":{"resourceType":"Patient"}}]}`,
			`<Parameters xmlns="http://hl7.org/fhir"><parameter><name value="r"/><resource><Patient/></resource></parameter></Parameters>`,
		},
		"content that refers to itself": {
			`{"resourceType":"ValueSet","expansion":{"contains":[{"contains":[{"code":"b"}],"code":"a"}]}}`,
			`<ValueSet xmlns="http://hl7.org/fhir"><expansion><contains><code value="a"/><contains><code value="b"/></contains></contains></expansion></ValueSet>`,
		},
	} {
		got, err := codec().AppendXML(t.Context(), []byte("kept"), []byte(row.json), fhirxml.Compact)
		if err != nil || string(got) != "kept"+head+row.xml {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, row.xml)
		}
	}
}

// TestRefusedJSON writes what has no XML form, and checks the places and texts of the errors.
func TestRefusedJSON(t *testing.T) {
	patient := func(members string) string { return `{"resourceType":"Patient",` + members + `}` }
	for _, row := range []struct{ json, want string }{
		{`[]`, "a resource must be an object, not an array"},
		{`{}`, "the resource has no resourceType"},
		{`{"resourceType":1}`, "is not a resource type"},
		{`{"resourceType":"Element"}`, `"Element" is not a resource type`},
		{`{"resourceType":"Resource"}`, `"Resource" is not a resource type`},
		{patient(`"nme":1`), "line 1, column 33: Patient.nme: the resource has no XML form: Patient has no element with this name"},
		{patient(`"_name":[]`), "Patient has no element with this name"},
		{patient(`"fhir_comments":["x"]`), "has no element with this name"},
		{patient(`"name":[{}]`), "Patient.name[0]: the resource has no XML form: an object must not be empty"},
		{patient(`"name":[]`), "must be an array that is not empty"},
		{patient(`"name":{}`), "must be an array that is not empty"},
		{patient(`"name":["x"]`), "HumanName must be an object, not a string"},
		{patient(`"active":"true"`), "boolean must be a boolean, not a string"},
		{patient(`"active":null`), "the element has neither a value nor an extension"},
		{patient(`"id":""`), "a value must not be empty"},
		{patient(`"id":"\u0000"`), "XML cannot express the character U+0000"},
		{patient(`"id":"\uffff"`), "XML cannot express the character U+FFFF"},
		{patient(`"_id":{}`), "must be an object that is not empty"},
		{patient(`"name":[{"given":["a"],"_given":[null,null]}]`), "given has 1 items, but _given has 2"},
		{patient(`"name":[{"given":[null]}]`), "neither a value nor an extension"},
		{patient(`"name":[{"id":"a","_id":{"id":"b"}}]`), "id is an attribute in XML"},
		{patient(`"deceasedBoolean":true,"deceasedDateTime":"2000"`), "only one of deceased[x] is allowed"},
		{patient(`"contained":[{"id":"x"}]`), "Patient.contained[0]: the resource has no XML form: the resource has no resourceType"},
		{patient(`"text":{"div":"<div>"}`), "Patient.text.div: the resource has no XML form: the narrative is not XHTML"},
		{patient(`"text":{"div":"<div></div></text>"}`), "the narrative is not XHTML"},
		{patient(`"text":{"div":"<div></div><div></div>"}`), "there is text after </div>"},
		{patient(`"text":{"div":"<div></div> x"}`), "there is text after </div>"},
		{patient(`"text":{"div":"<div/><!-- x -->"}`), "there is text after </div>"},
		{patient(`"text":{"div":"<divx/>"}`), "it must begin with <div"},
		{patient(`"text":{"div":"<div xmlns='urn:x'/>"}`), "is not in the namespace of XHTML"},
		{patient(`"text":{"div":"<div><x xmlns='urn:x'/></div>"}`), "is not in the namespace of XHTML"},
		{patient(`"text":{"div":"<div><!DOCTYPE x></div>"}`), "declaration"},
		{patient(`"text":{"div":"<div><p a='1' a='2'/></div>"}`), "the attribute \"a\" is repeated"},
		{patient(`"text":{"div":"<div>&unknown;</div>"}`), "the narrative is not XHTML"},
		{patient(`"text":{"_div":{"id":"x"}}`), "have no place in XML"},
		{patient(`"text":{"div":1}`), "XHTML must be a string"},
	} {
		got, err := codec().AppendXML(t.Context(), nil, []byte(row.json), fhirxml.Compact)
		if !errors.Is(err, fhirxml.ErrNoXML) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s:\n  %v, %s\n  want %s", row.json, err, got, row.want)
		}
	}
	_, err := codec().AppendXML(t.Context(), nil, []byte("{"), fhirxml.Compact)
	if syntax := (*r4.SyntaxError)(nil); !errors.As(err, &syntax) || errors.Is(err, fhirxml.ErrNoXML) {
		t.Errorf("malformed JSON: %v", err)
	}
}

// TestIndented compares the layout of indented XML, in which narratives keep theirs.
func TestIndented(t *testing.T) {
	got, err := codec().AppendXML(t.Context(), nil, []byte(
		`{"resourceType":"Patient","text":{"status":"empty","div":"<div><p>a</p></div>"},"contained":[{"resourceType":"Patient","id":"a"}]}`), fhirxml.Indented)
	want := `<?xml version="1.0" encoding="UTF-8"?>
<Patient xmlns="http://hl7.org/fhir">
  <text>
    <status value="empty"/>
    <div xmlns="http://www.w3.org/1999/xhtml"><p>a</p></div>
  </text>
  <contained>
    <Patient>
      <id value="a"/>
    </Patient>
  </contained>
</Patient>
`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestAppendElement writes the entries of a Bundle one by one.
func TestAppendElement(t *testing.T) {
	got, err := codec().AppendElement(t.Context(), []byte("<Bundle>"), "Bundle", "entry",
		[]byte(`{"resource":{"resourceType":"Patient","id":"a"},"fullUrl":"urn:x"}`), fhirxml.Compact)
	if want := `<Bundle><entry><fullUrl value="urn:x"/><resource><Patient><id value="a"/></Patient></resource></entry>`; err != nil || string(got) != want {
		t.Errorf("%v, %s", err, got)
	}
	for _, row := range [][2]string{{"Bundle", "type"}, {"Bundle", "x"}, {"x", "entry"}} {
		if _, err := codec().AppendElement(t.Context(), nil, row[0], row[1], []byte(`{}`), fhirxml.Compact); !errors.Is(err, fhirxml.ErrNoXML) {
			t.Errorf("%v: %v", row, err)
		}
	}
}

func ExampleCodec_AppendXML() {
	xml, err := fhirxml.New(definitions.R4(), r4.Limits{}).AppendXML(context.Background(), nil, []byte(
		`{"resourceType":"Observation","status":"final","valueQuantity":{"value":1.50}}`), fhirxml.Indented)
	fmt.Println(string(xml), err)
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <Observation xmlns="http://hl7.org/fhir">
	//   <status value="final"/>
	//   <valueQuantity>
	//     <value value="1.50"/>
	//   </valueQuantity>
	// </Observation>
	//  <nil>
}
