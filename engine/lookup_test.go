package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// outline reads a Parameters resource back and writes one line a parameter:
// name=value, parts as name(code=x value=y).
func outline(t testing.TB, doc []byte) []string {
	t.Helper()
	if err := r4.Check(doc, r4.DefaultLimits()); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	ps, err := r4.DecodeParameters(doc)
	if err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	lines := []string{}
	for i := range ps.Parameter {
		lines = append(lines, outlineOf(&ps.Parameter[i]))
	}
	return lines
}

func outlineOf(p *r4.Parameter) string {
	switch {
	case len(p.Part) > 0:
		parts := make([]string, len(p.Part))
		for i := range p.Part {
			parts[i] = outlineOf(&p.Part[i])
		}
		return p.Name + "(" + strings.Join(parts, " ") + ")"
	case p.Value.Coding != nil:
		c := p.Value.Coding
		return p.Name + "=" + c.System + "|" + c.Code + " " + c.Display
	case p.Resource != nil:
		return p.Name + "=" + string(p.Resource)
	}
	return p.Name + "=" + p.Value.Text
}

func TestLookup(t *testing.T) {
	e := zoo(t)
	always := []string{"name=Animals", "display=Cat", "code=cat", "system=" + animals, "version=1.0.0"}
	cat := "designation(language=en use=http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra|preferredForLanguage Preferred For Language value=Cat)"
	katze, buesi := "designation(language=de value=Katze)", "designation(language=de-CH value=Büsi)"
	chat := "designation(language=fr use=http://example.org/use|synonym  value=Chat)"
	parents := []string{"property(code=parent value=mammal description=Mammal)", "property(code=parent value=pet description=Pet)"}
	own := []string{"property(code=legs value=4)", "property(code=sound value=meow)", "property(code=prey value=mouse description=Mouse)"}
	join := func(lists ...[]string) (out []string) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	for _, tt := range []struct {
		name string
		req  engine.LookupRequest
		want []string
	}{
		{"everything", engine.LookupRequest{System: animals, Code: "cat"}, join(always, []string{"abstract=false", cat, katze, buesi, chat}, parents, []string{"property(code=inactive value=false)"}, own)},
		{"canonical with version", engine.LookupRequest{System: animals + "|1.0.0", Code: "cat", Properties: []string{"sound"}}, join(always, own[1:2])},
		{"case of the code", engine.LookupRequest{System: animals, Code: "CAT", Properties: []string{"sound"}}, join(always, own[1:2])},
		{"coding", engine.LookupRequest{Coding: &r4.Coding{System: animals, Version: "1.0.0", Code: "cat"}, Properties: []string{"legs", "parent"}}, join(always, parents, own[:1])},
		{"instance", engine.LookupRequest{ID: "animals-1.0.0", Code: "cat", Properties: []string{"child"}}, always},
		{
			"language",
			engine.LookupRequest{System: animals, Code: "cat", DisplayLanguage: "de", Properties: []string{"lang.de"}},
			[]string{"name=Animals", "display=Katze", "code=cat", "system=" + animals, "version=1.0.0", katze, buesi},
		},
		{
			"definition",
			engine.LookupRequest{System: animals, Code: "mammal", Properties: []string{"definition", "child"}},
			[]string{
				"name=Animals", "display=Mammal", "code=mammal", "system=" + animals, "version=1.0.0", "definition=Has milk.",
				"property(code=child value=cat description=Cat)", "property(code=child value=dog description=Dog)", "property(code=child value=mouse description=Mouse)",
			},
		},
		{
			"inactive",
			engine.LookupRequest{System: animals, Code: "dodo", Properties: []string{"inactive"}},
			[]string{"name=Animals", "display=Dodo", "code=dodo", "system=" + animals, "version=1.0.0", "property(code=inactive value=true)"},
		},
		{
			"name absent",
			engine.LookupRequest{System: colors, Code: "red", Properties: []string{"x", "normalForm"}},
			[]string{"name=Colors", "display=Red", "code=red", "system=" + colors},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.Lookup(context.Background(), &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, outline(t, r.AppendJSON(nil))); diff != "" {
				t.Error(diff)
			}
			if !r.Yes() {
				t.Error("a found code is a yes")
			}
			checkTable(t, &r)
		})
	}
}

// checkTable looks for the rows of the table of a concept among the Parameters, and for as many.
func checkTable(t *testing.T, r *engine.LookupResult) {
	t.Helper()
	lines := slices.DeleteFunc(outline(t, r.AppendJSON(nil)), func(line string) bool {
		return strings.Contains(line, "preferredForLanguage") || strings.HasPrefix(line, "abstract") || strings.HasPrefix(line, "used-")
	})
	rows := r.Table().Rows
	for _, row := range rows {
		if !slices.ContainsFunc(lines, func(line string) bool {
			missing := func(word string) bool { return !strings.Contains(line, word) }
			return !missing(row[0]) && !missing("="+row[1]) && !slices.ContainsFunc(strings.Fields(row[2]), missing)
		}) {
			t.Errorf("%q is not among %q", row, lines)
		}
	}
	if len(rows) != len(lines) {
		t.Errorf("the table has %q, the Parameters %q", rows, lines)
	}
}

