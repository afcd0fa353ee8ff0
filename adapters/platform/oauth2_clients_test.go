package platform_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

const clientSecret = "Sw0rd/fish"

// TestRegisterClient: platform client, section 2.3 (clientSecret, clientSettings,
// tokenSettings, scopes) and section 4 (POST /api/oAuth2Clients), in the shape of each
// major.
// Rows of docs/platform.md: 2.3.1, 2.3.2, 2.3.3, 2.3.4, 2.3.5, 4.6.
func TestRegisterClient(t *testing.T) {
	for _, test := range []struct {
		options platformtest.Options
		sent    string // a part of the body
		scopes  string
	}{
		{platformtest.Options{Major: 41}, `"redirectUris":["http://localhost:1","http://localhost:2"],"scopes":["ALL"],"secret":"$2a$10$`, "ALL"},
		{platformtest.Options{Major: 42}, `"redirectUris":"http://localhost:1,http://localhost:2","scopes":"ALL",`, "ALL"},
		{platformtest.Options{Major: 43, Version: "2.43.2"}, `"redirectUris":"http://localhost:1,http://localhost:2","scopes":"openid,username",`, "openid username"},
	} {
		t.Run(platform.Major(test.options.Major).String(), func(t *testing.T) {
			c, p := onDouble(t, test.options)
			uid, err := c.OAuth2Clients().Register(t.Context(), platform.OAuth2Client{
				ClientID: "roget", ClientSecret: auth.NewSecret(clientSecret), RedirectURIs: []string{"http://localhost:1", "http://localhost:2"},
			})
			if err != nil {
				t.Fatal(err)
			}
			if body := bodyOf(t, p, http.MethodPost); !strings.Contains(body, test.sent) || strings.Contains(body, clientSecret) {
				t.Errorf("sent: %s", body)
			}
			stored := p.Clients()[0]
			if err := bcrypt.CompareHashAndPassword([]byte(stored.Secret), []byte(clientSecret)); err != nil {
				t.Errorf("clientSecret is no BCrypt hash of it: %v", err)
			}
			if stored.UID != uid || stored.ID != "roget" || strings.Join(stored.Scopes, " ") != test.scopes ||
				!slices.Equal(stored.GrantTypes, []string{"authorization_code", "refresh_token"}) ||
				!slices.Equal(stored.AuthenticationMethods, []string{"client_secret_basic", "client_secret_post"}) {
				t.Errorf("%+v of uid %s", stored, uid)
			}
			client, token := settings(t, stored.ClientSettings), settings(t, stored.TokenSettings)
			if client["settings.client.require-proof-key"] != true || client["settings.client.require-authorization-consent"] != true || len(client) != 3 {
				t.Errorf("clientSettings: %v", client)
			}
			if access := token["settings.token.access-token-time-to-live"].([]any); access[0] != "java.time.Duration" || access[1] != 300.0 || len(token) != 9 {
				t.Errorf("tokenSettings: %v", token)
			}
			if !strings.Contains(stored.TokenSettings, `"settings.token.refresh-token-time-to-live":["java.time.Duration",3600.000000000]`) {
				t.Errorf("tokenSettings: %s", stored.TokenSettings)
			}
			list, err := c.OAuth2Clients().List(t.Context())
			if err != nil || len(list) != 1 || list[0].ClientID != "roget" || list[0].DisplayName != "roget" || len(list[0].RedirectURIs) != 2 || list[0].AuthorizationGrantTypes[1] != "refresh_token" || !list[0].ClientSecret.IsZero() {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}

// settings reads serialized settings of the authorization server.
func settings(t *testing.T, text string) (values map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &values); err != nil || values["@class"] != "java.util.Collections$UnmodifiableMap" {
		t.Fatalf("%v: %s", err, text)
	}
	return values
}

// TestRegisterClientRefusals: what cannot work is not sent, and what the platform refuses
// shows no secret.
func TestRegisterClientRefusals(t *testing.T) {
	c, p := onDouble(t, platformtest.Options{})
	clients := c.OAuth2Clients()
	for field, client := range map[string]platform.OAuth2Client{
		"client_id":                    {ClientSecret: auth.NewSecret(clientSecret)},
		"client_secret: it is missing": {ClientID: "roget"},
		"client_secret: it has 73 bytes, but BCrypt reads only 72": {ClientID: "roget", ClientSecret: auth.NewSecret(strings.Repeat("a", 73))},
	} {
		_, err := clients.Register(t.Context(), client)
		var wrong *auth.FieldError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), field) {
			t.Errorf("%v, want %s", err, field)
		}
	}
	if got := sent(p); len(got) != 0 {
		t.Errorf("sent all the same: %q", got)
	}
	p.Fault("/api/oAuth2Clients", platformtest.Fault{Status: 409, Body: `{"message":"no: Sw0rd\/fish"}`})
	_, err := clients.Register(t.Context(), platform.OAuth2Client{ClientID: "roget", ClientSecret: auth.NewSecret(clientSecret)})
	wantAPIError(t, err, 409, "no: ")
	if strings.Contains(err.Error(), "Sw0rd") {
		t.Errorf("the error repeats the secret: %v", err)
	}
	_, err = clients.List(t.Context())
	wantAPIError(t, err, 409, "no: ")

	usual, err := platform.New(p.URL, auth.NewPAT(auth.NewSecret("x")), platform.Options{Pin: 42})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := usual.OAuth2Clients().Register(t.Context(), platform.OAuth2Client{ClientID: "roget", ClientSecret: auth.NewSecret(strings.Repeat("a", 72))}); err == nil || !strings.Contains(bodyOf(t, p, http.MethodPost), `"clientSecret":"$2a$10$`) {
		t.Errorf("the hash is not of cost 10, of 72 bytes: %v", err)
	}
	unbound, err := platform.New(p.URL, auth.NewPAT(auth.NewSecret("x")), platform.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unbound.OAuth2Clients().List(t.Context()); !errors.Is(err, platform.ErrNotBound) {
		t.Errorf("of a client that is not bound: %v", err)
	}
}
