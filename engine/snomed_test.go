package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/resources/r4"
)

const (
	sct           = "http://snomed.info/sct"
	international = sct + "/900000000000207008"
	national      = sct + "/731000124108"
)

// edition is a release of a SNOMED CT of a few concepts, the root of which tells the
// version in its display.
func edition(t testing.TB, version string) *codesystem.Index {
	return build(t, r4.CodeSystem{Header: r4.Header{URL: sct, Version: version, Name: "SNOMED_CT", Title: "SNOMED CT"}, Content: "complete"},
		c{code: "138875005", display: "Root of " + version},
		c{code: "404684003", display: "Clinical finding", parents: parents("138875005")},
		c{code: "64572001", display: "Disease", parents: parents("404684003")},
		c{code: "71388002", display: "Procedure", parents: parents("138875005")},
	)
}

// TestEditions checks which release of which edition answers.
func TestEditions(t *testing.T) {
	e := engine.New()
	for _, version := range []string{
		national + "/version/20250301", international + "/version/20240101", international + "/version/20250101",
		"http://snomed.info/xsct/900000000000207008/version/20260101", national + "/version/20250101",
	} {
		publish(t, e, engine.CodeSystemEntry(edition(t, version), "test"))
	}
	for _, tt := range []struct {
		version, want string
	}{
		{"", international + "/version/20250101"},
		{international, international + "/version/20250101"},
		{national, national + "/version/20250301"},
		{national + "/version/20250101", national + "/version/20250101"},
		{"20240101", international + "/version/20240101"},
		{"20250301", national + "/version/20250301"},
		{"20250101", ""}, // of two editions
		{"20230101", ""},
		{"http://snomed.info/xsct", "http://snomed.info/xsct/900000000000207008/version/20260101"},
		{"http://snomed.info/xsct/900000000000207008", "http://snomed.info/xsct/900000000000207008/version/20260101"},
		{sct + "/32506021000036107", ""},
		{international + "/version/2025", ""},
	} {
		r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: sct, Version: tt.version, Code: "138875005"})
		if tt.want == "" {
			if !errors.Is(err, engine.ErrUnknownVersion) {
				t.Errorf("version %q: %v", tt.version, err)
			}
			continue
		}
		if err != nil || r.Display != "Root of "+tt.want {
			t.Errorf("version %q: %q %v", tt.version, r.Display, err)
		}
	}
}

// TestImplicitEditions checks implicit value sets of editions and releases.
func TestImplicitEditions(t *testing.T) {
	e := engine.New()
	for _, version := range []string{international + "/version/20240101", international + "/version/20250101", national + "/version/20250301"} {
		publish(t, e, engine.CodeSystemEntry(edition(t, version), "test"))
	}
	for _, tt := range []struct {
		url, version string // of the root
		total        int
		err          error
	}{
		{sct + "?fhir_vs", international + "/version/20250101", 4, nil},
		{sct + "?fhir_vs=isa/138875005", international + "/version/20250101", 4, nil},
		{international + "?fhir_vs=isa/138875005", international + "/version/20250101", 4, nil},
		{international + "/version/20240101?fhir_vs=isa/138875005", international + "/version/20240101", 4, nil},
		{national + "?fhir_vs=isa/138875005", national + "/version/20250301", 4, nil},
		{sct + "?fhir_vs=isa/138875005|" + national, national + "/version/20250301", 4, nil},
		{sct + "?fhir_vs=isa/138875005|20240101", international + "/version/20240101", 4, nil},
		{international + "?fhir_vs|" + international + "/version/20240101", international + "/version/20240101", 4, nil},
		{international + "/version/20240101?fhir_vs|" + international, international + "/version/20240101", 4, nil},
		{international + "?fhir_vs|" + national, "", 0, engine.ErrInvalidParameter},
		{sct + "/32506021000036107?fhir_vs", "", 0, engine.ErrUnknownVersion},
		{sct + "?fhir_vs=none/1", "", 0, engine.ErrUnknownValueSet},
		{sct + "?fhir_vs=isa/", "", 0, engine.ErrUnknownValueSet},
	} {
		for range 2 { // evaluated, and kept
			r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: tt.url})
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: %v", tt.url, err)
			}
			if err != nil {
				continue
			}
			root := r.Entries[0]
			if r.Total != tt.total || root.Display != "Root of "+tt.version || root.Version != tt.version {
				t.Errorf("%s: %d codes, the first %+v", tt.url, r.Total, root)
			}
		}
	}
}

