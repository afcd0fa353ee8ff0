package fhirxml_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
)

// notWellFormed are narratives that libxml2 refuses, although the decoder of Go reads them.
var notWellFormed = []string{
	`<div XMLNS>a<?XML x?>b</div>`,
	`<div XMLNS>a<?a:b x?>b</div>`,
	`<div XMLNS xmlns:x="">a</div>`,
	`<div XMLNS xmlns:xmlns="u">a</div>`,
	`<div XMLNS><p xmlns:xml="u">a</p></div>`,
	`<div XMLNS xmlns:x="http://www.w3.org/XML/1998/namespace" x:lang="de">a</div>`,
	`<div XMLNS xmlns:x="http://www.w3.org/2000/xmlns/">a</div>`,
	`<div XMLNS>&#xD800;</div>`,
	`<div XMLNS>&#55296;</div>`,
	`<div XMLNS title="&#xdfff;">a</div>`,
	`<div XMLNS><p title="1"lang="2">a</p></div>`,
	`<div XMLNS><p title='1'lang='2'>a</p></div>`,
	`<div XMLNS><:p/></div>`,
	`<div XMLNS><p:/></div>`,
	`<div XMLNS :title="1">a</div>`,
	`<div XMLNS>a<?xml version="1.0"?>b</div>`,
}

func withNamespace(div string) string {
	return strings.Replace(div, "XMLNS", `xmlns="http://www.w3.org/1999/xhtml"`, 1)
}

func narrativeJSON(t *testing.T, div string) string {
	t.Helper()
	quoted, err := json.Marshal(div)
	if err != nil {
		t.Fatal(err)
	}
	return `{"resourceType":"Patient","text":{"status":"generated","div":` + string(quoted) + `}}`
}

// TestNotWellFormed checks that nothing is read or written as XML that other readers refuse.
func TestNotWellFormed(t *testing.T) {
	codec := fhirxml.New(definitions.R4(), r4.Limits{})
	for _, div := range notWellFormed {
		div = withNamespace(div)
		if out, err := codec.AppendXML(t.Context(), nil, []byte(narrativeJSON(t, div)), fhirxml.Compact); !errors.Is(err, fhirxml.ErrNoXML) {
			t.Errorf("AppendXML(%s) = %s, %v; want ErrNoXML", div, out, err)
		}
		xml := `<Patient xmlns="http://hl7.org/fhir"><text><status value="generated"/>` + div + `</text></Patient>`
		if out, err := codec.AppendJSON(t.Context(), nil, []byte(xml)); err == nil {
			t.Errorf("AppendJSON(%s) = %s, want an error", div, out)
		}
	}
	for _, attributes := range []string{`value="a&#xD800;"`, `value="a&#57343;"`, `value="a"id="b"`, `value="a" xmlns:x=""`} {
		xml := `<Patient xmlns="http://hl7.org/fhir"><name><family ` + attributes + `/></name></Patient>`
		if out, err := codec.AppendJSON(t.Context(), nil, []byte(xml)); err == nil {
			t.Errorf("AppendJSON(%s) = %s, want an error", xml, out)
		}
	}
}

// TestOpaqueSections checks that what looks like an entity of HTML in a comment, a CDATA section or a
// processing instruction is kept, as it is none.
func TestOpaqueSections(t *testing.T) {
	codec := fhirxml.New(definitions.R4(), r4.Limits{})
	div := withNamespace(`<div XMLNS><!-- &nbsp; --><![CDATA[&nbsp;<b>]]><?a &nbsp;?>&nbsp;<p title="&nbsp;&#9;">&lt;</p></div>`)
	want := withNamespace("<div XMLNS><!-- &nbsp; --><![CDATA[&nbsp;<b>]]><?a &nbsp;?>\u00a0<p title=\"\u00a0&#9;\">&lt;</p></div>")
	out, err := codec.AppendXML(t.Context(), nil, []byte(narrativeJSON(t, div)), fhirxml.Compact)
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("AppendXML(%s) = %s, %v; want %s", div, out, err, want)
	}
	again, err := codec.AppendJSON(t.Context(), nil, out)
	if err != nil {
		t.Fatal(err)
	}
	var patient struct{ Text struct{ Div string } }
	if err := json.Unmarshal(again, &patient); err != nil || patient.Text.Div != want {
		t.Errorf("AppendJSON(%s) has the narrative %s, %v; want %s", out, patient.Text.Div, err, want)
	}
}
