package fhirxml_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
)

// TestFromXML reads documents whose JSON is known.
func TestFromXML(t *testing.T) {
	const ns = ` xmlns="http://hl7.org/fhir"`
	for name, row := range map[string]struct{ xml, json string }{
		"types of values": {
			`<?xml version="1.0" encoding="UTF-8"?><Observation` + ns + `><id value="a"/><valueQuantity><value value="1.0"/></valueQuantity></Observation>`,
			`{"resourceType":"Observation","id":"a","valueQuantity":{"value":1.0}}`,
		},
		"booleans and integers": {
			`<Patient` + ns + `><active value="true"/><multipleBirthInteger value="+2"/></Patient>`,
			`{"resourceType":"Patient","active":true,"multipleBirthInteger":2}`,
		},
		"extensions in a list of values": {
			`<Patient` + ns + `><name><given value="A"/><given id="b" value="B"/><given><extension url="u"><valueCode value="c"/></extension></given></name></Patient>`,
			`{"resourceType":"Patient","name":[{"given":["A","B",null],"_given":[null,{"id":"b"},{"extension":[{"url":"u","valueCode":"c"}]}]}]}`,
		},
		"the id of the element that holds the id": {
			`<Patient` + ns + `><id id="x" value="a"/></Patient>`,
			`{"resourceType":"Patient","id":"a","_id":{"id":"x"}}`,
		},
		"a list of extensions only": {
			`<Patient` + ns + `><name><given><extension url="u"/></given></name></Patient>`,
			`{"resourceType":"Patient","name":[{"_given":[{"extension":[{"url":"u"}]}]}]}`,
		},
		"an extension of a single value": {
			`<Patient` + ns + `><birthDate id="x" value="2000"><extension url="u"><valueBoolean value="false"/></extension></birthDate></Patient>`,
			`{"resourceType":"Patient","birthDate":"2000","_birthDate":{"id":"x","extension":[{"url":"u","valueBoolean":false}]}}`,
		},
		"prefixes": {
			`<f:Patient xmlns:f="http://hl7.org/fhir" xmlns:h="http://www.w3.org/1999/xhtml"><f:text><f:status value="empty"/><h:div title="a&lt;&quot;"><h:p xml:lang="en">1 &lt; 2</h:p><!-- x --></h:div></f:text></f:Patient>`,
			`{"resourceType":"Patient","text":{"status":"empty","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\" title=\"a&lt;&quot;\"><p xml:lang=\"en\">1 &lt; 2</p></div>"}}`,
		},
		"a narrative as it is written": {
			"<Patient" + ns + "><text><div  xmlns='http://www.w3.org/1999/xhtml' ><br />\r\n<![CDATA[ <x> ]]>&#160;<!-- c --></div></text></Patient>",
			`{"resourceType":"Patient","text":{"div":"<div  xmlns='http://www.w3.org/1999/xhtml' ><br />\r\n<![CDATA[ <x> ]]>&#160;<!-- c --></div>"}}`,
		},
		"white space in values": {
			"<Patient" + ns + "><name><text value=\"a\tb\r\nc\nd&#9;&#10;&#xD;&#x1F600;&amp;&lt;&gt;&apos;&quot;\"/></name></Patient>",
			`{"resourceType":"Patient","name":[{"text":"a b c d\t\n\r😀&<>'\""}]}`,
		},
		"comments, instructions, hints for validators, a byte order mark": {
			"\uFEFF<?xml version='1.0'?><!-- a --><?b c?>\n<Patient" + ns + ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://hl7.org/fhir patient.xsd"><!-- d --><id value="e"/></Patient><!-- f -->`,
			`{"resourceType":"Patient","id":"e"}`,
		},
		"resources in resources": {
			`<Bundle` + ns + `><type value="collection"/><entry><resource><Patient><contained><Organization><id value="o"/></Organization></contained></Patient></resource></entry></Bundle>`,
			`{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","contained":[{"resourceType":"Organization","id":"o"}]}}]}`,
		},
		"content that refers to itself": {
			`<Questionnaire` + ns + `><status value="draft"/><item><linkId value="1"/><item><linkId value="2"/></item></item></Questionnaire>`,
			`{"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","item":[{"linkId":"2"}]}]}`,
		},
	} {
		got, err := codec().AppendJSON(t.Context(), []byte("kept"), []byte(row.xml))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := difference("", tree(t, []byte(row.json)), tree(t, got[len("kept"):])); d != "" {
			t.Errorf("%s: %s\n%s", name, d, got)
		}
	}
}

