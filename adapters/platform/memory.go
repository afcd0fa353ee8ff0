package platform

import (
	"context"
	"errors"
	"net/http"
)

// A Memory stores for a short time what Connect found, which saves the next Connect its requests. It is
// safe for concurrent use. It receives no secrets.
type Memory interface {
	// Recall returns what is stored for a base URL, and false if nothing is.
	Recall(baseURL string) (Found, bool)
	Remember(baseURL string, found Found)
	Forget(baseURL string)
}

// Found is what Connect finds for a base URL.
type Found struct {
	Canonical string `json:"canonical"` // the canonical base URL
	Version   string `json:"version"`   // as reported by the server
}

// recall binds the client to what is stored for its base URL. It reports whether the client is bound.
func (c *Client) recall() bool {
	if c.options.Memory == nil {
		return false
	}
	found, known := c.options.Memory.Recall(c.given)
	if !known {
		return false
	}
	major, err := bind(found.Version, c.options)
	if err != nil {
		c.options.Memory.Forget(c.given)
		return false
	}
	c.base, c.version, c.major = found.Canonical, found.Version, major
	return true
}

// remember stores what Connect found.
func (c *Client) remember() {
	if c.options.Memory != nil {
		c.options.Memory.Remember(c.given, Found{c.base, c.version})
	}
}

// doubt deletes what is stored for the base URL if a response suggests that the server has moved or changed:
// no response, a redirect, refused credentials, status 404, or a failure of the server.
func (c *Client) doubt(ctx context.Context, response *Response, err error) {
	if c.options.Memory == nil || ctx.Err() != nil || errors.Is(err, ErrVetoed) {
		return
	}
	if err == nil {
		switch status := response.Status; {
		case status >= 500, status >= 300 && status < 400, status == http.StatusUnauthorized, status == http.StatusNotFound:
		default:
			return
		}
	}
	c.options.Memory.Forget(c.given)
}
