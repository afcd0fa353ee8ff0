package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

const (
	units     = "http://unitsofmeasure.org"
	languages = "urn:ietf:bcp:47"
	mimeTypes = "urn:ietf:bcp:13"
)

// withGrammars has the built-in grammars and some value sets of theirs.
func withGrammars(t testing.TB) *engine.Engine {
	t.Helper()
	eng := engine.New()
	publish := func(entries ...*engine.Entry) {
		if err := eng.Publish(entries...); err != nil {
			t.Fatal(err)
		}
	}
	publish(engine.GrammarEntries()...)
	set := func(name string, includes ...r4.Include) {
		publish(engine.ValueSetEntry(&r4.ValueSet{
			Header:  r4.Header{ResourceType: "ValueSet", ID: name, URL: "http://example.org/" + name, Status: "active"},
			Compose: &r4.Compose{Include: includes},
		}, "test"))
	}
	set("units", r4.Include{System: units})
	set("speeds", r4.Include{System: units, Filter: []r4.Filter{{Property: "canonical", Op: "=", Value: "m.s-1"}}})
	set("doses", r4.Include{System: units, Concept: []r4.ConceptReference{{Code: "mg"}, {Code: "{puff}/d{max}"}, {Code: "spoonful"}}})
	set("odd", r4.Include{System: units, Concept: []r4.ConceptReference{{Code: "[ly]/wk{x}"}}})
	set("both", r4.Include{ValueSet: []string{"http://example.org/doses"}}, r4.Include{ValueSet: []string{"http://example.org/odd"}})
	set("oddSpeeds", r4.Include{System: units, ValueSet: []string{"http://example.org/both"}, Filter: []r4.Filter{{Property: "canonical", Op: "=", Value: "m.s-1"}}})
	set("languages", r4.Include{System: languages})
	set("regional", r4.Include{System: languages, Filter: []r4.Filter{{Property: "region", Op: "exists", Value: "true"}}})
	set("mimetypes", r4.Include{System: mimeTypes})
	return eng
}

// TestGrammarDisplays checks that another display of a code of a grammar is noted, not wrong, unless
// the grammar is replaced by a list.
func TestGrammarDisplays(t *testing.T) {
	eng := withGrammars(t)
	for _, c := range [][3]string{{units, "[in_i]", "inches"}, {languages, "nl-NL", "Dutch"}, {mimeTypes, "xml", "XML"}} {
		for _, req := range []*engine.ValidateCodeInSystemRequest{{URL: c[0], Code: c[1], Display: c[2]}, {URL: c[0], Code: c[1], Display: c[2], DisplayLanguage: "en"}} {
			r, err := eng.ValidateCodeInSystem(t.Context(), req)
			if err != nil || !r.Result || len(r.Issues) != 1 || r.Issues[0].Severity != "warning" || !strings.Contains(r.Message, c[2]) {
				t.Errorf("%v: %+v, %v", c, r, err)
			}
		}
	}
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", URL: languages, Status: "active"}, Content: "complete"})
	if _, err := b.Add(&codesystem.Concept{Code: "nl", Display: "Dutch", Parent: -1}); err != nil {
		t.Fatal(err)
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := eng.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
		t.Fatal(err)
	}
	if r, err := eng.ValidateCodeInSystem(t.Context(), &engine.ValidateCodeInSystemRequest{URL: languages, Code: "nl", Display: "Netherlands"}); err != nil || r.Result {
		t.Errorf("a list: %+v, %v", r, err)
	}
}

func TestGrammarMembers(t *testing.T) {
	eng := withGrammars(t)
	for _, c := range []struct {
		set, system, code string
		want              bool
	}{
		{"units", units, "mmol/L", true},
		{"units", units, "mmol/L{arterial}.[ly]", true}, // nobody lists it
		{"units", units, "mmol/Q", false},
		{"speeds", units, "m/s", true},
		{"speeds", units, "[ly]/wk", true},
		{"speeds", units, "kg", false},
		{"doses", units, "mg", true},
		{"doses", units, "{puff}/d{max}", true},
		{"doses", units, "{puff}/d", false},
		{"doses", units, "spoonful", false},
		{"both", units, "{puff}/d{max}", true},
		{"both", units, "[ly]/wk{x}", true},
		{"oddSpeeds", units, "[ly]/wk{x}", true},
		{"oddSpeeds", units, "mg", false},
		{"languages", languages, "gsw-CH", true},
		{"languages", languages, "GSW-ch", true},
		{"languages", languages, "swiss", false},
		{"regional", languages, "gsw-CH", true},
		{"regional", languages, "gsw", false},
		{"mimetypes", mimeTypes, "model/gltf+json", true},
		{"mimetypes", mimeTypes, "gltf", false},
		{"mimetypes", languages, "de", false},
	} {
		url := "http://example.org/" + c.set
		m, err := eng.MemberOf(t.Context(), &engine.MemberOfRequest{Code: c.code, System: c.system, ValueSetURL: url})
		if err != nil || m.Member != c.want {
			t.Errorf("%s in %s: memberOf says %t, %v", c.code, c.set, m.Member, err)
		}
		v, err := eng.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: url, System: c.system, Code: c.code})
		if err != nil || v.Result != c.want {
			t.Errorf("%s in %s: validate-code says %t, %v: %s", c.code, c.set, v.Result, err, v.Message)
		}
		e, err := eng.Explain(t.Context(), &engine.ExplainRequest{URL: url, System: c.system, Code: c.code})
		if err != nil || e.Tree.Verdict != c.want {
			t.Errorf("%s in %s: explain says %t, %v", c.code, c.set, e.Tree.Verdict, err)
		}
	}
}

