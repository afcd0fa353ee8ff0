package uiadapter

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"time"

	"golang.org/x/oauth2"
)

// OAuth says how people sign in at an authorization server: the code flow with PKCE (RFC 6749, section
// 4.1; RFC 7636), as a public client.
type OAuth struct {
	// ClientID is that of the page.
	ClientID string
	// Scopes are asked for.
	Scopes []string
	// Endpoints returns the addresses of the authorization and token endpoints.
	Endpoints func(ctx context.Context) (authorize, token string, err error)
	// Client asks for tokens; nil means http.DefaultClient.
	Client *http.Client
}

// signInTime is how long a person may take at the authorization server.
const signInTime = 10 * time.Minute

const attemptCookie = "roget-signin"

// An attempt is a person who has gone to the authorization server and has not come back.
type attempt struct {
	state    string
	verifier string
	back     string
	began    time.Time
}

// tokens are those of a session.
type tokens struct {
	config *oauth2.Config
	client *http.Client
	token  *oauth2.Token
}

// config returns the settings of the library for a request.
func (o *OAuth) config(ctx context.Context, redirect string) (*oauth2.Config, error) {
	authorize, token, err := o.Endpoints(ctx)
	if err != nil {
		return nil, err
	}
	return &oauth2.Config{
		ClientID: o.ClientID, Scopes: o.Scopes, RedirectURL: redirect,
		Endpoint: oauth2.Endpoint{AuthURL: authorize, TokenURL: token, AuthStyle: oauth2.AuthStyleInParams},
	}, nil
}

func (o *OAuth) context(ctx context.Context) context.Context {
	if o.Client == nil {
		return ctx
	}
	return context.WithValue(ctx, oauth2.HTTPClient, o.Client)
}

// startOAuth sends the browser to the authorization server.
func (p *Page) startOAuth() error {
	if p.h.OAuth == nil || p.h.Sessions == nil {
		return errNotFound
	}
	config, err := p.h.OAuth.config(p.Context(), p.h.Address(p.r)+"/ui/callback")
	if err != nil {
		return err
	}
	id, own := oauth2.GenerateVerifier(), &attempt{
		state: oauth2.GenerateVerifier(), verifier: oauth2.GenerateVerifier(), back: ownPage(p.Query("back")), began: p.h.Sessions.now(),
	}
	p.h.attempts.Add(sha256.Sum256([]byte(id)), own)
	http.SetCookie(p.w, &http.Cookie{ //nolint:gosec // Secure where there is HTTPS
		Name: attemptCookie, Value: id, MaxAge: int(signInTime.Seconds()), HttpOnly: true, Secure: p.overHTTPS(), SameSite: http.SameSiteLaxMode,
	})
	// A FHIR server is the audience of the token (SMART App Launch 2.2, "aud").
	to := config.AuthCodeURL(own.state, oauth2.S256ChallengeOption(own.verifier), oauth2.SetAuthURLParam("aud", p.h.Address(p.r)))
	redirect(p.w, p.r, to)
	return nil
}

// callback is where the authorization server sends the browser back.
func (p *Page) callback() error {
	if p.h.OAuth == nil || p.h.Sessions == nil {
		return errNotFound
	}
	c, err := p.r.Cookie(attemptCookie)
	if err != nil {
		return p.showLogin(http.StatusBadRequest, p.T("login.again"))
	}
	key := sha256.Sum256([]byte(c.Value))
	own, found := p.h.attempts.Get(key)
	p.h.attempts.Remove(key) // a code is used once
	switch {
	case !found, p.h.Sessions.now().Sub(own.began) > signInTime, subtle.ConstantTimeCompare([]byte(own.state), []byte(p.Query("state"))) != 1:
		return p.showLogin(http.StatusBadRequest, p.T("login.again"))
	case p.Query("error") != "":
		return p.showLogin(http.StatusForbidden, p.T("login.denied", p.Query("error")))
	}
	config, err := p.h.OAuth.config(p.Context(), p.h.Address(p.r)+"/ui/callback")
	if err != nil {
		return err
	}
	token, err := config.Exchange(p.h.OAuth.context(p.Context()), p.Query("code"), oauth2.VerifierOption(own.verifier))
	if err != nil {
		p.h.Logger.Warn("the authorization server refused a code of the page", "err", redacted(err))
		return p.showLogin(http.StatusBadGateway, p.T("login.exchange"))
	}
	form := p.r.URL.Query()
	form.Set("back", own.back)
	p.r.URL.RawQuery, p.r.Form = form.Encode(), nil
	return p.admit("Bearer "+token.AccessToken, &tokens{config: config, client: p.h.OAuth.Client, token: token})
}

// redacted returns an error of the token endpoint without what it was sent or has answered.
func redacted(err error) string {
	if refused, is := errors.AsType[*oauth2.RetrieveError](err); is {
		return refused.Response.Status + " " + refused.ErrorCode
	}
	return "the token endpoint cannot be reached"
}

// current returns the header with an access token that is valid for a while, with a new one if need be.
func (t *tokens) current(ctx context.Context, now time.Time) (string, error) {
	if !t.token.Expiry.IsZero() && now.After(t.token.Expiry.Add(-30*time.Second)) {
		if t.token.RefreshToken == "" {
			if now.After(t.token.Expiry) {
				return "", errSessionOver
			}
		} else {
			old := *t.token
			old.Expiry = now.Add(-time.Hour) // the library decides by its own clock
			o := OAuth{Client: t.client}
			fresh, err := t.config.TokenSource(o.context(ctx), &old).Token()
			if err != nil {
				return "", errSessionOver
			}
			t.token = fresh
		}
	}
	return "Bearer " + t.token.AccessToken, nil
}
