package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

const (
	allAnimals = "http://example.org/vs/all-animals"
	mixed      = "http://example.org/vs/mixed"
	broken     = "http://example.org/vs/broken"
)

// verdict shows a result with its issues in short: severity/code/detail at expression.
func verdict(r *engine.ValidateCodeResult) []string {
	out := []string{"no"}
	if r.Result {
		out[0] = "yes"
	}
	for _, f := range []struct{ name, value string }{{"display", r.Display}, {"system", r.System}, {"version", r.Version}, {"normalized", r.NormalizedCode}} {
		if f.value != "" {
			out = append(out, f.name+"="+f.value)
		}
	}
	if r.Inactive {
		out = append(out, "inactive")
	}
	for _, i := range r.Issues {
		out = append(out, i.Severity+"/"+i.Code+"/"+i.Details.Coding[0].Code+" at "+strings.Join(i.Expression, " "))
	}
	return out
}

func TestValidateCode(t *testing.T) {
	e := zoo(t)
	no, yes := ptr(false), ptr(true)
	concept := func(codings ...r4.Coding) *r4.CodeableConcept { return &r4.CodeableConcept{Coding: codings} }
	cat := r4.Coding{System: animals, Code: "cat"}
	isCat := []string{"yes", "display=Cat", "system=" + animals, "version=1.0.0"}
	for _, tt := range []struct {
		name string
		req  engine.ValidateCodeRequest
		want []string
	}{
		{"code and system", engine.ValidateCodeRequest{URL: pets, Code: "cat", System: animals}, isCat},
		{"code alone", engine.ValidateCodeRequest{URL: pets, Code: "cat"}, isCat},
		{"versions", engine.ValidateCodeRequest{URL: pets + "|7", Code: "cat", System: animals + "|1.0.0"}, isCat},
		{"version of the value set", engine.ValidateCodeRequest{URL: pets, ValueSetVersion: "7", Code: "cat", System: animals, SystemVersion: "1.0.0"}, isCat},
		{"instance", engine.ValidateCodeRequest{ID: "pets", Code: "cat"}, isCat},
		{"coding", engine.ValidateCodeRequest{URL: pets, Coding: &cat}, isCat},
		{"coding with display", engine.ValidateCodeRequest{URL: pets, Coding: &r4.Coding{System: animals, Code: "cat", Display: "KATZE"}}, isCat},
		{"white space in the display", engine.ValidateCodeRequest{URL: pets, Coding: &r4.Coding{System: animals, Code: "cat", Display: " KATZE"}}, append([]string{"no"}, append(isCat[1:4:4], "error/invalid/invalid-display at Coding.display")...)},
		{"posted", engine.ValidateCodeRequest{ValueSet: decodeValueSet(`{"compose":{"include":[{"system":"http://example.org/animals"}]}}`), Code: "cat"}, isCat},
		{"all codes by CodeSystem.valueSet", engine.ValidateCodeRequest{URL: allAnimals, Code: "cat"}, isCat},
		{"all codes", engine.ValidateCodeRequest{URL: animals + "?fhir_vs", Code: "cat"}, isCat},
		{"is-a", engine.ValidateCodeRequest{URL: animals + "?fhir_vs=isa/pet", Code: "cat"}, isCat},
		{"is-a, escaped", engine.ValidateCodeRequest{URL: animals + "?fhir_vs=isa/%70et", Code: "cat"}, isCat},
		{"language", engine.ValidateCodeRequest{URL: pets, Code: "cat", DisplayLanguage: "de-CH"}, []string{"yes", "display=Büsi", "system=" + animals, "version=1.0.0"}},
		{"the value set's display", engine.ValidateCodeRequest{URL: mixed, Code: "dog"}, []string{"yes", "display=Good dog", "system=" + animals, "version=1.0.0"}},
		{"the system's display where the value set has one", engine.ValidateCodeRequest{URL: mixed, Code: "dog", Display: "dog"}, []string{"yes", "display=Good dog", "system=" + animals, "version=1.0.0"}},
		{"case", engine.ValidateCodeRequest{URL: pets, Code: "Cat"}, append(isCat[:4:4], "normalized=cat", "information/business-rule/code-rule at code")},
		{"inactive", engine.ValidateCodeRequest{URL: allAnimals, Code: "dodo"}, []string{"yes", "display=Dodo", "system=" + animals, "version=1.0.0", "inactive", "warning/business-rule/code-comment at code"}},
		{"deprecated", engine.ValidateCodeRequest{URL: allAnimals, Code: "fowl"}, []string{"yes", "display=Fowl", "system=" + animals, "version=1.0.0", "warning/business-rule/code-comment at code"}},
		{"abstract", engine.ValidateCodeRequest{URL: allAnimals, Code: "animal"}, []string{"yes", "display=Animal", "system=" + animals, "version=1.0.0"}},
		{"abstract wanted", engine.ValidateCodeRequest{URL: allAnimals, Code: "animal", Abstract: yes}, []string{"yes", "display=Animal", "system=" + animals, "version=1.0.0"}},
		{"abstract refused", engine.ValidateCodeRequest{URL: allAnimals, Code: "animal", Abstract: no}, []string{"no", "display=Animal", "version=1.0.0", "error/business-rule/code-rule at code", "error/code-invalid/not-in-vs at code"}},
		{"wrong display", engine.ValidateCodeRequest{URL: pets, Code: "cat", Display: "Dog"}, append([]string{"no"}, append(isCat[1:4:4], "error/invalid/invalid-display at display")...)},
		{"concept, second coding", engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept(r4.Coding{System: colors, Code: "red"}, cat)}, append(isCat[:4:4], "information/code-invalid/this-code-not-in-vs at CodeableConcept.coding[0].code")},
		{
			"concept, unknown code first",
			engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept(r4.Coding{System: animals, Code: "unicorn"}, cat)},
			append(isCat[:4:4], "information/code-invalid/this-code-not-in-vs at CodeableConcept.coding[0].code", "warning/code-invalid/invalid-code at CodeableConcept.coding[0].code"),
		},
		{
			"concept, wrong display first",
			engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept(r4.Coding{System: colors, Code: "red", Display: "Blue"}, cat)},
			append(isCat[:4:4], "information/code-invalid/this-code-not-in-vs at CodeableConcept.coding[0].code", "warning/invalid/invalid-display at CodeableConcept.coding[0].display"),
		},
		{
			"concept, unknown system first",
			engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept(r4.Coding{System: "http://nowhere", Code: "x"}, cat)},
			append(isCat[:4:4], "information/code-invalid/this-code-not-in-vs at CodeableConcept.coding[0].code", "warning/not-found/not-found at CodeableConcept.coding[0].system"),
		},
		{
			"concept, its own display is wrong",
			engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept(r4.Coding{System: animals, Code: "unicorn"}, r4.Coding{System: animals, Code: "cat", Display: "Dog"})},
			append([]string{"no"}, append(isCat[1:4:4], "information/code-invalid/this-code-not-in-vs at CodeableConcept.coding[0].code", "warning/code-invalid/invalid-code at CodeableConcept.coding[0].code", "error/invalid/invalid-display at CodeableConcept.coding[1].display")...),
		},
		{
			"concept, wrong display of a member first",
			engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept(r4.Coding{System: animals, Code: "dog", Display: "Cat"}, cat)},
			append(isCat[:4:4], "warning/invalid/invalid-display at CodeableConcept.coding[0].display"),
		},
		{
			"concept, no coding fits",
			engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept(r4.Coding{System: colors, Code: "blue"}, r4.Coding{System: animals, Code: "mouse"})},
			[]string{
				"no", "information/code-invalid/this-code-not-in-vs at CodeableConcept.coding[0].code", "error/code-invalid/invalid-code at CodeableConcept.coding[0].code",
				"information/code-invalid/this-code-not-in-vs at CodeableConcept.coding[1].code", "error/code-invalid/not-in-vs at ",
			},
		},
		{"concept without coding", engine.ValidateCodeRequest{URL: pets, CodeableConcept: concept()}, []string{"no", "error/code-invalid/not-in-vs at "}},
		{"coding without code", engine.ValidateCodeRequest{URL: pets, Coding: &r4.Coding{System: animals}}, []string{"no", "warning/invalid/invalid-data at Coding"}},
		{"version check", engine.ValidateCodeRequest{URL: pets, Code: "cat", Versions: engine.VersionRules{Force: []string{animals + "|1.0.0"}, Check: []string{animals + "|2.x"}}}, append([]string{"no"}, append(isCat[1:4:4], "error/exception/version-error at version")...)},
		{"not a member", engine.ValidateCodeRequest{URL: pets, Code: "mouse", System: animals}, []string{"no", "display=Mouse", "system=" + animals, "version=1.0.0", "error/code-invalid/not-in-vs at code"}},
		{"excluded", engine.ValidateCodeRequest{URL: mixed, Code: "green", System: colors}, []string{"no", "display=Green", "system=" + colors, "error/code-invalid/not-in-vs at code"}},
		{"unknown code", engine.ValidateCodeRequest{URL: pets, Code: "unicorn", System: animals}, []string{"no", "system=" + animals, "error/code-invalid/invalid-code at code", "error/code-invalid/not-in-vs at code"}},
		{"unknown code without system", engine.ValidateCodeRequest{URL: pets, Code: "unicorn"}, []string{"no", "error/not-found/cannot-infer at code", "error/code-invalid/not-in-vs at code"}},
		{"unknown system", engine.ValidateCodeRequest{URL: pets, Coding: &r4.Coding{System: "http://nowhere", Code: "x"}}, []string{"no", "system=http://nowhere", "error/not-found/not-found at Coding.system", "error/code-invalid/not-in-vs at Coding.code"}},
		{"other version", engine.ValidateCodeRequest{URL: pets, Code: "cat", System: animals, SystemVersion: "3"}, []string{"no", "display=Cat", "system=" + animals, "version=1.0.0", "warning/invalid/vs-invalid at version", "error/not-found/not-found at system"}},
		{"ambiguous", engine.ValidateCodeRequest{URL: mixed, Code: "cat"}, []string{"no", "error/not-found/cannot-infer at code", "error/code-invalid/not-in-vs at code"}},
		{"broken, usable part", engine.ValidateCodeRequest{URL: broken, Code: "red", System: colors}, []string{"yes", "display=Red", "system=" + colors}},
		{"broken", engine.ValidateCodeRequest{URL: broken, Code: "cat", System: animals}, []string{"no", "display=Cat", "system=" + animals, "version=1.0.0", "error/code-invalid/not-in-vs at code"}},
		{"broken, no system", engine.ValidateCodeRequest{URL: broken, Code: "red"}, []string{"no", "error/not-found/cannot-infer at code", "error/code-invalid/not-in-vs at code"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.ValidateCode(context.Background(), &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, verdict(&r)); diff != "" {
				t.Error(diff)
			}
			lines := outline(t, r.AppendJSON(nil))
			if want := map[bool]string{true: "result=true", false: "result=false"}[r.Result]; lines[0] != want || r.Yes() != r.Result {
				t.Error(lines)
			}
			if r.Result && lines[1] != "display="+r.Display {
				t.Error("display comes second", lines)
			}
			if !r.Result && (r.Message == "" || len(r.Issues) == 0) {
				t.Error("a no says why")
			}
			for _, row := range r.Table().Rows {
				if row[1] == "" || row[0] != "error" && row[0] != "warning" && row[0] != "information" && !slices.Contains(lines, row[0]+"="+row[1]) {
					t.Errorf("%q is not among %q", row, lines)
				}
			}
			if len(r.Table().Rows) < 2 {
				t.Error(r.Table())
			}
		})
	}
}

