package terminology

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/roget-health/roget/resources/r4"
)

const (
	// maxAnswer bounds what is read of one answer of the server.
	maxAnswer = 32 << 20
	// listPage is the size of a page of the list of resources, maxListed the most that are read.
	listPage, maxListed = 1000, 50_000
	// listAge is how long a list of resources is used again.
	listAge = time.Minute
)

// Remote answers by a FHIR server. It is safe for concurrent use.
type Remote struct {
	base   string
	client *http.Client

	mu    sync.Mutex
	lists map[string]listed
}

// listed is a list of resources, and when it was read.
type listed struct {
	resources []Resource
	at        time.Time
}

// NewRemote returns a Source that sends operations to the FHIR server at base. Redirects are
// not followed. A nil transport is http.DefaultTransport.
func NewRemote(base string, transport http.RoundTripper) (*Remote, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address of the server is not of the form https://HOST/PATH")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of the server has a user, a query or a fragment: leave them out")
	}
	return &Remote{
		base: strings.TrimRight(u.String(), "/"),
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		lists: map[string]listed{},
	}, nil
}

// Operate sends an operation.
func (r *Remote) Operate(ctx context.Context, typ, name string, parameters []byte) ([]byte, error) {
	return r.do(ctx, http.MethodPost, "/"+typ+"/$"+name, parameters)
}

func (r *Remote) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/fhir+json")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/fhir+json")
	}
	answer, err := r.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the server %s cannot be reached: check that it runs and that the address is right", r.base)
	}
	defer func() { _ = answer.Body.Close() }()
	doc, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the server %s broke off its answer: try again", r.base)
	case len(doc) > maxAnswer:
		return nil, fmt.Errorf("the answer of the server %s has more than %d bytes: ask for less", r.base, maxAnswer)
	case answer.StatusCode == http.StatusOK:
		return doc, nil
	}
	if issues := issuesOf(doc); len(issues) > 0 {
		return nil, firstError(issues)
	}
	return nil, fmt.Errorf("the server %s answered %s, and not as a FHIR server does: check the address, which may lack a path such as /fhir", r.base, answer.Status)
}

// Resources lists the resources of the server. A list is used again for a minute.
func (r *Remote) Resources(ctx context.Context, typ string) ([]Resource, error) {
	r.mu.Lock()
	kept, ok := r.lists[typ]
	r.mu.Unlock()
	if ok && time.Since(kept.at) < listAge {
		return kept.resources, nil
	}
	var all []Resource
	for offset := 0; offset < maxListed; offset += listPage {
		page, err := r.page(ctx, typ, offset)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < listPage {
			break
		}
	}
	r.mu.Lock()
	r.lists[typ] = listed{resources: all, at: time.Now()}
	r.mu.Unlock()
	return all, nil
}

// page reads a page of the list of resources.
func (r *Remote) page(ctx context.Context, typ string, offset int) ([]Resource, error) {
	doc, err := r.do(ctx, http.MethodGet, "/"+typ+"?_summary=true&_count="+strconv.Itoa(listPage)+"&_offset="+strconv.Itoa(offset), nil)
	if err != nil {
		return nil, err
	}
	var bundle struct {
		Entry []struct {
			Resource struct {
				ResourceType, URL, Version, ID, Name, Title, Status string
				Publisher, Description, Date, Content, Supplements  string
				Count                                               int
			}
		}
	}
	if err := json.Unmarshal(doc, &bundle); err != nil {
		return nil, fmt.Errorf("the server %s did not answer with a list of resources: check the address", r.base)
	}
	var list []Resource
	for i := range bundle.Entry {
		e := &bundle.Entry[i].Resource
		if e.ResourceType != typ {
			continue
		}
		list = append(list, Resource{
			Type: typ, URL: e.URL, Version: e.Version, ID: e.ID, Name: e.Name, Title: e.Title, Status: e.Status,
			Publisher: e.Publisher, Description: e.Description, Date: e.Date,
			Content: e.Content, Supplements: e.Supplements, Codes: e.Count,
		})
	}
	return list, nil
}

// issuesOf reads an OperationOutcome; nil if the document is none.
func issuesOf(doc []byte) []r4.Issue {
	var outcome struct {
		ResourceType string
		Issue        []struct {
			Severity, Code, Diagnostics string
			Details                     *r4.CodeableConcept
		}
	}
	if json.Unmarshal(doc, &outcome) != nil || outcome.ResourceType != "OperationOutcome" {
		return nil
	}
	issues := make([]r4.Issue, len(outcome.Issue))
	for i, is := range outcome.Issue {
		issues[i] = r4.Issue{Severity: is.Severity, Code: is.Code, Diagnostics: is.Diagnostics, Details: is.Details}
	}
	return issues
}

// firstError returns the first error of an OperationOutcome.
func firstError(issues []r4.Issue) *Refusal {
	if len(issues) == 0 {
		return &Refusal{Code: "exception", Text: "the operation failed without a reason"}
	}
	first := &issues[0]
	for i := range issues {
		if s := issues[i].Severity; s == "error" || s == "fatal" {
			first = &issues[i]
			break
		}
	}
	r := &Refusal{Code: first.Code, Text: issueText(first)}
	if first.Details != nil && len(first.Details.Coding) > 0 {
		r.Detail = first.Details.Coding[0].Code
	}
	return r
}

func issueText(is *r4.Issue) string {
	text := is.Diagnostics
	if is.Details != nil {
		text = cmp.Or(is.Details.Text, text)
	}
	return cmp.Or(text, is.Code)
}
