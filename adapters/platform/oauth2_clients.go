package platform

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"golang.org/x/crypto/bcrypt"

	"github.com/roget-health/roget/auth"
)

const oauth2ClientsPath = "/api/oAuth2Clients"

// OAuth2Clients registers and lists the clients of the platform's authorization server.
// Platform toolkit, section 1.6.7.
type OAuth2Clients struct{ client *Client }

// OAuth2Clients returns the accessor of registered clients.
func (c *Client) OAuth2Clients() OAuth2Clients { return OAuth2Clients{c} }

// hashCost is the cost of BCrypt, maxClientSecret how much of a secret BCrypt looks at, in bytes.
const (
	hashCost        = 10
	maxClientSecret = 72
)

// hashed returns the BCrypt hash of a client secret, which is what the platform stores. A
// secret longer than 72 bytes is refused, since BCrypt would ignore the rest.
func hashed(secret auth.Secret) (auth.Secret, error) {
	refuse := func(why string) (auth.Secret, error) {
		return auth.Secret{}, &auth.FieldError{Field: "client_secret", Err: errors.New(why)}
	}
	switch length := len(secret.Reveal()); {
	case length == 0:
		return refuse("it is missing")
	case length > maxClientSecret:
		return refuse(fmt.Sprintf("it has %d bytes, and BCrypt looks at %d; choose a shorter one", length, maxClientSecret))
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(secret.Reveal()), hashCost)
	if err != nil {
		return refuse("it cannot be hashed")
	}
	return auth.NewSecret(string(hash)), nil
}

// Register registers a client and gives its uid. Its secret is the plain one, which the
// client sends at token time; what is sent here is a hash of it. What is empty gets the
// values that this toolkit's logins need: both ways of authentication, authorization code
// and refresh, scope ALL, and settings of the authorization server.
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
	client.ClientSettings = cmp.Or(client.ClientSettings, clientSettings(o.client.insistsOnProofKey()))
	client.TokenSettings = cmp.Or(client.TokenSettings, tokenSettings)
	for list, values := range map[*[]string][]string{
		&client.ClientAuthenticationMethods: {"client_secret_basic", "client_secret_post"},
		&client.AuthorizationGrantTypes:     {"authorization_code", "refresh_token"},
		&client.Scopes:                      {auth.DefaultScope},
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
	return answer.Response.UID, err
}

// List lists the registered clients as far as they tell how they log in.
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

// insistsOnProofKey reports whether the server wants clients to be registered as using PKCE,
// which logins do always: from 2.43.2 on.
func (c *Client) insistsOnProofKey() bool {
	version, err := ParseVersion(c.version)
	return err == nil && (version.Major > 43 || version.Major == 43 && version.Patch >= 2)
}

// clientSettings are settings of a client as the authorization server serializes them.
func clientSettings(proofKey bool) string {
	return fmt.Sprintf(`{"@class":"java.util.Collections$UnmodifiableMap",`+
		`"settings.client.require-proof-key":%t,`+
		`"settings.client.require-authorization-consent":true}`, proofKey)
}

// tokenSettings are settings of its tokens, in the same form.
const tokenSettings = `{"@class":"java.util.Collections$UnmodifiableMap",` +
	`"settings.token.reuse-refresh-tokens":true,` +
	`"settings.token.x509-certificate-bound-access-tokens":false,` +
	`"settings.token.id-token-signature-algorithm":["org.springframework.security.oauth2.jose.jws.SignatureAlgorithm","RS256"],` +
	`"settings.token.access-token-format":{"@class":"org.springframework.security.oauth2.server.authorization.settings.OAuth2TokenFormat","value":"self-contained"},` +
	`"settings.token.access-token-time-to-live":["java.time.Duration",300.000000000],` +
	`"settings.token.refresh-token-time-to-live":["java.time.Duration",3600.000000000],` +
	`"settings.token.authorization-code-time-to-live":["java.time.Duration",300.000000000],` +
	`"settings.token.device-code-time-to-live":["java.time.Duration",300.000000000]}`
