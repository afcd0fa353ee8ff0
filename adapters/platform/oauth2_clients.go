package platform

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/roget-health/roget/auth"
)

const oauth2ClientsPath = "/api/oAuth2Clients"

// OAuth2Clients registers and lists the OAuth2 clients of the platform's authorization server.
// Platform toolkit, section 1.6.7.
type OAuth2Clients struct{ client *Client }

// OAuth2Clients returns the accessor of OAuth2 clients.
func (c *Client) OAuth2Clients() OAuth2Clients { return OAuth2Clients{c} }

// hashCost is the cost of BCrypt. maxClientSecret is the number of bytes that BCrypt reads.
const (
	hashCost        = 10
	maxClientSecret = 72
)

// hashed returns the BCrypt hash of a client secret, which the platform stores. It refuses a secret of
// more than 72 bytes, because BCrypt ignores the rest.
func hashed(secret auth.Secret) (auth.Secret, error) {
	refuse := func(why string) (auth.Secret, error) {
		return auth.Secret{}, &auth.FieldError{Field: "client_secret", Err: errors.New(why)}
	}
	switch length := len(secret.Reveal()); {
	case length == 0:
		return refuse("it is missing")
	case length > maxClientSecret:
		return refuse(fmt.Sprintf("it has %d bytes, but BCrypt reads only %d; choose a shorter secret", length, maxClientSecret))
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(secret.Reveal()), hashCost)
	if err != nil {
		return refuse("it cannot be hashed")
	}
	return auth.NewSecret(string(hash)), nil
}

// Register registers a client and returns its uid. The client has its secret in plain text; the platform
// receives a hash. Empty members get the values that logins need: both authentication methods, the
// grants authorization code and refresh, the scopes of the platform's release, and settings of the
// authorization server. A client is always registered as using PKCE, which logins do. If the platform refuses
// the scopes, the error is a ScopeError.
func (o OAuth2Clients) Register(ctx context.Context, client OAuth2Client) (uid string, err error) {
	codec, err := o.client.codec()
	if err != nil {
		return "", err
	}
	if client.ClientID == "" {
		return "", &auth.FieldError{Field: "client_id", Err: errors.New("it is missing")}
	}
	secret := client.ClientSecret
	if client.ClientSecret, err = hashed(secret); err != nil {
		return "", err
	}
	client.Name = cmp.Or(client.Name, client.ClientID)
	client.ClientSettings = cmp.Or(client.ClientSettings, clientSettings)
	client.TokenSettings = cmp.Or(client.TokenSettings, tokenSettings)
	for list, values := range map[*[]string][]string{
		&client.ClientAuthenticationMethods: {"client_secret_basic", "client_secret_post"},
		&client.AuthorizationGrantTypes:     {"authorization_code", "refresh_token"},
		&client.Scopes:                      strings.Fields(ScopeFor(o.client.version, nil)),
	} {
		if len(*list) == 0 {
			*list = values
		}
	}
	body, err := codec.EncodeOAuth2Client(client)
	if err != nil {
		return "", err
	}
	var answer struct{ Response struct{ UID string } }
	err = o.client.into(ctx, Request{
		Method: http.MethodPost, Path: oauth2ClientsPath, Body: body, ContentType: "application/json",
		Secrets: []auth.Secret{secret, client.ClientSecret},
	}, &answer)
	if api, is := errors.AsType[*APIError](err); is && api.Status == http.StatusConflict {
		err = refusedScope(api, client.Scopes, o.client.version)
	}
	return answer.Response.UID, err
}

// A ScopeError is returned when the platform does not let a client be registered with its scopes (V3).
type ScopeError struct {
	*APIError
	Scopes   []string // those of the client
	Accepted []string // by the release; nil if not known
}

// Unwrap returns the platform's answer.
func (e *ScopeError) Unwrap() error { return e.APIError }

// refusedScope returns a ScopeError if a conflict is about the scopes of a client, else the conflict.
func refusedScope(conflict *APIError, scopes []string, version string) error {
	rules, _ := RulesOf(version)
	if len(rules.Unregistered(scopes)) == 0 && !strings.Contains(strings.ToLower(conflict.Detail()), "scope") {
		return conflict
	}
	return &ScopeError{conflict, scopes, rules.RegisteredScopes}
}

// List returns the registered clients, with the members that show how they log in.
func (o OAuth2Clients) List(ctx context.Context) ([]OAuth2Client, error) {
	features, err := o.client.Features()
	if err != nil {
		return nil, err
	}
	query := url.Values{"fields": {"id,name," + features.OAuth2ListFields}, "paging": {"false"}}
	var answer json.RawMessage
	if err := o.client.get(ctx, oauth2ClientsPath, query, &answer); err != nil {
		return nil, err
	}
	return features.Major.Codec().DecodeOAuth2Clients(answer)
}

// clientSettings are the settings of a client in the serialization of the authorization server. Some releases
// refuse a client without a proof key (V3).
const clientSettings = `{"@class":"java.util.Collections$UnmodifiableMap",` +
	`"settings.client.require-proof-key":true,` +
	`"settings.client.require-authorization-consent":true}`

// tokenSettings returns the settings of its tokens in the same serialization.
const tokenSettings = `{"@class":"java.util.Collections$UnmodifiableMap",` +
	`"settings.token.reuse-refresh-tokens":true,` +
	`"settings.token.x509-certificate-bound-access-tokens":false,` +
	`"settings.token.id-token-signature-algorithm":["org.springframework.security.oauth2.jose.jws.SignatureAlgorithm","RS256"],` +
	`"settings.token.access-token-format":{"@class":"org.springframework.security.oauth2.server.authorization.settings.OAuth2TokenFormat","value":"self-contained"},` +
	`"settings.token.access-token-time-to-live":["java.time.Duration",300.000000000],` +
	`"settings.token.refresh-token-time-to-live":["java.time.Duration",3600.000000000],` +
	`"settings.token.authorization-code-time-to-live":["java.time.Duration",300.000000000],` +
	`"settings.token.device-code-time-to-live":["java.time.Duration",300.000000000]}`
