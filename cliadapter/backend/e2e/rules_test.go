package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/cliadapter/backend"
	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/mcpadapter/terminology"
	"github.com/roget-health/roget/resources/r4"
)

// ruledBases are the bases of R4 with their rules.
var ruledBases = []struct {
	path  string
	rules engine.Rules
}{{"", engine.Clinical}, {"/baseR4", engine.Clinical}, {"/r4", engine.Ecosystem}}

// unrelated are resources that no question of this test is about.
var unrelated = []string{
	`{"resourceType":"CodeSystem","url":"http://example.org/luggage","version":"3","status":"active","content":"complete","concept":[{"code":"suitcase","display":"Suitcase"}]}`,
	`{"resourceType":"ValueSet","url":"http://example.org/luggage/vs","status":"active","compose":{"include":[{"system":"http://example.org/luggage"}]}}`,
	`{"resourceType":"ConceptMap","url":"http://example.org/luggage/map","status":"active","group":[{"source":"http://example.org/luggage","target":"http://example.org/shelf","element":[{"code":"suitcase","target":[{"code":"top","equivalence":"equivalent"}]}]}]}`,
	`{"resourceType":"Patient","id":"traveller"}`,
}

// luggage returns the unrelated resources as parameters.
func luggage() (list []r4.Parameter) {
	for _, doc := range unrelated {
		list = append(list, r4.Parameter{Name: "tx-resource", Resource: json.RawMessage(doc)})
	}
	return list
}

// generated returns 1,000 questions about an engine, in the short tests 150.
func generated(t *testing.T, e *engine.Engine) []*ruleQuestion {
	n := 1000
	if testing.Short() {
		n = 150
	}
	a := newAsker(t, e, 20261123)
	list := make([]*ruleQuestion, n)
	for i := range list {
		list[i] = a.question()
	}
	return list
}

// answerOf posts a question to a base and returns the status and the normal form of the answer.
func answerOf(t *testing.T, h http.Handler, base string, q *ruleQuestion, body []byte, header ...string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://example.com"+base+"/"+q.typ+"/$"+q.name, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/fhir+json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code >= 500 || w.Code == http.StatusOK && w.Body.Len() == 0 {
		t.Errorf("%s at %s/: %d", q, base, w.Code)
	}
	return http.StatusText(w.Code) + "\n" + normal(t, w.Body.Bytes())
}

