package httpadapter

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// bundled responds to a POST of a batch or transaction at the base.
func (c *call) bundled() {
	b, err := c.requestBundle()
	if err != nil {
		c.fail(err)
		return
	}
	if err := c.entriesWithinRate(len(b.Entries)); err != nil {
		c.fail(err)
		return
	}
	if b.Type == "transaction" {
		c.transaction(b)
		return
	}
	c.batch(b)
}

// requestBundle reads the body of a batch or transaction.
func (c *call) requestBundle() (*resources.Bundle, error) {
	if _, err := c.negotiateQuery(); err != nil {
		return nil, err
	}
	body, err := c.readResource("send a Bundle as " + mediaFHIR)
	if err != nil {
		return nil, err
	}
	b, err := resources.ParseBundle(body)
	if err != nil {
		return nil, err
	}
	if b.Type != "batch" && b.Type != "transaction" {
		return nil, withStatus(http.StatusUnprocessableEntity, operation.Problem{
			Code: "not-supported", Expression: "Bundle.type",
			Text: fmt.Sprintf("Bundle.type %q is not supported here; send a batch or a transaction", cut(b.Type)),
		})
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		e.URL = c.relative(e.URL)
	}
	if err := c.understoodEntries(b); err != nil {
		return nil, err
	}
	if n := len(b.Entries); n > c.h.Limits.MaxEntries {
		return nil, withStatus(http.StatusRequestEntityTooLarge, operation.Problem{
			Code: "too-costly", Expression: "Bundle.entry",
			Text: fmt.Sprintf("the Bundle has %d entries, but this server accepts at most %d", n, c.h.Limits.MaxEntries),
		})
	}
	return b, nil
}

// relative returns the URL of an entry without the base of this server. The URL should be relative
// (R4 bundle-definitions.html#Bundle.entry.request.url), but some clients send absolute ones. The
// URL of a base with other rules is returned unchanged: an entry follows the rules of its bundle.
func (c *call) relative(url string) string {
	for i := len(bases) - 1; i >= 0; i-- { // the root last
		path := bases[i].path
		rest, is := strings.CutPrefix(strings.TrimPrefix(url, c.address()), path)
		switch {
		case !is || rest != "" && rest[0] != '/' && rest[0] != '?', path == "" && rest == url:
		case !bases[i].answersLike(c.at):
			return url
		default:
			return strings.TrimPrefix(rest, "/")
		}
	}
	return url
}

// batch runs the entries one by one, within the timeout of one request (R4 http.html#transaction).
// An entry that fails does not affect the others.
func (c *call) batch(batch *resources.Bundle) {
	ctx := c.context()
	b := newBundle(c, "batch-response")
	for i := range batch.Entries {
		b.begin()
		a := c.newEntryResponse()
		if err := batch.Entries[i].CheckRequest(i); err != nil {
			a.fail(err)
		} else {
			a = c.answerEntry(ctx, &batch.Entries[i])
		}
		c.recordEntry(i, &batch.Entries[i], a)
		b.response(a)
		if b.flush() != nil || c.r.Context().Err() != nil {
			return // the client has gone
		}
		c.account.Give(a.held)
	}
	b.close()
}

// newEntryResponse returns an empty response with status 200.
func (c *call) newEntryResponse() *entryResponse {
	return &entryResponse{call: c, header: http.Header{}, status: http.StatusOK}
}

// answerEntry runs the request of an entry.
func (c *call) answerEntry(ctx context.Context, e *resources.BundleEntry) *entryResponse {
	a := c.newEntryResponse()
	r, err := c.requestOf(ctx, e)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		a.fail(err)
		return a
	}
	before := c.account.Held()
	c.h.granted(a, r)
	c.account.Give(c.account.Held() - before - a.held) // the entry is finished but for its response
	return a
}

