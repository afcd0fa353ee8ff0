package platform

import (
	"context"
	"errors"
	"net/http"
)

// A Memory remembers for a short time what Connect found out, which saves the next Connect its requests. It
// is safe for concurrent use, and loses what it cannot store. It gets no secrets.
type Memory interface {
	// Recall returns what is remembered of a base URL, and false if that is nothing.
	Recall(baseURL string) (Found, bool)
	Remember(baseURL string, found Found)
	Forget(baseURL string)
}

// Found is what Connect finds out about a base URL.
type Found struct {
	Canonical string `json:"canonical"` // the canonical base URL
	Version   string `json:"version"`   // as reported by the server
}

// recall binds the client to what is remembered of its base URL, and reports whether it is now bound.
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

// remember remembers what Connect found out.
func (c *Client) remember() {
	if c.options.Memory != nil {
		c.options.Memory.Remember(c.given, Found{c.base, c.version})
	}
}

// doubt forgets the platform after an answer that another server, or another version of it, might give: no
// answer, a redirect, refused credentials, nothing found, or a failure of the server.
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
