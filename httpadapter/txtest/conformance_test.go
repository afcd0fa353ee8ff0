package txtest_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/httpadapter/txtest"
	"github.com/roget-health/roget/resources/sharedtest"
)

var updateConformance = flag.Bool("update-conformance", false, "raise the figures of "+baselineFile+", docs/conformance.md and README.md")

// exception is a case that needs other settings of the server or other rules of comparison than the
// defaults.
type exception struct {
	args   []string // of roget serve
	level  txtest.Level
	reason string // a sentence for docs/conformance.md
}

// exceptions are at most 6, each with an explanation.
var exceptions = map[string]exception{}

const mostExceptions = 6

// TestConformance runs HL7's terminology cases against the handler of roget serve. Each suite must
// pass at least as many cases as in the baseline. To examine the failing cases of one suite:
//
//	ROGET_CONFORMANCE_OUT=/tmp/out go test -run 'TestConformance/^SUITE$' -v ./httpadapter/txtest
//
// logs the first difference of each and writes requests, expected and actual responses to the
// folder.
func TestConformance(t *testing.T) {
	run := newConformance(t)
	suites := run.cases.Suites()
	for _, suite := range suites {
		t.Run(suite.Name, func(t *testing.T) {
			for _, c := range suite.Cases {
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					run.one(t, suite, c)
				})
			}
		})
	}
	var scores []score
	for _, suite := range suites {
		if s, whole := run.score(suite); whole {
			scores = append(scores, s)
		}
	}
	if len(scores) == len(suites) {
		total := sum(scores)
		fmt.Printf("conformance: %d of %d\n", total.passed, total.cases)
	}
	hold(t, scores, len(scores) == len(suites), run.failing())
}

// conformance is a run of the cases.
type conformance struct {
	cases   *txtest.Cases
	servers map[string]http.Handler // by arguments of roget serve
	out     string                  // folder for failing cases, or ""

	mu      sync.Mutex
	results map[string]txtest.Result // by id of the case
	skipped map[string]bool
}

func newConformance(t *testing.T) *conformance {
	cases, err := txtest.Open(sharedtest.Path(t, "conformance/tests"))
	if err != nil {
		t.Fatal(err)
	}
	run := &conformance{
		cases: cases, servers: map[string]http.Handler{}, out: os.Getenv("ROGET_CONFORMANCE_OUT"),
		results: map[string]txtest.Result{}, skipped: map[string]bool{},
	}
	run.servers[""] = backendtest.Handler(t, serving(t)...)
	for _, e := range exceptions {
		if key := strings.Join(e.args, " "); run.servers[key] == nil {
			run.servers[key] = backendtest.Handler(t, serving(t, e.args...)...)
		}
	}
	return run
}

// serving returns the arguments of roget serve for running the cases.
func serving(t *testing.T, args ...string) []string {
	return append([]string{"--store", "memory:", "--data", t.TempDir()}, args...)
}

// modes returns the modes that a suite runs in.
func modes(suite *txtest.Suite) []string {
	if mode := suite.Mode(); mode != "" {
		return []string{mode}
	}
	return []string{"general"}
}

// one runs a case and records the result. A failing case is only logged, because the baseline decides
// whether it is an error.
func (run *conformance) one(t *testing.T, suite *txtest.Suite, c *txtest.Case) {
	result, skip := run.judge(t, suite, c)
	switch {
	case skip != "":
		t.Log("not run: " + skip)
		return
	case result.Passed():
		return
	}
	t.Logf("not passed: %s", result.Difference)
	if run.out != "" {
		run.write(t, "request", c.ID, json.RawMessage(result.Request))
		run.write(t, "expected", c.ID, result.Expected)
		run.write(t, "actual", c.ID, result.Actual)
	}
}

