package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

const (
	animals  = "https://roget.health/fhir/CodeSystem/animals"
	colours  = "https://roget.health/fhir/CodeSystem/triage-colours"
	fourLegs = "https://roget.health/fhir/ValueSet/four-legged"
	wild     = "https://roget.health/fhir/ValueSet/wild-four-legged"
	urgent   = "https://roget.health/fhir/ValueSet/urgent-colours"
	triage   = "https://roget.health/fhir/ConceptMap/triage-to-priority"
)

// question is one request, as a library call and as named parameters.
type question struct {
	command string // of the operation table
	params  [][2]string
	call    func(context.Context, *engine.Engine) (operation.Result, error)
}

func (q question) String() string {
	var s strings.Builder
	s.WriteString(q.command)
	for _, p := range q.params {
		fmt.Fprintf(&s, " %s=%s", p[0], p[1])
	}
	return s.String()
}

// asResult turns a typed answer into a Result without hiding a nil in it.
func asResult[T any, P interface {
	*T
	operation.Result
}](answer T, err error) (operation.Result, error) {
	if err != nil {
		return nil, err
	}
	return P(&answer), nil
}

func asPointer[P operation.Result](answer P, err error) (operation.Result, error) {
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func lookup(system, code string, properties ...string) question {
	q := question{command: "lookup", params: [][2]string{{"system", system}, {"code", code}}}
	for _, p := range properties {
		q.params = append(q.params, [2]string{"property", p})
	}
	q.call = func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asResult(e.Lookup(ctx, &engine.LookupRequest{System: system, Code: code, Properties: properties}))
	}
	return q
}

func subsumes(system, a, b string) question {
	return question{"subsumes", [][2]string{{"system", system}, {"codeA", a}, {"codeB", b}}, func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asResult(e.Subsumes(ctx, &engine.SubsumesRequest{System: system, CodeA: a, CodeB: b}))
	}}
}

func validate(valueSet, system, code, display string) question {
	q := question{command: "validate-code", params: [][2]string{{"url", valueSet}, {"system", system}, {"code", code}}}
	if display != "" {
		q.params = append(q.params, [2]string{"display", display})
	}
	q.call = func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asResult(e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: valueSet, System: system, Code: code, Display: display}))
	}
	return q
}

func memberOf(valueSet, system, code string) question {
	return question{"member-of", [][2]string{{"code", code}, {"system", system}, {"valueSetUrl", valueSet}}, func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asResult(e.MemberOf(ctx, &engine.MemberOfRequest{Code: code, System: system, ValueSetURL: valueSet}))
	}}
}

func expand(valueSet, filter string, offset, count int) question {
	q := question{command: "expand", params: [][2]string{{"url", valueSet}, {"offset", fmt.Sprint(offset)}, {"count", fmt.Sprint(count)}}}
	if filter != "" {
		q.params = append(q.params, [2]string{"filter", filter})
	}
	q.call = func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asPointer(e.Expand(ctx, &engine.ExpandRequest{URL: valueSet, Filter: filter, Offset: &offset, Count: &count}))
	}
	return q
}

func translate(system, code, target string, reverse bool) question {
	return question{"translate", [][2]string{{"url", triage}, {"system", system}, {"code", code}, {"targetsystem", target}, {"reverse", fmt.Sprint(reverse)}}, func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asPointer(e.Translate(ctx, &engine.TranslateRequest{URL: triage, System: system, Code: code, TargetSystem: target, Reverse: reverse}))
	}}
}

func explain(valueSet, system, code string) question {
	return question{"explain", [][2]string{{"url", valueSet}, {"system", system}, {"code", code}}, func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asPointer(e.Explain(ctx, &engine.ExplainRequest{URL: valueSet, System: system, Code: code}))
	}}
}