func TestValidateCodeErrors(t *testing.T) {
	e := zoo(t)
	publish(t, e, valueSet(`{"id":"loop","url":"http://example.org/vs/loop","compose":{"include":[{"valueSet":["http://example.org/vs/loop2"]}]}}`),
		valueSet(`{"id":"loop2","url":"http://example.org/vs/loop2","version":"1","compose":{"include":[{"valueSet":["http://example.org/vs/loop"]}]}}`))
	for _, tt := range []struct {
		name string
		req  engine.ValidateCodeRequest
		want error
		says string
	}{
		{"unknown value set", engine.ValidateCodeRequest{URL: "http://nowhere", Code: "cat"}, engine.ErrUnknownValueSet, "http://nowhere"},
		{"unknown version", engine.ValidateCodeRequest{URL: pets + "|8", Code: "cat"}, engine.ErrUnknownVersion, "known versions: 7"},
		{"a code system is no value set", engine.ValidateCodeRequest{URL: animals, Code: "cat"}, engine.ErrUnknownValueSet, animals},
		{"implicit, unknown system", engine.ValidateCodeRequest{URL: "http://nowhere?fhir_vs", Code: "cat"}, engine.ErrUnknownValueSet, "http://nowhere"},
		{"implicit, not understood", engine.ValidateCodeRequest{URL: animals + "?fhir_vs=none/7", Code: "cat"}, engine.ErrUnknownValueSet, "isa"},
		{"unknown id", engine.ValidateCodeRequest{ID: "x", Code: "cat"}, engine.ErrUnknownID, "ValueSet/x"},
		{"id and url differ", engine.ValidateCodeRequest{ID: "pets", URL: mixed, Code: "cat"}, engine.ErrInvalidParameter, "url"},
		{"id and version differ", engine.ValidateCodeRequest{ID: "pets", ValueSetVersion: "8", Code: "cat"}, engine.ErrInvalidParameter, "valueSetVersion"},
		{"no value set", engine.ValidateCodeRequest{Code: "cat"}, engine.ErrMissingParameter, "url"},
		{"no code", engine.ValidateCodeRequest{URL: pets}, engine.ErrMissingParameter, "code"},
		{"two things", engine.ValidateCodeRequest{URL: pets, Code: "cat", CodeableConcept: &r4.CodeableConcept{}}, engine.ErrInvalidParameter, "only one"},
		{"context", engine.ValidateCodeRequest{Context: "x", Code: "cat"}, engine.ErrNotSupported, "context"},
		{"import cycle", engine.ValidateCodeRequest{URL: "http://example.org/vs/loop", Code: "cat"}, errImportCycle, "loop2"},
		{"two versions forced", engine.ValidateCodeRequest{URL: pets, Code: "cat", Versions: engine.VersionRules{Force: []string{animals + "|1.0.0", animals + "|2.x"}}}, engine.ErrInvalidParameter, "'1.0.0', '2.x'"},
		{"implicit, unknown code", engine.ValidateCodeRequest{URL: animals + "?fhir_vs=isa/unicorn", Code: "cat"}, engine.ErrUnknownValueSet, "unicorn"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := e.ValidateCode(context.Background(), &tt.req)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.says)
			}
		})
	}
}

