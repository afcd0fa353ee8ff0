package platformtest

import (
	"net/http"
	"net/url"
	"slices"
)

// A Request is a request that a platform received.
type Request struct {
	Method string
	Path   string // below the context path, escaped as received
	Query  url.Values
	Header http.Header
	Body   []byte
}

// Requests returns the requests so far, in order.
func (p *Platform) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Forget clears the recorded requests.
func (p *Platform) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = nil
}

func (p *Platform) record(r *http.Request, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, Request{r.Method, r.URL.EscapedPath(), r.URL.Query(), r.Header.Clone(), body})
}
