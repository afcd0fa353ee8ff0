package oauth2

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"golang.org/x/oauth2"

	"github.com/roget-health/roget/auth"
)

// Sizes of the random values of a flow in bytes. The code verifier has 128 characters, as many
// as RFC 7636, section 4.1, allows.
const (
	verifierBytes = 96
	stateBytes    = 16
)

func random(size int) string {
	bytes := make([]byte, size)
	_, _ = rand.Read(bytes) // never fails
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// endpoint describes the authorization server, without the client secret. Client id and secret go
// into the body of token requests.
func (p *Provider) endpoint(redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID:    p.config.ClientID,
		RedirectURL: redirect,
		Scopes:      []string{p.config.Scope},
		Endpoint: oauth2.Endpoint{
			AuthURL:   p.config.BaseURL + "/oauth2/authorize",
			TokenURL:  p.config.BaseURL + "/oauth2/token",
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

// authorizeURL returns the address that the user's browser opens. Platform toolkit, section 1.6.4.
func (p *Provider) authorizeURL(redirect, verifier, state string) string {
	return p.endpoint(redirect).AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))
}

// authorize runs the whole authorization code flow.
func (p *Provider) authorize(ctx context.Context) (*auth.OAuth2Token, error) {
	verifier, state := random(verifierBytes), random(stateBytes)
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
	code, err := capture(ctx, p.authorizeURL(redirect, verifier, state), state)
	if err != nil {
		return nil, err
	}
	return p.exchange(ctx, redirect, code, verifier)
}

// browse opens an address in the user's browser and waits for the redirect.
func (p *Provider) browse(ctx context.Context, listener *listener, address, state string) (string, error) {
	wait, cancel := context.WithTimeout(ctx, p.config.Wait)
	defer cancel()
	sentence := "Sign in with your browser. If it does not open, visit this address:"
	if p.config.NoBrowser {
		sentence = "Open this address in a browser to sign in:"
	} else if err := p.config.OpenBrowser(wait, address); err != nil {
		sentence = "No browser could be opened (" + auth.Printable(err.Error(), 200) + "). To sign in, visit this address:"
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

// RefuseLogin returns a capturer for programs that must not ask the user. Its error names the command
// that logs in.
func RefuseLogin(command string) RedirectCapturer {
	return func(context.Context, string, string) (string, error) {
		return "", &auth.FlowError{Kind: auth.ErrLoginNeeded, Detail: "run " + command}
	}
}
