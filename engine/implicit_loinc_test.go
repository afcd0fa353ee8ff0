package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// lamps is a release in the layout of LOINC; all of it is made up.
var lamps = map[string]string{
	"Loinc.csv": "LOINC_NUM,COMPONENT,SCALE_TYP,STATUS,LONG_COMMON_NAME\n" +
		"90001-9,Glow,Qn,ACTIVE,Glow of lamp\n90002-7,Glow,Nom,DEPRECATED,Old glow of lamp\n90003-5,Haze,Nom,ACTIVE,Haze of lamp\n" +
		"90004-3,Form,-,ACTIVE,Lamp form\n90005-0,Form,-,ACTIVE,Glow form\n",
	"PanelsAndForms.csv": "ParentId,ParentLoinc,ID,SEQUENCE,Loinc,DisplayNameForForm,ObservationRequiredInPanel,SkipLogicHelpText,AnswerListIdOverride\n" +
		"1,90004-3,1,1,90004-3,,,,\n1,90004-3,2,2,90003-5,Is there haze?,R,Skip if dark,LL702-8\n1,90004-3,3,1,90005-0,,O,,\n" +
		"3,90005-0,4,1,90001-9,,R,,\n5,90005-0,5,1,90005-0,,,,\n5,90005-0,6,2,90002-7,Was it bright?,,,\n5,90005-0,7,1,90001-9,How bright?,R,,\n",
	"ComponentHierarchyBySystem.csv": "IMMEDIATE_PARENT,CODE,CODE_TEXT\n,LP900-1,Everything\nLP900-1,LP901-9,Glow\nLP901-9,90001-9,\nLP901-9,90002-7,\nLP900-1,90003-5,\n",
	"AnswerList.csv": "AnswerListId,AnswerListName,ExtDefinedAnswerListCodeSystem,AnswerStringId,SequenceNumber,DisplayText,Score\n" +
		"LL700-2,Colours,,LA501-2,3,Red,\nLL700-2,Colours,,LA502-0,1,Blue,\nLL700-2,Colours,,LA503-8,2,Green,\n" +
		"LL702-8,Others,,LA502-0,1,Azure,\nLL701-0,Elsewhere,http://example.org,,,,\n",
	"Group.csv":                  "ParentGroupId,GroupId,Group,Archetype\nLG301-2,LG300-4,Glow|Lamp,Same component\nLG301-2,LG302-0,,\n,LG303-8,Unknown,\n",
	"ParentGroup.csv":            "ParentGroupId,ParentGroup,Status\nLG301-2,All of lamps,ACTIVE\n",
	"GroupLoincTerms.csv":        "Category,GroupId,LoincNumber\nLight,LG300-4,90001-9\nLight,LG300-4,90002-7\n,LG302-0,90003-5\n,LG303-8,1-8\n",
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
		"http://loinc.org/vs/LG301-2": "90003-5 Haze of lamp|90001-9 Glow of lamp|90002-7 Old glow of lamp",
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
	if r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: "http://loinc.org/vs"}); err != nil || r.Total != 13 {
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

// TestLOINCGroups: the value set of a group has the group's name as title.
func TestLOINCGroups(t *testing.T) {
	e := lampEngine(t)
	for code, want := range map[string][2]string{"LG300-4": {"Glow|Lamp", "Light, Same component"}, "LG301-2": {"All of lamps", "Light"}, "LG302-0": {"Terms of LG302-0", ""}, "LG303-8": {"Terms of LG303-8", ""}} {
		r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: "http://loinc.org/vs/" + code})
		if err != nil {
			t.Fatal(err)
		}
		if h := r.ValueSet; h.Title != want[0] || h.Description != want[1] {
			t.Errorf("%s: %q, %q", code, h.Title, h.Description)
		}
	}
}

