package platform

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/roget-health/roget/auth"
)

const (
	tokensPath = "/api/apiToken" //nolint:gosec // a path
	tokenType  = "PERSONAL_ACCESS_TOKEN_V2"
)

// Tokens creates and lists personal access tokens. Platform toolkit, section 2.8.
type Tokens struct{ client *Client }

// Tokens returns the accessor of personal access tokens.
func (c *Client) Tokens() Tokens { return Tokens{c} }

// A NewToken describes a personal access token to create. Empty members have the platform's defaults and
// allow everything.
type NewToken struct {
	Code             string    // unique among tokens, at most 50 characters; the only name that platforms keep
	Description      string    // dropped by platforms (V7)
	Expire           time.Time // to the millisecond
	AllowedIPs       []string
	AllowedMethods   []string // GET, POST ...
	AllowedReferrers []string
}

// A MintedToken is a new personal access token. The platform shows its value only once.
type MintedToken struct {
	UID    string      `json:"uid"`
	Value  auth.Secret `json:"value"`
	Expire time.Time   `json:"expire,omitzero"` // as the platform has it; zero if it does not say so
}

// A Token is a listed personal access token, without its value.
type Token struct {
	ID         string           `json:"id"`
	Name       string           `json:"name,omitempty"`
	Code       string           `json:"code,omitempty"`
	Type       string           `json:"type,omitempty"`
	Expire     int64            `json:"expire,omitempty"` // milliseconds since 1970, UTC
	Created    string           `json:"created,omitempty"`
	CreatedBy  *Reference       `json:"createdBy,omitempty"`
	Attributes []TokenAttribute `json:"attributes,omitempty"`
	Extra      Extra            `json:"-"`
}

// A TokenAttribute restricts a token to addresses, methods or referrers, depending on its type.
type TokenAttribute struct {
	Type             string   `json:"type"`
	AllowedIPs       []string `json:"allowedIps,omitempty"`
	AllowedMethods   []string `json:"allowedMethods,omitempty"`
	AllowedReferrers []string `json:"allowedReferrers,omitempty"`
	Extra            Extra    `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (t *Token) UnmarshalJSON(data []byte) error { return decodeRecord(data, t) }

// MarshalJSON includes the members of Extra.
func (t Token) MarshalJSON() ([]byte, error) { return encodeRecord(t) }

// UnmarshalJSON puts unknown members into Extra.
func (a *TokenAttribute) UnmarshalJSON(data []byte) error { return decodeRecord(data, a) }

// MarshalJSON includes the members of Extra.
func (a TokenAttribute) MarshalJSON() ([]byte, error) { return encodeRecord(a) }

// Mint creates a personal access token of the current user. Without an expiry the platform chooses one, so
// Mint reads the token afterwards. If a hook vetoes that, Mint returns the token and the veto.
func (t Tokens) Mint(ctx context.Context, token NewToken) (MintedToken, error) {
	body := struct {
		Type        string           `json:"type"`
		Attributes  []TokenAttribute `json:"attributes"`
		Code        string           `json:"code,omitempty"`
		Description string           `json:"description,omitempty"`
		Expire      int64            `json:"expire,omitempty"`
	}{Type: tokenType, Attributes: []TokenAttribute{}, Code: token.Code, Description: token.Description}
	for _, a := range []TokenAttribute{
		{Type: "IpAllowedList", AllowedIPs: token.AllowedIPs},
		{Type: "MethodAllowedList", AllowedMethods: token.AllowedMethods},
		{Type: "RefererAllowedList", AllowedReferrers: token.AllowedReferrers},
	} {
		if len(a.AllowedIPs)+len(a.AllowedMethods)+len(a.AllowedReferrers) > 0 {
			body.Attributes = append(body.Attributes, a)
		}
	}
	if !token.Expire.IsZero() {
		body.Expire = token.Expire.UnixMilli()
	}
	var answer struct {
		Response struct{ Key, UID string }
	}
	if err := t.client.send(ctx, http.MethodPost, tokensPath, body, &answer); err != nil {
		return MintedToken{}, err
	}
	if answer.Response.Key == "" {
		return MintedToken{}, errors.New("POST " + tokensPath + ": the response has no token")
	}
	minted := MintedToken{UID: answer.Response.UID, Value: auth.NewSecret(answer.Response.Key)}
	var stored struct{ Expire int64 }
	err := t.client.get(ctx, tokensPath+"/"+segment(minted.UID), url.Values{"fields": {"expire"}}, &stored)
	switch {
	case errors.Is(err, ErrVetoed):
		return minted, err
	case err == nil && stored.Expire != 0: // a failure is no error, because the token exists already
		minted.Expire = time.UnixMilli(stored.Expire).UTC()
	}
	return minted, nil
}

// List returns the tokens that the current user may see, without their values.
func (t Tokens) List(ctx context.Context) ([]Token, error) {
	query := url.Values{
		"fields": {"id,name,code,type,expire,created,createdBy[id],attributes[type,allowedIps,allowedMethods,allowedReferrers]"},
		"paging": {"false"},
	}
	var answer struct {
		Tokens []Token `json:"apiToken"`
	}
	err := t.client.get(ctx, tokensPath, query, &answer)
	return answer.Tokens, err
}
