package uiadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A fhirError is the response of a request for resources that failed.
type fhirError struct {
	status int
	text   string
}

func (e *fhirError) Error() string { return e.text }

// Status returns the HTTP status.
func (e *fhirError) Status() int { return e.status }

// FHIR sends a request to the FHIR interface of the server in the context of the page, and returns
// the body of the response. path has no slash at its beginning and may have a query. An error of
// the interface has the text of its OperationOutcome.
func (p *Page) FHIR(method, path string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(p.Context(), method, "/"+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%q is no address of this server: %w", path, err)
	}
	r.Host, r.RemoteAddr, r.TLS = p.r.Host, p.r.RemoteAddr, p.r.TLS
	r.Header.Set("Accept", "application/fhir+json")
	if body != nil {
		r.Header.Set("Content-Type", "application/fhir+json")
	}
	w := &response{header: http.Header{}, status: http.StatusOK}
	p.h.FHIR.ServeHTTP(w, r)
	if w.status >= http.StatusBadRequest {
		return nil, &fhirError{w.status, outcomeText(w.body.Bytes())}
	}
	return w.body.Bytes(), nil
}

// A response is a response in memory.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *response) Header() http.Header         { return w.header }
func (w *response) WriteHeader(status int)      { w.status = status }
func (w *response) Write(b []byte) (int, error) { return w.body.Write(b) }

// Get reads a resource or a page of a search into v.
func (p *Page) Get(path string, v any) error {
	body, err := p.FHIR(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}

// outcomeText returns the texts of an OperationOutcome.
func outcomeText(body []byte) string {
	var outcome struct {
		Issue []struct {
			Diagnostics string
			Details     struct{ Text string }
		}
	}
	if err := json.Unmarshal(body, &outcome); err != nil {
		return "the answer is no OperationOutcome"
	}
	var list []string
	for _, i := range outcome.Issue {
		if text := i.Details.Text; text != "" {
			list = append(list, text)
		} else if i.Diagnostics != "" {
			list = append(list, i.Diagnostics)
		}
	}
	return strings.Join(list, "; ")
}
