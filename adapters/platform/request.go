package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/roget-health/roget/auth"
)

// A Request is a request to the API of the platform.
type Request struct {
	Method      string     // "" means GET
	Path        string     // /api/..., escaped
	Query       url.Values // may be nil
	Header      http.Header
	Body        []byte
	ContentType string        // of the body
	Secrets     []auth.Secret // in path, query or body; masked in errors, in case the server repeats them
}

// A Response is a response of the platform, with its whole body.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request, with retries as the client's options say. A status of 400 or more and a redirect
// are an AuthenticationError or APIError. Platform toolkit, section 2.3.
func (c *Client) Do(ctx context.Context, request Request) (*Response, error) {
	response, _, err := c.do(ctx, &request)
	return response, err
}

func (c *Client) do(ctx context.Context, request *Request) (*Response, sent, error) {
	response, secrets, err := c.exchange(ctx, request)
	if err == nil && response.Status >= 300 {
		response, err = nil, c.refuse(ctx, *request, response, secrets)
	}
	return response, secrets, err
}

// refuse returns the error for a response that is no success. What to do about a refused token depends on the
// version of the platform, which says it without a login, too.
func (c *Client) refuse(ctx context.Context, request Request, response *Response, secrets sent) error {
	version := c.version
	if version == "" && response.Status == http.StatusUnauthorized && strings.EqualFold(secrets.scheme, "Bearer") {
		var err error
		if version, err = c.PublicVersion(ctx); errors.Is(err, ErrVetoed) {
			return err
		}
	}
	return refusal(request, response, secrets, version)
}

// Raw sends a request like Do and returns the response whatever its status. It does not follow
// redirects. It is GetResponse of the platform toolkit, section 2.3.
func (c *Client) Raw(ctx context.Context, request Request) (*Response, error) {
	response, _, err := c.exchange(ctx, &request)
	return response, err
}

// get reads JSON into a value, which may be a *json.RawMessage. A response without a body leaves the
// value unchanged, but sets a raw message to {}.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.into(ctx, Request{Method: http.MethodGet, Path: path, Query: query}, into)
}

// send sends a value as JSON, or no body if it is nil, and reads JSON like get. into may be nil. The
// body of a PATCH is a JSON Patch (RFC 6902).
func (c *Client) send(ctx context.Context, method, path string, body, into any) error {
	request := Request{Method: method, Path: path}
	if body != nil {
		text, err := marshal(body)
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

// upload sends a body of any content type and reads JSON like send.
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
			return fmt.Errorf("%s %s: the response does not have the expected form: %w", request.Method, secrets.masked(request.Path), err)
		}
	}
	return nil
}

// errNull is returned for the response null, which must not pass for an empty list or record.
var errNull = errors.New("it is null")
