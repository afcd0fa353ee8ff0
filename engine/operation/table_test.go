package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/closure"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// TestTable holds every row to be complete: adapters make routes, commands and
// documentation of it.
func TestTable(t *testing.T) {
	kinds := []string{
		"", "uri", "canonical", "code", "string", "boolean", "integer", "unsignedInt", "dateTime", "Coding", "CodeableConcept",
		"CodeSystem", "ValueSet", "ConceptMap", "QuestionnaireResponse", "OperationOutcome",
		"Resource", "id", "Parameters", "unsignedInt",
	}
	routes := map[string]bool{}
	for _, op := range operation.All() {
		name := op.Type + "/$" + op.Name
		if routes[name] {
			t.Errorf("%s is there twice", name)
		}
		routes[name] = true
		if op.Name == "" || op.Summary == "" || op.Doc == "" || op.Spec == "" || op.Run == nil {
			t.Errorf("%s: incomplete", name)
		}
		if strings.Contains(op.Summary, "\n") || strings.HasSuffix(op.Summary, ".") || !strings.HasSuffix(op.Doc, ".") {
			t.Errorf("%s: Summary is a line without a full stop, Doc is sentences", name)
		}
		if op.Instance && op.Type == "" {
			t.Errorf("%s: an instance needs a type", name)
		}
		if (op.Example == nil) != (op.Name == "versions") {
			t.Errorf("%s: an example is for every row with parameters", name)
		}
		in := new(operation.Input)
		in.Reset(op)
		for _, a := range op.Example {
			if err := in.Add(a.Name, a.Value); err != nil {
				t.Errorf("%s: example: %v", name, err)
			}
		}
		args := map[int]string{}
		for _, list := range [][]operation.Param{op.In, op.Out} {
			seen := map[string]bool{}
			for _, p := range list {
				if p.Name == "" || p.Doc == "" || seen[p.Name] || !slices.Contains(kinds, p.Type) {
					t.Errorf("%s: parameter %q of type %q: incomplete, or there twice", name, p.Name, p.Type)
				}
				if (p.Type == "") != (len(p.Part) > 0) {
					t.Errorf("%s: parameter %q: parts are for parameters without a type", name, p.Name)
				}
				seen[p.Name] = true
				if p.Arg > 0 {
					if args[p.Arg] != "" {
						t.Errorf("%s: two arguments at position %d", name, p.Arg)
					}
					args[p.Arg] = p.Name
				}
			}
		}
		for i := range len(args) {
			if args[i+1] == "" {
				t.Errorf("%s: no argument at position %d", name, i+1)
			}
		}
	}
	for _, want := range []string{
		"CodeSystem/$lookup", "CodeSystem/$validate-code", "CodeSystem/$subsumes", "CodeSystem/$find-matches",
		"ValueSet/$expand", "ValueSet/$validate-code", "ValueSet/$explain", "ConceptMap/$translate", "QuestionnaireResponse/$score", "/$memberOf",
	} {
		if !routes[want] {
			t.Errorf("%s is not there", want)
		}
	}
	first := operation.All()
	first[0] = nil
	if operation.All()[0] == nil {
		t.Error("the slice is fresh each call")
	}
}

// row finds a row by type and name.
func row(t testing.TB, typ, name string) *operation.Operation {
	for _, op := range operation.All() {
		if op.Type == typ && op.Name == name {
			return op
		}
	}
	t.Fatalf("no row %s/$%s", typ, name)
	return nil
}