// TestRefusedXML reads what is not FHIR, and checks places and texts of the errors.
func TestRefusedXML(t *testing.T) {
	patient := func(content string) string {
		return "<Patient xmlns=\"http://hl7.org/fhir\">\n" + content + "</Patient>"
	}
	for _, row := range []struct{ xml, want string }{
		{"", "line 1, column 1: the document ends too early"},
		{"<Patient", "malformed XML: unexpected EOF"},
		{patient("") + "<a/>", "line 2, column 11: there is a second element after the resource"},
		{patient("") + "text", "there is text"},
		{"<Patient/>", `the element "Patient" is in the namespace ""; a resource is in http://hl7.org/fhir`},
		{`<Person xmlns="urn:hl7-org:v3"/>`, `in the namespace "urn:hl7-org:v3"`},
		{`<Pacient xmlns="http://hl7.org/fhir"/>`, `"Pacient" is not a resource type`},
		{`<DomainResource xmlns="http://hl7.org/fhir"/>`, `"DomainResource" is not a resource type`},
		{`<HumanName xmlns="http://hl7.org/fhir"/>`, `"HumanName" is not a resource type`},
		{patient(`  <nme/>`), "line 2, column 3: Patient.nme: unknown element: Patient has no element with this name"},
		{patient(`<name><given value="a"/><given value="b"/><x/></name>`), "Patient.name[0].x: unknown element: HumanName"},
		{patient(`<name/>`), "Patient.name[0]: the element is empty"},
		{patient(`<active/>`), "Patient.active: the element has neither a value nor an extension"},
		{patient(`<active value=""/>`), "Patient.active: the attribute value must not be empty"},
		{patient(`<active value="1"/>`), `Patient.active: "1" is neither true nor false`},
		{patient(`<active valu="true"/>`), `Patient.active: unknown attribute "valu"`},
		{patient(`<active value="true" value="false"/>`), `the attribute "value" is repeated`},
		{patient(`<active value="true"/><active value="true"/>`), "Patient.active: the element does not repeat"},
		{patient(`<active value="true">yes</active>`), `there is text "yes"`},
		{patient(`<multipleBirthInteger value="01"/>`), `"01" is not a number`},
		{patient(`<multipleBirthInteger value=" 1"/>`), `" 1" is not a number`},
		{patient(`<multipleBirthInteger value="1"/><multipleBirthBoolean value="true"/>`), "only one of multipleBirth[x] is allowed, but there is also multipleBirthInteger"},
		{patient(`<birthDate value="2000"/><active value="true"/>`), "Patient.active: the element must come before birthDate"},
		{patient(`<name><family value="a"/></name><active value="true"/><name><family value="a"/></name>`), "Patient.active: the element must come before name"},
		{patient(`<name id=""><family value="a"/></name>`), `the attribute "id" must not be empty`},
		{patient(`<name><id value="x"/></name>`), "Patient.name[0].id: unknown element"},
		{patient(`<extension><url value="x"/></extension>`), "Patient.extension[0].url: unknown element"},
		{patient(`<contained/>`), "Patient.contained[0]: it contains no resource"},
		{patient(`<contained><Patient/><Patient/></contained>`), "it contains more than one resource"},
		{patient(`<contained><x xmlns="urn:x"/></contained>`), `is in the namespace "urn:x"`},
		{patient(`<text><status value="empty"/><div>a</div></text>`), "Patient.text.div: the element is in the namespace \"http://hl7.org/fhir\", not in http://www.w3.org/1999/xhtml"},
		{patient(`<text><div xmlns="http://www.w3.org/1999/xhtml"><x xmlns="urn:x"/></div></text>`), `the element "x" is in the namespace "urn:x"`},
		{patient(`<text><div xmlns="http://www.w3.org/1999/xhtml">&nbsp;</div></text>`), "malformed XML: invalid character entity &nbsp;"},
		{patient(`<name><text value="&x;"/></name>`), "malformed XML: invalid character entity &x;"},
		{patient("<name><text value=\"\x01\"/></name>"), "malformed XML: illegal character code U+0001"},
		{patient("<name><text value=\"\xff\"/></name>"), "malformed XML: invalid UTF-8"},
		{patient(`<name><text value="&#0;"/></name>`), "malformed XML"},
		{`<?xml version="1.0" encoding="ISO-8859-1"?>` + patient(""), "encoding"},
		{`<!DOCTYPE Patient>` + patient(""), "a document type declaration is not allowed"},
		{`<!DOCTYPE x [<!ENTITY a "b">]>` + patient(`<id value="&a;"/>`), "a document type declaration is not allowed"},
		{`<!DOCTYPE x SYSTEM "file:///etc/passwd">` + patient(""), "a document type declaration is not allowed"},
		{patient("<?xml version='1.0'?>"), "an XML declaration is allowed only at the beginning"},
		{"<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"a\"/>", "line 1, column 53: Patient: malformed XML: unexpected EOF"},
		{"<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"a\"></Patient>", "element <id> closed by </Patient>"},
		{"<Patient xmlns=\"http://hl7.org/fhir\"" + strings.Repeat(` a="b"`, 64) + "/>", "the element has more than 64 attributes"},
	} {
		got, err := codec().AppendJSON(t.Context(), nil, []byte(row.xml))
		var syntax *r4.SyntaxError
		if !errors.As(err, &syntax) || syntax.Line == 0 || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%.200q:\n  %v, %.100s\n  want %s", row.xml, err, got, row.want)
		}
	}
}

