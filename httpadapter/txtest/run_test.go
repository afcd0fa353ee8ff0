package txtest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// open returns the cases of testdata by id.
func open(tb testing.TB) map[string]*Case {
	tb.Helper()
	cases, err := Open("testdata/cases")
	if err != nil {
		tb.Fatal(err)
	}
	byID := map[string]*Case{}
	for _, suite := range cases.Suites() {
		for _, c := range suite.Cases {
			byID[c.ID] = c
		}
	}
	return byID
}

// answering is a handler with a constant response.
func answering(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	})
}

// judged returns the difference that a runner finds in a response.
func judged(tb testing.TB, c *Case, status int, body string) string {
	tb.Helper()
	runner := Runner{Handler: answering(status, body), Modes: []string{"general"}}
	result, err := runner.Run(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	return result.Difference
}

func TestOpen(t *testing.T) {
	want := []string{
		"many/bundle", "statement/lost", "statement/metadata", "statement/odd", "tools/expand", "tools/expand#2",
		"tools/newer", "tools/not-newer", "tools/off", "tools/refused", "tools/whole",
	}
	if got := slices.Sorted(maps.Keys(open(t))); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := Open(t.TempDir()); !os.IsNotExist(err) {
		t.Errorf("without a list of cases: %v", err)
	}
}

func TestSkip(t *testing.T) {
	cases := open(t)
	for _, test := range []struct{ id, mode, want string }{
		{"tools/expand", "general", ""},
		{"tools/expand", "private", "mode general"},
		{"tools/newer", "general", "FHIR 5.0"},
		{"tools/not-newer", "general", ""},
		{"tools/off", "general", "disabled"},
		{"tools/whole", "general", "whole code system"},
		{"statement/metadata", "anything", ""},
		{"many/bundle", "private", ""},
		{"many/bundle", "other", "private or general"},
	} {
		got := cases[test.id].Skip([]string{test.mode})
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s in mode %s: %q, want %q", test.id, test.mode, got, test.want)
		}
	}
}

// sentBy runs a case and returns the request that the handler received.
func sentBy(tb testing.TB, id string) (*http.Request, object) {
	tb.Helper()
	var seen *http.Request
	var body object
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			tb.Error(err)
		}
		seen = r
		if len(data) > 0 {
			body = tree(tb, string(data)).(object)
		}
	})
	runner := Runner{Handler: handler, Base: "/fhir", Modes: []string{"general"}}
	if _, err := runner.Run(tb.Context(), open(tb)[id]); err != nil {
		tb.Fatal(err)
	}
	return seen, body
}

// parameterNames lists the parameters of a request, with the types of resources.
func parameterNames(resource object) string {
	var found []string
	for _, p := range objects(resource, "parameter") {
		found = append(found, text(p, "name")+text(member(p, "resource"), "resourceType"))
	}
	return strings.Join(found, " ")
}

func TestRequest(t *testing.T) {
	for _, test := range []struct {
		id, line, parameters string
		header               http.Header
	}{
		{"tools/expand", "POST /fhir/ValueSet/$expand", "url tx-resourceCodeSystem tx-resourceValueSet uuid", http.Header{"Accept-Language": nil}},
		{"tools/expand#2", "POST /fhir/ValueSet/$expand", "url tx-resourceCodeSystem tx-resourceValueSet displayLanguage count", http.Header{"Accept-Language": {"de, en; q=0.5"}}},
		{"tools/refused", "POST /fhir/ValueSet/$validate-code", "url tx-resourceCodeSystem tx-resourceValueSet uuid lenient-display-validation", http.Header{"X-Limit": {"7"}}},
		{"statement/metadata", "GET /fhir/metadata", "", http.Header{"Content-Type": nil}},
	} {
		req, body := sentBy(t, test.id)
		if line := req.Method + " " + req.URL.String(); line != test.line {
			t.Errorf("%s: %s, want %s", test.id, line, test.line)
		}
		if got := parameterNames(body); got != test.parameters {
			t.Errorf("%s: parameters %s, want %s", test.id, got, test.parameters)
		}
		for name, want := range test.header {
			if got := req.Header[name]; !slices.Equal(got, want) {
				t.Errorf("%s: %s is %q, want %q", test.id, name, got, want)
			}
		}
	}
}

// Requests are tidied and converted to R4.
func TestRequestIsR4(t *testing.T) {
	_, body := sentBy(t, "tools/expand")
	sent := compact(t, body)
	for _, word := range []string{`"caseSensitive":true`, "extension-CodeSystem.versionAlgorithm", `"valueCode":"child-of"`, `"op":"is-a"`} {
		if !strings.Contains(sent, word) {
			t.Errorf("no %s in %s", word, sent)
		}
	}
	for _, word := range []string{"definition:de", "copyright", `"op":"child-of"`} {
		if strings.Contains(sent, word) {
			t.Errorf("%s is in %s", word, sent)
		}
	}
}