// tableEngine has a code system, a value set and a concept map.
func tableEngine(t testing.TB) *engine.Engine {
	e := engine.New()
	for id, doc := range map[string]string{
		"CodeSystem/s": `{"resourceType":"CodeSystem","id":"s","url":"http://s","version":"1","name":"S","status":"active","content":"complete","property":[{"code":"p","type":"string"}],
			"concept":[{"code":"a","display":"Alpha","concept":[{"code":"b","display":"Beta","property":[{"code":"p","valueString":"x"}],"designation":[{"language":"de","value":"Beta auf Deutsch"}]}]}]}`,
		"ValueSet/v": `{"resourceType":"ValueSet","id":"v","url":"http://v","status":"active","compose":{"include":[{"system":"http://s"}]}}`,
		"ConceptMap/m": `{"resourceType":"ConceptMap","id":"m","url":"http://m","status":"active","group":[{"source":"http://s","target":"http://t","element":[{"code":"b","target":[{"code":"c","equivalence":"equal"}]},
			{"code":"a","target":[{"code":"m","equivalence":"equal","dependsOn":[{"property":"http://sex","system":"http://g","value":"male"}]},{"code":"f","equivalence":"equal","dependsOn":[{"property":"http://sex","system":"http://g","value":"female"}]}]}]}]}`,
	} {
		typ, id, _ := strings.Cut(id, "/")
		publish, err := e.Prepare(context.Background(), typ, id, []byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		publish()
	}
	return e
}

// TestRows runs every row by a query, checks a part of the answer, and that the
// answer has no parameter that the row does not document.
func TestRows(t *testing.T) {
	e := tableEngine(t)
	for _, tt := range []struct {
		typ, name, id, query string
		yes                  bool
		want                 string
	}{
		{"CodeSystem", "lookup", "", "system=http://s&code=b", true, `"valueString":"Beta"`},
		{"CodeSystem", "lookup", "", "system=http://s&code=b&displayLanguage=de&property=p", true, `{"name":"display","valueString":"Beta auf Deutsch"}`},
		{"CodeSystem", "lookup", "s", "code=a&property=child", true, `{"name":"value","valueCode":"b"}`},
		{"CodeSystem", "validate-code", "", "url=http://s&code=b", true, `{"name":"display","valueString":"Beta"}`},
		{"CodeSystem", "validate-code", "", "system=http://s&code=z", false, `"issues"`},
		{"CodeSystem", "validate-code", "", "coding=|b", false, `has no system`},
		{"CodeSystem", "validate-code", "s", "code=b&display=Gamma", false, `invalid-display`},
		{"CodeSystem", "subsumes", "", "system=http://s&codeA=a&codeB=b", true, `"valueCode":"subsumes"`},
		{"CodeSystem", "subsumes", "s", "codeA=b&codeB=a", true, `"valueCode":"subsumed-by"`},
		{"CodeSystem", "find-matches", "", "system=http://s&property=p=x", true, `"code":"b"`},
		{"CodeSystem", "find-matches", "s", "property=p=x&property=code=a&exact=false", true, `"unmatched"`},
		{"ValueSet", "expand", "", "url=http://v", true, `"total":2`},
		{"ValueSet", "expand", "", "url=http://v&filter=bet&count=1&offset=0&includeDesignations=true&activeOnly=false&excludeNested=true", true, `"total":1`},
		{"ValueSet", "expand", "v", "count=0", true, `"total":2`},
		{"ValueSet", "expand", "", "url=http://s?fhir_vs=isa/b&system-version=http://s|1", true, `"total":1`},
		{"ValueSet", "validate-code", "", "url=http://v&code=b&system=http://s", true, `"valueBoolean":true`},
		{"ValueSet", "validate-code", "", "url=http://v&coding=http://s|b", true, `"valueBoolean":true`},
		{"ValueSet", "validate-code", "v", "code=a&abstract=false", true, `"valueBoolean":true`},
		{"ValueSet", "validate-code", "", "url=http://v&code=z", false, `not-in-vs`},
		{"ValueSet", "explain", "", "url=http://v&code=b", true, `"explanation"`},
		{"ValueSet", "explain", "v", "code=z&system=http://s", false, `"valueBoolean":false`},
		{"ConceptMap", "translate", "", "system=http://s&code=b", true, `"code":"c"`},
		{"ConceptMap", "translate", "m", "code=c&system=http://t&reverse=true", true, `"code":"b"`},
		{"ConceptMap", "translate", "", "url=http://m&code=z&system=http://s", false, `"message"`},
		{"ConceptMap", "translate", "m", "code=a&dependency=http://sex=http://g|male", true, `"parameter":[{"name":"result","valueBoolean":true},{"name":"match","part":[{"name":"equivalence","valueCode":"equal"},{"name":"concept","valueCoding":{"system":"http://t","code":"m"}},{"name":"source","valueUri":"http://m"}]}]`},
		{"QuestionnaireResponse", "score", "", `instrument=gad-7&resource={"resourceType":"QuestionnaireResponse","status":"in-progress","item":[{"linkId":"1","answer":[{"valueInteger":2}]}]}`, false, `{"name":"partial","valueInteger":2}`},
		{"", "memberOf", "", "code=b&system=http://s&valueSetUrl=http://v", true, `"valueBoolean":true`},
		{"", "memberOf", "", "code=z&system=http://s&valueSetUrl=http://v", false, `"valueBoolean":false`},
	} {
		t.Run(tt.name+" "+tt.query, func(t *testing.T) {
			op := row(t, tt.typ, tt.name)
			var in operation.Input
			in.Reset(op)
			in.ID = tt.id
			for pair := range strings.SplitSeq(tt.query, "&") {
				name, value, _ := strings.Cut(pair, "=")
				if err := in.Add(name, value); err != nil {
					t.Fatal(err)
				}
			}
			r, err := op.Run(context.Background(), operation.Env{Engine: e}, &in)
			if err != nil {
				t.Fatal(err)
			}
			doc := r.AppendJSON(nil)
			if r.Yes() != tt.yes || !strings.Contains(string(doc), tt.want) {
				t.Errorf("%v, want %v with %s: %s", r.Yes(), tt.yes, tt.want, doc)
			}
			if table := r.Table(); table.Title == "" && len(table.Rows) == 0 {
				t.Error("no table")
			}
			documented(t, op, doc)
		})
	}
}

// documented checks the parameters of an answer against those of the row.
func documented(t testing.TB, op *operation.Operation, doc []byte) {
	var head struct{ ResourceType string }
	if err := json.Unmarshal(doc, &head); err != nil {
		t.Fatal(err)
	}
	if head.ResourceType == "ValueSet" {
		return
	}
	ps, err := r4.DecodeParameters(doc)
	if err != nil {
		t.Fatal(err)
	}
	checkDocumented(t, op.Out, ps.Parameter)
}

func checkDocumented(t testing.TB, known []operation.Param, list []r4.Parameter) {
	for _, got := range list {
		i := slices.IndexFunc(known, func(p operation.Param) bool { return p.Name == got.Name })
		if i < 0 {
			t.Errorf("parameter %s is not documented", got.Name)
		} else if got.Name != "explanation" { // a tree: of the same shape below
			checkDocumented(t, known[i].Part, got.Part)
		}
	}
}

func TestRowErrors(t *testing.T) {
	e := tableEngine(t)
	for _, tt := range []struct {
		typ, name, param, value string
		want                    error
	}{
		{"CodeSystem", "lookup", "code", "b", engine.ErrMissingParameter},
		{"CodeSystem", "subsumes", "codeA", "b", engine.ErrMissingParameter},
		{"CodeSystem", "validate-code", "code", "b", engine.ErrMissingParameter},
		{"CodeSystem", "find-matches", "system", "http://s", engine.ErrMissingParameter},
		{"ValueSet", "expand", "url", "http://nowhere", engine.ErrUnknownValueSet},
		{"ValueSet", "expand", "valueSet", `{"resourceType":"ValueSet","compose":7}`, engine.ErrInvalidParameter},
		{"ValueSet", "validate-code", "url", "http://v", engine.ErrMissingParameter},
		{"ValueSet", "validate-code", "valueSet", `{"resourceType":"ValueSet","compose":7}`, engine.ErrInvalidParameter},
		{"ValueSet", "explain", "valueSet", `{"resourceType":"ValueSet","compose":7}`, engine.ErrInvalidParameter},
		{"ConceptMap", "translate", "url", "http://m", engine.ErrMissingParameter},
		{"ConceptMap", "translate", "conceptMap", `{"resourceType":"ConceptMap","group":7}`, engine.ErrInvalidParameter},
		{"CodeSystem", "impact", "first", "0", engine.ErrInvalidParameter},
		{"CodeSystem", "impact", "first", "1", engine.ErrMissingParameter},
		{"", "memberOf", "code", "b", engine.ErrMissingParameter},
	} {
		op := row(t, tt.typ, tt.name)
		var in operation.Input
		in.Reset(op)
		if err := in.Add(tt.param, tt.value); err != nil {
			t.Fatal(err)
		}
		r, err := op.Run(context.Background(), operation.Env{Engine: e}, &in)
		if !errors.Is(err, tt.want) || r != nil {
			t.Errorf("%s %s: %v, %v; want %v", tt.name, tt.param, r, err, tt.want)
		}
	}
}

func TestAcceptLanguage(t *testing.T) {
	e := tableEngine(t)
	op := row(t, "CodeSystem", "lookup")
	for header, want := range map[string]string{"de-CH, en;q=0.5": "Beta auf Deutsch", "": "Beta", "\x01 nonsense;;": "Beta"} {
		var in operation.Input
		in.Reset(op)
		in.AcceptLanguage = header
		for name, value := range map[string]string{"system": "http://s", "code": "b"} {
			if err := in.Add(name, value); err != nil {
				t.Fatal(err)
			}
		}
		r, err := op.Run(context.Background(), operation.Env{Engine: e}, &in)
		if err != nil || !strings.Contains(string(r.AppendJSON(nil)), `"display","valueString":"`+want+`"`) {
			t.Errorf("%q: %v, %v", header, r, err)
		}
	}
}

// TestPartsRefused checks parts that cannot be used.
func TestPartsRefused(t *testing.T) {
	e := tableEngine(t)
	for _, tt := range []struct {
		typ, name, id, query string
		want                 error
	}{
		{"ConceptMap", "translate", "m", `code=a&dependency=[{"name":"element","valueUri":"http://sex"}]`, engine.ErrInvalidParameter},
		{"ConceptMap", "translate", "m", `code=a&dependency=[{"name":"concept","valueCodeableConcept":{"text":"x"}}]`, engine.ErrInvalidParameter},
		{"ConceptMap", "translate", "m", `code=a&dependency=female`, engine.ErrInvalidParameter},
		{"CodeSystem", "find-matches", "s", `property=[{"name":"code","valueCode":"p"},{"name":"subproperty","part":[{"name":"code","valueCode":"q"}]}]`, engine.ErrNotSupported},
	} {
		var in operation.Input
		op := row(t, tt.typ, tt.name)
		in.Reset(op)
		in.ID = tt.id
		err := in.DecodeQuery(tt.query, true)
		if err == nil {
			_, err = op.Run(context.Background(), operation.Env{Engine: e}, &in)
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.query, err, tt.want)
		}
	}
}

