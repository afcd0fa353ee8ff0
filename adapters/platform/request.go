package platform

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
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/auth"
)

// Request is one request to the API of the platform.
type Request struct {
	Method      string     // "" is GET
	Path        string     // /api/..., escaped already
	Query       url.Values // may be nil
	Header      http.Header
	Body        []byte
	ContentType string        // of the body
	Secrets     []auth.Secret // in path, query or body: masked in errors, should the server repeat them
}

// Response is an answer of the platform, read whole.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request, with the retries of the client's options. A status of 400 or more,
// or a redirect, is an AuthenticationError or APIError. Platform toolkit, section 2.3.
func (c *Client) Do(ctx context.Context, request Request) (*Response, error) {
	response, _, err := c.do(ctx, &request)
	return response, err
}

func (c *Client) do(ctx context.Context, request *Request) (*Response, sent, error) {
	response, secrets, err := c.exchange(ctx, request)
	if err == nil && response.Status >= 300 {
		response, err = nil, refusal(*request, response, secrets)
	}
	return response, secrets, err
}

// Raw sends a request as Do does and gives the answer whatever its status: GetResponse of
// the platform toolkit, section 2.3. Redirects are not followed.
func (c *Client) Raw(ctx context.Context, request Request) (*Response, error) {
	response, _, err := c.exchange(ctx, &request)
	return response, err
}

// get reads JSON into a value, which may be a *json.RawMessage. An answer without a body
// leaves the value as it is; a raw message becomes {}.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.into(ctx, Request{Method: http.MethodGet, Path: path, Query: query}, into)
}

// send sends a value as JSON, nothing where it is nil, and reads JSON as get does; into
// may be nil. A PATCH is one of RFC 6902.
func (c *Client) send(ctx context.Context, method, path string, body, into any) error {
	request := Request{Method: method, Path: path}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
		request.Body, request.ContentType = text, "application/json"
		if method == http.MethodPatch {
			request.ContentType = "application/json-patch+json"
		}
	}
	return c.into(ctx, request, into)
}

// upload sends a body of any type and reads JSON as send does.
func (c *Client) upload(ctx context.Context, method, path, contentType string, body []byte, into any) error {
	return c.into(ctx, Request{Method: method, Path: path, Body: body, ContentType: contentType}, into)
}

func (c *Client) into(ctx context.Context, request Request, into any) error {
	response, secrets, err := c.do(ctx, &request)
	if err != nil || into == nil {
		return err
	}
	raw, isRaw := into.(*json.RawMessage)
	switch {
	case len(bytes.TrimSpace(response.Body)) == 0:
		if isRaw {
			*raw = json.RawMessage("{}")
		}
	case !json.Valid(response.Body):
		return notJSON(request, response, secrets)
	case isRaw:
		*raw = response.Body
	default:
		err := errNull
		if string(bytes.TrimSpace(response.Body)) != "null" {
			err = unmarshal(response.Body, into)
		}
		if err != nil {
			return fmt.Errorf("%s %s: the answer is not what it should be: %w", request.Method, secrets.masked(request.Path), err)
		}
	}
	return nil
}

// errNull tells of an answer that is null: it must not pass for a list without items, or a
// record without members.
var errNull = errors.New("it is null")

// badSegment is what segment makes of a name that no path can carry; a request for it is
// not sent. Without this, deleting the key "" of a namespace would delete the namespace.
const badSegment = "%"

// segment escapes a name as one segment of a path.
func segment(name string) string {
	if name == "" || name == "." || name == ".." {
		return badSegment
	}
	return url.PathEscape(name)
}

// maxAddress is how many bytes an address may have.
const maxAddress = 64 << 10

// address makes the address of a request.
func (c *Client) address(request *Request) (*url.URL, error) {
	refuse := func(why string) (*url.URL, error) {
		return nil, fmt.Errorf("%s %s: %s", request.Method, auth.Printable(request.Path, 200), why)
	}
	if !strings.HasPrefix(request.Path, "/") || strings.ContainsAny(request.Path, "?#") || auth.HasControl(request.Path) {
		return refuse("the path does not begin with /, or has a query or control character")
	}
	for _, part := range strings.Split(request.Path, "/") {
		name, err := url.PathUnescape(part)
		if err != nil || name == "." || name == ".." {
			return refuse("a name in the path is empty, . or .., or not escaped; correct the name")
		}
	}
	u, err := url.Parse(c.base + request.Path)
	if err != nil {
		return refuse("the path cannot be read")
	}
	u.RawQuery = request.Query.Encode()
	if len(u.Path)+len(u.RawQuery) > maxAddress {
		return refuse(fmt.Sprintf("the address is longer than %d bytes; give fewer fields or filters", maxAddress))
	}
	return u, nil
}