func TestLookupErrors(t *testing.T) {
	e := zoo(t)
	publish(t, e, &engine.Entry{
		Header: r4.Header{ResourceType: "CodeSystem", ID: "stub", URL: "http://example.org/stub"}, Content: "not-present",
		CodeSystem: func() (*codesystem.Index, error) { return nil, errors.New("not to be called") },
	})
	if list, err := e.Systems(t.Context()); err == nil {
		t.Errorf("a system that cannot be read is left out: %v", list)
	}
	rules := engine.VersionRules{Force: []string{animals + "|1.0.0"}}
	for _, tt := range []struct {
		name string
		req  engine.LookupRequest
		want error
		says string
	}{
		{"unknown code", engine.LookupRequest{System: animals, Code: "unicorn"}, engine.ErrUnknownCode, `unknown code: "unicorn" in ` + animals},
		{"unknown system", engine.LookupRequest{System: "http://nowhere", Code: "a"}, engine.ErrUnknownSystem, "http://nowhere"},
		{"unknown version", engine.LookupRequest{System: animals, Version: "9", Code: "cat"}, engine.ErrUnknownVersion, "known versions: 1.0.0"},
		{"unknown version is an unknown system", engine.LookupRequest{System: animals + "|9", Code: "cat"}, engine.ErrUnknownSystem, `"9"`},
		{"unknown id", engine.LookupRequest{ID: "nobody", Code: "cat"}, engine.ErrUnknownID, "CodeSystem/nobody"},
		{"id of another system", engine.LookupRequest{ID: "colors", System: animals, Code: "cat"}, engine.ErrInvalidParameter, "colors"},
		{"id of another version", engine.LookupRequest{ID: "animals-1.0.0", Version: "2", Code: "cat"}, engine.ErrInvalidParameter, "1.0.0"},
		{"no code", engine.LookupRequest{System: animals}, engine.ErrMissingParameter, "code"},
		{"no system", engine.LookupRequest{Code: "cat"}, engine.ErrMissingParameter, "system"},
		{"contradiction", engine.LookupRequest{System: animals, Code: "cat", Coding: &r4.Coding{Code: "dog"}}, engine.ErrInvalidParameter, "contradict"},
		{"two versions", engine.LookupRequest{System: animals + "|1.0.0", Version: "2", Code: "cat"}, engine.ErrInvalidParameter, "contradict"},
		{"malformed canonical", engine.LookupRequest{System: animals + "|", Code: "cat"}, r4.ErrCanonical, "system"},
		{"malformed canonical and rules", engine.LookupRequest{System: animals + "|", Code: "cat", Versions: rules}, r4.ErrCanonical, "system"},
		{"id of another system and rules", engine.LookupRequest{ID: "colors", System: animals, Code: "cat", Versions: rules}, engine.ErrInvalidParameter, "colors"},
		{"bad language", engine.LookupRequest{System: animals, Code: "cat", DisplayLanguage: "!!"}, engine.ErrInvalidParameter, "displayLanguage"},
		{"no content", engine.LookupRequest{System: "http://example.org/stub", Code: "cat"}, engine.ErrNoContent, "stub"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := e.Lookup(context.Background(), &tt.req)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.says)
			}
		})
	}
}