// TestNames checks that each canonical that can be written in the terminal says what it is the
// canonical of, so that short names work there, and that no parameter is there twice.
func TestNames(t *testing.T) {
	for _, op := range operation.Terminal() {
		names := map[string]bool{"": true}
		for _, p := range op.In {
			if names[p.Name] {
				t.Errorf("%s has two parameters %q, or one without a name", op.Name, p.Name)
			}
			names[p.Name] = true
			switch {
			case p.HTTPOnly || p.Type != "uri" && p.Type != "canonical":
				if p.Names != "" {
					t.Errorf("%s: %s has a type of resource", op.Name, p.Name)
				}
			case p.Name == "useSupplement": // a supplement is no code system of its own
			case !slices.Contains([]string{"CodeSystem", "ValueSet", "ConceptMap"}, p.Names):
				t.Errorf("%s: %s is a canonical of %q", op.Name, p.Name, p.Names)
			}
		}
	}
}

// TestRename checks that values with Names and the systems of codings are replaced, and others not.
func TestRename(t *testing.T) {
	op := &operation.Operation{Name: "x", In: []operation.Param{
		{Name: "code", Type: "code"},
		{Name: "system", Type: "uri", Names: "CodeSystem", Many: true},
		{Name: "url", Type: "uri", Names: "ValueSet"},
		{Name: "coding", Type: "Coding"},
		{Name: "codeableConcept", Type: "CodeableConcept"},
	}}
	var in operation.Input
	in.Reset(op)
	for _, v := range [][2]string{{"code", "a"}, {"system", "a"}, {"system", "b|2"}, {"url", "v"}, {"coding", "a|c"}, {"codeableConcept", "b|2|d"}} {
		if err := in.Add(v[0], v[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Rename(func(p *operation.Param, typ, canonical string) (string, error) {
		return "http://" + typ + "/" + canonical + "/" + p.Name, nil
	}); err != nil {
		t.Fatal(err)
	}
	got := append(in.Strings("system"), in.String("code"), in.String("url"), in.Coding("coding").System, in.CodeableConcept("codeableConcept").Coding[0].System)
	want := []string{"http://CodeSystem/a/system", "http://CodeSystem/b|2/system", "a", "http://ValueSet/v/url", "http://CodeSystem/a/coding", "http://CodeSystem/b/codeableConcept"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	refused := errors.New("refused")
	if err := in.Rename(func(*operation.Param, string, string) (string, error) { return "", refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
}

// TestCompareRow asks with value sets in the body and by canonical, by both names of the
// operation.
func TestCompareRow(t *testing.T) {
	e := tableEngine(t)
	vs := func(name, code string) string {
		return `{"name":"` + name + `","resource":{"resourceType":"ValueSet","compose":{"include":[{"system":"http://s","concept":[{"code":"` + code + `"}]}]}}}`
	}
	url := func(name, member string) string { return `{"name":"` + name + `","` + member + `":"http://v"}` }
	for name, test := range map[string]struct {
		id, body string
		yes      bool
		want     string
		err      error
	}{
		"canonicals":        {"", url("thisUrl", "valueUri") + "," + url("otherUrl", "valueCode"), true, `"valueCode":"same"`, nil},
		"a value set given": {"", vs("thisValueSet", "a") + "," + url("otherUrl", "valueUri"), false, `"valueCode":"subset"`, nil},
		"both given":        {"", vs("thisValueSet", "a") + "," + vs("otherValueSet", "b") + `,{"name":"diagnostics","valueBoolean":true}`, false, `{"name":"extra-codes","valueString":"b"}`, nil},
		"an instance":       {"v", vs("otherValueSet", "b"), false, `"valueCode":"superset"`, nil},
		"one is missing":    {"", vs("thisValueSet", "a"), false, "", engine.ErrMissingParameter},
		"one is none":       {"", url("thisUrl", "valueUri") + `,{"name":"otherValueSet","resource":{"resourceType":"ValueSet","compose":[]}}`, false, "", engine.ErrInvalidParameter},
	} {
		t.Run(name, func(t *testing.T) {
			for _, op := range []string{"compare", "related"} {
				var in operation.Input
				in.Reset(row(t, "ValueSet", op))
				in.ID = test.id
				body, err := r4.DecodeParameters([]byte(`{"resourceType":"Parameters","parameter":[` + test.body + `]}`))
				if err != nil {
					t.Fatal(err)
				}
				if err := in.DecodeParameters(body, false); err != nil {
					t.Fatal(err)
				}
				r, err := in.Op.Run(context.Background(), operation.Env{Engine: e}, &in)
				if test.err != nil {
					if !errors.Is(err, test.err) {
						t.Errorf("$%s: %v, want %v", op, err, test.err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				doc := r.AppendJSON(nil)
				if r.Yes() != test.yes || !strings.Contains(string(doc), test.want) {
					t.Errorf("$%s: %v, want %v with %s: %s", op, r.Yes(), test.yes, test.want, doc)
				}
				documented(t, in.Op, doc)
			}
		})
	}
}

// TestSearchRow searches by text, first what is loaded, and shows the code systems of an answer about all.
func TestSearchRow(t *testing.T) {
	e := tableEngine(t)
	for _, of := range []struct {
		url, code, display string
		builtIn            bool
	}{{"http://fox", "vixen", "Female fox", false}, {"http://sex", "f", "Female", true}, {"http://sex", "m", "Male", true}} {
		b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", URL: of.url + of.code, Version: "1", Status: "active"}, Content: "complete"})
		if _, err := b.Add(&codesystem.Concept{Code: of.code, Display: of.display, Parent: -1}); err != nil {
			t.Fatal(err)
		}
		x, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		entry := engine.CodeSystemEntry(x, "made here")
		entry.BuiltIn = of.builtIn
		if err := e.Publish(entry); err != nil {
			t.Fatal(err)
		}
	}
	op := operation.Terminal()[len(operation.Terminal())-1]
	for _, tt := range []struct{ query, want string }{
		{"text=female", "vixen Female fox http://foxvixen"},
		{"text=female&version=1", "vixen Female fox http://foxvixen"},
		{"text=female&system=http://foxvixen", "vixen Female fox"},
		{"text=bet", "b Beta http://s"},
		{"text=bet&system=http://s&ecl=<<s%23a", "b Beta"},
		{"text=bet&system=http://foxvixen", ""},
		{"text=male", "m Male http://sexm"},
		{"text=no&text=body", ""},
	} {
		var in operation.Input
		in.Reset(op)
		if err := in.DecodeQuery(tt.query, true); err != nil {
			t.Fatal(err)
		}
		r, err := op.Run(t.Context(), operation.Env{Engine: e}, &in)
		if err != nil {
			t.Errorf("%s: %v", tt.query, err)
			continue
		}
		var rows []string
		for _, row := range r.Table().Rows {
			rows = append(rows, strings.Join(row, " "))
		}
		if width := len(strings.Fields(strings.Join(r.Table().Header, " "))); len(r.Table().Rows) > 0 && width != len(r.Table().Rows[0]) {
			t.Errorf("%s: a row does not fit the header: %q", tt.query, r.Table().Header)
		}
		if got := strings.Join(rows, "|"); got != tt.want || r.Yes() != (tt.want != "") {
			t.Errorf("%s: %q, %v; want %q", tt.query, got, r.Yes(), tt.want)
		}
	}
}

// closureTables answers every request with one answer.
type closureTables struct {
	operation.Closures
	answer closure.Answer
}

func (c closureTables) Replay(context.Context, string, string) (closure.Answer, error) {
	return c.answer, nil
}

// TestClosureRow writes an answer as a concept map, from the code that is subsumed to those that subsume it.
func TestClosureRow(t *testing.T) {
	answer := closure.Answer{Name: "t", Version: 3, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Groups: []closure.Group{
		{System: "http://s", Version: "1", Elements: []closure.Element{{Code: "b", Targets: []closure.Target{{Code: "a"}, {Code: "B", Equal: true}}}, {Code: "c", Targets: []closure.Target{{Code: "a"}}}}},
		{System: "http://u", Elements: []closure.Element{{Code: "d", Targets: []closure.Target{{Code: "e"}}}}},
	}}
	const head = `{"resourceType":"ConceptMap","id":"t","version":"3","name":"t","title":"Updates for Closure Table t","status":"active","experimental":true,"date":"2026-01-02T03:04:05Z"`
	created := closure.Answer{Name: "t", Version: 3, Created: true, At: answer.At}
	for want, answer := range map[string]closure.Answer{
		strings.Replace(head, "Updates for Closure Table t", "Closure Table t Creation", 1) + `}`: created,
		head + `,"group":[{"source":"http://s","sourceVersion":"1","target":"http://s","targetVersion":"1","element":[` +
			`{"code":"b","target":[{"code":"a","equivalence":"subsumes"},{"code":"B","equivalence":"equal"}]},{"code":"c","target":[{"code":"a","equivalence":"subsumes"}]}]},` +
			`{"source":"http://u","target":"http://u","element":[{"code":"d","target":[{"code":"e","equivalence":"subsumes"}]}]}]}`: answer,
	} {
		var in operation.Input
		in.Reset(row(t, "ConceptMap", "closure"))
		if err := in.DecodeQuery("name=t&version=2", true); err != nil {
			t.Fatal(err)
		}
		r, err := in.Op.Run(t.Context(), operation.Env{Closures: closureTables{answer: answer}}, &in)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(r.AppendJSON(nil)); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