// exchange sends a request until there is an answer that need not be asked for again. It
// gives what was sent that is secret, too.
func (c *Client) exchange(ctx context.Context, request *Request) (*Response, sent, error) {
	request.Method = cmp.Or(request.Method, http.MethodGet)
	u, err := c.address(request)
	if err != nil {
		return nil, sent{}, err
	}
	for attempt := 1; ; attempt++ {
		response, secrets, err := c.attempt(ctx, request, u)
		pause, again := c.options.Retry.pause(request.Method, attempt, response, err, c.options.Now)
		if !again {
			return response, secrets, err
		}
		if err := c.options.Retry.Wait(ctx, pause); err != nil {
			return nil, sent{}, err
		}
	}
}

// attempt sends a request once.
func (c *Client) attempt(ctx context.Context, request *Request, u *url.URL) (*Response, sent, error) {
	out, err := c.request(ctx, request.Method, u, request.Body)
	if err != nil {
		return nil, sent{}, err
	}
	if err := provide(ctx, c.provider, out.Header); err != nil {
		return nil, sent{}, err
	}
	if request.ContentType != "" {
		out.Header.Set("Content-Type", request.ContentType)
	}
	for name, values := range request.Header {
		if slices.ContainsFunc(values, auth.HasControl) || auth.HasControl(name) {
			return nil, sent{}, fmt.Errorf("header %q has a control character, which no request can carry", name)
		}
		out.Header[http.CanonicalHeaderKey(name)] = values
	}
	secrets := credentials(out.Header)
	for _, secret := range request.Secrets {
		secrets.add(secret.Reveal())
	}
	response, err := c.roundTrip(out)
	if err != nil {
		return nil, sent{}, fmt.Errorf("%s %s: %w", request.Method, secrets.masked(request.Path), err)
	}
	return response, secrets, nil
}

// request makes a request without credentials.
func (c *Client) request(ctx context.Context, method string, u *url.URL, body []byte) (*http.Request, error) {
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, u.String(), reader)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", c.options.UserAgent)
	return request, nil
}

// ErrUnreachable is in the error of a request that got no whole answer.
var ErrUnreachable = errors.New("the platform is out of reach")

// networkError tells that there was no whole answer: such requests may be sent again.
type networkError struct{ error }

func (e networkError) Unwrap() error { return e.error }

// Is makes it an ErrUnreachable.
func (e networkError) Is(target error) bool { return target == ErrUnreachable }

// roundTrip asks the hooks, sends a request and reads the answer, for which it writes the
// debug line.
func (c *Client) roundTrip(request *http.Request) (_ *Response, err error) {
	for _, hook := range c.options.Hooks {
		if err := hook(request); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(request.Context())
	defer cancel(nil)
	begin := c.options.Now()
	response := new(Response)
	defer func() { c.debug(request, response, err, c.options.Now().Sub(begin)) }()
	answer, err := c.http.Do(request.WithContext(ctx))
	if err == nil {
		response.Status, response.Header = answer.StatusCode, answer.Header
		response.Body, err = c.read(answer.Body, cancel)
		answer.Body.Close()
	}
	switch cause := context.Cause(ctx); {
	case err == nil:
		return response, nil
	case request.Context().Err() != nil:
		return nil, request.Context().Err()
	case errors.Is(err, errTooLong):
		return nil, fmt.Errorf("%w of %d bytes; ask for less at a time, or raise MaxAnswer", err, c.options.MaxAnswer)
	case cause != nil:
		err = cause
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) { // whose text has the query
		err = wrapped.Err
	}
	return nil, networkError{fmt.Errorf("cannot reach %s: %w", c.base, err)}
}

var errTooLong = errors.New("the answer is longer than the limit")

// read reads a body within its limits: so many bytes, and so long for each part.
func (c *Client) read(body io.Reader, cancel context.CancelCauseFunc) ([]byte, error) {
	timer := time.AfterFunc(c.options.ReadTimeout, func() {
		cancel(fmt.Errorf("the answer did not go on for %v", c.options.ReadTimeout))
	})
	defer timer.Stop()
	text, err := io.ReadAll(io.LimitReader(kept{body, timer, c.options.ReadTimeout}, c.options.MaxAnswer+1))
	if err == nil && int64(len(text)) > c.options.MaxAnswer {
		err = errTooLong
	}
	return text, err
}

// kept is a reader that puts off a timer as long as something comes.
type kept struct {
	io.Reader
	timer *time.Timer
	time  time.Duration
}

func (k kept) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	k.timer.Reset(k.time)
	return n, err
}
