package authtest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/auth/authtest"
)

// form posts a form as a client of an authorization server.
func form(t *testing.T, address string, values url.Values) map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(values.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(authtest.OpaqueClient, url.QueryEscape(authtest.OpaqueSecret))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", address, answer.Status)
	}
	out := map[string]any{}
	_ = json.NewDecoder(answer.Body).Decode(&out) // a revocation has no body
	return out
}

// TestIntrospection uses the opaque tokens of an authorization server that others wrote.
func TestIntrospection(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	fhir := "http://" + addr + "/r4"
	issuer := authtest.StartOpaque(t, 5*time.Minute, []string{fhir, "https://other.example"}, []string{"system/Patient.rs", "system/Observation.rs"})
	elsewhere := authtest.StartOpaque(t, 5*time.Minute, []string{fhir}, []string{"system/Patient.rs"})
	secret := filepath.Join(t.TempDir(), "secret")
	write := func(text string) {
		if err := os.WriteFile(secret, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(authtest.OpaqueSecret + "\n")
	if err := os.Chmod(secret, 0o644); err != nil {
		t.Fatal(err)
	}
	log := serve(t, "--addr", addr, "--auth-introspection", issuer.URL+"/introspect", "--auth-introspection-client", authtest.OpaqueResource,
		"--auth-introspection-secret-file", secret, "--auth-introspection-cache", "1s", "--auth-audience", fhir, "--failed-logins", "0")
	token := func(s *authtest.OpaqueServer, audience, scope string) string {
		values := url.Values{"grant_type": {"client_credentials"}, "scope": {scope}}
		if audience != "" {
			values.Set("audience", audience)
		}
		text, _ := form(t, s.URL+"/token", values)["access_token"].(string)
		return text
	}
	good, other := token(issuer, fhir, "system/Patient.rs"), token(issuer, fhir, "system/Observation.rs")
	status := func(token string) int {
		t.Helper()
		status, challenge, retry := ask(t.Context(), t, fhir+"/Patient", bearer(token)...)
		if status == http.StatusUnauthorized && !strings.Contains(challenge, "invalid_token") || status == http.StatusServiceUnavailable && retry == "" {
			t.Errorf("%d with the challenge %q and Retry-After %q", status, challenge, retry)
		}
		return status
	}
	for name, row := range map[string]struct {
		token string
		want  int
	}{
		"good":                 {good, http.StatusOK},
		"too few scopes":       {other, http.StatusForbidden},
		"of another audience":  {token(issuer, "https://other.example", "system/Patient.rs"), http.StatusUnauthorized},
		"of no audience":       {token(issuer, "", "system/Patient.rs"), http.StatusUnauthorized},
		"of another server":    {token(elsewhere, fhir, "system/Patient.rs"), http.StatusUnauthorized},
		"changed":              {good[:len(good)-2] + "AA", http.StatusUnauthorized},
		"no token":             {"x", http.StatusUnauthorized},
		"not active, not ours": {"eyJhbGciOiJub25lIn0.e30.", http.StatusUnauthorized},
		"a static token":       {"roget_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", http.StatusUnauthorized},
		"with other letters":   {"a&token=b", http.StatusUnauthorized},
	} {
		if got := status(row.token); got != row.want {
			t.Errorf("%s: %d, want %d", name, got, row.want)
		}
	}
	form(t, issuer.URL+"/revoke", url.Values{"token": {good}})
	for end := time.Now().Add(10 * time.Second); status(good) != http.StatusUnauthorized; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a revoked token is accepted after 10 s")
		}
	}
	write("another secret")
	if got := status(token(issuer, fhir, "system/Patient.rs")); got != http.StatusServiceUnavailable {
		t.Errorf("with a wrong secret: %d, want 503", got)
	}
	write(authtest.OpaqueSecret)
	if got := status(token(issuer, fhir, "system/Patient.rs")); got != http.StatusOK {
		t.Errorf("with the right secret again: %d, want 200", got)
	}
	if !strings.Contains(log.String(), "chmod o-r") {
		t.Error("no warning about a secret that everybody can read")
	}
	for _, leaked := range []string{good, "s3cret", url.QueryEscape(authtest.OpaqueSecret), "another secret"} {
		if strings.Contains(log.String(), leaked) {
			t.Errorf("the log has %q", leaked)
		}
	}
}
