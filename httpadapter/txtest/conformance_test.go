package txtest_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// failingR5 are the cases that fail in R5. They ask for core content of R5, and that of R4 is built in.
var failingR5 = []string{
	"exclude/exclude-combo", "exclude/exclude-gender", "exclude/exclude-gender2", "exclude/include-combo", "UCUM/expand-ucum-all-5",
}

// TestConformanceR5 sends HL7's terminology cases as they are, in R5, to the base of R5, and compares
// the answers as they are. Nothing converts them in between.
func TestConformanceR5(t *testing.T) {
	cases, err := txtest.Open(sharedtest.Path(t, "conformance/tests"))
	if err != nil {
		t.Fatal(err)
	}
	handler := backendtest.Handler(t, serving(t)...)
	var ran, passed atomic.Int32
	t.Run("cases", func(t *testing.T) {
		for _, suite := range cases.Suites() {
			runner := txtest.Runner{Handler: handler, Base: "/r5", Modes: modes(suite), FHIR: txtest.R5}
			for _, c := range suite.Cases {
				if runner.Skip(c) != "" {
					continue
				}
				t.Run(c.ID, func(t *testing.T) {
					t.Parallel()
					ran.Add(1)
					result, err := runner.Run(t.Context(), c)
					switch {
					case err != nil:
						t.Error(err)
					case slices.Contains(failingR5, c.ID):
						if result.Passed() {
							t.Error("the case passes now; remove it from failingR5")
						}
					case !result.Passed():
						t.Errorf("%s\nrequest %s", result.Difference, result.Request)
					default:
						passed.Add(1)
					}
				})
			}
		}
	})
	if ran.Load() < 500 {
		t.Errorf("only %d cases apply to R5", ran.Load())
	}
	t.Logf("%d of %d cases passed in R5", passed.Load(), ran.Load())
}

// officialVerdict is the last line of HL7's runner, which may begin by resetting Maven's colours; officialVersion is in its Maven project.
var (
	officialVerdict = regexp.MustCompile(`(?m)^(?:\x1b\[[\d;]*m)*(\d+) passed, (\d+) failed$`)
	officialVersion = regexp.MustCompile(`<artifactId>org\.hl7\.fhir\.validation</artifactId><version>([^<]+)</version>`)
	officialQuoted  = regexp.MustCompile("<!-- official -->\nPassed (\\d+) of \\d+ in mode `general`, on \\d{4}-\\d\\d-\\d\\d, `org\\.hl7\\.fhir\\.validation` (\\S+)\\.\n<!-- /official -->")
)

// TestOfficialRunner runs HL7's own runner, which is a Java program, against /r4 of the released
// program. No case may fail, and docs/conformance.md quotes the verdict; -update-conformance writes it.
func TestOfficialRunner(t *testing.T) {
	if testing.Short() {
		t.Skip("HL7's runner is a Java program")
	}
	folder := sharedtest.Path(t, "conformance/official")
	for _, program := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal("HL7's runner is required if CI=true: ", err)
			}
			t.Skip("HL7's runner needs Java 17 and Maven: ", err)
		}
	}
	server := backendtest.Serve(t, backendtest.Released, serving(t)...)
	out, runErr := exec.Command(filepath.Join(folder, "run"), server.URL+"/r4", "general").Output()
	verdict := officialVerdict.FindStringSubmatch(string(out))
	if verdict == nil {
		t.Fatalf("no verdict: %v\n%s", runErr, out)
	}
	passed, _ := strconv.Atoi(verdict[1])
	fmt.Printf("HL7's runner on /r4: %s\n", verdict[0])
	if runErr != nil || verdict[2] != "0" || passed == 0 {
		t.Fatalf("%v\n%s", runErr, out)
	}
	pom, err := os.ReadFile(filepath.Join(folder, "pom.xml"))
	if err != nil {
		t.Fatal(err)
	}
	version := officialVersion.FindSubmatch(pom)
	if version == nil {
		t.Fatal("the project of HL7's runner names no version of it")
	}
	checkOfficialQuote(t, passed, string(version[1]))
}

// checkOfficialQuote checks that docs/conformance.md quotes the number of cases and the version of the
// runner, or writes them.
func checkOfficialQuote(t *testing.T, passed int, version string) {
	t.Helper()
	q := quote{file: "docs/conformance.md", name: "official"}
	data, err := os.ReadFile(q.path())
	if err != nil {
		t.Fatal(err)
	}
	if *updateConformance {
		q.text = fmt.Sprintf("\nPassed %d of %[1]d in mode `general`, on %s, `org.hl7.fhir.validation` %s.\n", passed, time.Now().UTC().Format(time.DateOnly), version)
		text, err := q.replaced(string(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(q.path(), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	quoted := officialQuoted.FindStringSubmatch(string(data))
	if quoted == nil || quoted[1] != strconv.Itoa(passed) || quoted[2] != version {
		t.Errorf("%s says %q about HL7's runner, which passed %d with version %s; go test ./httpadapter/txtest -run TestOfficialRunner -update-conformance writes it",
			q.file, strings.TrimSpace(strings.Join(quoted, " ")), passed, version)
	}
}

// TestCompareWithLargeSystems runs the cases of $compare against a server with large code systems:
// ICD-10-CM, and one with the url of SNOMED CT that has the concepts the cases name. HL7 expects
// "indeterminate" for a branch of more than 10,000 codes.
func TestCompareWithLargeSystems(t *testing.T) {
	cases, err := txtest.Open(sharedtest.Path(t, "conformance/tests"))
	if err != nil {
		t.Fatal(err)
	}
	handler := backendtest.Handler(t, serving(t, "--load", largeSystem(t), "--load", sharedtest.Path(t, "data/icd10cm/CodeSystem-icd-10-cm.json.gz"))...)
	n := 0
	for _, suite := range cases.Suites() {
		if suite.Name != "compare" && suite.Name != "related2" {
			continue
		}
		for _, c := range suite.Cases {
			runner := txtest.Runner{Handler: handler, Base: "/r4", Modes: modes(suite)}
			if skip := c.Skip(runner.Modes); skip != "" {
				continue
			}
			n++
			result, err := runner.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if !result.Passed() {
				t.Errorf("%s: %s", c.ID, result.Difference)
			}
		}
	}
	if n < 50 {
		t.Errorf("%d cases", n)
	}
}

// largeSystem writes a code system with 12,000 concepts below 404684003, some of them with two
// parents.
func largeSystem(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "large.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprint(w, `{"resourceType":"CodeSystem","url":"http://snomed.info/sct","version":"http://snomed.info/sct/900000000000207008/version/20250101",`+
		`"status":"active","content":"complete","hierarchyMeaning":"is-a","property":[{"code":"parent","type":"code"}],"concept":[`+
		`{"code":"138875005"},{"code":"404684003","property":[{"code":"parent","valueCode":"138875005"}]},`+
		`{"code":"900000000000442005","property":[{"code":"parent","valueCode":"138875005"}]}`)
	for i := range 12_000 {
		fmt.Fprintf(w, `,{"code":"%d","property":[{"code":"parent","valueCode":"404684003"}`, 10_000_000+i)
		if i%100 == 0 {
			fmt.Fprint(w, `,{"code":"parent","valueCode":"900000000000442005"}`)
		}
		fmt.Fprint(w, `]}`)
	}
	fmt.Fprint(w, `]}`)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
