package platform

import (
	"bytes"
	"cmp"
	"context"
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

// exchange sends a request with retries. If a token is refused, it is refreshed, once. exchange also returns
// the secrets that were sent.
func (c *Client) exchange(ctx context.Context, request *Request) (*Response, sent, error) {
	request.Method = cmp.Or(request.Method, http.MethodGet)
	u, err := c.address(request)
	if err != nil {
		return nil, sent{}, err
	}
	for attempt := 1; ; attempt++ {
		response, secrets, err := c.attempt(ctx, request, u)
		if attempt == 1 && err == nil && response.Status == http.StatusUnauthorized {
			response, secrets, err = c.refreshed(ctx, request, u, response, secrets)
		}
		pause, again := c.options.Retry.pause(request.Method, attempt, response, err, c.options.Now)
		if !again {
			c.doubt(ctx, response, err)
			return response, secrets, err
		}
		c.notice(pause, response, err)
		if err := c.options.Retry.Wait(ctx, pause); err != nil {
			return nil, sent{}, err
		}
	}
}

// refreshed sends a request again with another token, because a platform that restarts may lose its signing
// keys and refuse tokens that have not expired (V10). If the provider cannot refresh its token, refreshed
// returns the first response, and the error of the refresh among the secrets.
func (c *Client) refreshed(ctx context.Context, request *Request, u *url.URL, response *Response, secrets sent) (*Response, sent, error) {
	provider, can := c.provider.(auth.Refresher)
	if !can || !strings.EqualFold(secrets.scheme, "Bearer") || request.Header.Get("Authorization") != "" {
		return response, secrets, nil
	}
	if err := provider.Refresh(ctx, secrets.headers); err != nil {
		if ctx.Err() != nil {
			return nil, secrets, ctx.Err()
		}
		secrets.refresh = err
		return response, secrets, nil
	}
	return c.attempt(ctx, request, u)
}

// notice announces a retry, and why it is needed.
func (c *Client) notice(pause time.Duration, response *Response, err error) {
	if c.options.Retry.Notice == nil {
		return
	}
	why := ""
	if err != nil {
		why = err.Error()
	} else {
		why = fmt.Sprintf("%d %s", response.Status, reason(response.Status))
	}
	c.debugMu.Lock()
	defer c.debugMu.Unlock()
	c.options.Retry.Notice(pause, why)
}

// attempt sends a request once, with credentials.
func (c *Client) attempt(ctx context.Context, request *Request, u *url.URL) (*Response, sent, error) {
	out, err := c.request(ctx, request.Method, u, request.Body)
	if err != nil {
		return nil, sent{}, err
	}
	headers, err := provide(ctx, c.provider, out.Header)
	if err != nil {
		return nil, sent{}, err
	}
	if request.ContentType != "" {
		out.Header.Set("Content-Type", request.ContentType)
	}
	for name, values := range request.Header {
		if slices.ContainsFunc(values, auth.HasControl) || auth.HasControl(name) {
			return nil, sent{}, fmt.Errorf("header %q contains a control character, which HTTP does not allow", name)
		}
		out.Header[http.CanonicalHeaderKey(name)] = values
	}
	secrets := credentials(out.Header)
	secrets.headers = headers
	for _, secret := range request.Secrets {
		secrets.add(secret.Reveal())
	}
	response, err := c.roundTrip(out)
	if err != nil {
		return nil, sent{}, fmt.Errorf("%s %s: %w", request.Method, secrets.masked(request.Path), err)
	}
	return response, secrets, nil
}

// request returns a request without credentials.
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
	// Without it, the platform answers a request without a login with its login page instead of 401 (V5).
	request.Header.Set("X-Requested-With", "XMLHttpRequest")
	return request, nil
}

// ErrUnreachable is in the error of a request that got no complete response.
var ErrUnreachable = errors.New("the platform cannot be reached")

// networkError is the error of a request that got no complete response. Such requests may be retried.
type networkError struct{ error }

func (e networkError) Unwrap() error { return e.error }

// Is reports whether target is ErrUnreachable.
func (e networkError) Is(target error) bool { return target == ErrUnreachable }

// roundTrip runs the hooks, sends a request, reads the response and writes the debug line.
func (c *Client) roundTrip(request *http.Request) (_ *Response, err error) {
	for _, hook := range c.options.Hooks {
		if err := hook(request); err != nil {
			return nil, vetoed(err)
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
	if errors.As(err, &wrapped) { // its text contains the query
		err = wrapped.Err
	}
	if errors.Is(err, ErrVetoed) {
		return nil, err
	}
	return nil, networkError{fmt.Errorf("cannot reach %s: %w", c.base, err)}
}

var errTooLong = errors.New("the response is longer than the limit")

// read reads a body within MaxAnswer bytes and ReadTimeout for each part.
func (c *Client) read(body io.Reader, cancel context.CancelCauseFunc) ([]byte, error) {
	timer := time.AfterFunc(c.options.ReadTimeout, func() {
		cancel(fmt.Errorf("the response stalled for %v", c.options.ReadTimeout))
	})
	defer timer.Stop()
	text, err := io.ReadAll(io.LimitReader(idleReader{body, timer, c.options.ReadTimeout}, c.options.MaxAnswer+1))
	if err == nil && int64(len(text)) > c.options.MaxAnswer {
		err = errTooLong
	}
	return text, err
}

// idleReader is a reader that resets a timer with every read.
type idleReader struct {
	io.Reader
	timer   *time.Timer
	timeout time.Duration
}

func (r idleReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.timer.Reset(r.timeout)
	return n, err
}
