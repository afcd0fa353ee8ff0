package bearer

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	_ "crypto/sha256" // of thumbprints
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/roget-health/roget/httpadapter/authn"
)

const (
	thumbprint = crypto.SHA256
	// maxDocument is the longest key set or discovery document in bytes.
	maxDocument = 1 << 20
	// maxKeys is the largest number of keys of an issuer.
	maxKeys = 100
	// minRSA is the shortest RSA key in bits.
	minRSA = 2048
)

// newClient returns a client with time limits that follows no redirect to another scheme.
func newClient() *http.Client {
	return &http.Client{Timeout: maxFetch, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 3 || checkAddress(r.URL.String()) != nil {
			return errors.New("the redirect is refused")
		}
		return nil
	}}
}

// newKeys returns the keys of an issuer, which are not fetched yet.
func newKeys(i Issuer, o Options) (*keys, error) {
	k := &keys{issuer: i.URL, log: o.Logger, every: refreshEvery, retry: o.Retry}
	switch {
	case i.Keys == "":
		if err := checkAddress(i.URL); err != nil {
			return nil, fmt.Errorf("issuer %s: %w", shown(i.URL), err)
		}
		k.fetch = func(ctx context.Context) (*keySet, error) {
			d, err := Discover(ctx, o.Client, i.URL)
			if err != nil {
				return nil, err
			}
			return fetchKeys(ctx, o.Client, d.JWKSURI)
		}
	case strings.Contains(i.Keys, "://"):
		if err := checkAddress(i.Keys); err != nil {
			return nil, fmt.Errorf("keys %s: %w", shown(i.Keys), err)
		}
		k.fetch = func(ctx context.Context) (*keySet, error) { return fetchKeys(ctx, o.Client, i.Keys) }
	default:
		k.every = rereadEvery
		k.fetch = func(context.Context) (*keySet, error) { return readKeys(i.Keys) }
		set, err := k.fetch(context.Background()) // a wrong file is known at once
		if err != nil {
			return nil, err
		}
		k.set.Store(set)
	}
	return k, nil
}

// checkAddress returns an error if keys must not be fetched from an address. Without TLS anybody on the
// way could replace them, except on the way to the same machine.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return errors.New("this is not an address such as https://id.example")
	}
	if u.User != nil {
		return errors.New("the address has credentials, which errors and logs would show")
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return errors.New("keys are fetched over https only, as they decide whom to trust")
}

// shown returns an address for errors and logs, without a password.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?"
	}
	return u.Redacted()
}

// A Discovery is what an issuer says about itself (RFC 8414, OpenID Connect Discovery 1.0).
type Discovery struct {
	Issuer                string   `json:"issuer"`
	JWKSURI               string   `json:"jwks_uri"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	Scopes                []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	IntrospectionEndpoint string   `json:"introspection_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	ManagementEndpoint    string   `json:"management_endpoint"`
	CodeChallengeMethods  []string `json:"code_challenge_methods_supported"`
	Capabilities          []string `json:"capabilities"`
}

// Discover returns the discovery document of an issuer. A nil client means one with time limits that
// follows redirects over https only.
func Discover(ctx context.Context, client *http.Client, issuer string) (*Discovery, error) {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil, err
	}
	if client == nil {
		client = newClient()
	}
	inserted := *u // as RFC 8414, section 3.1, has it
	inserted.Path = "/.well-known/oauth-authorization-server" + strings.TrimRight(u.Path, "/")
	var failed error
	for _, address := range []string{strings.TrimRight(issuer, "/") + "/.well-known/openid-configuration", inserted.String()} {
		d := new(Discovery)
		content, err := get(ctx, client, address)
		if err == nil {
			err = json.Unmarshal(content, d)
		}
		switch {
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("%s: %w", address, err))
		case d.Issuer != issuer:
			return nil, fmt.Errorf("%s: the document is of the issuer %q, not of %q", address, d.Issuer, issuer)
		default:
			return d, nil
		}
	}
	return nil, failed
}

func fetchKeys(ctx context.Context, client *http.Client, address string) (*keySet, error) {
	if err := checkAddress(address); err != nil {
		return nil, fmt.Errorf("keys %s: %w", shown(address), err)
	}
	content, err := get(ctx, client, address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return parseKeys(address, content)
}

// get returns the body of a response.
func get(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxDocument+1))
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the response is %s", answer.Status)
	case len(content) > maxDocument:
		return nil, fmt.Errorf("the response is longer than %d bytes", maxDocument)
	}
	return content, nil
}

func readKeys(path string) (*keySet, error) {
	content, _, err := authn.ReadFile(path, maxDocument)
	if err != nil {
		return nil, err
	}
	return parseKeys(path, content)
}

// parseKeys reads a JSON Web Key Set. Keys that verify nothing are left out, and so are weak ones. An
// entry that cannot be parsed does not spoil the others.
func parseKeys(from string, content []byte) (*keySet, error) {
	var document struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(content, &document); err != nil {
		return nil, fmt.Errorf("%s is not a JSON Web Key Set: %w", from, err)
	}
	if len(document.Keys) > maxKeys {
		return nil, fmt.Errorf("%s has more than %d keys", from, maxKeys)
	}
	set := new(keySet)
	for _, raw := range document.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) != nil {
			continue
		}
		if key = key.Public(); key.Valid() && strong(&key) && (key.Use == "" || key.Use == "sig") {
			set.list = append(set.list, key)
		}
	}
	if len(set.list) == 0 {
		return nil, fmt.Errorf("%s has no key that verifies signatures: RSA of %d bits or more, P-256, P-384, P-521 or Ed25519", from, minRSA)
	}
	return set, nil
}

// strong reports whether a key verifies signatures that nobody forges.
func strong(key *jose.JSONWebKey) bool {
	switch k := key.Key.(type) {
	case *rsa.PublicKey:
		return k.N.BitLen() >= minRSA
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return true
	}
	return false
}

// makes reports whether a key makes signatures of an algorithm.
func makes(key *jose.JSONWebKey, algorithm string) bool {
	if key.Algorithm != "" && key.Algorithm != algorithm {
		return false
	}
	switch k := key.Key.(type) {
	case *rsa.PublicKey:
		return strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS")
	case *ecdsa.PublicKey:
		return algorithm == map[int]string{256: "ES256", 384: "ES384", 521: "ES512"}[k.Curve.Params().BitSize]
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}
	return false
}
