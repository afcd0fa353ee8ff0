package oauth2

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"

	"github.com/roget-health/roget/auth"
)

// secretBytes are the sizes of a code verifier (RFC 7636, section 4.1: 128 characters)
// and of a state.
const (
	verifierBytes = 96
	stateBytes    = 16
)

// pair is a code verifier with its challenge, and a state.
type pair struct{ verifier, challenge, state string }

func newPair() pair {
	verifier := random(verifierBytes)
	sum := sha256.Sum256([]byte(verifier))
	return pair{verifier, base64.RawURLEncoding.EncodeToString(sum[:]), random(stateBytes)}
}

func random(size int) string {
	bytes := make([]byte, size)
	_, _ = rand.Read(bytes) // never fails
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// authorizeURL is the address the user's browser opens. Platform toolkit, section 1.6.4.
func (p *Provider) authorizeURL(redirect string, secrets pair) string {
	return p.config.BaseURL + "/oauth2/authorize?" + url.Values{
		"client_id":             {p.config.ClientID},
		"response_type":         {"code"},
		"redirect_uri":          {redirect},
		"scope":                 {p.config.Scope},
		"state":                 {secrets.state},
		"code_challenge":        {secrets.challenge},
		"code_challenge_method": {"S256"},
	}.Encode()
}

// authorize runs the whole flow.
func (p *Provider) authorize(ctx context.Context) (*auth.OAuth2Token, error) {
	secrets := newPair()
	redirect, capture := p.config.RedirectURI, p.config.Capture
	if capture == nil {
		listener, err := listen(redirect)
		if err != nil {
			return nil, err
		}
		defer listener.close()
		redirect = listener.redirect
		capture = func(ctx context.Context, address, state string) (string, error) {
			return p.browse(ctx, listener, address, state)
		}
	}
	code, err := capture(ctx, p.authorizeURL(redirect, secrets), secrets.state)
	if err != nil {
		return nil, err
	}
	return p.grant(ctx, url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {code},
		"redirect_uri":  {redirect},
		"code_verifier": {secrets.verifier},
	})
}

// refresh uses the refresh token. The old one stays where the answer has none. It does
// not end with the context: see grantTime.
func (p *Provider) refresh(ctx context.Context, old *auth.OAuth2Token) (*auth.OAuth2Token, error) {
	token, err := p.grant(context.WithoutCancel(ctx), url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {old.RefreshToken.Reveal()},
	})
	if err == nil && token.RefreshToken.IsZero() {
		token.RefreshToken = old.RefreshToken
	}
	return token, err
}

// browse has the user's browser open an address, and waits for the redirect.
func (p *Provider) browse(ctx context.Context, listener *listener, address, state string) (string, error) {
	wait, cancel := context.WithTimeout(ctx, p.config.Wait)
	defer cancel()
	sentence := "Your browser opens to sign in. If it does not, open this address:"
	if p.config.NoBrowser {
		sentence = "Open this address in a browser to sign in:"
	} else if err := p.config.OpenBrowser(wait, address); err != nil {
		sentence = "No browser could be opened (" + auth.Printable(err.Error(), 200) + "). Open this address in one to sign in:"
	}
	fmt.Fprintf(p.config.Notice, "%s\n\n  %s\n\nWaiting for the redirect to %s ...\n", sentence, address, listener.redirect)
	code, err := listener.code(wait, state)
	if err != nil && wait.Err() != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &auth.FlowError{Kind: auth.ErrNoRedirect, Detail: fmt.Sprintf("no redirect within %.0fs", p.config.Wait.Seconds())}
	}
	return code, err
}

// RefuseLogin is a capturer for those who must not ask the user: it says how to log in.
func RefuseLogin(command string) RedirectCapturer {
	return func(context.Context, string, string) (string, error) {
		return "", &auth.FlowError{Kind: auth.ErrLoginNeeded, Detail: "run " + command}
	}
}
