package platform_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// TestTokens: a personal access token that was minted works, and is shown once.
// Rows of docs/platform.md: 2.2.2.
func TestTokens(t *testing.T) {
	onMajors(t, func(t *testing.T, c *platform.Client, p *platformtest.Platform) {
		expire := time.Now().Add(time.Hour).Truncate(time.Millisecond)
		minted, err := c.Tokens().Mint(t.Context(), platform.NewToken{Code: "ci", Description: "for the pipeline", Expire: expire, AllowedMethods: []string{"GET", "POST"}})
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`{"type":"PERSONAL_ACCESS_TOKEN_V2","attributes":[{"type":"MethodAllowedList","allowedMethods":["GET","POST"]}],"code":"ci","description":"for the pipeline","expire":%d}`, expire.UnixMilli())
		if body := bodyOf(t, p, http.MethodPost); body != want {
			t.Errorf("sent %s, want %s", body, want)
		}
		text, err := json.Marshal(minted)
		if shown := fmt.Sprintf("%+v %s", minted, text); err != nil || strings.Contains(shown, minted.Value.Reveal()) || !strings.HasPrefix(minted.Value.Reveal(), "d2pat_") {
			t.Errorf("%s, %v", shown, err)
		}
		with, err := platform.Connect(t.Context(), p.URL, auth.NewPAT(minted.Value), platform.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := with.Tokens().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(token platform.Token) bool { return token.ID == minted.UID })
		if i < 0 || list[i].Code != "ci" || !minted.Expire.Equal(expire) || list[i].Expire != expire.UnixMilli() || list[i].CreatedBy.ID != platformtest.UserID || list[i].Attributes[0].AllowedMethods[1] != "POST" {
			t.Errorf("%+v", list)
		}
		if err := with.Datastore().Delete(t.Context(), "ns1", "k1"); err == nil {
			t.Error("the token may be used for DELETE")
		}
	})
}

func TestTokenRefusals(t *testing.T) {
	c, p := onDouble(t, platformtest.Options{})
	if _, err := c.Tokens().Mint(t.Context(), platform.NewToken{AllowedIPs: []string{"10.0.0.1"}, AllowedReferrers: []string{"https://a.example"}}); err != nil {
		t.Fatal(err)
	}
	if body := bodyOf(t, p, http.MethodPost); body != `{"type":"PERSONAL_ACCESS_TOKEN_V2","attributes":[{"type":"IpAllowedList","allowedIps":["10.0.0.1"]},{"type":"RefererAllowedList","allowedReferrers":["https://a.example"]}]}` {
		t.Errorf("sent %s", body)
	}
	p.Fault("/api/apiToken", platformtest.Fault{Times: 1, Status: 200, Body: `{"response":{"uid":"Tok00000001"}}`}, platformtest.Fault{Status: 403})
	if _, err := c.Tokens().Mint(t.Context(), platform.NewToken{}); err == nil || !strings.Contains(err.Error(), "the response has no token") {
		t.Errorf("an answer without a token: %v", err)
	}
	_, err := c.Tokens().Mint(t.Context(), platform.NewToken{})
	wantAPIError(t, err, http.StatusForbidden, "A test wants it so")
	_, err = c.Tokens().List(t.Context())
	wantAPIError(t, err, http.StatusForbidden, "A test wants it so")
}
