package authtest

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/token/jwt"
)

// sessionCookie is the cookie of a user who has signed in.
const sessionCookie = "JSESSIONID"

func (s *Server) discovery(w http.ResponseWriter, _ *http.Request) {
	if s.current().DiscoveryHTML {
		page(w, http.StatusOK, "the platform")
		return
	}
	answer(w, http.StatusOK, map[string]any{
		"issuer":                 s.issuer(),
		"authorization_endpoint": s.URL + "/oauth2/authorize",
		"token_endpoint":         s.URL + "/oauth2/token",
		"jwks_uri":               s.URL + "/oauth2/jwks",
		"userinfo_endpoint":      s.URL + "/userinfo",
		"scopes_supported":       s.scopes(),

		"response_types_supported": []string{"code"},
		"grant_types_supported":    []string{"authorization_code", "refresh_token"},
	})
}

// scopes returns the scopes of the release.
func (s *Server) scopes() []string {
	if s.rules.UsernameScope {
		return []string{"openid", "profile", "username", "email"}
	}
	return []string{"ALL"}
}

func (s *Server) issuer() string {
	if s.current().WrongIssuer {
		return "http://platform.invalid"
	}
	return s.URL
}

// authorize shows the login page, then asks for consent, then redirects.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	switches := s.current()
	if switches.NoLogin && !s.rules.OwnProvider {
		page(w, http.StatusInternalServerError, "No AuthenticationProvider found")
		return
	}
	if switches.EmptySettings || s.withoutSettings(r.FormValue("client_id")) {
		http.Error(w, "settings cannot be empty", http.StatusInternalServerError)
		return
	}
	ctx := r.Context()
	if _, err := (clients{s.storage, s}).GetClient(ctx, r.FormValue("client_id")); err != nil {
		http.Error(w, "[invalid_request] OAuth 2.0 Parameter: client_id", http.StatusBadRequest)
		return
	}
	request, err := s.oauth2.NewAuthorizeRequest(ctx, r)
	if err != nil {
		s.oauth2.WriteAuthorizeError(ctx, w, request, err)
		return
	}
	if cookie, err := r.Cookie(sessionCookie); err != nil || cookie.Value != Username {
		form(w, ContextPath+"/login", map[string]string{"username": "", "password": "", "next": ContextPath + r.URL.RequestURI()})
		return
	}
	switch r.PostFormValue("consent") {
	case "":
		fields := map[string]string{"consent": ""}
		for name := range r.Form {
			fields[name] = r.Form.Get(name)
		}
		form(w, ContextPath+r.URL.RequestURI(), fields)
		return
	case "yes":
	default:
		s.oauth2.WriteAuthorizeError(ctx, w, request, fosite.ErrAccessDenied.WithDescription("The resource owner said no."))
		return
	}
	for _, scope := range request.GetRequestedScopes() {
		request.GrantScope(scope)
	}
	response, err := s.oauth2.NewAuthorizeResponse(ctx, request, s.session(request))
	if err != nil {
		s.oauth2.WriteAuthorizeError(ctx, w, request, err)
		return
	}
	if switches.WrongState {
		response.GetParameters().Set("state", "another-state-than-asked")
	}
	if switches.NoCode {
		response.GetParameters().Del("code")
	}
	if switches.UsedCode {
		_, signature, _ := strings.Cut(response.GetCode(), ".")
		if err := s.storage.InvalidateAuthorizeCodeSession(ctx, signature); err != nil {
			s.oauth2.WriteAuthorizeError(ctx, w, request, fosite.ErrServerError.WithWrap(err))
			return
		}
	}
	s.oauth2.WriteAuthorizeResponse(ctx, w, request, response)
}

// session returns the content of the tokens. They have the claim username with the scope username only, in
// releases that know this scope (V2).
func (s *Server) session(request fosite.AuthorizeRequester) session {
	extra := map[string]any{}
	if s.rules.UsernameScope && request.GetGrantedScopes().Has("username") {
		extra["username"] = Username
	}
	_, id := s.signer()
	return session{&oauth2.JWTSession{
		JWTClaims: &jwt.JWTClaims{Subject: Username, Issuer: s.issuer(), Audience: []string{request.GetClient().GetID()}, IssuedAt: time.Now(), Extra: extra},
		JWTHeader: &jwt.Headers{Extra: map[string]any{"kid": id}},
		ExpiresAt: map[fosite.TokenType]time.Time{}, Username: Username, Subject: Username,
	}}
}

// session makes tokens that live for less than a second expire at once. Its times are rounded to
// seconds, which could otherwise prolong a token by half a second.
type session struct{ *oauth2.JWTSession }

func (s session) SetExpiresAt(key fosite.TokenType, at time.Time) {
	if now := time.Now().UTC(); at.Sub(now) < time.Second {
		at = now.Truncate(time.Second)
	}
	s.JWTSession.SetExpiresAt(key, at)
}

func (s session) Clone() fosite.Session {
	return session{s.JWTSession.Clone().(*oauth2.JWTSession)}
}

// login signs the user in and redirects to the page that asked for it.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	if r.PostFormValue("username") != Username || r.PostFormValue("password") != Password {
		page(w, http.StatusUnauthorized, "wrong user name or password")
		return
	}
	next, err := url.Parse(r.PostFormValue("next"))
	if err != nil || next.Host != "" || !strings.HasPrefix(next.Path, ContextPath+"/") {
		page(w, http.StatusBadRequest, "no such page")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: Username, Path: ContextPath, HttpOnly: true})
	http.Redirect(w, r, next.String(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	switches := s.current()
	switch {
	case switches.TokenHTML:
		page(w, http.StatusOK, "the platform")
		return
	case switches.TokenStatus != 0:
		w.WriteHeader(switches.TokenStatus)
		return
	case switches.TokenSlash && !strings.HasSuffix(r.URL.Path, "/"):
		http.Redirect(w, r, ContextPath+r.URL.Path+"/", http.StatusMovedPermanently)
		return
	}
	ctx := r.Context()
	request, err := s.oauth2.NewAccessRequest(ctx, r, &oauth2.JWTSession{})
	if err != nil {
		s.oauth2.WriteAccessError(ctx, w, request, err)
		return
	}
	if refreshed, is := request.GetSession().(session); is { // the key may be another since the login
		_, id := s.signer()
		refreshed.JWTHeader = &jwt.Headers{Extra: map[string]any{"kid": id}}
	}
	response, err := s.oauth2.NewAccessResponse(ctx, request)
	if err != nil {
		s.oauth2.WriteAccessError(ctx, w, request, err)
		return
	}
	s.oauth2.WriteAccessResponse(ctx, w, request, response)
}

// user returns the user of a token. The token must be signed by this server, for this server, and
// must not have expired.
func (s *Server) user(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	subject, err := s.keysOf(s.URL).Verify(token)
	if err != nil {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="`+err.Error()+`"`)
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_token", "error_description": err.Error()})
		return
	}
	answer(w, http.StatusOK, map[string]any{"sub": subject, "username": subject})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func page(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<!doctype html><title>Platform</title><p>" + html.EscapeString(text) + "</p>"))
}

// form writes a page with a form in the format that Browser reads.
func form(w http.ResponseWriter, action string, fields map[string]string) {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Platform</title><form method="post" action="` + html.EscapeString(action) + `">`)
	for name, value := range fields {
		b.WriteString(`<input name="` + html.EscapeString(name) + `" value="` + html.EscapeString(value) + `">`)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(b.String() + `</form>`))
}
