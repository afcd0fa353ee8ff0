package fhirxml_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
)

// small are the limits of fuzzed documents.
var small = r4.Limits{MaxBytes: 1 << 16, MaxDepth: 100}

// FuzzFromXML converts XML to JSON. What is accepted is well-formed JSON, and comes back the same
// from XML.
func FuzzFromXML(f *testing.F) {
	for _, seed := range []string{
		`<Patient xmlns="http://hl7.org/fhir"><id value="a"/><text><status value="empty"/><div xmlns="http://www.w3.org/1999/xhtml">a<br/></div></text><contained><Patient/></contained><name id="n"><given value="a"/><given><extension url="u"><valueDecimal value="1.0"/></extension></given></name><birthDate value="2000"/></Patient>`,
		`<f:Patient xmlns:f="http://hl7.org/fhir"><f:text><h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:p>&lt;</h:p></h:div></f:text></f:Patient>`,
		"<!-- a --><?b?><Bundle xmlns='http://hl7.org/fhir'><entry><resource><Binary><data value='YQ&#61;\n='/></Binary></resource></entry></Bundle>",
	} {
		f.Add([]byte(seed))
	}
	c := fhirxml.New(definitions.R4(), small)
	f.Fuzz(func(t *testing.T, text []byte) {
		json, err := c.AppendJSON(t.Context(), nil, text)
		if err != nil {
			if syntax := (*r4.SyntaxError)(nil); !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 {
				t.Fatalf("the error has no place: %v", err)
			}
			return
		}
		if _, err := document.Parse(json, r4.Limits{}); err != nil {
			t.Fatalf("%v in %s", err, json)
		}
		if len(json) > 16*len(text)+1000 {
			t.Fatalf("%d bytes became %d", len(text), len(json))
		}
		returns(t, c, json)
	})
}

// FuzzToXML converts JSON to XML. What is accepted is well-formed XML and comes back the same,
// except for narratives, of which the first return adds the namespace.
func FuzzToXML(f *testing.F) {
	for _, seed := range []string{
		`{"resourceType":"Patient","id":"a","text":{"status":"empty","div":"<div>a&nbsp;</div>"},"contained":[{"resourceType":"Patient"}],"name":[{"given":["a",null],"_given":[null,{"extension":[{"url":"u","valueDecimal":1.0}]}]}]}`,
		`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Binary","data":"YQ=="},"fullUrl":"a\n\t\r&<>'\""}]}`,
	} {
		f.Add([]byte(seed))
	}
	c := fhirxml.New(definitions.R4(), small)
	f.Fuzz(func(t *testing.T, text []byte) {
		markup, err := c.AppendXML(t.Context(), nil, text, fhirxml.Indented)
		if err != nil {
			return
		}
		wellFormed(t, markup)
		json, err := c.AppendJSON(t.Context(), nil, markup)
		if err != nil {
			t.Fatalf("%v in %s", err, markup)
		}
		if !bytes.Contains(text, []byte("div")) {
			if d := difference("", tree(t, text), tree(t, json)); d != "" {
				t.Fatal(d)
			}
		}
		returns(t, c, json)
	})
}

// returns converts JSON to XML and back and compares.
func returns(t *testing.T, c *fhirxml.Codec, json []byte) {
	t.Helper()
	markup, err := c.AppendXML(t.Context(), nil, json, fhirxml.Compact)
	if err != nil {
		t.Fatalf("%v in %s", err, json)
	}
	wellFormed(t, markup)
	back, err := fhirxml.New(definitions.R4(), r4.Limits{}).AppendJSON(t.Context(), nil, markup)
	if err != nil {
		t.Fatalf("%v in %s", err, markup)
	}
	if d := difference("", tree(t, json), tree(t, back)); d != "" {
		t.Fatalf("%s\n%s\n%s", d, markup, back)
	}
}

func wellFormed(t *testing.T, markup []byte) {
	t.Helper()
	in := xml.NewDecoder(bytes.NewReader(markup))
	for {
		if _, err := in.Token(); err == io.EOF { //nolint:errorlint // the decoder returns it as it is
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, markup)
		}
	}
}