// startCache starts a cache with the unrelated resources at a base and returns its id.
func startCache(t *testing.T, h http.Handler, base string, sealed bool) string {
	t.Helper()
	doc := r4.Parameters{Parameter: append(luggage(), r4.Parameter{Name: "mode", Value: r4.Code("start")}, r4.Parameter{Name: "sealed", Value: r4.Boolean(sealed)})}
	r := httptest.NewRequest(http.MethodPost, "http://example.com"+base+"/$cache-control", bytes.NewReader(doc.AppendJSON(nil)))
	r.Header.Set("Content-Type", "application/fhir+json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer, err := r4.DecodeParameters(w.Body.Bytes())
	if err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	for _, p := range answer.Parameter {
		if p.Name == "cache-id" {
			return p.Value.Text
		}
	}
	t.Fatalf("no cache-id in %s", w.Body)
	return ""
}

// rulesWorld returns a handler and an engine with the same sources.
func rulesWorld(t *testing.T) (http.Handler, *engine.Engine) {
	t.Helper()
	samples, err := filepath.Abs("../../../examples/samples")
	if err != nil {
		t.Fatal(err)
	}
	sources := []string{samples, writeWorld(t)}
	h := backendtest.Handler(t, "--store", "memory:", "--data", t.TempDir(), "--no-samples", "--load", sources[0], "--load", sources[1])
	return h, library(t, sources...)
}

// TestDefect17OneVerdictWhateverComesAlong asks generated questions under each base, alone and with
// luggage that has nothing to do with them: all answers are equal. Bases of the same rules answer
// alike, and of other rules where the operation does not depend on them.
func TestDefect17OneVerdictWhateverComesAlong(t *testing.T) {
	t.Parallel()
	h, e := rulesWorld(t)
	type caches struct{ sealed, growing string }
	started := map[string]caches{}
	for _, base := range ruledBases {
		started[base.path] = caches{startCache(t, h, base.path, true), startCache(t, h, base.path, false)}
	}
	differing, failing := map[string]int{}, 0
	for _, q := range generated(t, e) {
		answers := map[engine.Rules]string{}
		for _, base := range ruledBases {
			alone := answerOf(t, h, base.path, q, q.body())
			of := started[base.path]
			for name, got := range map[string]string{
				"resources":            answerOf(t, h, base.path, q, q.body(luggage()...)),
				"other parameters":     answerOf(t, h, base.path, q, q.body(r4.Parameter{Name: "uuid", Value: r4.String("urn:uuid:9a1c0dd5-5e8b-4b4b-8f0d-1f0d1f0d1f0d")}, r4.Parameter{Name: "no-cache", Value: r4.Boolean(true)})),
				"a cache":              answerOf(t, h, base.path, q, q.body(), "X-Cache-Id", of.sealed),
				"a growing cache":      answerOf(t, h, base.path, q, q.body(luggage()[0]), "X-Cache-Id", of.growing),
				"a cache-id parameter": answerOf(t, h, base.path, q, q.body(r4.Parameter{Name: "cache-id", Value: r4.Value{Type: "Id", Text: of.sealed}})),
			} {
				if diff := cmp.Diff(alone, got); diff != "" {
					t.Errorf("%s at %s/ with %s:\n%s", q, base.path, name, diff)
				}
			}
			if other, asked := answers[base.rules]; asked && other != alone {
				t.Errorf("%s: bases of %v rules differ:\n%s", q, base.rules, cmp.Diff(other, alone))
			}
			answers[base.rules] = alone
		}
		if strings.Contains(answers[engine.Clinical], `"OperationOutcome"`) && !strings.HasPrefix(answers[engine.Clinical], "OK") {
			failing++
		}
		if answers[engine.Clinical] != answers[engine.Ecosystem] {
			differing[q.name]++
		}
		if t.Failed() {
			return // one question says enough
		}
	}
	t.Logf("answers that the rules decide: %v; errors under the clinical rules: %d", differing, failing)
	for _, op := range operation.All() {
		if differing[op.Name] > 0 && !op.Ruled {
			t.Errorf("the rules decide %d answers of $%s, whose row says that they do not", differing[op.Name], op.Name)
		}
	}
	if differing["validate-code"] == 0 || differing["expand"] == 0 || failing == 0 {
		t.Errorf("the rules decide %v, and %d answers are errors", differing, failing)
	}
}

// TestRulesByEveryInterface asks generated questions under both rules in Go, in the terminal, with the
// tools for assistants and over HTTP: all answers are equal.
func TestRulesByEveryInterface(t *testing.T) {
	t.Parallel()
	h, e := rulesWorld(t)
	program := cliadapter.New(cliadapter.Config{
		Operations: operation.Terminal(), Backend: oneEngine{engine: e}, Getenv: func(string) string { return "" },
	})
	for _, q := range generated(t, e) {
		for _, base := range ruledBases[1:] {
			over := answerOf(t, h, base.path, q, q.body())
			_, want, _ := strings.Cut(over, "\n")
			if diff := cmp.Diff(want, inGo(t, e.Under(base.rules), q)); diff != "" {
				t.Errorf("%s in Go under %v rules (-HTTP +Go):\n%s", q, base.rules, diff)
			}
			if q.inTerminal() {
				if diff := cmp.Diff(wordless(t, want), wordless(t, terminalAnswer(t, program, q, base.rules))); diff != "" {
					t.Errorf("%s in the terminal under %v rules (-HTTP +terminal):\n%s", q, base.rules, diff)
				}
			}
			tools := terminology.NewLocal(e.Under(base.rules), operation.All())
			switch got, err := tools.Operate(t.Context(), q.typ, q.name, q.body()); {
			case (err == nil) != strings.HasPrefix(over, "OK\n"):
				t.Errorf("%s by a tool under %v rules: %v, over HTTP %s", q, base.rules, err, over)
			case err == nil:
				if diff := cmp.Diff(want, normal(t, got)); diff != "" {
					t.Errorf("%s by a tool under %v rules (-HTTP +tool):\n%s", q, base.rules, diff)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// oneEngine is a backend that answers all queries from one engine.
type oneEngine struct {
	backend.Backend
	engine *engine.Engine
}

func (l oneEngine) Query(_ context.Context, _ cliadapter.Sources, _ cliadapter.Observer, ask func(*engine.Engine) error) error {
	return ask(l.engine)
}

// inGo returns the answer of the library.
func inGo(t *testing.T, e *engine.Engine, q *ruleQuestion) string {
	t.Helper()
	answer, _ := libraryAnswer(t, e, question{call: func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		switch req := q.call.(type) {
		case *engine.ValidateCodeRequest:
			return asResult(e.ValidateCode(ctx, req))
		case *engine.ValidateCodeInSystemRequest:
			return asResult(e.ValidateCodeInSystem(ctx, req))
		case *engine.ExpandRequest:
			return asPointer(e.Expand(ctx, req))
		case *engine.LookupRequest:
			return asResult(e.Lookup(ctx, req))
		case *engine.SubsumesRequest:
			return asResult(e.Subsumes(ctx, req))
		default:
			return asPointer(e.Translate(ctx, req.(*engine.TranslateRequest)))
		}
	}})
	return answer
}

// wordless returns an answer, but of an error only the codes: the terminal says which flag is wrong.
func wordless(t *testing.T, answer string) string {
	t.Helper()
	var doc struct {
		ResourceType string
		Issue        []struct{ Severity, Code string }
	}
	if err := json.Unmarshal([]byte(answer), &doc); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	if doc.ResourceType != "OperationOutcome" {
		return answer
	}
	var b strings.Builder
	for _, i := range doc.Issue {
		b.WriteString(i.Severity + " " + i.Code + "\n")
	}
	return b.String()
}

// inTerminal reports whether a command asks the question: no flag has a CodeableConcept, and --url of
// validate-code is a value set.
func (q *ruleQuestion) inTerminal() bool {
	return !slices.ContainsFunc(q.params, func(p r4.Parameter) bool {
		return p.Value.Concept != nil || p.Name == "url" && q.typ == "CodeSystem"
	})
}

// terminalAnswer returns the answer of the command.
func terminalAnswer(t *testing.T, program *cliadapter.CLI, q *ruleQuestion, rules engine.Rules) string {
	t.Helper()
	args := []string{q.name, "--output", "json"}
	if row(t, question{command: q.name}).Ruled {
		args = append(args, "--rules", rules.String())
	}
	for i := range q.params {
		p := &q.params[i]
		args = append(args, "--"+p.Name+"="+text(&p.Value))
	}
	var out, errs bytes.Buffer
	if exit := program.Run(t.Context(), args, cliadapter.Streams{Out: &out, Err: &errs}); out.Len() == 0 {
		t.Fatalf("roget %s: exit %d\n%s", strings.Join(args, " "), exit, &errs)
	}
	return normal(t, out.Bytes())
}
