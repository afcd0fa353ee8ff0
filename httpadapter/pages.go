package httpadapter

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine/operation"
)

// PageServices are what pages for browsers need of the server.
type PageServices struct {
	// FHIR serves requests for resources and operations. It does not authenticate: the context of a
	// request has the grant of the page that makes it.
	FHIR http.Handler
	// Address returns the absolute URL of the server as the client of a request sees it, without a
	// slash at its end.
	Address func(r *http.Request) string
	// Explain returns the HTTP status of an error and its text for the client.
	Explain func(err error) (status int, text string)
	// Login returns an error unless the header Authorization of a request has credentials that this
	// server accepts. It is nil if the server asks nobody who they are.
	Login func(r *http.Request) error
}

// pagePath is where the pages are.
const pagePath = "/ui"

// openPages are the pages and folders of pages that need no grant, because one signs in there or
// because they are the same for all.
var openPages = [...]string{
	pagePath + "/login", pagePath + "/logout", pagePath + "/oauth", pagePath + "/callback", pagePath + "/settings", pagePath + "/assets/",
}

// isPage reports whether a path is that of a page.
func isPage(path string) bool { return path == pagePath || strings.HasPrefix(path, pagePath+"/") }

// isOpenPage reports whether a page needs no grant.
func isOpenPage(path string) bool {
	for _, open := range openPages {
		if path == open || strings.HasSuffix(open, "/") && strings.HasPrefix(path, open) {
			return true
		}
	}
	return false
}

// setPages makes the pages, if there are any.
func (h *Handler) setPages() error {
	if h.Pages == nil {
		return nil
	}
	services := PageServices{
		FHIR: http.HandlerFunc(h.granted),
		Address: func(r *http.Request) string {
			c := call{h: h, r: r}
			return c.address()
		},
		Explain: func(err error) (int, string) {
			status, oo := outcome(err)
			var texts []string
			for _, i := range oo.Issue {
				texts = append(texts, i.Diagnostics)
			}
			return status, strings.Join(texts, "; ")
		},
	}
	if h.guarded() {
		services.Login = h.logIn
	}
	var err error
	h.pages, err = h.Pages(services)
	return err
}

// logIn returns an error unless a request has credentials that the server accepts and that permit
// something. Wrong ones count, as they do in other requests.
func (h *Handler) logIn(r *http.Request) error {
	if h.logins != nil {
		if _, ok := h.logins.look(rateKey{addr: clientNetwork(r)}, 1); !ok {
			return throttled("too many credentials from this address were not valid; try again in a minute")
		}
	}
	p, err := h.principal(r)
	if err != nil {
		h.countLogin(r, err)
	}
	var grant *access.Grant
	if err == nil && p != nil {
		grant, err = h.Authorizer.Authorize(access.WithPrincipal(r.Context(), p), p)
	}
	if err == nil && grant == nil {
		err = h.refused(p, nil)
	}
	if _, is := errors.AsType[*challenge](err); is {
		err = withStatus(http.StatusUnauthorized, operation.Problem{Code: "login", Text: "the credentials are not valid: " + err.Error()})
	}
	return err
}

// page serves a page within the time of a request.
func (c *call) page() {
	w := &pageResponse{ResponseWriter: c.w, call: c}
	c.h.pages.ServeHTTP(w, c.r.WithContext(c.context()))
	if c.status == 0 {
		c.status = http.StatusOK
	}
}

// A pageResponse notes the status and the size of a page.
type pageResponse struct {
	http.ResponseWriter
	call *call
}

// WriteHeader implements http.ResponseWriter.
func (w *pageResponse) WriteHeader(status int) {
	w.call.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *pageResponse) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.call.sent += int64(n)
	return n, err
}

// wantsPage reports whether a request for the root of the server is that of a browser: it prefers
// HTML to FHIR.
func (h *Handler) wantsPage(r *http.Request) bool {
	if h.pages == nil || r.URL.Path != "/" || r.Method != http.MethodGet && r.Method != http.MethodHead || r.URL.RawQuery != "" {
		return false
	}
	accept := r.Header.Get("Accept")
	html := strings.Index(accept, "text/html")
	fhir := strings.Index(accept, "fhir")
	return html >= 0 && (fhir < 0 || html < fhir)
}

// toPage sends a browser to a page. The address is relative, because a proxy may have removed a path.
func toPage(w http.ResponseWriter, to string) {
	header := w.Header()
	header["Location"] = []string{to}
	header["Cache-Control"] = []string{"no-store"}
	w.WriteHeader(http.StatusSeeOther)
}

// toLogin sends a browser that asks for a page without a grant to where one signs in. It returns
// false for other requests.
func (h *Handler) toLogin(w http.ResponseWriter, r *http.Request) bool {
	if h.pages == nil || !isPage(r.URL.Path) || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	back := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, pagePath), "/")
	if r.URL.RawQuery != "" {
		back += "?" + r.URL.RawQuery
	}
	to := "login?back=" + url.QueryEscape(back)
	if r.URL.Path == pagePath {
		to = "ui/" + to
	}
	if r.Header.Get("HX-Request") != "" { // a part of a page cannot be another page
		w.Header()["Hx-Redirect"] = []string{to}
		w.WriteHeader(http.StatusNoContent)
		return true
	}
	toPage(w, to)
	return true
}