// library is an engine with the base content and the sources, loaded in this process.
func library(t *testing.T, sources ...string) *engine.Engine {
	t.Helper()
	e := engine.New()
	if err := e.Publish(base.Entries()...); err != nil {
		t.Fatal(err)
	}
	for _, path := range sources {
		if err := e.Load(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// TestFourWays sends the same requests through the library, HTTP, the command over
// sources, and the command and HTTP over reopened snapshots: one answer.
func TestFourWays(t *testing.T) {
	samples, err := filepath.Abs("../../../examples/samples")
	if err != nil {
		t.Fatal(err)
	}
	sources := []string{samples, sharedtest.Path(t, "data/so/CodeSystem-so.json.gz")}
	const so = "http://purl.obolibrary.org/obo/so.owl"
	questions := []question{
		lookup(animals, "sheepdog"), lookup(animals, "dodo"), lookup(animals, "animal"), lookup(animals, "cat", "legs", "parent"),
		lookup(animals, "no such animal"), lookup("http://example.org/absent", "x"), lookup(colours, "RED"),
		lookup(so, "SO:0000001"), lookup(so, "SO:0000000"),
		subsumes(animals, "animal", "sheepdog"), subsumes(animals, "sheepdog", "animal"), subsumes(animals, "cat", "cat"),
		subsumes(animals, "cat", "dog"), subsumes(animals, "cat", "nothing"), subsumes(so, "SO:0000110", "SO:0000001"),
		validate(wild, animals, "wolf", ""), validate(wild, animals, "cat", ""), validate(wild, animals, "wolf", "Sheep"),
		validate(urgent, colours, "red", ""), validate(urgent, colours, "green", ""), validate(wild, "http://example.org/absent", "x", ""),
		validate("http://example.org/absent", animals, "cat", ""), validate(so+"?fhir_vs=isa/SO:0000110", so, "SO:0000001", ""),
		memberOf(fourLegs, animals, "cat"), memberOf(fourLegs, animals, "bee"), memberOf(urgent, colours, "blue"),
		expand(wild, "", 0, 100), expand(fourLegs, "", 2, 3), expand(fourLegs, "do", 0, 10), expand(urgent, "", 0, 10),
		expand(animals+"?fhir_vs", "water", 0, 10), expand(so+"?fhir_vs=isa/SO:0000110", "regio bind", 0, 20), expand(so+"?fhir_vs", "", 1000, 7),
		expand(so+"?fhir_vs", "rna", 3, 0), expand("http://example.org/absent", "", 0, 10),
		translate(colours, "red", "http://hl7.org/fhir/request-priority", false), translate("http://hl7.org/fhir/request-priority", "stat", colours, true),
		translate(colours, "no such colour", "http://hl7.org/fhir/request-priority", false),
		explain(wild, animals, "wolf"), explain(wild, animals, "cat"), explain(wild, animals, "bee"),
	}

	data := filepath.Join(t.TempDir(), "data")
	if _, stderr, exit := backendtest.Run(t, append([]string{"load", "--data", data}, sources...)...); exit != 0 {
		t.Fatalf("load: exit %d\n%s", exit, stderr)
	}
	var loads []string
	for _, path := range sources {
		loads = append(loads, "--load", path)
	}
	lib := library(t, sources...)
	fromSources := backendtest.Serve(t, backendtest.Released, append([]string{"--no-samples", "--store", "memory:"}, loads...)...)
	fromSnapshot := backendtest.Serve(t, backendtest.Released, "--no-samples", "--data", data)

	for _, q := range questions {
		t.Run(q.String(), func(t *testing.T) {
			t.Parallel()
			sameAnswer(t, lib, q, map[string]asking{
				"HTTP":                  get(fromSources.URL),
				"HTTP over snapshot":    get(fromSnapshot.URL),
				"HTTP POST":             post(fromSources.URL),
				"HTTP under /baseR4":    get(fromSnapshot.URL + "/baseR4"),
				"command":               command(loads...),
				"command over snapshot": command("--data", data),
			})
		})
	}
}

// An asking asks a question through one of the interfaces; the exit code is -1 if the interface has
// none.
type asking func(*testing.T, question) (answer string, exit int)

func get(base string) asking {
	return func(t *testing.T, q question) (string, int) { return httpAnswer(t, base, q), -1 }
}

func post(base string) asking {
	return func(t *testing.T, q question) (string, int) { return postAnswer(t, base, q), -1 }
}

func command(flags ...string) asking {
	return func(t *testing.T, q question) (string, int) { return commandAnswer(t, q, flags) }
}

// sameAnswer asks a question in all ways and returns the answer of the library.
func sameAnswer(t *testing.T, lib *engine.Engine, q question, ways map[string]asking) string {
	t.Helper()
	want, wantExit := libraryAnswer(t, lib, q)
	for name, ask := range ways {
		got, exit := ask(t, q)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from the library (-library +%s):\n%s", name, name, diff)
		}
		if exit >= 0 && exit != wantExit {
			t.Errorf("%s: exit %d, want %d", name, exit, wantExit)
		}
	}
	return want
}

func libraryAnswer(t *testing.T, e *engine.Engine, q question) (answer string, exit int) {
	t.Helper()
	result, err := q.call(t.Context(), e)
	if err != nil {
		_, outcome := operation.Outcome(err)
		return normal(t, outcome.AppendJSON(nil)), operation.ExitCode(err)
	}
	if !result.Yes() {
		exit = 1
	}
	return normal(t, result.AppendJSON(nil)), exit
}

// row finds the row of the table that answers q.
func row(t *testing.T, q question) *operation.Operation {
	t.Helper()
	for _, op := range operation.All() {
		if op.Command == q.command {
			return op
		}
	}
	t.Fatalf("no operation has the command %s", q.command)
	return nil
}

func endpoint(t *testing.T, q question) string {
	if op := row(t, q); op.Path != "" {
		return op.Path
	} else {
		return "/" + op.Type + "/$" + op.Name
	}
}

func httpAnswer(t *testing.T, base string, q question) string {
	t.Helper()
	query := url.Values{}
	for _, p := range q.params {
		query.Add(p[0], p[1])
	}
	return body(t)(http.Get(base + endpoint(t, q) + "?" + query.Encode()))
}

func postAnswer(t *testing.T, base string, q question) string {
	t.Helper()
	if row(t, q).Path != "" {
		return httpAnswer(t, base, q) // a convenience path is for GET
	}
	var parameters r4.Parameters
	for _, p := range q.params {
		q := r4.Parameter{Name: p[0], Value: typed(t, row(t, q), p)}
		if element, text, _ := strings.Cut(p[1], "="); q.Value.Type == "" {
			q.Part = []r4.Parameter{
				{Name: "element", Value: r4.Value{Type: "Uri", Text: element}},
				{Name: "concept", Value: r4.Value{Type: "CodeableConcept", Concept: &r4.CodeableConcept{Text: text}}},
			}
		}
		parameters.Parameter = append(parameters.Parameter, q)
	}
	return body(t)(http.Post(base+endpoint(t, q), "application/fhir+json", bytes.NewReader(parameters.AppendJSON(nil))))
}

func typed(t *testing.T, op *operation.Operation, p [2]string) r4.Value {
	for _, in := range op.In {
		if in.Name == p[0] && in.Type == "" {
			return r4.Value{} // of parts
		}
		if in.Name == p[0] {
			return r4.Value{Type: strings.ToUpper(in.Type[:1]) + in.Type[1:], Text: p[1]}
		}
	}
	t.Fatalf("%s has no parameter %s", op.Name, p[0])
	return r4.Value{}
}

func body(t *testing.T) func(*http.Response, error) string {
	return func(response *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return normal(t, content)
	}
}

func commandAnswer(t *testing.T, q question, flags []string) (answer string, exit int) {
	t.Helper()
	args := append([]string{q.command, "--output", "json"}, flags...)
	for _, p := range q.params {
		args = append(args, "--"+kebab(p[0])+"="+p[1])
	}
	out, stderr, exit := backendtest.Run(t, args...)
	if out == "" {
		t.Fatalf("roget %s: nothing on standard output; exit %d\n%s", strings.Join(args, " "), exit, stderr)
	}
	return normal(t, []byte(out)), exit
}

// kebab returns the flag of a parameter: valueSetUrl is --value-set-url.
func kebab(name string) string {
	var flag strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				flag.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		flag.WriteRune(r)
	}
	return flag.String()
}

// normal returns a resource with sorted keys and without what differs by call: the
// identifier and time of an expansion.
func normal(t *testing.T, resource []byte) string {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(resource, &tree); err != nil {
		t.Fatalf("%v in %s", err, resource)
	}
	if expansion, found := tree["expansion"].(map[string]any); found {
		if tree["id"] == "" || tree["id"] == nil {
			t.Error("an expansion without an id")
		} else if expansion["identifier"] == fmt.Sprint("urn:uuid:", tree["id"]) {
			delete(tree, "id") // of a value set that has none
		}
		for _, key := range []string{"identifier", "timestamp"} {
			if s, _ := expansion[key].(string); s == "" {
				t.Errorf("expansion has no %s", key)
			}
			delete(expansion, key)
		}
	}
	out, err := json.MarshalIndent(tree, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestCommandsOfTable: every operation is a command, and the help lists it.
func TestCommandsOfTable(t *testing.T) {
	help, _, exit := backendtest.Run(t, "--help")
	if exit != 0 {
		t.Fatalf("roget --help: exit %d", exit)
	}
	var missing []string
	for _, op := range operation.All() {
		if !strings.Contains(help, op.Command) {
			missing = append(missing, op.Command)
		}
	}
	if sort.Strings(missing); len(missing) > 0 {
		t.Errorf("roget --help does not name %v", missing)
	}
}
