package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

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
	e := engine.New(engine.WithRules(engine.Ecosystem), engine.WithExpandLimit(20))
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

// composed returns the request of a value set that is sent along.
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
	for _, tt := range []struct {
		compose string
		match   bool
		want    string
	}{
		{`{"include":[{"system":"http://example.org/teas","version":"1.4.0","concept":[{"code":"assam"}]},{"system":"http://example.org/teas","version":"2.1.0","concept":[{"code":"assam"}]}]}`, true, "assam|2.1.0"},
		{`{"include":[{"system":"http://example.org/teas","version":"2.1.0","concept":[{"code":"assam"}]}],"exclude":[{"system":"http://example.org/teas","version":"1.4.0"}]}`, false, "assam|2.1.0"},
	} {
		req := composed(tt.compose)
		req.VersionsMatch = &tt.match
		r := expandOf(t, e, &req)
		if got := versioned(t, r); got != tt.want || slices.Contains(parameters(r), "versionsMatch=true") != tt.match {
			t.Errorf("versionsMatch=%v by the request: got %q, want %q; %v", tt.match, got, tt.want, parameters(r))
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
