package txtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// Runner sends cases to a handler. Its fields are not changed while cases run; cases
// may run concurrently.
type Runner struct {
	Handler http.Handler
	Base    string   // path of the FHIR endpoint, without a slash at the end
	Modes   []string // what the server claims to be, such as general
	Level   Level
}

// Result is how an answer compares with the expected one.
type Result struct {
	Request []byte // body that was sent; nil for a GET
	Status  int    // of HTTP
	// Difference is the first one found: a path, what was expected there and what came.
	// It is empty when the case is passed.
	Difference string
	// Expected is the template, Actual the answer as it was compared. They are trees of
	// encoding/json; Actual is a string when the answer was not a JSON object.
	Expected, Actual any
}

// Passed reports that the answer is what was expected.
func (r Result) Passed() bool { return r.Difference == "" }

// Run sends one case and judges the answer. An error means that the case itself cannot
// be used: a file is missing or not understood.
func (r *Runner) Run(ctx context.Context, c *Case) (Result, error) {
	req, sent, err := r.request(ctx, c)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	template, err := c.in.fixture(c.file("response", r.Modes))
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	recorder := httptest.NewRecorder()
	r.Handler.ServeHTTP(recorder, req)
	result := r.judge(c, template.expected, recorder.Code, recorder.Body.Bytes())
	result.Request = sent
	return result, nil
}

// judge compares an answer with the template and its status with the wanted one.
func (r *Runner) judge(c *Case, expected any, status int, body []byte) Result {
	result := Result{Status: status, Expected: expected}
	tree, err := parse(body)
	answer, isObject := tree.(object)
	if err != nil || !isObject {
		result.Actual = string(body)
		result.Difference = fmt.Sprintf("HTTP status %d, not a resource in JSON: %.120q", status, body)
		return result
	}
	if answer, err = normalise(answer); err != nil {
		result.Actual, result.Difference = string(body), err.Error()
		return result
	}
	result.Actual = answer
	compare := comparison{modes: r.Modes, level: r.Level, partial: c.ofMetadata()}
	result.Difference = compare.diff(expected, answer, "")
	if result.Difference != "" {
		compare.anyOrder = true
		if compare.diff(expected, answer, "") == "" {
			result.Difference = "in another order: " + result.Difference
		}
	}
	if wanted := c.wantedStatus(); !statusMatches(wanted, status) {
		result.Difference = strings.TrimSuffix(fmt.Sprintf("HTTP status %d, expected %s; %s", status, wanted, result.Difference), "; ")
	}
	return result
}

// wantedStatus is a number, or a class such as 4xx.
func (c *Case) wantedStatus() string {
	switch code := c.fields["http-code"].(type) {
	case string:
		return code
	case json.Number:
		return code.String()
	}
	return "2xx"
}

func statusMatches(wanted string, status int) bool {
	actual := strconv.Itoa(status)
	if class, found := strings.CutSuffix(wanted, "xx"); found {
		return strings.HasPrefix(actual, class)
	}
	return actual == wanted
}