func TestSupplements(t *testing.T) {
	e := zoo(t)
	ctx := context.Background()
	supplement := func(id, supplements string) *engine.Entry {
		return engine.CodeSystemEntry(build(t, r4.CodeSystem{
			Header:  r4.Header{ID: id, URL: "http://example.org/" + id, Language: "nl"},
			Content: "supplement", Supplements: supplements,
		}, c{code: "cat", display: "Kat", designations: []r4.Designation{{Language: "es", Value: "Gato"}}, properties: []codesystem.Property{
			p("lives", r4.Value{Type: "Integer", Text: "9"}), p("called", r4.String("dog")), p("likes", r4.Code("unicorn")), p("likes", r4.Code("mouse")),
		}}), "test")
	}
	publish(t, e, supplement("more", animals), supplement("elsewhere", animals+"|9"), supplement("others", colors+"x"))
	more := []string{"http://example.org/more"}
	r, err := e.Lookup(ctx, &engine.LookupRequest{System: animals, Code: "cat", DisplayLanguage: "es", Properties: []string{"lives", "called", "likes", "lang.nl"}, UseSupplements: more})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"name=Animals", "display=Gato", "code=cat", "system=" + animals, "version=1.0.0",
		"designation(language=nl value=Kat source=http://example.org/more)", "property(code=lives value=9)", "property(code=called value=dog)",
		"property(code=likes value=unicorn)", "property(code=likes value=mouse description=Mouse)", "used-supplement=http://example.org/more",
	}
	if diff := cmp.Diff(want, outline(t, r.AppendJSON(nil))); diff != "" {
		t.Error(diff)
	}
	checkTable(t, &r)
	if r, err = e.Lookup(ctx, &engine.LookupRequest{System: animals, Code: "dog", UseSupplements: more}); err != nil || strings.Contains(strings.Join(outline(t, r.AppendJSON(nil)), " "), "Kat") {
		t.Errorf("a code that a supplement does not have: %s, %v", r.AppendJSON(nil), err)
	}
	x, err := e.Expand(ctx, &engine.ExpandRequest{URL: pets, DisplayLanguage: "nl", Designations: []string{"urn:ietf:bcp:47|es"}, UseSupplements: more})
	if err != nil {
		t.Fatal(err)
	}
	if doc := string(x.AppendJSON(nil)); x.Entries[0].Display != "Kat" || !strings.Contains(doc, `"designation":[{"language":"es","value":"Gato"}]`) || strings.Contains(doc, "Katze") {
		t.Error(doc)
	}
	v, err := e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: pets, System: animals, Code: "cat", Display: "gato", UseSupplements: more})
	if err != nil || !v.Result {
		t.Error("a designation of a supplement is a valid display", v, err)
	}
	plain, err := e.Lookup(ctx, &engine.LookupRequest{System: animals, Code: "cat", DisplayLanguage: "es"})
	if err != nil || plain.Display != "Cat" || strings.Contains(string(plain.AppendJSON(nil)), "Kat\"") {
		t.Error("a supplement that was not asked for", plain, err)
	}
	for _, name := range []string{"http://example.org/nowhere", "http://example.org/others", "http://example.org/more|2"} {
		var seen engine.OutcomeError
		_, err := e.Lookup(ctx, &engine.LookupRequest{System: animals, Code: "cat", UseSupplements: []string{name}})
		if !errors.As(err, &seen) || !strings.Contains(seen.Issues()[0].Details.Text, name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := e.Lookup(ctx, &engine.LookupRequest{System: "http://example.org/more", Code: "cat"}); !errors.Is(err, engine.ErrUnknownSystem) {
		t.Error("a supplement is no code system", err)
	}
	v, err = e.ValidateCodeInSystem(ctx, &engine.ValidateCodeInSystemRequest{URL: "http://example.org/more", Code: "cat"})
	if err != nil || v.Result || !strings.Contains(v.Message, "supplement") {
		t.Error(v, err)
	}
	if _, err := e.Lookup(ctx, &engine.LookupRequest{ID: "more", Code: "cat"}); !errors.Is(err, engine.ErrInvalidParameter) {
		t.Error(err)
	}
}

// TestLookupVersions checks which version of a code system the rules of a request choose.
func TestLookupVersions(t *testing.T) {
	e := engine.New()
	for _, version := range []string{"1.0.0", "1.2.0", "2.0.0"} {
		publish(t, e, engine.CodeSystemEntry(build(t, r4.CodeSystem{
			Header: r4.Header{URL: "http://example.org/tides", Version: version}, Content: "complete",
		}, c{code: "low", display: "Low in " + version}), "test"))
	}
	const tides = "http://example.org/tides"
	for _, tt := range []struct {
		version string
		rules   engine.VersionRules
		want    string // "" for an error
		err     error
	}{
		{"", engine.VersionRules{}, "2.0.0", nil},
		{"", engine.VersionRules{System: []string{tides + "|1.0.0"}}, "1.0.0", nil},
		{"2.0.0", engine.VersionRules{System: []string{tides + "|1.0.0"}}, "2.0.0", nil},
		{"2.0.0", engine.VersionRules{Force: []string{tides + "|1.x"}}, "1.2.0", nil},
		{"1.0.0", engine.VersionRules{Check: []string{tides + "|1.x"}}, "1.0.0", nil},
		{"2.0.0", engine.VersionRules{Check: []string{tides + "|1.x"}}, "", engine.ErrVersionCheck},
		{"", engine.VersionRules{System: []string{tides + "|3"}}, "", engine.ErrUnknownVersion},
	} {
		r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: tides, Version: tt.version, Code: "low", Versions: tt.rules})
		if !errors.Is(err, tt.err) || tt.want != "" && r.Display != "Low in "+tt.want {
			t.Errorf("version %q, rules %+v: %q %v", tt.version, tt.rules, r.Display, err)
		}
	}
}

// TestLookupAbstract checks what is said of a code that is not meant to be used.
func TestLookupAbstract(t *testing.T) {
	e := engine.New()
	publish(t, e, engine.CodeSystemEntry(build(t, r4.CodeSystem{
		Header: r4.Header{URL: "http://example.org/tides"}, Content: "complete",
		Property: []r4.CodeSystemProperty{{Code: "notSelectable", Type: "boolean"}},
	}, c{code: "any", properties: []codesystem.Property{p("notSelectable", r4.Boolean(true))}}), "test"))
	r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: "http://example.org/tides", Code: "any", Properties: []string{"abstract"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"name=http://example.org/tides", "display=any", "code=any", "system=http://example.org/tides", "abstract=true"}
	if diff := cmp.Diff(want, outline(t, r.AppendJSON(nil))); diff != "" {
		t.Error(diff)
	}
}
