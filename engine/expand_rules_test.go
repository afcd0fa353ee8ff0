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
	"github.com/roget-health/roget/resources/r4"
)

// The rules that the terminology ecosystem has for expansions, on a small world of its own:
// teas in two versions, of which some are no longer made, and what goes with them.

const (
	teas   = "http://example.org/teas"
	status = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"
	fhirX  = "http://hl7.org/fhir/StructureDefinition/"
)

func extension(name string, v r4.Value) r4.Extension {
	return r4.Extension{URL: fhirX + name, Value: v}
}

func decimal(s string) r4.Value { return r4.Value{Type: "Decimal", Text: s} }

// teaSystem has green and black teas below a group; version 2.1.0 lost one and gained one.
func teaSystem(t testing.TB, version string, change func(*r4.CodeSystem)) *codesystem.Index {
	yes := true
	h := r4.CodeSystem{
		Header:        r4.Header{URL: teas, Version: version, Name: "Teas", Status: "active", Language: "en"},
		CaseSensitive: &yes, Content: "complete",
		Property: []r4.CodeSystemProperty{
			{Code: "region", URI: "http://example.org/properties#region", Type: "string"},
			{Code: "group", URI: "http://hl7.org/fhir/concept-properties#notSelectable", Type: "boolean"},
			{Code: "oxidised", Type: "boolean"},
		},
	}
	if change != nil {
		change(&h)
	}
	concepts := []c{
		{code: "leaf", display: "Leaf tea", properties: []codesystem.Property{p("group", r4.Boolean(true))}},
		{
			code: "sencha", display: "Sencha", definition: "Steamed.", parents: parents("leaf"),
			properties: []codesystem.Property{p("region", r4.String("Uji")), p("region", r4.String("Shizuoka")), p("oxidised", r4.Boolean(false))},
			extensions: r4.Extensions{
				extension("codesystem-label", r4.String("1")), extension("codesystem-conceptOrder", r4.Value{Type: "Integer", Text: "10"}),
				extension("rendering-style", r4.String("color: green")),
				{URL: "http://example.org/private", Value: r4.String("x")},
			},
			designations: []r4.Designation{
				{Language: "ja", Value: "煎茶", Extension: r4.Extensions{extension("coding-sctdescid", r4.Value{Type: "Id", Text: "7"}), {URL: "http://example.org/private", Value: r4.String("x")}}},
				{Language: "de", Value: "Sencha-Tee"},
			},
		},
		{code: "assam", display: "Assam", parents: parents("leaf"), properties: []codesystem.Property{p("group", r4.Boolean(false))}},
	}
	if version == "2.1.0" {
		concepts = append(concepts, c{code: "oolong", display: "Oolong", parents: parents("leaf"), extensions: r4.Extensions{{URL: status, Value: r4.Code("deprecated")}}})
	} else {
		concepts = append(concepts, c{code: "brick", display: "Brick tea", parents: parents("leaf"), extensions: r4.Extensions{{URL: status, Value: r4.Code("withdrawn")}}})
	}
	return build(t, h, concepts...)
}

// teaRoom is an engine with both versions.
func teaRoom(t testing.TB, more ...*engine.Entry) *engine.Engine {
	e := engine.New(engine.WithDefaultCount(0), engine.WithWholeLimit(20))
	publish(t, e, engine.CodeSystemEntry(teaSystem(t, "1.4.0", nil), "test"), engine.CodeSystemEntry(teaSystem(t, "2.1.0", nil), "test"))
	publish(t, e, more...)
	return e
}

