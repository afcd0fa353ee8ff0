package httpadapter

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/roget-health/roget/engine/operation"
)

// newCrossOrigin returns the check that keeps web pages of other origins from sending requests that
// may change something. A browser sends some of those without asking first, although the page
// cannot read the response.
func newCrossOrigin(c *Config, public publicURL) (*http.CrossOriginProtection, error) {
	if slices.Contains(c.CORSOrigins, "*") {
		return nil, nil
	}
	check := http.NewCrossOriginProtection()
	trusted := slices.Clone(c.CORSOrigins)
	if public.text != "" {
		trusted = append(trusted, originOfURL(public))
	}
	for _, origin := range trusted {
		if err := check.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	return check, nil
}

// originOfURL returns the origin of the pages at a URL.
func originOfURL(u publicURL) string { return u.text[:len(u.text)-len(u.path)] }

// fromOwnPage reports whether a request comes from no browser, from a page of the server, from a page
// that Config.CORSOrigins permits, or only reads. If not, it responds.
func (h *Handler) fromOwnPage(w http.ResponseWriter, r *http.Request) bool {
	if h.crossOrigin == nil || r.Header["Origin"] == nil && r.Header["Sec-Fetch-Site"] == nil {
		return true
	}
	if h.crossOrigin.Check(r) == nil {
		return true
	}
	if o := originOf(r.Context()); o != nil && o.host != "" && r.Header.Get("Origin") == o.scheme+"://"+o.host {
		return true // the proxy has replaced the Host
	}
	h.refuseRequest(w, r, withStatus(http.StatusForbidden, operation.Problem{
		Code: "forbidden",
		Text: "this server does not accept a " + cut(r.Method) + " from web pages of the origin " + strconv.Quote(cut(r.Header.Get("Origin"))) +
			"; if it should, start the server with --cors-origin ORIGIN",
	}))
	return false
}
