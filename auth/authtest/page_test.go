package authtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/auth/authtest"
)

// TestPageSignIn signs in to the page of a server with authentication in Chromium, at an authorization
// server that others wrote. The browser never has a token: only a cookie that scripts cannot read. The
// session outlives the access token, whose successor the server asks for, and ends when the person leaves.
func TestPageSignIn(t *testing.T) {
	browser := chromium(t)
	addr := freeAddr(t)
	server := "http://" + addr
	issuer := authtest.StartSMART(t, server, server+"/ui/callback", []string{"openid", "offline_access", "user/*.rs"}, []string{"p1"})
	issuer.SetLifetime(2 * time.Second)
	log := serve(t, "--addr", addr, "--auth-issuer", issuer.URL, "--auth-audience", server, "--ui-client-id", authtest.SMARTClient)

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "page_signin.mjs", browser, server)
	cmd.Dir = clients
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, problems.String(), log)
	}
	type saw struct {
		Problems, Cookies                              []string
		First, Back, Heading, Script, Later, SignedOut string
	}
	var got saw
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := saw{
		Problems: []string{}, Cookies: []string{"true Lax"},
		First: "200 /ui/login", Back: "/ui/concept?system=http%3A%2F%2Fhl7.org%2Ffhir%2Fadministrative-gender&code=female",
		Heading: "Female", Later: "200 Female", SignedOut: "200 /ui/login",
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("the browser saw\n%+v, want\n%+v\n%s", got, want, log)
	}
	if issuer.Renewals() == 0 {
		t.Error("the access token was not renewed")
	}
	if strings.Contains(log.String(), "eyJ") {
		t.Error("the log has a token")
	}
}