// judge runs a case and records the result, or returns why it does not apply to this server.
func (run *conformance) judge(t *testing.T, suite *txtest.Suite, c *txtest.Case) (result txtest.Result, skip string) {
	e := exceptions[c.ID]
	runner := txtest.Runner{Handler: run.servers[strings.Join(e.args, " ")], Base: "/r4", Modes: modes(suite), Level: e.level}
	if skip = c.Skip(runner.Modes); skip == "" {
		var err error
		if result, err = runner.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	if skip != "" {
		run.skipped[c.ID] = true
	} else {
		run.results[c.ID] = result
	}
	return result, skip
}

// write writes a document of a failing case to the output folder.
func (run *conformance) write(t *testing.T, kind, id string, document any) {
	path := filepath.Join(run.out, kind, strings.ReplaceAll(id, "#", "-")+".json")
	if raw, ok := document.(json.RawMessage); ok && len(raw) == 0 {
		return // a request without a body
	}
	data, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// score counts the cases of a suite. whole is false if some were not run.
func (run *conformance) score(suite *txtest.Suite) (s score, whole bool) {
	s.suite, whole = suite.Name, true
	for _, c := range suite.Cases {
		result, ran := run.results[c.ID]
		switch {
		case run.skipped[c.ID]:
			continue
		case !ran:
			whole = false
		case result.Passed():
			s.passed++
		}
		s.cases++
	}
	return s, whole
}

// failing returns the failing cases of each suite.
func (run *conformance) failing() map[string][]string {
	failing := map[string][]string{}
	for id, result := range run.results {
		if suite, name, _ := strings.Cut(id, "/"); !result.Passed() {
			failing[suite] = append(failing[suite], name)
		}
	}
	for _, names := range failing {
		slices.Sort(names)
	}
	return failing
}

// TestWrongAnswersAreSeen responds to every case with an empty body, and with the server's response
// after changing booleans, codes and names. No case may pass.
func TestWrongAnswersAreSeen(t *testing.T) {
	run := newConformance(t)
	right := run.servers[""]
	for name, wrong := range map[string]http.Handler{
		"empty object":     saying(func([]byte) []byte { return []byte("{}") }, right),
		"empty parameters": saying(func([]byte) []byte { return []byte(`{"resourceType":"Parameters"}`) }, right),
		"other words": saying(func(answer []byte) []byte {
			return []byte(strings.NewReplacer(`"valueBoolean":true`, `"valueBoolean":false`, `"valueBoolean":false`, `"valueBoolean":true`,
				`"code":"`, `"code":"not-`, `"name":"`, `"name":"not-`, `"url":"`, `"url":"not-`).Replace(string(answer)))
		}, right),
	} {
		for _, suite := range run.cases.Suites() {
			runner := txtest.Runner{Handler: wrong, Base: "/r4", Modes: modes(suite)}
			for _, c := range suite.Cases {
				if c.Skip(runner.Modes) != "" {
					continue
				}
				if result, err := runner.Run(t.Context(), c); err != nil || result.Passed() {
					t.Errorf("%s is passed by an answer with %s (%v)", c.ID, name, err)
				}
			}
		}
	}
}

// saying changes the response bodies of a handler.
func saying(change func([]byte) []byte, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		w.WriteHeader(recorder.Code)
		w.Write(change(recorder.Body.Bytes()))
	})
}

// TestExceptions checks that each exception names an existing case, a reason, and a setting or level.
func TestExceptions(t *testing.T) {
	if len(exceptions) > mostExceptions {
		t.Errorf("%d exceptions, at most %d are allowed", len(exceptions), mostExceptions)
	}
	for id, e := range exceptions {
		if e.reason == "" || len(e.args) == 0 && e.level == txtest.Normal {
			t.Errorf("%s: an exception has a setting or a level, and a reason", id)
		}
	}
	cases, err := txtest.Open(sharedtest.Path(t, "conformance/tests"))
	if err != nil {
		t.Fatal(err)
	}
	for id := range exceptions {
		if !slices.ContainsFunc(cases.Suites(), func(s *txtest.Suite) bool {
			return slices.ContainsFunc(s.Cases, func(c *txtest.Case) bool { return c.ID == id })
		}) {
			t.Errorf("there is no case %s", id)
		}
	}
}