// requestOf returns the request of an entry. It has the Accept-Language and Prefer headers of the
// Bundle's request.
func (c *call) requestOf(ctx context.Context, e *resources.BundleEntry) (*http.Request, error) {
	prefix := "/baseR4/" // all paths below it are FHIR, which rules out /metrics
	if c.at.isR5() {
		prefix = c.at.path + "/"
	}
	u, err := url.Parse(prefix + strings.TrimPrefix(e.URL, "/"))
	if err != nil || u.Path == prefix && e.Method != http.MethodGet || resources.IsAbsolute(e.URL) {
		return nil, problem(http.StatusBadRequest, "value", "request.url %q is not a relative URL such as Patient/1", cut(e.URL))
	}
	body, media := e.Resource, mediaFHIR
	switch e.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		body = nil
	case http.MethodPost, http.MethodPut:
	case http.MethodPatch:
		if body, media, err = e.PatchBody(); err != nil {
			return nil, err
		}
	default:
		return nil, problem(http.StatusBadRequest, "value", "request.method %q is not one of GET, HEAD, POST, PUT, PATCH, DELETE", cut(e.Method))
	}
	r, err := http.NewRequestWithContext(ctx, e.Method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, problem(http.StatusBadRequest, "value", "%v", err)
	}
	if body == nil {
		r.Body, r.ContentLength = io.NopCloser(http.NoBody), 0
	}
	r.Host, r.TLS, r.RemoteAddr, r.RequestURI = c.r.Host, c.r.TLS, c.r.RemoteAddr, u.RequestURI()
	r.Header["Content-Type"] = []string{media}
	for _, name := range []string{"Accept-Language", "Prefer", headerCacheID} {
		if value := c.r.Header[name]; value != nil {
			r.Header[name] = value
		}
	}
	for name, value := range map[string]string{"If-Match": e.IfMatch, "If-None-Match": e.IfNoneMatch, "If-None-Exist": e.IfNoneExist} {
		if value != "" {
			r.Header[name] = []string{value}
		}
	}
	if at, err := time.Parse(time.RFC3339, e.IfModifiedSince); err == nil {
		r.Header["If-Modified-Since"] = []string{at.UTC().Format(http.TimeFormat)}
	}
	return r, nil
}

// entryResponse is the recorded response to the request of an entry. It implements
// http.ResponseWriter.
type entryResponse struct {
	call     *call // of the Bundle
	header   http.Header
	status   int
	body     bytes.Buffer
	modified time.Time // of the resource
	err      error     // the cause of a failure, if known
	held     int64     // memory taken for the body
	refused  error     // there was none
	warnings []byte    // an OperationOutcome about what was stored, or nil
	records  []audit.Record
}

func (a *entryResponse) Header() http.Header    { return a.header }
func (a *entryResponse) WriteHeader(status int) { a.status = status }

// Write records a part of the body, for which it takes memory. If there is none, the response becomes
// that error.
func (a *entryResponse) Write(p []byte) (int, error) {
	if a.refused != nil {
		return 0, a.refused
	}
	if n := int64(2 * (a.body.Len() + len(p))); n-a.held >= budget.Small {
		err := a.call.account.Try(n - a.held)
		if err != nil && !a.call.exclusive {
			err = a.call.account.Take(a.call.context(), n-a.held)
		}
		if err != nil {
			a.refused = err
			a.body.Reset()
			a.fail(err)
			return 0, err
		}
		a.held = n
	}
	return a.body.Write(p)
}

// fail makes the response that of an error.
func (a *entryResponse) fail(err error) {
	status, outcome := outcome(a.call.h.known(err))
	a.status, a.err = status, err
	a.body.Write(outcome.AppendJSON(nil))
}

// failure returns the error of a failed request, which fails its transaction, or nil.
func (a *entryResponse) failure() error {
	if a.status < http.StatusBadRequest {
		return nil
	}
	if a.err != nil {
		return a.err
	}
	return problem(a.status, "processing", "%s", http.StatusText(a.status))
}

// response writes an entry with the response to its request. The OperationOutcome of a failure is
// Bundle.entry.response.outcome.
func (b *bundle) response(a *entryResponse) {
	body := bytes.TrimSpace(a.body.Bytes())
	failed := a.status >= http.StatusBadRequest
	b.text(`{`)
	if len(body) > 0 && !failed {
		b.text(`"resource":`)
		b.add(body)
		b.text(`,`)
	}
	b.text(`"response":{"status":`)
	b.buf = r4.AppendString(b.buf, strconv.Itoa(a.status)+" "+http.StatusText(a.status))
	for _, part := range [...]struct{ name, value string }{
		{"location", a.header.Get("Location")}, {"etag", a.header.Get("Etag")},
	} {
		if part.value != "" {
			b.text(`,"` + part.name + `":`)
			b.buf = r4.AppendString(b.buf, part.value)
		}
	}
	if !a.modified.IsZero() {
		b.text(`,"lastModified":`)
		b.buf = r4.AppendString(b.buf, instant(a.modified))
	}
	if len(body) > 0 && failed {
		b.text(`,"outcome":`)
		b.add(body)
	} else if a.warnings != nil {
		b.text(`,"outcome":`)
		b.add(a.warnings)
	}
	b.text(`}}`)
}
