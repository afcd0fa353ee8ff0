package auth

import (
	"strings"
	"testing"
)

// TestAdvice: advice names the keys that a server needs, and no others; where that is not known, it says for
// which servers the others are.
func TestAdvice(t *testing.T) {
	early := []string{"oauth2.server.enabled", "server.base.url", "oidc.jwt.token.authentication.enabled", "oidc.oauth2.login.enabled", "oidc.provider.<name>"}
	for _, test := range []struct {
		keys  []string
		names bool
	}{{early, true}, {early[:2], false}, {nil, true}} {
		advice := AdviceFor(test.keys)
		for text, key := range map[string]string{advice.Login: "oidc.oauth2.login.enabled = on", advice.JWT: "oidc.jwt.token.authentication.enabled = on", advice.Issuer: "oidc.provider.<name>"} {
			if strings.Contains(text, key) != test.names || test.keys == nil && !strings.Contains(text, "before 2.42.5") {
				t.Errorf("%d keys: %s", len(test.keys), text)
			}
		}
		if !strings.Contains(advice.Server, "oauth2.server.enabled = on") || !strings.Contains(advice.Issuer, "server.base.url") {
			t.Errorf("%+v", advice)
		}
	}
}