// TestLimits reads documents at the limits of the codec and beyond.
func TestLimits(t *testing.T) {
	small := fhirxml.New(definitions.R4(), r4.Limits{MaxBytes: 1000, MaxDepth: 20, MaxToken: 40})
	nested := func(depth int) string {
		return `<CodeSystem xmlns="http://hl7.org/fhir">` + strings.Repeat("<concept>", depth) + `<code value="a"/>` +
			strings.Repeat("</concept>", depth) + "</CodeSystem>"
	}
	for _, row := range []struct {
		xml  string
		want string
	}{
		{nested(8), ""},
		{nested(10), "elements nest deeper than 10"},
		{`<Patient xmlns="http://hl7.org/fhir"><id value="` + strings.Repeat("0", 41) + `"/></Patient>`, "the value of an attribute exceeds 40 bytes"},
		{strings.Repeat(" ", 1001), "the document exceeds 1000 bytes"},
	} {
		_, err := small.AppendJSON(t.Context(), nil, []byte(row.xml))
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%.80q: %v, want %s", row.xml, err, row.want)
		}
	}
	deep, err := codec().AppendJSON(t.Context(), nil, []byte(nested(4000)))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := codec().AppendXML(t.Context(), nil, deep, fhirxml.Compact); err != nil || !strings.Contains(string(back), nested(4000)) {
		t.Errorf("%v, %.100s", err, back)
	}
	if _, err := codec().AppendJSON(t.Context(), nil, []byte(nested(4100))); err == nil {
		t.Error("no error")
	}
}

// TestCancelled converts while the context ends.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := codec().AppendJSON(ctx, nil, []byte(`<Patient xmlns="http://hl7.org/fhir"/>`)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := codec().AppendXML(ctx, nil, []byte(`{"resourceType":"Patient"}`), fhirxml.Compact); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, after := range []int{1, 2} {
		many := `<CodeSystem xmlns="http://hl7.org/fhir">` + strings.Repeat(`<concept><code value="a"/></concept>`, 2000) + "</CodeSystem>"
		if _, err := codec().AppendJSON(contexttest.After(t.Context(), after), nil, []byte(many)); !errors.Is(err, context.Canceled) {
			t.Error(after, err)
		}
		list := `{"resourceType":"CodeSystem","concept":[{"code":"a"}` + strings.Repeat(`,{"code":"a"}`, 2000) + "]}"
		if _, err := codec().AppendXML(contexttest.After(t.Context(), after), nil, []byte(list), fhirxml.Compact); !errors.Is(err, context.Canceled) {
			t.Error(after, err)
		}
	}
}

// TestLongDocuments checks that time grows with the size of documents in shapes that tempt a codec
// into quadratic work, by counting that the largest finish within the time of the test.
func TestLongDocuments(t *testing.T) {
	for name, content := range map[string]string{
		"values with extensions": `<name>` + strings.Repeat(`<given value="a"><extension url="u"/></given>`, 100_000) + `</name>`,
		"values":                 `<name>` + strings.Repeat(`<given value="a"/>`, 200_000) + `</name>`,
		"unclosed quotes":        strings.Repeat(`<a "`, 500_000),
		"references":             `<name><text value="` + strings.Repeat("&amp;\n", 500_000) + `"/></name>`,
		"narrative":              `<text><div xmlns="http://www.w3.org/1999/xhtml">` + strings.Repeat("<p>&amp;</p>", 200_000) + `</div></text>`,
	} {
		t.Run(name, func(t *testing.T) {
			json, err := codec().AppendJSON(t.Context(), nil, []byte(`<Patient xmlns="http://hl7.org/fhir">`+content+`</Patient>`))
			if name == "unclosed quotes" {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := codec().AppendXML(t.Context(), nil, json, fhirxml.Compact); err != nil {
				t.Error(err)
			}
		})
	}
}

func ExampleCodec_AppendJSON() {
	json, err := fhirxml.New(definitions.R4(), r4.Limits{}).AppendJSON(context.Background(), nil, []byte(
		`<Observation xmlns="http://hl7.org/fhir"><status value="final"/><valueQuantity><value value="1.50"/></valueQuantity></Observation>`))
	fmt.Println(string(json), err)
	// Output: {"resourceType":"Observation","status":"final","valueQuantity":{"value":1.50}} <nil>
}