// TestValidateCodeExcluded takes a listed code of an absent system away, as the expansion does.
func TestValidateCodeExcluded(t *testing.T) {
	e := zoo(t)
	for _, exclude := range []string{`{"system":"http://absent"}`, `{"system":"http://absent","concept":[{"code":"x"}]}`} {
		publish(t, e, valueSet(`{"id":"v","url":"http://vs","compose":{"include":[{"system":"http://absent","concept":[{"code":"x"}]}],"exclude":[`+exclude+`]}}`))
		all, err := e.Expand(t.Context(), &engine.ExpandRequest{URL: "http://vs"})
		if err != nil || all.Total != 0 {
			t.Errorf("without %s: %v, %v", exclude, all, err)
		}
		for _, only := range []bool{false, true} {
			r, err := e.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: "http://vs", System: "http://absent", Code: "x", MembershipOnly: only})
			if err != nil || r.Result || !strings.HasSuffix(strings.Join(verdict(&r), " "), "/not-in-vs at code") {
				t.Errorf("without %s: %v, %v", exclude, verdict(&r), err)
			}
		}
	}
}

// TestExcludedVersions compares the verdicts on each code with the definition and with the expansion: an exclude
// of a version that is not included takes its codes from all, even if the version is not loaded and the exclude
// lists codes.
func TestExcludedVersions(t *testing.T) {
	const url = "http://example.org/shades"
	e := engine.New()
	version := func(version string, codes ...string) {
		var concepts []c
		for _, code := range codes {
			concepts = append(concepts, c{code: code})
		}
		publish(t, e, engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: "s" + version, URL: url, Version: version}, Content: "complete"}, concepts...), "test"))
	}
	version("1", "red", "green", "blue")
	version("2", "red", "green", "black")
	type part struct{ version, listed string }
	has := func(p part, code string) bool {
		if p.listed != "" {
			return p.listed == code
		}
		return code == "red" || code == "green" || code == map[string]string{"1": "blue", "2": "black"}[p.version]
	}
	text := func(p part) string {
		if p.listed == "" {
			return fmt.Sprintf(`{"system":%q,"version":%q}`, url, p.version)
		}
		return fmt.Sprintf(`{"system":%q,"version":%q,"concept":[{"code":%q}]}`, url, p.version, p.listed)
	}
	all := []part{{"1", ""}, {"2", ""}, {"2", "red"}, {"3", "green"}}
	for _, subset := range []int{1, 2, 3, 4, 5, 6, 7, 8} { // a version that is not loaded comes alone
		var includes []part
		var texts []string
		for i, p := range all {
			if subset&(1<<i) != 0 {
				includes, texts = append(includes, p), append(texts, text(p))
			}
		}
		for _, exclude := range []part{{"1", "green"}, {"1", ""}, {"2", "green"}, {"2", "black"}, {"2", ""}, {"3", "green"}, {"3", "blue"}, {"4", "green"}} {
			compose := `{"include":[` + strings.Join(texts, ",") + `],"exclude":[` + text(exclude) + `]}`
			publish(t, e, valueSet(`{"id":"v","url":"http://vs","compose":`+compose+`}`))
			expansion, err := e.Expand(t.Context(), &engine.ExpandRequest{URL: "http://vs"})
			if err != nil {
				t.Fatalf("%s: %v", compose, err)
			}
			merged := !slices.ContainsFunc(includes, func(p part) bool { return p.version == exclude.version })
			for _, code := range []string{"red", "green", "blue", "black"} {
				want := slices.ContainsFunc(includes, func(p part) bool {
					return has(p, code) && (!has(exclude, code) || !merged && p.version != exclude.version)
				})
				listed := strings.Contains(" "+codes(expansion)+" ", " "+code+" ")
				verdict, err := e.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: "http://vs", System: url, Code: code})
				member, err2 := e.MemberOf(t.Context(), &engine.MemberOfRequest{ValueSetURL: "http://vs", System: url, Code: code})
				if err := errors.Join(err, err2); err != nil || listed != want || verdict.Result != want || member.Member != want {
					t.Errorf("%s: %s: %v; expanded %v, validated %v, a member %v, want %v", compose, code, err, listed, verdict.Result, member.Member, want)
				}
			}
		}
	}
}

