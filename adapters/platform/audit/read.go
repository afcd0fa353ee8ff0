package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/roget-health/roget/adapters/platform"
)

const infoPath = "/api/system/info"

// A readError is a read that failed: no response, a refusal, or a response of another form. It degrades
// a check.
type readError struct {
	path string
	err  error
}

func (e *readError) Error() string { return fmt.Sprintf("%s could not be read: %v", e.path, e.err) }
func (e *readError) Unwrap() error { return e.err }

var (
	errEmpty = errors.New("the response is empty")
	errForm  = errors.New("the response does not have the expected form")
)

// read reads JSON of a path into a value. Every error is a readError.
func (s *Scanner) read(ctx context.Context, path string, query url.Values, into any) error {
	body, err := s.get(ctx, path, query)
	if err == nil && string(body) == "null" {
		err = errEmpty
	}
	if err == nil && json.Unmarshal(body, into) != nil {
		err = errForm
	}
	if err != nil {
		return &readError{path, err}
	}
	return nil
}

// get returns the JSON of a path.
func (s *Scanner) get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	response, err := s.client.Do(ctx, platform.Request{Path: path, Query: query, Header: ajax()})
	if err != nil {
		return nil, err
	}
	body := bytes.TrimSpace(response.Body)
	switch {
	case len(body) == 0:
		return nil, errEmpty
	case !json.Valid(body):
		return nil, errors.New("the response is not JSON")
	}
	return body, nil
}

// readList reads the list under a key of an object. A missing list is an error.
func readList[T any](ctx context.Context, s *Scanner, path, key string, query url.Values) ([]T, error) {
	var answer map[string]json.RawMessage
	if err := s.read(ctx, path, query, &answer); err != nil {
		return nil, err
	}
	var list []T
	if json.Unmarshal(answer[key], &list) != nil || list == nil {
		return nil, &readError{path, errForm}
	}
	return list, nil
}

func fields(list string) url.Values { return url.Values{"fields": {list}, "paging": {"false"}} }

// statusOf returns the status of a refusal, or 0.
func statusOf(err error) int {
	if refused, ok := errors.AsType[*platform.AuthenticationError](err); ok {
		return refused.Status
	}
	if api, ok := errors.AsType[*platform.APIError](err); ok {
		return api.Status
	}
	return 0
}

// why returns the reason of a failed read for the note of a control.
func why(what string, err error) string {
	switch status := statusOf(err); {
	case status == http.StatusNotFound:
		return what + ": the server does not have it (404)"
	case status == http.StatusForbidden:
		return what + ": the audit account may not read it (403)"
	case status != 0:
		return fmt.Sprintf("%s unreadable (%d)", what, status)
	}
	return what + " unreadable: " + err.Error()
}

// reportedVersion reads the version of the platform; "" if the system information has none.
func (s *Scanner) reportedVersion(ctx context.Context) (string, error) {
	body, err := s.get(ctx, infoPath, nil)
	if err != nil {
		return "", err
	}
	var info map[string]json.RawMessage
	if json.Unmarshal(body, &info) != nil || info == nil {
		return "", fmt.Errorf("%s%s is not the system information of a platform; check the URL of the profile", s.base, infoPath)
	}
	var version string
	_ = json.Unmarshal(info["version"], &version) // a version of another form is none
	return printable(version), nil
}
