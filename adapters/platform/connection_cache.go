package platform

import (
	"context"
	"errors"
	"net/http"
)

// A ConnectionCache stores for a short time what Connect found, which saves the next Connect its requests. It is
// safe for concurrent use. It receives no secrets.
type ConnectionCache interface {
	// Get returns what is stored for a base URL, and false if nothing is.
	Get(baseURL string) (Found, bool)
	Put(baseURL string, found Found)
	Delete(baseURL string)
}

// Found is what Connect finds for a base URL.
type Found struct {
	Canonical string `json:"canonical"` // the canonical base URL
	Version   string `json:"version"`   // as reported by the server
}

// fromCache binds the client to what is stored for its base URL. It reports whether the client is bound.
func (c *Client) fromCache() bool {
	if c.options.ConnectionCache == nil {
		return false
	}
	found, known := c.options.ConnectionCache.Get(c.given)
	if !known {
		return false
	}
	major, err := bind(found.Version, c.options)
	if err != nil {
		c.options.ConnectionCache.Delete(c.given)
		return false
	}
	c.base, c.version, c.major = found.Canonical, found.Version, major
	return true
}

// toCache stores what Connect found.
func (c *Client) toCache() {
	if c.options.ConnectionCache != nil {
		c.options.ConnectionCache.Put(c.given, Found{c.base, c.version})
	}
}

// doubt deletes what is stored for the base URL if a response suggests that the server has moved or changed:
// no response, a redirect, refused credentials, status 404, or a failure of the server.
func (c *Client) doubt(ctx context.Context, response *Response, err error) {
	if c.options.ConnectionCache == nil || ctx.Err() != nil || errors.Is(err, ErrVetoed) {
		return
	}
	if err == nil {
		switch status := response.Status; {
		case status >= 500, status >= 300 && status < 400, status == http.StatusUnauthorized, status == http.StatusNotFound:
		default:
			return
		}
	}
	c.options.ConnectionCache.Delete(c.given)
}
