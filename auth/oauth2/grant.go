package oauth2

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"github.com/roget-health/roget/auth"
)

const (
	maxBody         = 1 << 20 // bytes of a response that are read
	maxRedirects    = 3
	defaultLifetime = 3600 // seconds, for a response without expires_in
	maxLifetime     = 10 * 365.25 * 86400
)

// exchange trades an authorization code for a token. Platform toolkit, section 1.6.4, step 7.
func (p *Provider) exchange(ctx context.Context, redirect, code, verifier string) (*auth.OAuth2Token, error) {
	return p.retrieve(ctx, redirect, []string{code, verifier}, func(ctx context.Context, endpoint *oauth2.Config) (*oauth2.Token, error) {
		return endpoint.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	})
}

// refresh trades the refresh token for a new token. The old refresh token stays if the response
// has none. A refresh does not end with the context: see grantTime.
func (p *Provider) refresh(ctx context.Context, old *auth.OAuth2Token) (*auth.OAuth2Token, error) {
	refreshToken := old.RefreshToken.Reveal()
	return p.retrieve(context.WithoutCancel(ctx), "", []string{refreshToken}, func(ctx context.Context, endpoint *oauth2.Config) (*oauth2.Token, error) {
		return endpoint.TokenSource(ctx, &oauth2.Token{RefreshToken: refreshToken}).Token()
	})
}

// retrieve asks the token endpoint for a token. Its errors show none of the secrets that were sent.
func (p *Provider) retrieve(ctx context.Context, redirect string, secrets []string, ask func(context.Context, *oauth2.Config) (*oauth2.Token, error)) (*auth.OAuth2Token, error) {
	endpoint := p.endpoint(redirect)
	endpoint.ClientSecret = p.config.ClientSecret.Reveal()
	ctx, cancel := context.WithTimeout(ctx, grantTime)
	defer cancel()
	now := auth.UnixSeconds(p.config.Now())
	client := &http.Client{Transport: tokenTransport{script{p.config.Transport}}, CheckRedirect: checkTokenRedirect}
	received, err := ask(context.WithValue(ctx, oauth2.HTTPClient, client), endpoint)
	switch {
	case err != nil:
		return nil, failure(err, append(secrets, endpoint.ClientSecret)...)
	case received.Type() != "Bearer":
		err = errors.New("token_type is not Bearer")
	case auth.HasControl(received.AccessToken) || strings.Contains(received.AccessToken, " "):
		err = errors.New("access_token has a character that a header must not have")
	}
	if err != nil {
		return nil, &auth.FlowError{Kind: auth.ErrToken, Status: http.StatusOK, Err: err}
	}
	return &auth.OAuth2Token{
		AccessToken:  auth.NewSecret(received.AccessToken),
		RefreshToken: auth.NewSecret(received.RefreshToken),
		ExpiresAt:    now + float64(received.ExpiresIn),
		BaseURL:      p.config.BaseURL,
		ClientID:     p.config.ClientID,
	}, nil
}

// checkTokenRedirect lets http.Client follow a redirect of the token endpoint if it repeats the
// POST within the origin. Platform toolkit, section 1.6.4, "Redirects on the token endpoint".
func checkTokenRedirect(next *http.Request, earlier []*http.Request) error {
	first := earlier[0].URL
	switch {
	case next.Method != http.MethodPost: // 303
		return http.ErrUseLastResponse
	case next.URL.Scheme != first.Scheme || !strings.EqualFold(next.URL.Host, first.Host):
		origin := auth.Printable(next.URL.Scheme+"://"+next.URL.Host, 200)
		return &auth.FlowError{Kind: auth.ErrToken, Detail: "it redirects to another server, " + origin + "; correct base_url if that is the right one"}
	case len(earlier) > maxRedirects:
		return &auth.FlowError{Kind: auth.ErrToken, Detail: fmt.Sprintf("more than %d redirects", maxRedirects)}
	}
	next.URL.User = nil
	return nil
}