// In a Bundle, the first entry carries the resources.
func TestRequestBundle(t *testing.T) {
	for range 2 { // shared files are not changed by a run
		_, body := sentBy(t, "many/bundle")
		var entries []string
		for _, entry := range objects(body, "entry") {
			entries = append(entries, parameterNames(member(entry, "resource")))
		}
		if want := []string{"code tx-resourceCodeSystem uuid", "uuid"}; !slices.Equal(entries, want) {
			t.Errorf("%q, want %q", entries, want)
		}
	}
}

func TestRunErrors(t *testing.T) {
	cases := open(t)
	for id, want := range map[string]string{"statement/lost": "nowhere.json", "statement/odd": `"juggle"`} {
		runner := Runner{Handler: answering(200, "{}")}
		if _, err := runner.Run(t.Context(), cases[id]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestJudge(t *testing.T) {
	cases := open(t)
	right, err := os.ReadFile("testdata/cases/expanded.json")
	if err != nil {
		t.Fatal(err)
	}
	const statement = `{"resourceType":"CapabilityStatement","fhirVersion":"4.0.1","kind":"instance","rest":[{"mode":"client"},{"mode":"server","security":{}}]}`
	const refusal = `{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"not-found","diagnostics":"d","details":{"text":"No tools are SHARP"}}]}`
	for _, test := range []struct {
		id     string
		status int
		body   string
		want   string
	}{
		{"tools/expand", 200, string(right), ""},
		{"tools/expand", 201, string(right), ""},
		{"tools/expand", 404, string(right), "HTTP status 404, expected 2xx"},
		{"tools/expand", 200, "<html>", "not a JSON object"},
		{"tools/expand", 200, `["a"]`, "not a JSON object"},
		{"tools/expand", 200, "", "not a JSON object"},
		{"tools/expand", 200, string(right) + "{}", "not a JSON object"},
		{"tools/expand", 200, `{"contained":[1]}`, "contained is not a list of objects"},
		{"tools/expand", 200, "{}", "expansion: missing property"},
		{"statement/metadata", 200, statement, ""},
		{"statement/metadata", 200, strings.ReplaceAll(statement, "4.0.1", "4.0.0"), "fhirVersion"},
		{"tools/refused", 404, refusal, ""},
		{"tools/refused", 200, refusal, "HTTP status 200, expected 4xx"},
		{"tools/refused", 404, strings.ReplaceAll(refusal, "tools", "hands"), "issue[0](not-found).details.text"},
	} {
		got := judged(t, cases[test.id], test.status, test.body)
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: status %d, %.60s: %q, want %q", test.id, test.status, test.body, got, test.want)
		}
	}
}

func TestJudgeNamesOrder(t *testing.T) {
	c := &Case{ID: "a/b"}
	expected := tree(t, `{"issue":[{"code":"a"},{"code":"b"}]}`)
	result := (&Runner{}).judge(c, expected, 200, []byte(`{"issue":[{"code":"b"},{"code":"a"}]}`))
	if !strings.HasPrefix(result.Difference, "different order: issue[0](b)") {
		t.Errorf("%q", result.Difference)
	}
}

// Every single change to a correct response without templates is a difference: a member removed or
// added, a primitive changed, a list entry removed or repeated.
func TestEveryChangeIsSeen(t *testing.T) {
	c := open(t)["tools/expand"]
	data, err := os.ReadFile("testdata/cases/expanded.json")
	if err != nil {
		t.Fatal(err)
	}
	right := tree(t, string(data))
	if got := judged(t, c, 200, compact(t, right)); got != "" {
		t.Fatalf("the right answer: %s", got)
	}
	changes := 0
	changed(right, func(what string) {
		changes++
		if judged(t, c, 200, compact(t, right)) == "" {
			t.Errorf("not seen: %s", what)
		}
	})
	if changes < 100 {
		t.Errorf("only %d changes", changes)
	}
}

// changed makes each single change to a tree, reports it and reverts it.
func changed(value any, tell func(what string)) {
	switch v := value.(type) {
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			old := v[key]
			changed(old, tell)
			delete(v, key)
			tell("no " + key)
			for _, other := range others(old) {
				v[key] = other
				tell(fmt.Sprintf("%s is %v", key, other))
			}
			v[key] = old
		}
		v["added"] = "x"
		tell("a new member")
		delete(v, "added")
	case list:
		for i, old := range v {
			changed(old, tell)
			for _, other := range others(old) {
				v[i] = other
				tell(fmt.Sprintf("[%d] is %v", i, other))
			}
			v[i] = old
		}
	}
}

// others returns values that differ from the given one.
func others(value any) []any {
	switch v := value.(type) {
	case bool:
		return []any{!v, fmt.Sprint(v)}
	case json.Number:
		return []any{v + "1", v.String()}
	case string:
		return []any{v + "x", "x" + v, strings.ToUpper(v) + "Y", json.Number("1"), true}
	case list:
		return []any{append(slices.Clone(v), v[0]), v[1:], "x"}
	}
	return []any{"x", true}
}
