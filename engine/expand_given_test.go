package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// propertiesOf writes what an expansion says of one code beyond R4.
func propertiesOf(t testing.TB, r *engine.ExpandResult, code string) []string {
	type extensions []struct {
		URL       string
		Extension []json.RawMessage
	}
	var doc struct {
		Expansion struct {
			Extension extensions
			Contains  []struct {
				Code      string
				Extension extensions
			}
		}
	}
	if err := json.Unmarshal(r.AppendJSON(nil), &doc); err != nil {
		t.Fatal(err)
	}
	words := func(list extensions) (out []string) {
		for _, x := range list {
			s := x.URL[strings.LastIndexByte(x.URL, '/')+1:]
			for _, part := range x.Extension {
				var kv map[string]any
				if err := json.Unmarshal(part, &kv); err != nil {
					t.Fatal(err)
				}
				delete(kv, "url")
				for name, v := range kv {
					s += fmt.Sprint(" ", name, "=", v)
				}
			}
			out = append(out, strings.NewReplacer("extension-ValueSet.expansion.", "", "http://hl7.org/fhir/concept-properties", "").Replace(s))
		}
		return out
	}
	if code == "" {
		return words(doc.Expansion.Extension)
	}
	for _, e := range doc.Expansion.Contains {
		if e.Code == code {
			return words(e.Extension)
		}
	}
	return []string{"no such code"}
}

