package terminology_test

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// snomed returns an engine with a few concepts in the shape of SNOMED CT, two of them inactive
// with historical associations.
func snomed(t *testing.T) *engine.Engine {
	t.Helper()
	const sct, sameAs, replacedBy, simple = "http://snomed.info/sct", "900000000000527005", "900000000000526001", "723264001"
	b := codesystem.NewBuilder(&r4.CodeSystem{
		Header:  r4.Header{ResourceType: "CodeSystem", URL: sct, Version: sct + "/900000000000207008/version/20250101", Name: "SNOMED_CT", Status: "active"},
		Content: "complete", Property: []r4.CodeSystemProperty{{Code: "inactive", Type: "boolean"}},
	})
	add := func(code, display, parent string, inactive bool, attributes ...codesystem.Property) {
		c := codesystem.Concept{Code: code, Display: display, Parent: -1, Properties: attributes}
		if parent != "" {
			c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Code(parent)})
		}
		if inactive {
			c.Properties = append(c.Properties, codesystem.Property{Code: "inactive", Value: r4.Boolean(true)})
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	add("138875005", "SNOMED CT Concept", "", false)
	add("404684003", "Clinical finding", "138875005", false)
	add("74400008", "Appendicitis", "404684003", false, codesystem.Property{Code: "363698007", Value: r4.Code("66754008"), Group: 1})
	for code, display := range map[string]string{"66754008": "Appendix structure", "363698007": "Finding site", sameAs: "SAME AS", replacedBy: "REPLACED BY", simple: "Simple"} {
		add(code, display, "138875005", false)
	}
	add("155728006", "Appendicitis, old", "", true)
	add("155729003", "Ambiguous appendicitis", "", true)
	association := []codesystem.RefsetColumn{{Name: "targetComponentId", Type: codesystem.RefsetConcept}}
	ruled := []codesystem.RefsetColumn{{Name: "mapTarget", Type: codesystem.RefsetString}, {Name: "mapRule", Type: codesystem.RefsetString}}
	for refset, columns := range map[string][]codesystem.RefsetColumn{sameAs: association, replacedBy: association, simple: nil, "447562003": ruled} {
		if err := b.AddRefset(refset, columns); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []codesystem.RefsetMember{
		{Refset: sameAs, Component: "155728006", Active: true, Values: []string{"74400008"}},
		{Refset: replacedBy, Component: "155729003", Active: true, Values: []string{"74400008"}},
		{Refset: simple, Component: "66754008", Active: true},
		{Refset: "447562003", Component: "74400008", Active: true, Values: []string{"K1", "IFA 66754008 | x | AND IFA 424144002 | x | < 2 days AND IFA 445518008 | x | < 1 days AND IFA 248152002 | x |"}},
		{Refset: "447562003", Component: "74400008", Active: true, Values: []string{"K2", "OTHERWISE TRUE"}},
	} {
		if err := b.AddMember(&m); err != nil {
			t.Fatal(err)
		}
	}
	index, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eng := engine.New()
	if err := eng.Publish(engine.CodeSystemEntry(index, "test")); err != nil {
		t.Fatal(err)
	}
	return eng
}

// TestSNOMED: expression constraints without a system, historical associations, role groups,
// and reference sets as scopes.
func TestSNOMED(t *testing.T) {
	eng := snomed(t)
	for name, a := range map[string]*assistant{"local": meet(t, local(eng)), "remote": meet(t, remote(t, eng))} {
		for _, c := range []struct {
			tool      string
			arguments map[string]any
			want      []string
		}{
			{"lookup", map[string]any{"code": "155728006"}, []string{`"inactive":true`, `"replaced_by":[{"code":"74400008","display":"Appendicitis","relation":"same as"}]`}},
			{"lookup", map[string]any{"code": "155729003", "system": "SNOMED_CT"}, []string{`"relation":"replaced by"`, `"code":"74400008"`}},
			{"validate", map[string]any{"code": "155729003", "system": "http://snomed.info/sct"}, []string{`"inactive":true`, `use 74400008 Appendicitis instead`}},
			{"lookup", map[string]any{"code": "74400008", "properties": []any{"609096000"}}, []string{`363698007 = 66754008`}},
			{"expand", map[string]any{"ecl": "<< 404684003"}, []string{`"total":2`, `"74400008"`}},
			{"expand", map[string]any{"ecl": "< 404684003 |Clinical finding| : 363698007 = 66754008"}, []string{`"total":1`, `"74400008"`}},
			{"expand", map[string]any{"valueset": "http://snomed.info/sct?fhir_vs=refset/723264001"}, []string{`"total":1`, `"66754008"`}},
			{"find", map[string]any{"text": "appendic", "ecl": "< 404684003"}, []string{`"total":1`, `"74400008"`}},
			{"validate", map[string]any{"code": "74400008", "ecl": "<< 404684003"}, []string{`"valid":true`}},
			{"validate", map[string]any{"code": "66754008", "ecl": "<< 404684003"}, []string{`"valid":false`}},
			{"explain", map[string]any{"code": "66754008", "ecl": "<< 404684003"}, []string{`"member":false`}},
			{"subsumes", map[string]any{"code_a": "138875005", "code_b": "74400008"}, []string{`"relation":"subsumes"`}},
			{"translate", map[string]any{"code": "155728006", "map": "http://snomed.info/sct?fhir_cm=900000000000527005"}, []string{`"74400008"`}},
			{
				"translate",
				map[string]any{"code": "74400008", "target_system": "http://hl7.org/fhir/sid/icd-10", "gender": "female", "age": "1 d", "age_at_onset": "3 h", "findings": []any{"66754008"}},
				[]string{`"total":1`, `"K1"`, `decides: \"IFA 66754008`},
			},
			{"translate", map[string]any{"code": "74400008", "target_system": "http://hl7.org/fhir/sid/icd-10", "gender": "male"}, []string{`"total":1`, `"K2"`}},
		} {
			s := a.call(c.tool, c.arguments)
			for _, want := range c.want {
				if s.fails || !strings.Contains(string(s.doc), want) {
					t.Errorf("%s: %s %v lacks %s: %s%s", name, c.tool, c.arguments, want, s.doc, s.text)
				}
			}
		}
	}
}

// TestLookupPanel: what qualifies a value is told with it.
func TestLookupPanel(t *testing.T) {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", URL: "http://loinc.org", Status: "active"}, Content: "complete"})
	for code, properties := range map[string][]codesystem.Property{
		"90001-9": nil,
		"90004-3": {{Code: "has-member", Value: r4.Code("90001-9"), Group: 1}, {Code: "EntryType", Value: r4.String("Q"), Group: 1}, {Code: "CLASS", Value: r4.String("PANEL")}, {Code: "STATUS", Value: r4.String("ACTIVE")}},
	} {
		if _, err := b.Add(&codesystem.Concept{Code: code, Display: "Term", Parent: -1, Properties: properties}); err != nil {
			t.Fatal(err)
		}
	}
	index, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eng := engine.New()
	if err := eng.Publish(engine.CodeSystemEntry(index, "test")); err != nil {
		t.Fatal(err)
	}
	a := meet(t, local(eng))
	s := a.call("lookup", map[string]any{"code": "90004-3", "system": "http://loinc.org"})
	for _, want := range []string{`"value":"90001-9; EntryType = Q"`, `"value":"PANEL"`, `"value":"ACTIVE"`} {
		if !strings.Contains(string(s.doc), want) {
			t.Errorf("no %s in %s%s", want, s.doc, s.text)
		}
	}
}