// TestValidateCodeThenExpand checks that a system inferred under a check of versions leaves no
// expansion behind that the check forbids.
func TestValidateCodeThenExpand(t *testing.T) {
	e, rules := zoo(t), engine.VersionRules{Check: []string{animals + "|2.x"}}
	publish(t, e, engine.CodeSystemEntry(animalSystem(t, "2.0.0"), "test"),
		valueSet(`{"id":"old","url":"http://vs","compose":{"include":[{"system":"http://example.org/animals","version":"1.0.0"}]}}`))
	for range 2 {
		if _, err := e.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: "http://vs", Code: "cat", InferSystem: true, Versions: rules}); err != nil {
			t.Error(err)
		}
		if _, err := e.Expand(t.Context(), &engine.ExpandRequest{URL: "http://vs", Versions: rules}); !errors.Is(err, engine.ErrVersionCheck) {
			t.Errorf("expanded: %v", err)
		}
	}
}

func TestValidateCodeFragment(t *testing.T) {
	e := engine.New()
	url := "http://example.org/fragment"
	publish(t, e,
		engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: "f", URL: url}, Content: "fragment", ValueSet: url + "-vs"}, c{code: "a", display: "A"}), "test"),
		valueSet(`{"id":"some","url":"http://example.org/some","compose":{"include":[{"system":"http://example.org/fragment","filter":[{"property":"code","op":"regex","value":"x+"}]}]}}`))
	for vs, want := range map[string][]string{
		url + "-vs":               {"yes", "system=" + url, "warning/code-invalid/invalid-code at code"},
		"http://example.org/some": {"no", "system=" + url, "warning/code-invalid/invalid-code at code", "error/code-invalid/not-in-vs at code"},
	} {
		r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{URL: vs, System: url, Code: "b"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, verdict(&r)); diff != "" {
			t.Error(vs, diff)
		}
	}
}