func TestExpandProperties(t *testing.T) {
	notes := build(t, r4.CodeSystem{
		Header:  r4.Header{ID: "notes", URL: "http://example.org/notes", Version: "3", Status: "active"},
		Content: "supplement", Supplements: teas,
		Property: []r4.CodeSystemProperty{{Code: "caffeine", URI: "http://example.org/properties#caffeine", Type: "decimal"}},
	}, c{code: "assam", properties: []codesystem.Property{p("caffeine", decimal("3.5"))}, extensions: r4.Extensions{extension("itemWeight", decimal("4.25")), extension("rendering-xhtml", r4.String("<b>Assam</b>"))}})
	e := teaRoom(t, engine.CodeSystemEntry(notes, "test"))
	flat := ptr(true)
	all := composed(`{"include":[{"system":"http://example.org/teas"}]}`)
	all.ExcludeNested = flat
	listed := composed(`{"include":[{"system":"http://example.org/teas","concept":[
		{"code":"sencha","extension":[{"url":"` + fhirX + `valueset-label","valueString":"a"},{"url":"` + fhirX + `valueset-conceptOrder","valueInteger":1},{"url":"` + fhirX + `valueset-deprecated","valueBoolean":true},{"url":"http://example.org/private","valueString":"x"}]},
		{"code":"assam","extension":[{"url":"` + fhirX + `itemWeight","valueDecimal":0.50}]},
		{"code":"oolong","extension":[{"url":"` + status + `","valueCode":"trial-use"}]}]}]}`)
	for _, tt := range []struct {
		name, code string
		req        engine.ExpandRequest
		asked      []string
		supplement string
		want       []string
	}{
		{"of extensions", "sencha", all, nil, "", []string{"rendering-style", "contains.property valueCode=label valueString=1", "contains.property valueCode=order valueDecimal=10"}},
		{"status", "oolong", all, nil, "", []string{"contains.property valueCode=status valueCode=deprecated"}},
		{"none", "assam", all, nil, "", nil},
		{"those of the value set win", "sencha", listed, nil, "", []string{"rendering-style", "valueset-deprecated", "contains.property valueCode=label valueString=a", "contains.property valueCode=order valueDecimal=1"}},
		{"a number as it was written", "assam", listed, nil, "", []string{"contains.property valueCode=weight valueDecimal=0.5"}},
		{"status in the value set", "oolong", listed, nil, "", []string{"structuredefinition-standards-status", "contains.property valueCode=status valueCode=deprecated"}},
		{"asked for", "sencha", listed, []string{"region", "definition"}, "", []string{"rendering-style", "valueset-deprecated", "contains.property valueCode=label valueString=a", "contains.property valueCode=order valueDecimal=1", "contains.property valueCode=region valueString=Uji", "contains.property valueCode=region valueString=Shizuoka", "contains.property valueCode=definition valueString=Steamed."}},
		{"all", "assam", all, []string{"*"}, "", []string{"contains.property valueCode=group valueBoolean=false"}},
		{"that it does not have", "assam", all, []string{"region", "definition", "unheard"}, "", nil},
		{"parents", "assam", all, []string{"parent"}, "", []string{"contains.property valueCode=parent valueCode=leaf"}},
		{"of a supplement", "assam", all, []string{"caffeine"}, "http://example.org/notes", []string{"rendering-xhtml", "contains.property valueCode=weight valueDecimal=4.25", "contains.property valueCode=caffeine valueDecimal=3.5"}},
		{"declared", "", listed, []string{"region", "definition", "oxidised"}, "", []string{"property valueCode=label valueUri=#label", "property valueCode=order valueUri=#order", "property valueCode=region valueUri=http://example.org/properties#region", "property valueCode=definition valueUri=#definition", "property valueCode=oxidised", "property valueCode=weight valueUri=#itemWeight", "property valueCode=status valueUri=#status"}},
	} {
		req := tt.req
		req.Properties = tt.asked
		if tt.supplement != "" {
			req.UseSupplements = []string{tt.supplement}
		}
		r := expandOf(t, e, &req)
		if diff := cmp.Diff(tt.want, propertiesOf(t, r, tt.code)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		for i, entry := range r.Entries {
			if said := len(r.Properties(i)) + len(r.Extensions(i)); entry.Code == tt.code && said != len(tt.want) {
				t.Errorf("%s: %d properties and extensions, written are %d", tt.name, said, len(tt.want))
			}
		}
		if used := slices.Contains(parameters(r), "used-supplement=http://example.org/notes|3"); used != (tt.supplement != "") {
			t.Errorf("%s: %v", tt.name, parameters(r))
		}
	}
}

// Designations are given but for the one that is the display; so is the display of the
// system when it is not shown.
func TestExpandDesignationsGiven(t *testing.T) {
	e := teaRoom(t)
	for _, tt := range []struct {
		languages string
		only      []string
		display   string
		want      string
	}{
		{"", nil, "Sencha", `[{"extension":[{"url":"` + fhirX + `coding-sctdescid","valueId":"7"}],"language":"ja","value":"煎茶"},{"language":"de","value":"Sencha-Tee"}]`},
		{"de", nil, "Sencha-Tee", `[{"language":"en","use":{"system":"http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra","code":"preferredForLanguage"},"value":"Sencha"},{"extension":[{"url":"` + fhirX + `coding-sctdescid","valueId":"7"}],"language":"ja","value":"煎茶"}]`},
		{"", []string{"urn:ietf:bcp:47|de"}, "Sencha", `[{"language":"de","value":"Sencha-Tee"}]`},
		{"de, *;q=0", []string{"urn:ietf:bcp:47|fr"}, "Sencha-Tee", ""},
	} {
		req := composed(`{"include":[{"system":"http://example.org/teas","concept":[{"code":"sencha"}]}]}`)
		req.IncludeDesignations, req.Designations, req.DisplayLanguage = ptr(true), tt.only, tt.languages
		r := expandOf(t, e, &req)
		_, list, _ := strings.Cut(string(r.AppendJSON(nil)), `"designation":`)
		if got := strings.TrimSuffix(list, "}]}}"); got != tt.want || r.Entries[0].Display != tt.display {
			t.Errorf("%q %v: %q with\n%s\nwant\n%s", tt.languages, tt.only, r.Entries[0].Display, got, tt.want)
		}
	}
}

// A language pack applies by itself, and is named where it was used.
func TestExpandLanguagePack(t *testing.T) {
	pack := build(t, r4.CodeSystem{
		Header: r4.Header{
			ID: "fr", URL: "http://example.org/teas-fr", Version: "1", Language: "fr", Status: "active",
			Extension: json.RawMessage(`[{"url":"` + fhirX + `codesystem-supplement-type","valueCode":"lang-pack"}]`),
		},
		Content: "supplement", Supplements: teas + "|2.1.0",
	}, c{code: "sencha", designations: []r4.Designation{{Language: "fr", Value: "Thé vert grillé"}}})
	e := teaRoom(t, engine.CodeSystemEntry(pack, "test"))
	for _, tt := range []struct {
		system, languages string
		designations      bool
		display           string
		used              bool
	}{
		{teas, "fr", false, "Thé vert grillé", true},
		{teas, "", true, "Sencha", true},
		{teas, "", false, "Sencha", false},
		{teas, "de", false, "Sencha-Tee", false},
		{teas + `","version":"1.4.0`, "fr", false, "Sencha", false},
	} {
		req := composed(`{"include":[{"system":"` + tt.system + `","concept":[{"code":"sencha"}]}]}`)
		req.DisplayLanguage, req.IncludeDesignations = tt.languages, ptr(tt.designations)
		r := expandOf(t, e, &req)
		used := slices.Contains(parameters(r), "used-supplement=http://example.org/teas-fr|1")
		if r.Entries[0].Display != tt.display || used != tt.used {
			t.Errorf("%+v: %q, %v", tt, r.Entries[0].Display, parameters(r))
		}
	}
}

func TestExpandOutcomes(t *testing.T) {
	e := teaRoom(t,
		valueSet(`{"id":"a","url":"http://example.org/vs/a","compose":{"include":[{"valueSet":["http://example.org/vs/b"]}]}}`),
		valueSet(`{"id":"b","url":"http://example.org/vs/b","compose":{"include":[{"system":"http://example.org/teas"}],"exclude":[{"valueSet":["http://example.org/vs/a"]}]}}`),
		valueSet(`{"id":"deep","url":"http://example.org/vs/deep","compose":{"include":[{"valueSet":["http://example.org/vs/none"]}]}}`),
		valueSet(`{"id":"needs","url":"http://example.org/vs/needs","extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-supplement","valueCanonical":"http://example.org/notes"}],"compose":{"include":[{"system":"http://example.org/teas"}]}}`),
		engine.CodeSystemEntry(many(t, 21), "test"),
		engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{URL: "http://example.org/infusions"}, Content: "not-present"}), "test"),
	)
	with := func(compose string, change func(*engine.ExpandRequest)) engine.ExpandRequest {
		req := composed(compose)
		change(&req)
		return req
	}
	for _, tt := range []struct {
		name       string
		req        engine.ExpandRequest
		is         error
		class      issue.Class
		id, coding string
		text       string
		expression string
	}{
		{"unknown system", composed(`{"include":[{"system":"http://example.org/milk"}]}`), engine.ErrUnknownSystem, issue.ClassUnprocessable, "UNKNOWN_CODESYSTEM_EXP", "not-found/not-found", "A definition for CodeSystem 'http://example.org/milk' could not be found, so the value set cannot be expanded", ""},
		{"unknown version", composed(`{"include":[{"system":"http://example.org/teas","version":"3"}]}`), engine.ErrUnknownVersion, issue.ClassUnprocessable, "UNKNOWN_CODESYSTEM_VERSION_EXP", "not-found/not-found", "A definition for CodeSystem 'http://example.org/teas' version '3' could not be found, so the value set cannot be expanded. Valid versions: 1.4.0 or 2.1.0", ""},
		{"version of an unknown system", composed(`{"include":[{"system":"http://example.org/milk","version":"3"}]}`), engine.ErrUnknownSystem, issue.ClassUnprocessable, "UNKNOWN_CODESYSTEM_VERSION_EXP_NONE", "not-found/not-found", "A definition for CodeSystem 'http://example.org/milk' version '3' could not be found, so the value set cannot be expanded. No versions of this code system are known", ""},
		{"unknown version by a rule", with(`{"include":[{"system":"http://example.org/teas","version":"2.1.0"}]}`, func(r *engine.ExpandRequest) { r.Versions.Force = []string{teas + "|9"} }), engine.ErrUnknownVersion, issue.ClassUnprocessable, "UNKNOWN_CODESYSTEM_VERSION_EXP", "not-found/not-found", "version '9'", ""},
		{"check", with(`{"include":[{"system":"http://example.org/teas","version":"2.1.0"}]}`, func(r *engine.ExpandRequest) { r.Versions.Check = []string{teas + "|1.x"} }), engine.ErrVersionCheck, issue.ClassInvalid, "VALUESET_VERSION_CHECK", "exception/version-error", "The version '2.1.0' is not allowed for system 'http://example.org/teas': required to be '1.x' by a version-check parameter", ""},
		{"filter without value", composed(`{"include":[{"system":"http://example.org/teas","version":"1.4.0"},{"system":"http://example.org/teas","filter":[{"property":"code","op":"is-a","value":"leaf"},{"property":"region","op":"="}]}]}`), codesystem.ErrBadFilterValue, issue.ClassInvalid, "UNABLE_TO_HANDLE_SYSTEM_FILTER_WITH_NO_VALUE", "invalid/vs-invalid", "The system http://example.org/teas filter with property = region, op = = has no value", "ValueSet.compose.include[1].filter[1]"},
		{"filter nobody knows", composed(`{"include":[{"system":"http://example.org/teas","version":"1.4.0","filter":[{"property":"colour","op":"=","value":"green"}]}]}`), codesystem.ErrUnknownProperty, issue.ClassUnprocessable, "FILTER_NOT_UNDERSTOOD", "not-supported/vs-invalid", "\"colour = green\"", "ValueSet.compose.include[0].filter[0]"},
		{"operator nobody knows", composed(`{"include":[{"system":"http://example.org/teas","version":"1.4.0","filter":[{"property":"code","op":"like","value":"l"}]}]}`), codesystem.ErrUnknownOperator, issue.ClassUnprocessable, "FILTER_NOT_UNDERSTOOD", "not-supported/vs-invalid", "\"code like l\"", "ValueSet.compose.include[0].filter[0]"},
		{"no regular expression", composed(`{"include":[{"system":"http://example.org/teas","version":"1.4.0","filter":[{"property":"code","op":"regex","value":"("}]}]}`), codesystem.ErrBadFilterValue, issue.ClassUnprocessable, "INVALID_REGEX", "invalid/vs-invalid", "(", "ValueSet.compose.include[0].filter[0]"},
		{"system without content", composed(`{"include":[{"system":"http://example.org/infusions"}]}`), engine.ErrNoContent, issue.ClassUnprocessable, "UNKNOWN_CODESYSTEM_EXP", "not-found/not-found", "A definition for CodeSystem 'http://example.org/infusions' could not be found", ""},
		{"circle", engine.ExpandRequest{URL: "http://example.org/vs/a"}, errImportCycle, issue.ClassUnprocessable, "VALUESET_CIRCULAR_REFERENCE", "processing/vs-invalid", "http://example.org/vs/a", ""},
		{"unknown import", composed(`{"include":[{"valueSet":["http://example.org/vs/deep"]}]}`), engine.ErrUnknownValueSet, issue.ClassUnprocessable, "VS_EXP_IMPORT_UNK", "not-found/unknown", "http://example.org/vs/none", ""},
		{"unknown pinned import", composed(`{"include":[{"valueSet":["http://example.org/vs/b|4"]}]}`), engine.ErrUnknownValueSet, issue.ClassUnprocessable, "VS_EXP_IMPORT_UNK_PINNED", "not-found/not-found", "'http://example.org/vs/b' version '4'", ""},
		{"unknown supplement", with(`{"include":[{"system":"http://example.org/teas"}]}`, func(r *engine.ExpandRequest) { r.UseSupplements = []string{"http://example.org/more"} }), engine.ErrUnknownSupplement, issue.ClassUnprocessable, "VALUESET_SUPPLEMENT_MISSING", "not-found/not-found", "Required supplement not found: http://example.org/more", ""},
		{"unknown supplement of the value set", engine.ExpandRequest{URL: "http://example.org/vs/needs"}, engine.ErrUnknownSupplement, issue.ClassUnprocessable, "VALUESET_SUPPLEMENT_MISSING", "not-found/not-found", "Required supplement not found: http://example.org/notes", ""},
		{"too many", composed(`{"include":[{"system":"http://example.org/many"}]}`), engine.ErrTooCostly, issue.ClassUnprocessable, "VALUESET_TOO_COSTLY", "too-costly/", "too many codes", ""},
		{"too many hits", with(`{"include":[{"system":"http://example.org/many"}]}`, func(r *engine.ExpandRequest) { r.Filter = "number" }), engine.ErrTooCostly, issue.ClassUnprocessable, "VALUESET_TOO_COSTLY", "too-costly/", "too many codes", ""},
	} {
		_, err := e.Expand(context.Background(), &tt.req)
		var outcome engine.OutcomeError
		if !errors.Is(err, tt.is) || !errors.As(err, &outcome) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		i := outcome.Issues()[0]
		coding := i.Code + "/"
		for _, c := range i.Details.Coding {
			coding += c.Code
		}
		if outcome.Class() != tt.class || i.MessageID != tt.id || coding != tt.coding || !strings.Contains(i.Details.Text, tt.text) || strings.Join(i.Expression, " ") != tt.expression {
			t.Errorf("%s: %d %s %s %q %v", tt.name, outcome.Class(), i.MessageID, coding, i.Details.Text, i.Expression)
		}
	}
	few := composed(`{"include":[{"system":"http://example.org/many"}]}`)
	few.Filter = "number 1"
	if r := expandOf(t, e, &few); r.Total > 20 || r.Total == 0 || len(r.Entries) != r.Total {
		t.Errorf("%d of %d hits", len(r.Entries), r.Total)
	}
	few.Filter, few.Count = "", ptr(3)
	if r := expandOf(t, e, &few); r.Total != 21 || len(r.Entries) != 3 {
		t.Errorf("%d of %d codes", len(r.Entries), r.Total)
	}
}

