package httpadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// batchBundle is what is read of a Bundle of type batch (R4 http.html#transaction).
type batchBundle struct {
	ResourceType string       `json:"resourceType"`
	Type         string       `json:"type"`
	Entry        []batchEntry `json:"entry"`
}

type batchEntry struct {
	Resource json.RawMessage `json:"resource"`
	Request  struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	} `json:"request"`
}

// batch answers POST at the base: a Bundle of requests that change nothing, each answered
// as if it had come alone, all in the time of one request. An entry that fails leaves the
// others alone.
func (c *call) batch() {
	batch, err := c.batchBody()
	if err != nil {
		c.fail(err)
		return
	}
	ctx := c.context()
	b := newBundle(c, "batch-response", "")
	for i := range batch.Entry {
		b.begin()
		b.response(c.answer(ctx, &batch.Entry[i]))
		if b.flush() != nil {
			return // the client has gone
		}
	}
	b.close()
}

func (c *call) batchBody() (*batchBundle, error) {
	_, err := c.agreed()
	media := ""
	if err == nil {
		media, err = c.mediaType()
	}
	if err == nil && media == mediaForm {
		err = unsupportedMedia("a batch is sent as " + mediaFHIR)
	}
	var body []byte
	if err == nil {
		body, err = c.body(nil)
	}
	if err == nil {
		err = r4.Check(body, r4.DefaultLimits())
	}
	if err != nil {
		return nil, err
	}
	batch := new(batchBundle)
	if err := json.Unmarshal(body, batch); err != nil || batch.ResourceType != "Bundle" {
		return nil, &operation.Problem{Status: http.StatusBadRequest, Code: "structure", Text: "the body is not a Bundle of requests", Err: err}
	}
	if batch.Type != "batch" {
		return nil, &operation.Problem{
			Status: http.StatusUnprocessableEntity, Code: "not-supported", Expression: "Bundle.type",
			Text: fmt.Sprintf("Bundle.type %q is not supported; this server takes batch", cut(batch.Type)),
		}
	}
	return batch, nil
}

// answer runs the request of an entry.
func (c *call) answer(ctx context.Context, e *batchEntry) *answer {
	a := &answer{header: http.Header{}, status: http.StatusOK}
	r, err := c.requestOf(ctx, e)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		status, outcome := operation.Outcome(err)
		a.status = status
		a.body.Write(outcome.AppendJSON(nil))
		return a
	}
	c.h.router.ServeHTTP(a, r)
	return a
}

// requestOf makes the request of an entry, with the headers of the batch that say how to
// answer.
func (c *call) requestOf(ctx context.Context, e *batchEntry) (*http.Request, error) {
	const prefix = "/baseR4/" // there is nothing but FHIR below it
	u, err := url.Parse(prefix + strings.TrimPrefix(e.Request.URL, "/"))
	if err != nil || u.Path == prefix {
		return nil, entryProblem(http.StatusBadRequest, "value", "request.url %q is not the relative URL of a request", cut(e.Request.URL))
	}
	last := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	method := e.Request.Method
	if method != http.MethodGet && (method != http.MethodPost || !strings.HasPrefix(last, "$")) {
		return nil, entryProblem(http.StatusMethodNotAllowed, "not-supported", "a batch takes GET, and POST of operations; not %q of %q", cut(method), cut(last))
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(e.Resource))
	if err != nil {
		return nil, err
	}
	if method == http.MethodGet {
		r.Body, r.ContentLength = io.NopCloser(http.NoBody), 0
	}
	r.Host, r.TLS, r.RequestURI = c.r.Host, c.r.TLS, u.RequestURI()
	r.Header["Content-Type"] = []string{mediaFHIR}
	for _, name := range []string{"Accept-Language", "Prefer"} {
		if value := c.r.Header[name]; value != nil {
			r.Header[name] = value
		}
	}
	return r, nil
}

func entryProblem(status int, code, format string, args ...any) error {
	return &operation.Problem{Status: status, Code: code, Text: fmt.Sprintf(format, args...)}
}

// answer is what a handler answers to the request of an entry. It implements
// http.ResponseWriter.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

// response writes an entry with the answer to its request. An OperationOutcome of what
// failed is the outcome of the response.
func (b *bundle) response(a *answer) {
	body := bytes.TrimSpace(a.body.Bytes())
	failed := a.status >= http.StatusBadRequest
	b.text(`{`)
	if len(body) > 0 && !failed {
		b.text(`"resource":`)
		b.buf = append(b.buf, body...)
		b.text(`,`)
	}
	b.text(`"response":{"status":`)
	b.buf = r4.AppendString(b.buf, strconv.Itoa(a.status)+" "+http.StatusText(a.status))
	if len(body) > 0 && failed {
		b.text(`,"outcome":`)
		b.buf = append(b.buf, body...)
	}
	b.text(`}}`)
}