func TestValidateCodeInSystem(t *testing.T) {
	e := zoo(t)
	publish(t, e, engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: "stub", URL: "http://example.org/stub"}, Content: "not-present"}), "test"))
	own := []byte(`{"resourceType":"CodeSystem","url":"http://example.org/own","version":"3","status":"active","content":"complete","concept":[{"code":"a","display":"A","concept":[{"code":"b"}]}]}`)
	isCat := []string{"yes", "display=Cat", "system=" + animals, "version=1.0.0"}
	for _, tt := range []struct {
		name string
		req  engine.ValidateCodeInSystemRequest
		want []string
	}{
		{"code", engine.ValidateCodeInSystemRequest{URL: animals, Code: "cat"}, isCat},
		{"version", engine.ValidateCodeInSystemRequest{URL: animals + "|1.0.0", Code: "cat"}, isCat},
		{"instance", engine.ValidateCodeInSystemRequest{ID: "animals-1.0.0", Code: "cat"}, isCat},
		{"instance, coding", engine.ValidateCodeInSystemRequest{ID: "animals-1.0.0", Coding: &r4.Coding{System: animals, Code: "cat"}}, isCat},
		{"coding alone", engine.ValidateCodeInSystemRequest{Coding: &r4.Coding{System: animals, Version: "1.0.0", Code: "cat"}}, isCat},
		{"display", engine.ValidateCodeInSystemRequest{URL: animals, Code: "cat", Display: "chat"}, isCat},
		{"wrong display", engine.ValidateCodeInSystemRequest{URL: animals, Code: "cat", Display: "dog"}, append([]string{"no"}, append(isCat[1:4:4], "error/invalid/invalid-display at display")...)},
		{"concept", engine.ValidateCodeInSystemRequest{URL: animals, CodeableConcept: &r4.CodeableConcept{Coding: []r4.Coding{{System: colors, Code: "red"}, {System: animals, Code: "cat"}}}}, isCat},
		{"posted", engine.ValidateCodeInSystemRequest{CodeSystem: own, Code: "b"}, []string{"yes", "system=http://example.org/own", "version=3"}},
		{"posted, unknown", engine.ValidateCodeInSystemRequest{CodeSystem: own, Code: "c"}, []string{"no", "system=http://example.org/own", "error/code-invalid/invalid-code at code"}},
		{"unknown code", engine.ValidateCodeInSystemRequest{URL: animals, Code: "unicorn"}, []string{"no", "system=" + animals, "error/code-invalid/invalid-code at code"}},
		{"unknown system", engine.ValidateCodeInSystemRequest{URL: "http://nowhere", Code: "x"}, []string{"no", "system=http://nowhere", "error/not-found/not-found at system"}},
		{"unknown version", engine.ValidateCodeInSystemRequest{URL: animals, Version: "4", Code: "x"}, []string{"no", "system=" + animals, "version=4", "error/not-found/not-found at system"}},
		{"no content", engine.ValidateCodeInSystemRequest{URL: "http://example.org/stub", Code: "x"}, []string{"no", "system=http://example.org/stub", "error/not-found/not-found at system"}},
		{"other system", engine.ValidateCodeInSystemRequest{URL: animals, Coding: &r4.Coding{System: colors, Code: "red"}}, []string{"no", "display=Red", "system=" + colors, "error/code-invalid/not-in-vs at Coding.code"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.ValidateCodeInSystem(context.Background(), &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, verdict(&r)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, tt := range []struct {
		req  engine.ValidateCodeInSystemRequest
		want error
	}{
		{engine.ValidateCodeInSystemRequest{Code: "cat"}, engine.ErrMissingParameter},
		{engine.ValidateCodeInSystemRequest{NoSystem: true}, engine.ErrMissingParameter},
		{engine.ValidateCodeInSystemRequest{URL: animals}, engine.ErrMissingParameter},
		{engine.ValidateCodeInSystemRequest{ID: "x", Code: "cat"}, engine.ErrUnknownID},
		{engine.ValidateCodeInSystemRequest{CodeSystem: []byte(`{"resourceType":"CodeSystem","concept":[{}]}`), Code: "cat"}, engine.ErrInvalidParameter},
		{engine.ValidateCodeInSystemRequest{CodeSystem: []byte(`{"resourceType":"ValueSet"}`), Code: "cat"}, engine.ErrInvalidParameter},
	} {
		if _, err := e.ValidateCodeInSystem(context.Background(), &tt.req); !errors.Is(err, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.req, err, tt.want)
		}
	}
}

func TestMemberOf(t *testing.T) {
	e := zoo(t)
	ctx := context.Background()
	for _, tt := range []struct {
		code, system string
		want         []string
	}{
		{"cat", animals, []string{"result=true", "display=Cat", "code=cat", "system=" + animals, "valueSetUrl=" + pets}},
		{"mouse", animals, []string{"result=false", "code=mouse", "system=" + animals, "valueSetUrl=" + pets}},
		{"cat", colors, []string{"result=false", "code=cat", "system=" + colors, "valueSetUrl=" + pets}},
		{"x", "http://nowhere", []string{"result=false", "code=x", "system=http://nowhere", "valueSetUrl=" + pets}},
		{"cat", animals + "|1.0.0", []string{"result=true", "display=Cat", "code=cat", "system=" + animals + "|1.0.0", "valueSetUrl=" + pets}},
		{"cat", animals + "|2", []string{"result=false", "code=cat", "system=" + animals + "|2", "valueSetUrl=" + pets}},
	} {
		r, err := e.MemberOf(ctx, &engine.MemberOfRequest{Code: tt.code, System: tt.system, ValueSetURL: pets})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, outline(t, r.AppendJSON(nil))); diff != "" || r.Yes() != r.Member || len(r.Table().Rows) != len(tt.want) {
			t.Error(diff)
		}
	}
	for _, tt := range []struct {
		req  engine.MemberOfRequest
		want error
	}{
		{engine.MemberOfRequest{System: animals, ValueSetURL: pets}, engine.ErrMissingParameter},
		{engine.MemberOfRequest{Code: "cat", ValueSetURL: pets}, engine.ErrMissingParameter},
		{engine.MemberOfRequest{Code: "cat", System: animals}, engine.ErrMissingParameter},
		{engine.MemberOfRequest{Code: "cat", System: animals, ValueSetURL: "http://nowhere"}, engine.ErrUnknownValueSet},
		{engine.MemberOfRequest{Code: "cat", System: animals, ValueSetURL: broken}, engine.ErrUnknownSystem},
		{engine.MemberOfRequest{Code: "cat", System: animals + "||", ValueSetURL: pets}, r4.ErrCanonical},
	} {
		if _, err := e.MemberOf(ctx, &tt.req); !errors.Is(err, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.req, err, tt.want)
		}
	}
}