// TestLookupGroups checks attributes, once each, and their role groups.
func TestLookupGroups(t *testing.T) {
	e := clinic(t)
	const (
		site     = "property(code=363698007 value=66754008 description=Appendix structure)"
		agent    = "property(code=246075003 value=41146007 description=Bacterium)"
		group1   = "property(code=609096000 subproperty(code=363698007 value=66754008 description=Appendix structure) subproperty(code=116676008 value=23583003 description=Inflammation))"
		group2   = "property(code=609096000 subproperty(code=370135005 value=441862004 description=Infectious process))"
		shape    = "property(code=116676008 value=23583003 description=Inflammation)"
		process  = "property(code=370135005 value=441862004 description=Infectious process)"
		parent   = "property(code=parent value=404684003 description=Clinical finding)"
		inactive = "property(code=inactive value=false)"
		defined  = "property(code=sufficientlyDefined value=true)"
		module   = "property(code=moduleId value=900000000000207008)"
		time     = "property(code=effectiveTime value=20250101)"
	)
	for _, tt := range []struct{ properties, want []string }{
		{nil, []string{parent, inactive, defined, module, time, site, shape, process, agent, group1, group2}},
		{[]string{"*"}, []string{parent, inactive, defined, module, time, site, shape, process, agent, group1, group2}},
		{[]string{"609096000"}, []string{group1, group2}},
		{[]string{"363698007"}, []string{site}},
		{[]string{"609096000", "363698007"}, []string{site, group1, group2}},
		{[]string{"246075003", "moduleId"}, []string{module, agent}},
	} {
		r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: sct, Code: "74400008", Properties: tt.properties})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range outline(t, r.AppendJSON(nil)) {
			if strings.HasPrefix(line, "property(") {
				got = append(got, line)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.properties, diff)
		}
	}
	r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: sct, Code: "74400008"})
	if err != nil {
		t.Fatal(err)
	}
	groups := 0
	for _, row := range r.Table().Rows {
		if strings.HasSuffix(row[2], "(group 1)") {
			groups++
		}
	}
	if groups != 2 {
		t.Errorf("%q", r.Table().Rows)
	}
	if n := testing.AllocsPerRun(100, func() { _ = r.AppendJSON(make([]byte, 0, 8<<10)) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

// matchesOf writes a match a line: equivalence system|code.
func matchesOf(matches []conceptmap.Match) (lines []string) {
	for _, m := range matches {
		lines = append(lines, string(m.Equivalence)+" "+m.Concept.System+"|"+m.Concept.Code)
	}
	return lines
}

func TestImplicitMaps(t *testing.T) {
	e := clinic(t)
	const icd10 = "http://hl7.org/fhir/sid/icd-10"
	for _, tt := range []struct {
		url, code, system, target string
		reverse                   bool
		want                      []string
	}{
		{sct + "?fhir_cm=" + sameAs, "155728006", sct, "", false, []string{"equal " + sct + "|74400008"}},
		{international + "?fhir_cm=" + sameAs, "155728006", sct, sct, false, []string{"equal " + sct + "|74400008"}},
		{releaseDate + "?fhir_cm=" + sameAs, "155728006", "", "", false, []string{"equal " + sct + "|74400008"}},
		{sct + "?fhir_cm=" + sameAs + "|" + international, "155728006", sct, "", false, []string{"equal " + sct + "|74400008"}},
		{sct + "?fhir_cm=" + sameAs, "155729003", sct, "", false, nil}, // the row is inactive
		{sct + "?fhir_cm=" + sameAs, "74400008", sct, "", false, nil},
		{sct + "?fhir_cm=" + sameAs, "155728006", icd10, "", false, nil},
		{sct + "?fhir_cm=" + sameAs, "155728006", sct, icd10, false, nil},
		{sct + "?fhir_cm=" + sameAs, "74400008", sct, "", true, []string{"equal " + sct + "|155728006"}},
		{sct + "?fhir_cm=" + replacedBy, "155729003", sct, "", false, []string{"equivalent " + sct + "|74400008"}},
		{sct + "?fhir_cm=" + alternative, "155729003", sct, "", false, []string{"inexact " + sct + "|74400008", "inexact " + sct + "|23583003"}},
		{sct + "?fhir_cm=" + wasA, "155728006", sct, "", false, []string{"wider " + sct + "|404684003"}},
		{sct + "?fhir_cm=" + wasA, "404684003", sct, "", true, []string{"narrower " + sct + "|155728006"}},
		{sct + "?fhir_cm=" + icd10Map, "74400008", sct, icd10, false, []string{"relatedto " + icd10 + "|K35", "relatedto " + icd10 + "|K37"}},
		{sct + "?fhir_cm=" + icd10Map, "404684003", sct, "", false, []string{"unmatched |"}},
		{sct + "?fhir_cm=" + icd10Map, "K37", icd10, "", true, []string{"relatedto " + sct + "|74400008"}},
		{sct + "?fhir_cm=" + icd10Map, "K37", icd10, icd10, true, nil},
		{sct + "?fhir_cm=" + icd10Map, "K99", icd10, sct, true, nil},
		{sct + "?fhir_cm=" + ctv3Map, "74400008", sct, "", false, []string{"equivalent http://read.info/ctv3|X30Yr"}},
		{sct + "?fhir_cm=" + fromMap, "10000001", "http://example.org/own", sct, false, []string{"equivalent " + sct + "|404684003", "equivalent " + sct + "|74400008"}},
		{sct + "?fhir_cm=" + fromMap, "10000002", "", "", false, []string{"equivalent " + sct + "|80146002"}},
		{"", "10000002", "http://example.org/own", sct, false, []string{"equivalent " + sct + "|80146002"}},
		{sct + "?fhir_cm=" + fromMap, "80146002", sct, "", true, []string{"equivalent |10000002"}},
		{sct + "?fhir_cm=" + fromMap, "80146002", sct, "", false, nil},
		{sct + "?fhir_cm=" + fromMap, "10000002", "", icd10, false, nil},
		{sct + "?fhir_cm=" + strangeMap, "74400008", sct, "", false, []string{"equivalent |A1"}}, // nobody says of which system
		{"", "155728006", sct, sct, false, []string{"equal " + sct + "|74400008", "wider " + sct + "|404684003"}},
		{"", "74400008", sct, icd10, false, []string{"equivalent |A1", "relatedto " + icd10 + "|K35", "relatedto " + icd10 + "|K37"}},
	} {
		for range 2 {
			r, err := e.Translate(context.Background(), &engine.TranslateRequest{
				URL: tt.url, Code: tt.code, System: tt.system, TargetSystem: tt.target, Reverse: tt.reverse,
			})
			if err != nil {
				t.Fatalf("%s %s: %v", tt.url, tt.code, err)
			}
			if diff := cmp.Diff(tt.want, matchesOf(r.Matches)); diff != "" {
				t.Errorf("%s %s: %s", tt.url, tt.code, diff)
			}
			if tt.url != "" && len(r.Matches) > 0 && r.Matches[0].Map != tt.url {
				t.Errorf("%s: map %s", tt.url, r.Matches[0].Map)
			}
		}
	}
	for url, says := range map[string]string{
		sct + "?fhir_cm=1":                           `no reference set "1"`,
		sct + "?fhir_cm=" + simpleRefset:             "is a map",
		sct + "/32506021000036107?fhir_cm=" + sameAs: "known versions",
		animals + "?fhir_cm=1":                       "unknown code system",
	} {
		_, err := e.Translate(context.Background(), &engine.TranslateRequest{URL: url, Code: "74400008", System: sct})
		if !errors.Is(err, engine.ErrUnknownConceptMap) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestImplicitMapRules translates with facts about a patient, which decide the rules of the map.
func TestImplicitMapRules(t *testing.T) {
	e := clinic(t)
	ask := func(facts ...string) (*engine.TranslateResult, error) {
		req := engine.TranslateRequest{Code: "23583003", System: sct, TargetSystem: "http://hl7.org/fhir/sid/icd-10"}
		for _, fact := range facts {
			property, value, _ := strings.Cut(fact, "=")
			req.DependsOn = append(req.DependsOn, r4.ConceptMapDependsOn{Property: conceptmap.FactPrefix + property, Value: value})
		}
		return e.Translate(context.Background(), &req)
	}
	const gender, age, finding = "263495000=", "445518008=", "404684003="
	for _, tt := range []struct {
		facts []string
		want  []string
	}{
		{nil, []string{"J20.9 ", "J40 ", "N97.9 ", "R69 ", " "}},
		{[]string{age + "15 a", gender + "female"}, []string{"J40 decides", "N97.9 decides"}},
		{[]string{gender + "male", finding + "74400008"}, []string{"J20.9 open", "J40 otherwise", "R69 decides"}},
	} {
		r, err := ask(tt.facts...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range r.Matches {
			got = append(got, m.Concept.Code+" "+string(m.Decided))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v: %s", tt.facts, diff)
		}
	}
	r, err := ask(gender+"female", age+"3 a")
	if err != nil {
		t.Fatal(err)
	}
	got := outline(t, r.AppendJSON(nil))[2]
	for _, want := range []string{
		" product(element=mapDecision concept=|decides ) source=",
		` comment=Group 2, priority 1 decides: "IFA 248152002 | Female (finding) |". IF FEMALE CHOOSE N97.9)`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s: no %s", got, want)
		}
	}
	if table := r.Table(); table.Header[5] != "RULE" || table.Rows[0][5] != r.Matches[0].Comment {
		t.Error(table)
	}
	if _, err := ask(age + "young"); !errors.Is(err, engine.ErrInvalidParameter) || !strings.Contains(err.Error(), "position 0") {
		t.Error(err)
	}
}

// TestImplicitMapAnswer checks what else is said of a row.
func TestImplicitMapAnswer(t *testing.T) {
	e := clinic(t)
	r, err := e.Translate(context.Background(), &engine.TranslateRequest{URL: sct + "?fhir_cm=" + icd10Map, Code: "74400008", System: sct})
	if err != nil {
		t.Fatal(err)
	}
	got := outline(t, r.AppendJSON(nil))[1]
	want := "match(equivalence=relatedto concept=http://hl7.org/fhir/sid/icd-10|K35  product(element=mapGroup concept=|1 ) product(element=mapPriority concept=|1 ) " +
		"product(element=mapRule concept=|IFA 445518008 | Age at onset | ) product(element=mapAdvice concept=|IF CHILD CHOOSE K35 ) " +
		"product(element=correlationId concept=" + sct + "|447561005 ) product(element=mapCategoryId concept=" + sct + "|447637006 ) " +
		"source=" + sct + "?fhir_cm=" + icd10Map + " comment=IF CHILD CHOOSE K35)"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r, err = e.Translate(context.Background(), &engine.TranslateRequest{URL: sct + "?fhir_cm=" + sameAs, Code: "155728006", System: sct})
	if err != nil {
		t.Fatal(err)
	}
	got = outline(t, r.AppendJSON(nil))[1]
	if want = "match(equivalence=equal concept=" + sct + "|74400008 Appendicitis source=" + sct + "?fhir_cm=" + sameAs + ")"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestWrongTerm lists a display once that is a description too. What is no expression is only unknown, and
// without SNOMED CT there are no maps.
func TestWrongTerm(t *testing.T) {
	e := zoo(t)
	if r, err := e.Translate(t.Context(), &engine.TranslateRequest{System: sct, Code: "1"}); err != nil || r.Result {
		t.Error(r, err)
	}
	publish(t, e, engine.CodeSystemEntry(clinical(t), ""))
	if r, err := e.ValidateCodeInSystem(t.Context(), &engine.ValidateCodeInSystemRequest{URL: sct, Code: "138875005", Display: "?"}); err != nil || !strings.Contains(r.Message, "Valid display is 'SNOMED CT Concept' (en) (") {
		t.Errorf("%s, %v", r.Message, err)
	}
	for code, system := range map[string]string{"999999999": sct, "1:": animals} {
		if _, err := e.Lookup(t.Context(), &engine.LookupRequest{System: system, Code: code}); err == nil || strings.Contains(err.Error(), "expression") {
			t.Error(err)
		}
	}
}
