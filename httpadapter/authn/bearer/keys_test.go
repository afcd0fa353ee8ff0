package bearer_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/httpadapter/authn/bearer"
)

// TestReplacedKeys replaces keys in ways that leave their number as it was. Tokens of a key that is
// withdrawn are refused, also those that were verified before.
func TestReplacedKeys(t *testing.T) {
	key, fresh := rsaKey(t, 2048), rsaKey(t, 2048)
	with := func(k object, name string, value any) object {
		if k[name] = value; value == nil {
			delete(k, name)
		}
		return k
	}
	for name, row := range map[string]struct {
		before, after object
		kid           any // of the token
		stays         bool
	}{
		"nothing has changed":        {before: jwk("1", key), after: jwk("1", key), kid: "1", stays: true},
		"another key has its name":   {before: jwk("1", key), after: jwk("1", fresh), kid: "1"},
		"it has another name":        {before: jwk("1", key), after: jwk("2", key), kid: "1"},
		"it has another algorithm":   {before: jwk("1", key), after: with(jwk("1", key), "alg", "PS256"), kid: "1"},
		"keys without names":         {before: with(jwk("", key), "kid", nil), after: with(jwk("", fresh), "kid", nil)},
		"it is for encryption now":   {before: jwk("1", key), after: with(jwk("1", key), "use", "enc"), kid: "1", stays: true}, // a set without keys is not taken up
		"it has an algorithm at all": {before: jwk("1", key), after: with(jwk("1", key), "alg", "RS256"), kid: "1", stays: true},
	} {
		s := newServer(t, row.before)
		a := open(t, []bearer.Issuer{{URL: s.URL, Audiences: []string{audience}}}, bearer.Options{})
		header := object{"alg": "RS256"}
		if row.kid != nil {
			header["kid"] = row.kid
		}
		token := signed(header, s.good(nil), key)
		first, err := ask(a, token)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s.publish(row.after)
		_, _ = ask(a, signed(object{"alg": "RS256", "kid": "unknown"}, s.good(nil), key)) // the keys are fetched
		again, err := ask(a, token)
		if (err == nil) != row.stays {
			t.Errorf("%s: %+v, %v", name, again, err)
		}
		if name == "nothing has changed" && again != first {
			t.Errorf("%s: the token was verified again", name)
		}
	}
}

// TestNamelessKeyRotates replaces the only key of an issuer whose keys and tokens have no names.
func TestNamelessKeyRotates(t *testing.T) {
	key, fresh := rsaKey(t, 2048), rsaKey(t, 2048)
	nameless := func(k object) object { delete(k, "kid"); return k }
	s := newServer(t, nameless(jwk("", key)))
	a := open(t, []bearer.Issuer{{URL: s.URL, Audiences: []string{audience}}}, bearer.Options{})
	if _, err := ask(a, signed(object{"alg": "RS256"}, s.good(nil), key)); err != nil {
		t.Fatal(err)
	}
	s.publish(nameless(jwk("", fresh)))
	if _, err := ask(a, signed(object{"alg": "RS256"}, s.good(nil), fresh)); err != nil {
		t.Errorf("a token of the new key: %v", err)
	}
}

// TestRedirectedKeys has issuers that send the program elsewhere for their keys. It goes nowhere where
// somebody on the way could replace them, and not round in circles.
func TestRedirectedKeys(t *testing.T) {
	key := rsaKey(t, 2048)
	for target, ok := range map[string]bool{
		"":                          true, // to the keys on the same machine
		"http://192.0.2.1/keys":     false,
		"http://id.example/keys":    false,
		"http://localhost.example/": false,
		"file:///etc/passwd":        false,
		"loop":                      false,
	} {
		s := newServer(t, jwk("1", key))
		hops := 0
		turn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hops++
			to := target
			switch target {
			case "":
				to = s.URL + "/jwks"
			case "loop":
				to = r.URL.Path
			}
			http.Redirect(w, r, to, http.StatusFound)
		}))
		t.Cleanup(turn.Close)
		a := open(t, []bearer.Issuer{{URL: s.URL, Keys: turn.URL + "/keys", Audiences: []string{audience}}}, bearer.Options{})
		start := time.Now()
		_, err := ask(a, signed(object{"alg": "RS256", "kid": "1"}, s.good(nil), key))
		if (err == nil) != ok || hops > 5 {
			t.Errorf("%q: %v after %d redirects and %v", target, err, hops, time.Since(start))
		}
		hops = 0
		if d, err := bearer.Discover(t.Context(), nil, turn.URL); err == nil || hops > 10 { // two addresses are tried
			t.Errorf("%q: the discovery document is %+v after %d redirects", target, d, hops)
		}
	}
}

// TestAddresses has addresses that keys are not fetched from.
func TestAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://id.example/keys": true, "http://localhost:1/keys": true, "http://127.0.0.9/keys": true, "http://[::1]/keys": true,
		"http://192.0.2.1/keys": false, "http://[2001:db8::1]/keys": false, "http://localhost.example/keys": false,
		"https://me:s3cret@id.example/keys": false, "https:///keys": false, "ftp://localhost/keys": false, "://": false, "https://%zz/": false,
	} {
		_, err := bearer.New([]bearer.Issuer{{URL: "https://id.example", Keys: address, Audiences: []string{"x"}}}, bearer.Options{})
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestShortReferences reads the claims of issuers that write ids and relative references.
func TestShortReferences(t *testing.T) {
	key := rsaKey(t, 2048)
	s := newServer(t, jwk("1", key))
	a := open(t, []bearer.Issuer{{URL: s.URL, Audiences: []string{audience}, Roles: []string{"a.b"}}}, bearer.Options{})
	for user, want := range map[string]string{"Practitioner/7": "Practitioner/7", "7": "", "": ""} {
		p, err := ask(a, signed(object{"alg": "RS256", "kid": "1"}, s.good(object{
			"patient": "p1", "fhirUser": user, "a.b": "named", "a": object{"b": "nested"},
		}), key))
		if err != nil {
			t.Fatal(err)
		}
		wanted := &access.Principal{
			Subject: "ada", Issuer: s.URL, Method: "jwt", Scopes: []string{"openid", "patient/*.rs"}, Patient: "p1", User: want, Roles: []string{"named"},
		}
		if diff := cmp.Diff(wanted, p); diff != "" {
			t.Errorf("fhirUser %q: %s", user, diff)
		}
	}
}

// TestOtherCredentials sends what is for other authenticators: it is neither accepted nor an error.
func TestOtherCredentials(t *testing.T) {
	a := open(t, []bearer.Issuer{{URL: "https://id.example", Audiences: []string{audience}}}, bearer.Options{})
	for _, value := range []string{"", "Bearer roget_abc", "Bearer a.b", "Bearer a.b.c.d", "Basic YTpi", "Basic a.b.c"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		if value != "" {
			r.Header.Set("Authorization", value)
		}
		if p, err := a.Authenticate(r); p != nil || err != nil {
			t.Errorf("%q: %+v, %v", value, p, err)
		}
	}
}

// TestKeysOfNoFile has names of key files that are no files.
func TestKeysOfNoFile(t *testing.T) {
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		_, err := bearer.New([]bearer.Issuer{{URL: "https://id.example", Keys: path, Audiences: []string{"x"}}}, bearer.Options{})
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error that names it", path, err)
		}
	}
}