// many is a flat system of n codes.
func many(t testing.TB, n int) *codesystem.Index {
	concepts := make([]c, n)
	for i := range concepts {
		concepts[i] = c{code: fmt.Sprint("n", i), display: fmt.Sprint("Number ", i)}
	}
	return build(t, r4.CodeSystem{Header: r4.Header{URL: "http://example.org/many", Status: "active"}, Content: "complete"}, concepts...)
}

// A value set may state parameters of its expansion, which count where the request has none.
func TestExpandStatedParameters(t *testing.T) {
	e := teaRoom(t)
	for _, tt := range []struct {
		name, value string
		given       *int
		want        string
	}{
		{"count", "2", nil, "leaf sencha"},
		{"count", "0", nil, ""},
		{"count", "-1", nil, "leaf sencha assam oolong"},
		{"count", "x", nil, "leaf sencha assam oolong"},
		{"count", "2", ptr(1), "leaf"},
		{"offset", "3", nil, "oolong"},
		{"filter", "assam", nil, "assam"},
		{"excludeNotForUI", "true", nil, "sencha assam oolong"},
		{"designation", "urn:ietf:bcp:47|de", nil, "leaf sencha assam oolong"},
		{"designation", "de", nil, "error"},
	} {
		req := composed(fmt.Sprintf(`{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":%q},{"url":"value","valueString":%q}]}],"include":[{"system":"http://example.org/teas"}]}`, tt.name, tt.value))
		req.Count = tt.given
		r, err := e.Expand(t.Context(), &req)
		got := "error"
		if err == nil {
			got = codes(r)
		}
		if got != tt.want {
			t.Errorf("%s %s: got %q, want %q: %v", tt.name, tt.value, got, tt.want, err)
		}
	}
}