func expandOf(t testing.TB, e *engine.Engine, req *engine.ExpandRequest) *engine.ExpandResult {
	t.Helper()
	r, err := e.Expand(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// composed gives the request of a value set that is sent along.
func composed(compose string) engine.ExpandRequest {
	return engine.ExpandRequest{ValueSet: decodeValueSet(`{"url":"http://example.org/vs/sent","status":"active","compose":` + compose + `}`)}
}

// parameters writes the parameters of an expansion, sorted.
func parameters(r *engine.ExpandResult) []string {
	var list []string
	for _, p := range r.Parameters {
		list = append(list, p.Name+"="+p.Value.Text)
	}
	slices.Sort(list)
	return list
}

// versioned writes the codes of an expansion with their versions.
func versioned(t testing.TB, r *engine.ExpandResult) string {
	var doc struct {
		Expansion struct {
			Contains []struct{ Code, Version string }
		}
	}
	if err := json.Unmarshal(r.AppendJSON(nil), &doc); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range doc.Expansion.Contains {
		if e.Version != "" {
			e.Code += "|" + e.Version
		}
		list = append(list, e.Code)
	}
	return strings.Join(list, " ")
}

func TestExpandVersionsOfOneSystem(t *testing.T) {
	e := teaRoom(t)
	for _, tt := range []struct{ name, compose, want string }{
		{"later first, each with its version", `{"include":[{"system":"http://example.org/teas","version":"1.4.0","concept":[{"code":"assam"},{"code":"brick"}]},{"system":"http://example.org/teas","version":"2.1.0","concept":[{"code":"assam"}]}]}`, "assam|2.1.0 assam|1.4.0 brick|1.4.0"},
		{"one version", `{"include":[{"system":"http://example.org/teas","version":"1.x","concept":[{"code":"brick"},{"code":"oolong"}]}]}`, "brick"},
		{"named twice alike", `{"include":[{"system":"http://example.org/teas","concept":[{"code":"assam"}]},{"system":"http://example.org/teas","concept":[{"code":"oolong"},{"code":"assam"}]}]}`, "assam oolong"},
		{"less another version", `{"include":[{"system":"http://example.org/teas","version":"2.1.0"}],"exclude":[{"system":"http://example.org/teas","version":"1.4.0"}]}`, "oolong|2.1.0"},
		{"less another version, told apart", `{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":"versionsMatch"},{"url":"value","valueString":"false"}]}],
			"include":[{"system":"http://example.org/teas","version":"2.1.0","concept":[{"code":"assam"},{"code":"oolong"}]}],"exclude":[{"system":"http://example.org/teas","version":"1.4.0"}]}`, "assam|2.1.0 oolong|2.1.0"},
		{"merged", `{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":"versionsMatch"},{"url":"value","valueBoolean":true}]}],
			"include":[{"system":"http://example.org/teas","version":"1.4.0","filter":[{"property":"code","op":"regex","value":"[ab].*"}]},{"system":"http://example.org/teas","version":"2.1.0","concept":[{"code":"assam"}]}]}`, "assam|2.1.0 brick|1.4.0"},
		{"one code less of one version", `{"include":[{"system":"http://example.org/teas","version":"2.1.0","concept":[{"code":"assam"}]},{"system":"http://example.org/teas","version":"1.4.0","concept":[{"code":"assam"}]}],"exclude":[{"system":"http://example.org/teas","version":"1.4.0","concept":[{"code":"assam"}]}]}`, "assam|2.1.0"},
	} {
		req := composed(tt.compose)
		if got := versioned(t, expandOf(t, e, &req)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestExpandEcho(t *testing.T) {
	draft := func(h *r4.CodeSystem) { h.URL, h.Status = "http://example.org/cups", "draft" }
	fragment := func(h *r4.CodeSystem) { h.URL, h.Content = "http://example.org/pots", "fragment" }
	yes := true
	trial := func(h *r4.CodeSystem) { h.URL, h.Experimental = "http://example.org/spoons", &yes }
	old := func(h *r4.CodeSystem) {
		h.URL, h.Extension = "http://example.org/urns", json.RawMessage(`[{"url":"`+status+`","valueCode":"deprecated"}]`)
	}
	e := teaRoom(t,
		engine.CodeSystemEntry(teaSystem(t, "1", draft), "test"), engine.CodeSystemEntry(teaSystem(t, "1", fragment), "test"),
		engine.CodeSystemEntry(teaSystem(t, "1", trial), "test"), engine.CodeSystemEntry(teaSystem(t, "1", old), "test"),
		valueSet(`{"id":"t","url":"http://example.org/vs/t","version":"5","status":"active","compose":{"include":[{"system":"http://example.org/teas"}]}}`),
		valueSet(`{"id":"t6","url":"http://example.org/vs/t","version":"6","status":"retired","compose":{"include":[{"system":"http://example.org/teas"}]}}`),
		valueSet(`{"id":"d","url":"http://example.org/vs/d","status":"draft","compose":{"include":[{"system":"http://example.org/cups"}]}}`),
		valueSet(`{"id":"w","url":"http://example.org/vs/w","status":"active","extension":[{"url":"`+status+`","valueCode":"withdrawn"}],"compose":{"include":[{"system":"http://example.org/teas"}]}}`),
	)
	with := func(req engine.ExpandRequest, change func(*engine.ExpandRequest)) engine.ExpandRequest {
		change(&req)
		return req
	}
	whole := composed(`{"include":[{"system":"http://example.org/teas"}]}`)
	for _, tt := range []struct {
		name string
		req  engine.ExpandRequest
		want string
	}{
		{"what is used", whole, "used-codesystem=http://example.org/teas|2.1.0"},
		{"what is used and gives nothing", composed(`{"include":[{"system":"http://example.org/teas","concept":[{"code":"matcha"}]}]}`), "used-codesystem=http://example.org/teas|2.1.0"},
		{"what is excluded", composed(`{"include":[{"system":"http://example.org/teas"}],"exclude":[{"system":"http://example.org/spoons"}]}`), "used-codesystem=http://example.org/spoons|1 used-codesystem=http://example.org/teas|2.1.0 warning-experimental=http://example.org/spoons|1"},
		{"import", composed(`{"include":[{"valueSet":["http://example.org/vs/t|5"]}]}`), "used-codesystem=http://example.org/teas|2.1.0 used-valueset=http://example.org/vs/t|5"},
		{"import that only restricts", composed(`{"include":[{"system":"http://example.org/teas","version":"1.4.0","valueSet":["http://example.org/vs/d"]}]}`), "used-codesystem=http://example.org/teas|1.4.0 used-valueset=http://example.org/vs/d warning-draft=http://example.org/vs/d"},
		{"import that is retired", composed(`{"include":[{"valueSet":["http://example.org/vs/t"]}]}`), "used-codesystem=http://example.org/teas|2.1.0 used-valueset=http://example.org/vs/t|6 warning-retired=http://example.org/vs/t|6"},
		{"import by a rule", with(composed(`{"include":[{"valueSet":["http://example.org/vs/t"]}]}`), func(r *engine.ExpandRequest) { r.Versions.ValueSet = []string{"http://example.org/vs/t|5"} }), "default-valueset-version=http://example.org/vs/t|5 used-codesystem=http://example.org/teas|2.1.0 used-valueset=http://example.org/vs/t|5"},
		{"contained", engine.ExpandRequest{ValueSet: decodeValueSet(`{"status":"active","contained":[{"resourceType":"ValueSet","id":"in","status":"active","compose":{"include":[{"system":"http://example.org/teas"}]}}],"compose":{"include":[{"valueSet":["#in"]}]}}`)}, "used-codesystem=http://example.org/teas|2.1.0"},
		{"retired by itself", engine.ExpandRequest{URL: "http://example.org/vs/t"}, "used-codesystem=http://example.org/teas|2.1.0"},
		{"draft that uses draft", engine.ExpandRequest{URL: "http://example.org/vs/d"}, "used-codesystem=http://example.org/cups|1"},
		{"active that uses draft", composed(`{"include":[{"system":"http://example.org/cups"}]}`), "used-codesystem=http://example.org/cups|1 warning-draft=http://example.org/cups|1"},
		{"deprecated", composed(`{"include":[{"system":"http://example.org/urns"}]}`), "used-codesystem=http://example.org/urns|1 warning-deprecated=http://example.org/urns|1"},
		{"withdrawn", engine.ExpandRequest{URL: "http://example.org/vs/w"}, "used-codesystem=http://example.org/teas|2.1.0 warning-withdrawn=http://example.org/vs/w"},
		{"fragment", composed(`{"include":[{"system":"http://example.org/pots"}]}`), "used-codesystem=http://example.org/pots|1 used-fragment=http://example.org/pots|1"},
		{"versions match", composed(`{"include":[{"system":"http://example.org/teas","version":"2.1.0"}],"exclude":[{"system":"http://example.org/teas","version":"1.4.0"}]}`), "used-codesystem=http://example.org/teas|1.4.0 used-codesystem=http://example.org/teas|2.1.0 versionsMatch=true"},
		{"rule that applies", with(whole, func(r *engine.ExpandRequest) { r.Versions.System = []string{teas + "|1.x"} }), "system-version=http://example.org/teas|1.x used-codesystem=http://example.org/teas|1.4.0"},
		{"rule that does not", with(composed(`{"include":[{"system":"http://example.org/teas","version":"2.1.0"}]}`), func(r *engine.ExpandRequest) { r.Versions.System = []string{teas + "|1.x"} }), "used-codesystem=http://example.org/teas|2.1.0"},
		{"rule that forces", with(composed(`{"include":[{"system":"http://example.org/teas","version":"2.1.0"}]}`), func(r *engine.ExpandRequest) { r.Versions.Force = []string{teas + "|1.4.0"} }), "force-system-version=http://example.org/teas|1.4.0 used-codesystem=http://example.org/teas|1.4.0"},
		{"check that holds", with(composed(`{"include":[{"system":"http://example.org/teas","version":"2.1.0"}]}`), func(r *engine.ExpandRequest) { r.Versions.Check = []string{teas + "|2.x"} }), "used-codesystem=http://example.org/teas|2.1.0"},
		{"check that chooses", with(whole, func(r *engine.ExpandRequest) { r.Versions.Check = []string{teas + "|1.4.0"} }), "check-system-version=http://example.org/teas|1.4.0 used-codesystem=http://example.org/teas|1.4.0"},
		{"page", with(whole, func(r *engine.ExpandRequest) { r.Offset, r.Count = ptr(0), ptr(2) }), "count=2 offset=0 used-codesystem=http://example.org/teas|2.1.0"},
		{"property", with(whole, func(r *engine.ExpandRequest) { r.Properties = []string{"region"} }), "used-codesystem=http://example.org/teas|2.1.0"},
		{"languages", with(whole, func(r *engine.ExpandRequest) { r.AcceptLanguage = "de" }), "displayLanguage=de used-codesystem=http://example.org/teas|2.1.0"},
		{"languages of the request", with(whole, func(r *engine.ExpandRequest) { r.AcceptLanguage, r.DisplayLanguage = "de", "ja" }), "displayLanguage=ja used-codesystem=http://example.org/teas|2.1.0"},
		{"parameters of the value set", composed(`{"extension":[
			{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":"displayLanguage"},{"url":"value","valueCode":"ja"}]},
			{"url":"http://hl7.org/fhir/tools/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":"activeOnly"},{"url":"value","valueBoolean":true}]},
			{"url":"http://example.org/other","valueString":"x"}],"include":[{"system":"http://example.org/teas"}]}`), "activeOnly=true displayLanguage=ja used-codesystem=http://example.org/teas|2.1.0"},
	} {
		r := expandOf(t, e, &tt.req)
		if got := strings.Join(parameters(r), " "); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if doc := string(r.AppendJSON(nil)); strings.Contains(doc, "valueset-unclosed") != (tt.name == "fragment") {
			t.Errorf("%s: unclosed in %s", tt.name, doc)
		}
	}
	silent := composed(`{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":"includeDesignations"},{"url":"value","valueBoolean":true}]}],"include":[{"system":"http://example.org/teas"}]}`)
	silent.IncludeDesignations = ptr(false)
	if r := expandOf(t, e, &silent); !slices.Contains(parameters(r), "includeDesignations=false") || strings.Contains(string(r.AppendJSON(nil)), `"designation"`) {
		t.Error("a parameter of the value set beats one that the request denies")
	}
	ruled := composed(`{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":"system-version"},{"url":"value","valueUri":"http://example.org/teas|1.4.0"}]}],"include":[{"system":"http://example.org/teas"}]}`)
	if got := codes(expandOf(t, e, &ruled)); !strings.Contains(got, "brick") {
		t.Errorf("a version rule of the value set does not apply: %s", got)
	}
	forced := whole
	forced.ValueSet = decodeValueSet(`{"compose":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":"activeOnly"},{"url":"value","valueBoolean":true}]}],"include":[{"system":"http://example.org/teas","version":"1.4.0"}]}}`)
	forced.ActiveOnly = ptr(false)
	if got := codes(expandOf(t, e, &forced)); !strings.Contains(got, "brick") {
		t.Errorf("a parameter of the value set beats that of the request: %s", got)
	}
}

// properties writes what an expansion says of one code beyond R4.
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
		status     int
		id, coding string
		text       string
		expression string
	}{
		{"unknown system", composed(`{"include":[{"system":"http://example.org/milk"}]}`), engine.ErrUnknownSystem, 422, "UNKNOWN_CODESYSTEM_EXP", "not-found/not-found", "A definition for CodeSystem 'http://example.org/milk' could not be found, so the value set cannot be expanded", ""},
		{"unknown version", composed(`{"include":[{"system":"http://example.org/teas","version":"3"}]}`), engine.ErrUnknownVersion, 422, "UNKNOWN_CODESYSTEM_VERSION_EXP", "not-found/not-found", "A definition for CodeSystem 'http://example.org/teas' version '3' could not be found, so the value set cannot be expanded. Valid versions: 1.4.0 or 2.1.0", ""},
		{"version of an unknown system", composed(`{"include":[{"system":"http://example.org/milk","version":"3"}]}`), engine.ErrUnknownSystem, 422, "UNKNOWN_CODESYSTEM_VERSION_EXP_NONE", "not-found/not-found", "A definition for CodeSystem 'http://example.org/milk' version '3' could not be found, so the value set cannot be expanded. No versions of this code system are known", ""},
		{"unknown version by a rule", with(`{"include":[{"system":"http://example.org/teas","version":"2.1.0"}]}`, func(r *engine.ExpandRequest) { r.Versions.Force = []string{teas + "|9"} }), engine.ErrUnknownVersion, 422, "UNKNOWN_CODESYSTEM_VERSION_EXP", "not-found/not-found", "version '9'", ""},
		{"check", with(`{"include":[{"system":"http://example.org/teas","version":"2.1.0"}]}`, func(r *engine.ExpandRequest) { r.Versions.Check = []string{teas + "|1.x"} }), engine.ErrVersionCheck, 400, "VALUESET_VERSION_CHECK", "exception/version-error", "The version '2.1.0' is not allowed for system 'http://example.org/teas': required to be '1.x' by a version-check parameter", ""},
		{"filter without value", composed(`{"include":[{"system":"http://example.org/teas","version":"1.4.0"},{"system":"http://example.org/teas","filter":[{"property":"code","op":"is-a","value":"leaf"},{"property":"region","op":"="}]}]}`), codesystem.ErrBadFilterValue, 400, "UNABLE_TO_HANDLE_SYSTEM_FILTER_WITH_NO_VALUE", "invalid/vs-invalid", "The system http://example.org/teas filter with property = region, op = = has no value", "ValueSet.compose.include[1].filter[1]"},
		{"circle", engine.ExpandRequest{URL: "http://example.org/vs/a"}, errImportCycle, 422, "VALUESET_CIRCULAR_REFERENCE", "processing/vs-invalid", "http://example.org/vs/a", ""},
		{"unknown import", composed(`{"include":[{"valueSet":["http://example.org/vs/deep"]}]}`), engine.ErrUnknownValueSet, 422, "VS_EXP_IMPORT_UNK", "not-found/unknown", "http://example.org/vs/none", ""},
		{"unknown pinned import", composed(`{"include":[{"valueSet":["http://example.org/vs/b|4"]}]}`), engine.ErrUnknownValueSet, 422, "VS_EXP_IMPORT_UNK_PINNED", "not-found/not-found", "'http://example.org/vs/b' version '4'", ""},
		{"unknown supplement", with(`{"include":[{"system":"http://example.org/teas"}]}`, func(r *engine.ExpandRequest) { r.UseSupplements = []string{"http://example.org/more"} }), engine.ErrUnknownSupplement, 422, "VALUESET_SUPPLEMENT_MISSING", "not-found/not-found", "Required supplement not found: http://example.org/more", ""},
		{"unknown supplement of the value set", engine.ExpandRequest{URL: "http://example.org/vs/needs"}, engine.ErrUnknownSupplement, 422, "VALUESET_SUPPLEMENT_MISSING", "not-found/not-found", "Required supplement not found: http://example.org/notes", ""},
		{"too many", composed(`{"include":[{"system":"http://example.org/many"}]}`), engine.ErrTooCostly, 422, "VALUESET_TOO_COSTLY", "too-costly/", "too many codes", ""},
		{"too many hits", with(`{"include":[{"system":"http://example.org/many"}]}`, func(r *engine.ExpandRequest) { r.Filter = "number" }), engine.ErrTooCostly, 422, "VALUESET_TOO_COSTLY", "too-costly/", "too many codes", ""},
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
		if outcome.Status() != tt.status || i.MessageID != tt.id || coding != tt.coding || !strings.Contains(i.Details.Text, tt.text) || strings.Join(i.Expression, " ") != tt.expression {
			t.Errorf("%s: %d %s %s %q %v", tt.name, outcome.Status(), i.MessageID, coding, i.Details.Text, i.Expression)
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
		{"offset", whole, func(r *engine.ExpandRequest) { r.Offset = ptr(0) }, "leaf sencha assam oolong"},
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