// TestGrammarInferred finds the system of a code that nobody lists from the value set.
func TestGrammarInferred(t *testing.T) {
	eng := withGrammars(t)
	r, err := eng.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: "http://example.org/mimetypes", Code: "image/webp", InferSystem: true})
	if err != nil || !r.Result || r.System != mimeTypes {
		t.Errorf("image/webp: %+v, %v", r, err)
	}
}

func TestGrammarConcept(t *testing.T) {
	eng := withGrammars(t)
	cc := &r4.CodeableConcept{Coding: []r4.Coding{{System: units, Code: "furlong"}, {System: units, Code: "[fur_us]/(2.wk)"}}}
	r, err := eng.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: "http://example.org/speeds", CodeableConcept: cc})
	if err != nil {
		t.Fatal(err)
	}
	if r.Code != "[fur_us]/(2.wk)" {
		t.Errorf("%+v", r)
	}
}

func TestGrammarLookup(t *testing.T) {
	eng := withGrammars(t)
	r, err := eng.Lookup(t.Context(), &engine.LookupRequest{System: units, Code: "nmol/min{x}"})
	if err != nil {
		t.Fatal(err)
	}
	body := string(r.AppendJSON(nil))
	for _, want := range []string{`"UCUM"`, `"2.2"`, `"nmol/min{x}"`, `(nanomole) / (minute) * 1`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	if strings.Contains(body, "canonical") {
		t.Errorf("canonical form without being asked for: %s", body)
	}
	r, err = eng.Lookup(t.Context(), &engine.LookupRequest{System: units, Code: "nmol/min{x}", Properties: []string{"canonical"}})
	if err != nil || !strings.Contains(string(r.AppendJSON(nil)), `"s-1"`) {
		t.Errorf("no canonical form: %v", err)
	}
	if _, err := eng.Lookup(t.Context(), &engine.LookupRequest{System: units, Code: "furlong"}); !errors.Is(err, engine.ErrUnknownCode) {
		t.Errorf("error %v", err)
	}
}

func TestGrammarSubsumes(t *testing.T) {
	eng := withGrammars(t)
	for _, c := range []struct {
		a, b string
		want engine.Subsumption
	}{
		{"kg{a}", "kg{a}", engine.Equivalent},
		{"kg{a}", "kg{b}", engine.NotSubsumed},
		{"kg", "kg{b}", engine.NotSubsumed},
	} {
		r, err := eng.Subsumes(t.Context(), &engine.SubsumesRequest{System: units, CodeA: c.a, CodeB: c.b})
		if err != nil || r.Outcome != c.want {
			t.Errorf("%s, %s: %s, %v", c.a, c.b, r.Outcome, err)
		}
	}
}

func TestGrammarInSystem(t *testing.T) {
	eng := withGrammars(t)
	for code, want := range map[string]bool{"kg{quite odd}": true, "kg": true, "kilo": false} {
		r, err := eng.ValidateCodeInSystem(t.Context(), &engine.ValidateCodeInSystemRequest{URL: units, Code: code})
		if err != nil || r.Result != want {
			t.Errorf("%s: %t, %v", code, r.Result, err)
		}
	}
	r, err := eng.ValidateCodeInSystem(t.Context(), &engine.ValidateCodeInSystemRequest{URL: units, Code: "kilo"})
	if err != nil || !slices.ContainsFunc(r.Issues, func(i r4.Issue) bool {
		return i.Severity == "information" && strings.Contains(i.Details.Text, "'kilo' is unknown at character 1")
	}) {
		t.Errorf("issues do not say what is wrong: %+v, %v", r.Issues, err)
	}
}

// expansion is what tests look at.
type expansion struct {
	Extension []struct{ URL string }
	Total     *int
	Parameter []struct{ Name, ValueURI string }
	Contains  []struct{ Code, Display string }
}

func expand(t *testing.T, eng *engine.Engine, name string) (expansion, error) {
	t.Helper()
	count := 2000
	r, err := eng.Expand(t.Context(), &engine.ExpandRequest{URL: "http://example.org/" + name, Count: &count})
	if err != nil {
		return expansion{}, err
	}
	var vs struct{ Expansion expansion }
	if err := json.NewDecoder(bytes.NewReader(r.AppendJSON(nil))).Decode(&vs); err != nil {
		t.Fatal(err)
	}
	return vs.Expansion, nil
}

func TestGrammarExpansion(t *testing.T) {
	eng := withGrammars(t)
	for _, c := range []struct {
		set      string
		unclosed bool
		total    bool
		has      []string
		atLeast  int
	}{
		{"units", true, false, []string{"kg", "mmol/L"}, 1000},
		{"speeds", true, true, []string{"m/s"}, 2},
		{"doses", false, true, []string{"mg", "{puff}/d{max}"}, 2},
		{"both", false, true, []string{"mg", "{puff}/d{max}", "[ly]/wk{x}"}, 3},
	} {
		x, err := expand(t, eng, c.set)
		if err != nil {
			t.Errorf("%s: %v", c.set, err)
			continue
		}
		if (len(x.Extension) > 0) != c.unclosed || (x.Total != nil) != c.total {
			t.Errorf("%s: extensions %v, total %v", c.set, x.Extension, x.Total)
		}
		if len(x.Contains) < c.atLeast {
			t.Errorf("%s: %d codes", c.set, len(x.Contains))
		}
		for _, code := range c.has {
			if !slices.ContainsFunc(x.Contains, func(e struct{ Code, Display string }) bool { return e.Code == code && e.Display == code }) {
				t.Errorf("%s lacks %s", c.set, code)
			}
		}
	}
	for set, of := range map[string]string{"languages": languages, "units": units} { // need not be listed to be excluded
		less := r4.Compose{Include: []r4.Include{{System: of, Concept: []r4.ConceptReference{{Code: "m"}}}}, Exclude: []r4.Include{{ValueSet: []string{"http://example.org/" + set}}}}
		if r, err := eng.Expand(t.Context(), &engine.ExpandRequest{ValueSet: &r4.ValueSet{Compose: &less}}); err != nil || len(r.Entries) > 0 || r.Unclosed != "" {
			t.Errorf("without %s: %v, %v", set, r, err)
		}
	}
	for _, set := range []string{"languages", "regional", "mimetypes"} {
		if _, err := expand(t, eng, set); !errors.Is(err, engine.ErrEndless) {
			t.Errorf("%s: error %v", set, err)
		}
	}
}

// TestGrammarLayers has a grammar answer although a code system without content has been
// loaded, and not where somebody loaded codes.
func TestGrammarLayers(t *testing.T) {
	eng := withGrammars(t)
	load := func(content, code string) {
		t.Helper()
		b := codesystem.NewBuilder(&r4.CodeSystem{
			Header:  r4.Header{ResourceType: "CodeSystem", URL: units, Version: "3", Status: "active"},
			Content: content,
		})
		if code != "" {
			if _, err := b.Add(&codesystem.Concept{Code: code, Parent: -1}); err != nil {
				t.Fatal(err)
			}
		}
		x, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := eng.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
			t.Fatal(err)
		}
	}
	load("not-present", "")
	if _, err := eng.Lookup(t.Context(), &engine.LookupRequest{System: units, Code: "[ly]"}); err != nil {
		t.Errorf("beside a code system without content: %v", err)
	}
	load("complete", "furlong")
	if _, err := eng.Lookup(t.Context(), &engine.LookupRequest{System: units, Code: "[ly]"}); !errors.Is(err, engine.ErrUnknownCode) {
		t.Errorf("where codes are loaded: %v", err)
	}
}

// TestGrammarDocument reads grammars as resources: what they are, without concepts.
func TestGrammarDocument(t *testing.T) {
	eng := withGrammars(t)
	for _, e := range eng.Entries("CodeSystem") {
		body, err := e.Document()
		if err != nil {
			t.Fatal(err)
		}
		var cs struct {
			URL, Content  string
			Compositional bool
			Concept       []any
		}
		if err := json.Unmarshal(body, &cs); err != nil {
			t.Fatal(err)
		}
		if cs.URL != e.Header.URL || cs.Content != "not-present" || !cs.Compositional || cs.Concept != nil {
			t.Errorf("%s", body)
		}
	}
}

func BenchmarkGrammarMemberOf(b *testing.B) {
	eng := withGrammars(b)
	for name, code := range map[string]string{"common": "mmol/L", "uncommon": "mmol/L{x}"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := eng.MemberOf(b.Context(), &engine.MemberOfRequest{Code: code, System: units, ValueSetURL: "http://example.org/units"})
				if err != nil || !r.Member {
					b.Fatal(r, err)
				}
			}
		})
	}
}