// Imports of imports are followed up to a depth, whatever was asked before.
func TestDeepImports(t *testing.T) {
	const most = 100
	e := zoo(t)
	for i := range most + 2 {
		include := `{"system":"http://example.org/colors"}`
		if i > 0 {
			include = fmt.Sprintf(`{"valueSet":["http://example.org/deep/%d"]}`, i-1)
		}
		publish(t, e, valueSet(fmt.Sprintf(`{"url":"http://example.org/deep/%d","status":"active","compose":{"include":[%s]}}`, i, include)))
	}
	for _, depth := range []int{most + 1, most, most + 1} {
		want := map[int]error{most + 1: valueset.ErrImportDepth}[depth]
		r, err := e.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: fmt.Sprint("http://example.org/deep/", depth), System: colors, Code: "red"})
		if !errors.Is(err, want) || err == nil && !r.Result {
			t.Errorf("%d imports: %v, %v, %v", depth, r.Message, r.Result, err)
		}
	}
}

// Where codes nest and where they do not.
func TestExpandNesting(t *testing.T) {
	whole, isA := `{"include":[{"system":"http://example.org/teas"}]}`, `{"include":[{"system":"http://example.org/teas","filter":[{"property":"code","op":"is-a","value":"leaf"}]}]}`
	for _, tt := range []struct {
		name, compose string
		change        func(*engine.ExpandRequest)
		want          string
	}{
		{"whole system", whole, nil, "leaf .sencha .assam .oolong"},
		{"flat when asked for", whole, func(r *engine.ExpandRequest) { r.ExcludeNested = ptr(true) }, "leaf sencha assam oolong"},
		{"filter", isA, nil, "leaf .sencha .assam .oolong"},
		{"two filters", `{"include":[{"system":"http://example.org/teas","filter":[{"property":"code","op":"is-a","value":"leaf"},{"property":"code","op":"regex","value":".*"}]}]}`, nil, "leaf sencha assam oolong"},
		{"list", `{"include":[{"system":"http://example.org/teas","concept":[{"code":"leaf"},{"code":"assam"}]}]}`, nil, "leaf assam"},
		{"page", whole, func(r *engine.ExpandRequest) { r.Count = ptr(3) }, "leaf sencha assam"},
		{"offset 0 is the whole", whole, func(r *engine.ExpandRequest) { r.Offset = ptr(0) }, "leaf .sencha .assam .oolong"},
		{"offset", whole, func(r *engine.ExpandRequest) { r.Offset = ptr(1) }, "sencha assam oolong"},
		{"a page of all that is left of it", isA, func(r *engine.ExpandRequest) { r.Filter, r.Count = "leaf", ptr(2) }, "leaf"},
		{"includes that overlap", `{"include":[{"system":"http://example.org/teas"},{"system":"http://example.org/teas","filter":[{"property":"code","op":"is-a","value":"leaf"}]}]}`, nil, "leaf sencha assam oolong"},
		{"group left out", whole, func(r *engine.ExpandRequest) { r.ExcludeNotForUI = ptr(true) }, "sencha assam oolong"},
		{"text in a whole system", `{"include":[{"system":"http://example.org/teas","version":"1.4.0"}]}`, func(r *engine.ExpandRequest) { r.Filter = "tea" }, "leaf brick"},
		{"text in what a filter selects", `{"include":[{"system":"http://example.org/teas","version":"1.4.0","filter":[{"property":"code","op":"is-a","value":"leaf"}]}]}`, func(r *engine.ExpandRequest) { r.Filter = "tea" }, "leaf .brick"},
	} {
		req := composed(tt.compose)
		if tt.change != nil {
			tt.change(&req)
		}
		r := expandOf(t, teaRoom(t), &req)
		var got []string
		for _, e := range r.Entries {
			got = append(got, strings.Repeat(".", e.Depth)+e.Code)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, strings.Join(got, " "), tt.want)
		}
	}
}