// tokenTransport sends requests to the token endpoint. It bounds the responses, and adapts them
// to what http.Client and golang.org/x/oauth2 expect.
type tokenTransport struct{ next http.RoundTripper }

// RoundTrip sends a request and reads the whole response, of at most maxBody bytes.
func (t tokenTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Accept", "application/json")
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	response.Body.Close()
	if err == nil && len(body) > maxBody {
		err = fmt.Errorf("the response is longer than %d bytes", maxBody)
	}
	if err == nil {
		body, err = adapt(response, body)
	}
	if err != nil {
		return nil, &auth.FlowError{Kind: auth.ErrToken, Status: response.StatusCode, Err: err}
	}
	response.Header.Set("Content-Type", "application/json") // x/oauth2 takes text/plain for a form
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// adapt turns redirects into ones of status 308, for which http.Client repeats the POST, and sets
// expires_in of a token (RFC 6749, section 5.1) to an integer: servers leave it out, write it as
// text, or write a number that x/oauth2 refuses. Errors show nothing of the body.
func adapt(response *http.Response, body []byte) ([]byte, error) {
	switch status := response.StatusCode; {
	case slices.Contains([]int{301, 302, 307, 308}, status):
		if _, err := response.Location(); err != nil { // http.Client would show it
			return nil, errors.New("the redirect has no address")
		}
		response.StatusCode = http.StatusPermanentRedirect
		return body, nil
	case status/100 != 2:
		return body, nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
		return nil, fmt.Errorf("the response is not a token in JSON; its content type is %s", auth.Printable(cmp.Or(kind, "missing"), 80))
	}
	lifetime := float64(defaultLifetime)
	if text := strings.Trim(string(members["expires_in"]), `"`); text != "" && text != "null" {
		if json.Unmarshal([]byte(text), &lifetime) != nil || lifetime < 0 {
			return nil, errors.New("expires_in is not a number of seconds")
		}
	}
	members["expires_in"] = fmt.Appendf(nil, "%.0f", min(lifetime, maxLifetime))
	return json.Marshal(members)
}

// failure makes a FlowError of an error of golang.org/x/oauth2. Such errors contain parts of the
// response, so only its error code and description (RFC 6749, section 5.2), or its text, are
// taken, with the secrets that were sent masked in case the server repeats them.
func failure(err error, secrets ...string) *auth.FlowError {
	if flow, is := errors.AsType[*auth.FlowError](err); is {
		return flow
	}
	// Text that has secrets between control characters has them once more without these.
	masked := func(text string) string {
		text = auth.Printable(auth.Redact(text, secrets...), len(text))
		return auth.Printable(auth.Redact(text, secrets...), maxShown)
	}
	if network, is := errors.AsType[*url.Error](err); is {
		return &auth.FlowError{Kind: auth.ErrToken, Err: &url.Error{Op: network.Op, URL: masked(network.URL), Err: network.Err}}
	}
	refused, is := errors.AsType[*oauth2.RetrieveError](err)
	if !is {
		return &auth.FlowError{Kind: auth.ErrToken, Status: http.StatusOK, Err: errors.New("the response has no access_token, or a member that is not a string")}
	}
	detail := masked(refused.ErrorDescription)
	if refused.ErrorCode == "" {
		detail = masked(string(refused.Body))
	}
	cause := "usual causes: a wrong client secret, a redirect URI that is not registered, a server that is not fully configured"
	switch refused.ErrorCode {
	case "invalid_client":
		cause = "the client secret is wrong, or the server stores it in plain text: register the client again with a BCrypt hash of it"
	case "invalid_grant":
		cause = "the code or refresh token was used before, revoked, or has expired: log in again"
	}
	if detail != "" {
		cause = detail + " (" + cause + ")"
	}
	return &auth.FlowError{Kind: auth.ErrToken, Status: refused.Response.StatusCode, Code: masked(refused.ErrorCode), Detail: cause}
}
