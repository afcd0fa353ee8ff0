package engine_test

import (
	"context"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// Identifiers of the metadata of SNOMED CT that the tests need.
const (
	synonymUse   = "900000000000013009"
	nameUse      = "900000000000003001"
	usRefset     = "900000000000509007"
	gbRefset     = "900000000000508004"
	sameAs       = "900000000000527005"
	replacedBy   = "900000000000526001"
	alternative  = "900000000000530003"
	wasA         = "900000000000528000"
	icd10Map     = "447562003"
	ctv3Map      = "900000000000497000"
	simpleRefset = "723264001"
	strangeMap   = "1000007"
	fromMap      = "1000015" // a map to SNOMED CT

	releaseDate = international + "/version/20250101"
)

// term is a description: a text, its type, and whether it is preferred in the language
// reference sets of en-US and en-GB: 'p' preferred, 'a' acceptable, '-' not there.
type term struct{ language, text, use, us, gb string }

// described makes the designations of a concept of these terms.
func described(terms ...term) (list []r4.Designation, details []codesystem.DesignationDetail) {
	for _, d := range terms {
		detail := codesystem.DesignationDetail{Module: "900000000000207008", EffectiveTime: "20250101"}
		for refset, in := range map[string]string{usRefset: d.us, gbRefset: d.gb} {
			if in == "p" || in == "a" {
				detail.Acceptability = append(detail.Acceptability, codesystem.Acceptability{Refset: refset, Preferred: in == "p"})
			}
		}
		list = append(list, r4.Designation{Language: d.language, Value: d.text, Use: &r4.Coding{System: sct, Code: d.use}})
		details = append(details, detail)
	}
	return list, details
}

// member is a row of a reference set.
type member struct {
	refset, component string
	values            []string
}

// clinical is a small release: a hierarchy, terms in two dialects and Dutch, role groups,
// associations of inactive concepts, maps.
func clinical(t testing.TB) *codesystem.Index {
	t.Helper()
	b := codesystem.NewBuilder(&r4.CodeSystem{
		Header:  r4.Header{ResourceType: "CodeSystem", URL: sct, Version: releaseDate, Name: "SNOMED_CT", Title: "SNOMED CT", Status: "active", Language: "en"},
		Content: "complete",
		Property: []r4.CodeSystemProperty{
			{Code: "inactive", Type: "boolean"}, {Code: "sufficientlyDefined", Type: "boolean"}, {Code: "moduleId", Type: "code"}, {Code: "effectiveTime", Type: "string"},
		},
	})
	concept := func(code, display string, parents []string, properties []codesystem.Property, terms ...term) {
		c := codesystem.Concept{Code: code, Display: display, Parent: -1}
		for _, up := range parents {
			c.Properties = append(c.Properties, p("parent", r4.Code(up)))
		}
		c.Properties = append(c.Properties, properties...)
		if len(terms) == 0 {
			terms = []term{{"en", display, synonymUse, "p", "p"}, {"en", display + " (test)", nameUse, "p", "p"}}
		}
		c.Designations, c.Details = described(terms...)
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	grouped := func(group int, code, value string) codesystem.Property {
		return codesystem.Property{Code: code, Value: r4.Code(value), Group: group}
	}
	inactive := []codesystem.Property{p("inactive", r4.Boolean(true))}
	concept("138875005", "SNOMED CT Concept", nil, nil)
	concept("404684003", "Clinical finding", parents("138875005"), nil)
	concept("80146002", "Appendectomy", parents("138875005"), nil,
		term{"en", "Appendectomy", synonymUse, "p", "a"}, term{"en", "Appendicectomy", synonymUse, "a", "p"},
		term{"en", "Appendectomy (procedure)", nameUse, "p", "p"}, term{"nl", "verwijderen van appendix", synonymUse, "-", "-"},
		term{"nl", "appendectomie", synonymUse, "-", "-"})
	concept("74400008", "Appendicitis", parents("404684003"), []codesystem.Property{
		p("sufficientlyDefined", r4.Boolean(true)), p("moduleId", r4.Code("900000000000207008")), p("effectiveTime", r4.String("20250101")),
		grouped(1, "363698007", "66754008"), grouped(1, "116676008", "23583003"), grouped(2, "370135005", "441862004"), grouped(0, "246075003", "41146007"),
	})
	for code, display := range map[string]string{
		"66754008": "Appendix structure", "23583003": "Inflammation", "441862004": "Infectious process", "41146007": "Bacterium",
		"363698007": "Finding site", "116676008": "Associated morphology", "370135005": "Pathological process", "246075003": "Causative agent",
		simpleRefset: "Lateralizable body structure reference set", sameAs: "SAME AS association reference set", usRefset: "US English",
	} {
		concept(code, display, parents("138875005"), nil)
	}
	concept("155728006", "Appendicitis, old", nil, inactive)
	concept("155729003", "Ambiguous appendicitis", nil, inactive)

	association := []codesystem.RefsetColumn{{Name: "targetComponentId", Type: codesystem.RefsetConcept}}
	extended := []codesystem.RefsetColumn{
		{Name: "mapGroup", Type: codesystem.RefsetInteger},
		{Name: "mapPriority", Type: codesystem.RefsetInteger},
		{Name: "mapRule", Type: codesystem.RefsetString},
		{Name: "mapAdvice", Type: codesystem.RefsetString},
		{Name: "mapTarget", Type: codesystem.RefsetString},
		{Name: "correlationId", Type: codesystem.RefsetConcept},
		{Name: "mapCategoryId", Type: codesystem.RefsetConcept},
	}
	simple := []codesystem.RefsetColumn{{Name: "mapTarget", Type: codesystem.RefsetString}}
	for refset, columns := range map[string][]codesystem.RefsetColumn{
		sameAs: association, replacedBy: association, alternative: association, wasA: association,
		icd10Map: extended, ctv3Map: simple, strangeMap: simple, simpleRefset: nil,
		fromMap: {{Name: "mapSource", Type: codesystem.RefsetString}},
	} {
		if err := b.AddRefset(refset, columns); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []member{
		{sameAs, "155728006", []string{"74400008"}},
		{replacedBy, "155729003", []string{"74400008"}},
		{alternative, "155729003", []string{"74400008"}},
		{alternative, "155729003", []string{"23583003"}},
		{wasA, "155728006", []string{"404684003"}},
		{icd10Map, "74400008", []string{"1", "1", "IFA 445518008 | Age at onset |", "IF CHILD CHOOSE K35", "K35", "447561005", "447637006"}},
		{icd10Map, "74400008", []string{"1", "2", "OTHERWISE TRUE", "ALWAYS K37", "K37", "447561005", "447637006"}},
		{icd10Map, "404684003", []string{"1", "1", "TRUE", "CANNOT BE CLASSIFIED", "", "447556008", "447638001"}},
		{icd10Map, "23583003", []string{"1", "1", "IFA 445518008 | Age at onset of clinical finding (observable entity) | < 15.0 years", "IF YOUNG CHOOSE J20.9", "J20.9", "447561005", "447639009"}},
		{icd10Map, "23583003", []string{"1", "2", "OTHERWISE TRUE", "ALWAYS J40", "J40", "447561005", "447639009"}},
		{icd10Map, "23583003", []string{"2", "1", "IFA 248152002 | Female (finding) |", "IF FEMALE CHOOSE N97.9", "N97.9", "447561005", "447639009"}},
		{icd10Map, "23583003", []string{"2", "2", "IFA 404684003 | Clinical finding (finding) |", "", "R69", "447561005", "447639009"}},
		{icd10Map, "23583003", []string{"2", "3", "OTHERWISE TRUE", "CANNOT BE CLASSIFIED", "", "447556008", "447638001"}},
		{fromMap, "74400008", []string{"10000001"}},
		{fromMap, "80146002", []string{"10000002"}},
		{fromMap, "404684003", []string{"10000001"}},
		{ctv3Map, "74400008", []string{"X30Yr"}},
		{strangeMap, "74400008", []string{"A1"}},
		{simpleRefset, "66754008", nil},
		{simpleRefset, "23583003", nil},
	} {
		if err := b.AddMember(&codesystem.RefsetMember{Refset: m.refset, Component: m.component, Active: true, Values: m.values}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddMember(&codesystem.RefsetMember{Refset: sameAs, Component: "155729003", Values: []string{"74400008"}}); err != nil { // inactive
		t.Fatal(err)
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// clinic is an engine with the release.
func clinic(t testing.TB, opts ...engine.Option) *engine.Engine {
	t.Helper()
	e := engine.New(opts...)
	publish(t, e, engine.CodeSystemEntry(clinical(t), "test"))
	return e
}