// TestNoAllocations holds the calls that are made thousands of times a second to none.
func TestNoAllocations(t *testing.T) {
	e := zoo(t)
	ctx := context.Background()
	buf := make([]byte, 0, 4096)
	for name, call := range map[string]func(){
		"Lookup": func() {
			r, _ := e.Lookup(ctx, &engine.LookupRequest{System: animals, Code: "mouse"})
			buf = r.AppendJSON(buf[:0])
		},
		"Subsumes": func() {
			r, _ := e.Subsumes(ctx, &engine.SubsumesRequest{System: animals, CodeA: "cat", CodeB: "animal"})
			buf = r.AppendJSON(buf[:0])
		},
		"ValidateCode": func() {
			r, _ := e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: pets, System: animals, Code: "cat"})
			buf = r.AppendJSON(buf[:0])
		},
		"ValidateCodeInSystem": func() {
			r, _ := e.ValidateCodeInSystem(ctx, &engine.ValidateCodeInSystemRequest{URL: animals, Code: "cat"})
			buf = r.AppendJSON(buf[:0])
		},
		"MemberOf": func() {
			r, _ := e.MemberOf(ctx, &engine.MemberOfRequest{ValueSetURL: pets, System: animals, Code: "cat"})
			buf = r.AppendJSON(buf[:0])
		},
	} {
		t.Run(name, func(t *testing.T) {
			call()
			if n := testing.AllocsPerRun(100, call); n > 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

// TestValidateCodeSays looks for what is said of a code, also when it is asked again.
func TestValidateCodeSays(t *testing.T) {
	e := zoo(t)
	for url, compose := range map[string]string{
		"old":    `"include":[{"system":"http://example.org/colors","concept":[{"code":"red","extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-deprecated","valueBoolean":true}]}]}]`,
		"new":    `"include":[{"valueSet":["http://old"]}]`,
		"lost":   `"include":[{"system":"http://example.org/animals","filter":[{"property":"concept","op":"is-a","value":"unicorn"}]},{"system":"http://example.org/colors"}]`,
		"stored": `"include":[{"valueSet":["#s"]}]},"contained":[{"resourceType":"ValueSet","id":"s","expansion":{"contains":[{"system":"http://example.org/colors","code":"red"}]}}],"x":{`,
	} {
		publish(t, e, valueSet(`{"url":"http://`+url+`","status":"active","compose":{`+compose+`}}`))
	}
	for range 2 {
		for url, want := range map[string]string{"old": "code-comment", "new": "code-comment", "lost": "vs-invalid", "stored": "yes"} {
			r, err := e.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: "http://" + url, System: colors, Code: "red"})
			if got := strings.Join(verdict(&r), " "); err != nil || !r.Result || !strings.Contains(got, want) {
				t.Errorf("%s: %s, %v, want %s", url, got, err, want)
			}
		}
	}
	if _, err := e.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: pets + "|7", ValueSetVersion: "8", Code: "cat"}); !errors.Is(err, engine.ErrInvalidParameter) {
		t.Errorf("two versions: %v", err)
	}
}
