package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
)

// lamps is a release in the layout of LOINC; all of it is made up.
var lamps = map[string]string{
	"Loinc.csv": "LOINC_NUM,COMPONENT,SCALE_TYP,STATUS,LONG_COMMON_NAME\n" +
		"90001-9,Glow,Qn,ACTIVE,Glow of lamp\n90002-7,Glow,Nom,DEPRECATED,Old glow of lamp\n90003-5,Haze,Nom,ACTIVE,Haze of lamp\n",
	"ComponentHierarchyBySystem.csv": "IMMEDIATE_PARENT,CODE,CODE_TEXT\n,LP900-1,Everything\nLP900-1,LP901-9,Glow\nLP901-9,90001-9,\nLP901-9,90002-7,\nLP900-1,90003-5,\n",
	"AnswerList.csv": "AnswerListId,AnswerListName,ExtDefinedAnswerListCodeSystem,AnswerStringId,SequenceNumber,DisplayText,Score\n" +
		"LL700-2,Colours,,LA501-2,3,Red,\nLL700-2,Colours,,LA502-0,1,Blue,\nLL700-2,Colours,,LA503-8,2,Green,\n" +
		"LL702-8,Others,,LA502-0,1,Azure,\nLL701-0,Elsewhere,http://example.org,,,,\n",
	"GroupLoincTerms.csv":        "Category,GroupId,LoincNumber\n,LG300-4,90001-9\n,LG300-4,90002-7\n",
	"frCA8LinguisticVariant.csv": "LOINC_NUM,LONG_COMMON_NAME\n90001-9,Lueur de la lampe\n",
}

func lampEngine(t *testing.T) *engine.Engine {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Loinc_2.99")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range lamps {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := engine.New()
	if err := e.Load(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestImplicitLOINC checks the implicit value sets of LOINC. Answers come in the order of
// their list.
func TestImplicitLOINC(t *testing.T) {
	e := lampEngine(t)
	for url, want := range map[string]string{
		"http://loinc.org/vs/LL700-2": "LA502-0 Blue|LA503-8 Green|LA501-2 Red",
		"http://loinc.org/vs/LL702-8": "LA502-0 Azure",
		"http://loinc.org/vs/LP901-9": "90001-9 Glow of lamp|90002-7 Old glow of lamp",
		"http://loinc.org/vs/LG300-4": "90001-9 Glow of lamp|90002-7 Old glow of lamp",
	} {
		for range 2 {
			r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: url})
			if err != nil {
				t.Errorf("%s: %v", url, err)
				continue
			}
			var got []string
			for _, entry := range r.Entries {
				got = append(got, entry.Code+" "+entry.Display)
			}
			if s := strings.Join(got, "|"); s != want {
				t.Errorf("%s: %s, want %s", url, s, want)
			}
		}
	}
	if r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: "http://loinc.org/vs"}); err != nil || r.Total != 11 {
		t.Errorf("all codes: %v %v", r, err)
	}
	for url, says := range map[string]string{
		"http://loinc.org/vs/LL1-9":   `http://loinc.org|2.99 has no answer list, part or group "LL1-9"`,
		"http://loinc.org/vs/90001-9": "has no answer list",
		"http://loinc.org/vs/LL701-0": "defined elsewhere",
	} {
		if _, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: url}); !errors.Is(err, engine.ErrUnknownValueSet) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for code, want := range map[string]bool{"LA503-8": true, "90001-9": false} {
		v, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: "http://loinc.org/vs/LL700-2", System: "http://loinc.org", Code: code})
		if err != nil || v.Result != want {
			t.Errorf("%s: %+v %v", code, v, err)
		}
	}
}

// TestLOINCInOtherLanguages: linguistic variants are displays.
func TestLOINCInOtherLanguages(t *testing.T) {
	e := lampEngine(t)
	for language, want := range map[string]string{"fr-CA": "Lueur de la lampe", "fr": "Lueur de la lampe", "en": "Glow of lamp"} {
		r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: "http://loinc.org", Code: "90001-9", DisplayLanguage: language})
		if err != nil || r.Display != want {
			t.Errorf("%s: %+v, %v", language, r, err)
		}
	}
}
