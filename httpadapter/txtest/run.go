package txtest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// A Runner runs cases against a handler. Cases may run concurrently. The fields must not be modified
// while cases run.
type Runner struct {
	Handler http.Handler
	Base    string   // path of the FHIR endpoint, without a trailing slash
	Modes   []string // modes that the server supports, such as general
	Level   Level
	// FHIR is the version that the handler speaks at Base: R4, the default, or R5. Nothing is
	// converted for R5, the version of the files.
	FHIR string
}

// version returns the version of FHIR.
func (r *Runner) version() string { return cmp.Or(r.FHIR, R4) }

// Result is the outcome of a case.
type Result struct {
	Request []byte // body of the request; nil for a GET
	Status  int    // HTTP status of the response
	// Difference describes the first difference: its path, the expected and the actual value. It
	// is empty if the case has passed.
	Difference string
	// Expected is the template and Actual the normalised response, as trees of encoding/json.
	// Actual is a string if the response is not a JSON object.
	Expected, Actual any
}

// Passed reports whether the response is as expected.
func (r Result) Passed() bool { return r.Difference == "" }

// Run runs one case. It returns an error if the case itself cannot be used because a file is missing
// or malformed.
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

// judge compares a response with the template, and its status with the expected one.
func (r *Runner) judge(c *Case, expected any, status int, body []byte) Result {
	result := Result{Status: status, Expected: expected}
	tree, err := parse(body)
	answer, isObject := tree.(object)
	if err != nil || !isObject {
		result.Actual = string(body)
		result.Difference = fmt.Sprintf("HTTP status %d; the body is not a JSON object: %.120q", status, body)
		return result
	}
	if answer, err = normalise(answer, r.version()); err != nil {
		result.Actual, result.Difference = string(body), err.Error()
		return result
	}
	result.Actual = answer
	compare := comparison{modes: r.Modes, level: r.Level, partial: c.ofMetadata(), version: r.version()}
	result.Difference = compare.diff(expected, answer, "")
	if result.Difference != "" {
		compare.anyOrder = true
		if compare.diff(expected, answer, "") == "" {
			result.Difference = "different order: " + result.Difference
		}
	}
	if wanted := c.wantedStatus(); !statusMatches(wanted, status) {
		result.Difference = strings.TrimSuffix(fmt.Sprintf("HTTP status %d, expected %s; %s", status, wanted, result.Difference), "; ")
	}
	return result
}

// wantedStatus returns the expected status: a number, or a class such as 4xx.
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
