package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/conceptmap"
)

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