// A filter on what may be selected goes by what a concept states.
func TestExpandSelectable(t *testing.T) {
	for _, tt := range []struct{ op, value, want string }{
		{"=", "true", "leaf"}, {"=", "false", "assam"}, {"=", "TRUE", ""}, {"in", "true,false", "leaf assam"}, {"not-in", "true", "sencha assam oolong"},
	} {
		for _, property := range []string{"group", "notSelectable"} {
			req := composed(fmt.Sprintf(`{"include":[{"system":"http://example.org/teas","filter":[{"property":%q,"op":%q,"value":%q}]}]}`, property, tt.op, tt.value))
			req.ExcludeNested = ptr(true)
			if got := codes(expandOf(t, teaRoom(t), &req)); got != tt.want {
				t.Errorf("%s %s %s: got %q, want %q", property, tt.op, tt.value, got, tt.want)
			}
		}
	}
}

// TestExpandSays looks for what expansions say.
func TestExpandSays(t *testing.T) {
	e := teaRoom(t, engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{URL: "http://jars"}}, c{code: "jar", properties: []codesystem.Property{p("status", r4.Code("active")), p("deprecated", r4.Boolean(true))}}), ""))
	for include, want := range map[string]string{
		`"system":"http://jars"`:                            `"valueCode":"deprecated"`,
		`"system":"http://absent","concept":[{"code":"x"}]`: `"used-codesystem","valueUri":"http://absent"`,
		`"system":"http://jars","concept":[{"code":"jar","designation":[{"value":"A"},{"use":{"system":"http://use","code":"b"},"value":"B"}]}]`: `"designation":[{"use":{"system":"http://use","code":"b"},"value":"B"}]`,
		`"valueSet":["http://jars?fhir_vs=isa/none"]`: `has no code "none"`,
	} {
		req := composed(`{"include":[{` + include + `}]}`)
		req.Designations = []string{"http://use|b"}
		r, err := e.Expand(t.Context(), &req)
		got := fmt.Sprint(err)
		if err == nil {
			got = string(r.AppendJSON(nil))
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", include, got, want)
		}
	}
}
