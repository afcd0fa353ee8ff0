package oauth2

import (
	"cmp"
	"crypto/subtle"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/roget-health/roget/auth"
)

// maxShown limits the characters of a server's text that are shown.
const maxShown = 400

// verdict is the outcome of a redirect: the code or an error, and the page for the user.
type verdict struct {
	code   string
	err    error
	status int
	page   string // text, not yet escaped
}

// judge checks a redirect. The state is checked first, so that only the platform can end the flow
// with an error. Platform toolkit, section 1.6.4, step 6.
func judge(request *http.Request, state string) verdict {
	refuse := func(kind error, code, detail, page string) verdict {
		return verdict{err: &auth.FlowError{Kind: kind, Code: code, Detail: detail}, status: http.StatusBadRequest, page: page}
	}
	if request == nil {
		return refuse(auth.ErrBadRedirect, "", "", "The request cannot be read.")
	}
	query, err := url.ParseQuery(request.URL.RawQuery)
	if err != nil || request.Method != http.MethodGet {
		return refuse(auth.ErrBadRedirect, "", "it is not a GET with a query", "The request cannot be read.")
	}
	for _, name := range []string{"state", "code", "error", "error_description"} {
		if len(query[name]) > 1 {
			return refuse(auth.ErrBadRedirect, "", "it has "+name+" more than once", "The request cannot be read.")
		}
	}
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(state)) != 1 {
		return refuse(auth.ErrStateMismatch, "", "the redirect belongs to another login, or is forged; log in again", "State mismatch: this page belongs to another login.")
	}
	if code := query.Get("error"); code != "" {
		code, detail := auth.Printable(code, maxShown), auth.Printable(query.Get("error_description"), maxShown)
		return refuse(auth.ErrDenied, code, detail, "Authorization failed: "+cmp.Or(detail, code))
	}
	code := query.Get("code")
	if code == "" {
		return refuse(auth.ErrNoCode, "", "", "No authorization code came back.")
	}
	return verdict{code: code, status: http.StatusOK, page: "You are signed in. You may close this page."}
}

// answer writes the page and closes the connection for writing.
func (v verdict) answer(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(answerTime))
	title := "Signed in"
	if v.err != nil {
		title = "Not signed in"
	}
	page := fmt.Sprintf("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>%s</title><p>%s</p></html>\n", title, html.EscapeString(v.page))
	fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n"+
		"Cache-Control: no-store\r\nContent-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n%s",
		v.status, http.StatusText(v.status), len(page), page)
	if tcp, ok := conn.(*net.TCPConn); ok { // unread input would reset the connection and lose the page
		_ = tcp.CloseWrite()
		_ = tcp.SetDeadline(time.Now().Add(drainTime))
		_, _ = io.CopyN(io.Discard, conn, 64<<10)
	}
}