// TestLOINCGroupsWithoutNames: an index that was compiled before groups had names has none.
func TestLOINCGroupsWithoutNames(t *testing.T) {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", URL: "http://loinc.org", Status: "active"}, Content: "complete"})
	if _, err := b.Add(&codesystem.Concept{Code: "90001-9", Parent: -1}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.AddRefset("LG300-4", nil), b.AddMember(&codesystem.RefsetMember{Refset: "LG300-4", Component: "90001-9", Active: true})); err != nil {
		t.Fatal(err)
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New()
	if err := e.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
		t.Fatal(err)
	}
	r, err := e.Expand(t.Context(), &engine.ExpandRequest{URL: "http://loinc.org/vs/LG300-4"})
	if err != nil || r.Total != 1 || r.ValueSet.Title != "Terms of LG300-4" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLOINCPanels: a panel lists its members in their order, with what is said of them in the
// panel, and filters select the members of panels and the panels of terms.
func TestLOINCPanels(t *testing.T) {
	e := lampEngine(t)
	const (
		bright = "property(code=has-member value=90001-9 description=Glow of lamp subproperty(code=DisplayNameForForm value=How bright?) subproperty(code=ObservationRequiredInPanel value=R))"
		old    = "property(code=has-member value=90002-7 description=Old glow of lamp subproperty(code=DisplayNameForForm value=Was it bright?))"
		nested = "property(code=has-member value=90005-0 description=Glow form subproperty(code=ObservationRequiredInPanel value=O))"
		hazy   = "property(code=has-member value=90003-5 description=Haze of lamp subproperty(code=DisplayNameForForm value=Is there haze?) subproperty(code=ObservationRequiredInPanel value=R)" +
			" subproperty(code=SkipLogicHelpText value=Skip if dark) subproperty(code=AnswerListIdOverride value=http://loinc.org|LL702-8 Others))"
		isIn = "property(code=member-of value=90004-3 description=Lamp form)"
	)
	for _, tt := range []struct {
		code       string
		properties []string
		want       []string
		rows       int
	}{
		{"90004-3", []string{"has-member"}, []string{nested, hazy}, 7},
		{"90005-0", []string{"has-member", "member-of", "DisplayNameForForm"}, []string{isIn, bright, old}, 6},
		{"90005-0", []string{"DisplayNameForForm"}, []string{"property(code=DisplayNameForForm value=How bright?)", "property(code=DisplayNameForForm value=Was it bright?)"}, 2},
		{"90003-5", []string{"member-of"}, []string{isIn}, 1},
	} {
		r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: "http://loinc.org", Code: tt.code, Properties: tt.properties})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range outline(t, r.AppendJSON(nil)) {
			if strings.HasPrefix(line, "property(") {
				got = append(got, line)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s %q\ngot  %q\nwant %q", tt.code, tt.properties, got, tt.want)
		}
		rows := 0
		for _, row := range r.Table().Rows {
			if strings.HasPrefix(row[0], "has-member") || slices.Contains(tt.properties, row[0]) {
				rows++
			}
		}
		if rows != tt.rows {
			t.Errorf("%s %q: table %q", tt.code, tt.properties, r.Table().Rows)
		}
	}
	for filter, want := range map[[2]string]string{
		{"member-of", "90005-0"}:              "90001-9 90002-7",
		{"member-of", "90004-3"}:              "90005-0 90003-5",
		{"has-member", "90001-9"}:             "90005-0",
		{"has-member", "90005-0"}:             "90004-3",
		{"AnswerListIdOverride", "LL702-8"}:   "90004-3",
		{"SkipLogicHelpText", "skip IF dark"}: "90004-3",
	} {
		set := &r4.ValueSet{Compose: &r4.Compose{Include: []r4.Include{{System: "http://loinc.org", Filter: []r4.Filter{{Property: filter[0], Op: "=", Value: filter[1]}}}}}}
		r, err := e.Expand(context.Background(), &engine.ExpandRequest{ValueSet: set})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, entry := range r.Entries {
			got = append(got, entry.Code)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%v: %s, want %s", filter, s, want)
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
