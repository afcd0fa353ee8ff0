package oauth2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/roget-health/roget/auth"
)

const (
	maxAnswer       = 1 << 20 // bytes of an answer that are read
	maxHops         = 3
	defaultLifetime = 3600 // seconds, where the answer has no expires_in
	maxLifetime     = 10 * 365.25 * 86400
	usualCauses     = "usual causes: a wrong client secret, a redirect URI that is not registered, a server that is not fully configured"
)

// grant asks the token endpoint for a token. Platform toolkit, section 1.6.4, step 7.
func (p *Provider) grant(ctx context.Context, form url.Values) (*auth.OAuth2Token, error) {
	form.Set("client_id", p.config.ClientID)
	form.Set("client_secret", p.config.ClientSecret.Reveal())
	ctx, cancel := context.WithTimeout(ctx, grantTime)
	defer cancel()
	now := p.config.Now()
	answer, err := p.post(ctx, p.config.BaseURL+"/oauth2/token", form.Encode())
	if err != nil {
		return nil, &auth.FlowError{Kind: auth.ErrToken, Err: err}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	if err != nil {
		return nil, &auth.FlowError{Kind: auth.ErrToken, Status: answer.StatusCode, Err: err}
	}
	if answer.StatusCode != http.StatusOK {
		return nil, refusal(answer.StatusCode, body, form)
	}
	token, err := parseToken(body)
	if err != nil {
		if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind != "application/json" {
			err = fmt.Errorf("%w; its content type is %s", err, auth.Printable(kind, 80))
		}
		return nil, &auth.FlowError{Kind: auth.ErrToken, Status: answer.StatusCode, Err: err}
	}
	token.ExpiresAt += auth.UnixSeconds(now)
	token.BaseURL, token.ClientID = p.config.BaseURL, p.config.ClientID
	return token, nil
}

// post sends a form and follows redirects of the same origin, method and body as they
// are: http.Client would turn a redirected POST into a GET. Platform toolkit, section
// 1.6.4, Redirects on the token endpoint.
func (p *Provider) post(ctx context.Context, address, form string) (*http.Response, error) {
	client := http.Client{Transport: p.config.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for hops := 0; ; hops++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Accept", "application/json")
		answer, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		switch answer.StatusCode {
		default:
			return answer, nil
		case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		}
		answer.Body.Close()
		next, err := answer.Location()
		if err != nil {
			return nil, fmt.Errorf("a redirect with status %d has no address", answer.StatusCode)
		}
		if next.Scheme != request.URL.Scheme || !strings.EqualFold(next.Host, request.URL.Host) {
			return nil, fmt.Errorf("it redirects to another server, %s; correct base_url if that is the right one", auth.Printable(next.Scheme+"://"+next.Host, 200))
		}
		if hops == maxHops {
			return nil, fmt.Errorf("more than %d redirects", maxHops)
		}
		next.User = nil
		address = next.String()
	}
}

// parseToken reads an answer of RFC 6749, section 5.1. ExpiresAt is its lifetime yet.
// Errors show nothing of it.
func parseToken(body []byte) (*auth.OAuth2Token, error) {
	var answer struct {
		AccessToken  string          `json:"access_token"`
		RefreshToken string          `json:"refresh_token"`
		TokenType    string          `json:"token_type"`
		ExpiresIn    json.RawMessage `json:"expires_in"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return nil, errors.New("the answer is not a token in JSON")
	}
	switch {
	case answer.AccessToken == "":
		return nil, errors.New("the answer has no access_token")
	case answer.TokenType != "" && !strings.EqualFold(answer.TokenType, "Bearer"):
		return nil, errors.New("token_type is not Bearer")
	case auth.HasControl(answer.AccessToken) || strings.Contains(answer.AccessToken, " "):
		return nil, errors.New("access_token has a character that no header can carry")
	}
	lifetime := float64(defaultLifetime)
	if text := strings.Trim(string(answer.ExpiresIn), `"`); text != "" && text != "null" {
		if json.Unmarshal([]byte(text), &lifetime) != nil || lifetime < 0 {
			return nil, errors.New("expires_in is not a number of seconds")
		}
	}
	return &auth.OAuth2Token{
		AccessToken:  auth.NewSecret(answer.AccessToken),
		RefreshToken: auth.NewSecret(answer.RefreshToken),
		ExpiresAt:    min(lifetime, maxLifetime),
	}, nil
}

// refusal makes an error of an answer that is not 200: of its code and description where
// it is JSON of RFC 6749, section 5.2, of its text otherwise. What was sent is masked, in
// case the server repeats it.
func refusal(status int, body []byte, sent url.Values) *auth.FlowError {
	e := &auth.FlowError{Kind: auth.ErrToken, Status: status}
	var answer struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(body, &answer) == nil && answer.Error != "" {
		e.Code, e.Detail = masked(answer.Error, sent), masked(answer.Description, sent)
	} else {
		e.Detail = masked(string(body), sent)
	}
	cause := usualCauses
	switch e.Code {
	case "invalid_client":
		cause = "the client secret is wrong, or the server stores it in plain text: register the client again with a BCrypt hash of it"
	case "invalid_grant":
		cause = "the code or refresh token was used before, revoked, or has expired: log in again"
	}
	if e.Detail != "" {
		cause = e.Detail + " (" + cause + ")"
	}
	e.Detail = cause
	return e
}

// masked makes a text from outside printable, without the secrets that were sent, as
// they are or escaped.
func masked(text string, sent url.Values) string {
	var secrets []string
	for _, name := range []string{"client_secret", "refresh_token", "code", "code_verifier"} {
		secrets = append(secrets, sent.Get(name))
	}
	return auth.Printable(auth.Mask(text, secrets...), maxShown)
}
