package uiadapter

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// loginRoom is where one signs in and out.
func loginRoom() *room {
	return &room{name: "login", routes: map[string]func(*Page) error{
		"GET /ui/login":    (*Page).login,
		"POST /ui/login":   (*Page).signIn,
		"POST /ui/logout":  (*Page).signOut,
		"GET /ui/callback": (*Page).callback,
		"GET /ui/oauth":    (*Page).startOAuth, // no form, whose target may not be another server's
	}}
}

// loginData is what login.html shows.
type loginData struct {
	Back      string
	OAuth     bool   // an authorization server can be asked
	Passwords bool   // there are users with passwords
	Wrong     string // why the credentials were not accepted
}

// SignsIn reports whether one signs in on this page.
func (p *Page) SignsIn() bool { return p.h.Sessions != nil }

// SignedIn reports whether the browser has a session.
func (p *Page) SignedIn() bool {
	if p.h.Sessions == nil {
		return false
	}
	key, found := sessionKey(p.r)
	return found && p.h.Sessions.table.Contains(key)
}

func (p *Page) login() error { return p.showLogin(http.StatusOK, "") }

func (p *Page) showLogin(status int, wrong string) error {
	if p.h.Sessions == nil {
		return errNotFound
	}
	p.Title = p.T("login.title")
	p.Data = loginData{Back: ownPage(p.Query("back")), OAuth: p.h.OAuth != nil, Passwords: p.h.Passwords, Wrong: wrong}
	return p.render(status, "login.html", "layout")
}

// signIn starts a session with the credentials of the form, if the server accepts them.
func (p *Page) signIn() error {
	if p.h.Sessions == nil {
		return errNotFound
	}
	p.r.Body = http.MaxBytesReader(p.w, p.r.Body, 64<<10)
	authorization := ""
	if token := strings.TrimSpace(p.r.PostFormValue("token")); token != "" {
		authorization = "Bearer " + strings.TrimPrefix(token, "Bearer ")
	} else if user := p.r.PostFormValue("user"); user != "" {
		authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+p.r.PostFormValue("password")))
	}
	if authorization == "" || strings.ContainsAny(authorization, "\r\n\x00") {
		return p.showLogin(http.StatusUnauthorized, p.T("login.empty"))
	}
	return p.admit(authorization, nil)
}

// admit starts a session with credentials, if the server accepts them.
func (p *Page) admit(authorization string, t *tokens) error {
	asking := p.r.Clone(p.Context())
	asking.Header = http.Header{"Authorization": {authorization}}
	asking.URL.RawQuery = ""
	if err := p.h.Login(asking); err != nil {
		status, text := p.h.Explain(err)
		if status == http.StatusInternalServerError {
			status, text = http.StatusUnauthorized, p.T("login.refused")
		}
		return p.showLogin(status, text)
	}
	p.h.Sessions.end(p.w, p.r) // a session never continues as somebody else's
	p.h.Sessions.start(p.w, authorization, t, p.overHTTPS())
	redirect(p.w, p.r, ownPage(p.Query("back")))
	return nil
}

// overHTTPS reports whether the browser came over HTTPS, perhaps to a proxy.
func (p *Page) overHTTPS() bool { return strings.HasPrefix(p.h.Address(p.r), "https://") }

// signOut ends the session.
func (p *Page) signOut() error {
	if p.h.Sessions == nil {
		return errNotFound
	}
	p.h.Sessions.end(p.w, p.r)
	redirect(p.w, p.r, "login")
	return nil
}
