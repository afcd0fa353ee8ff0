package authtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/authtest"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/tokenstore"
	"github.com/roget-health/roget/cliadapter"
)

// commandSecret is the secret of the client that the commands register.
const commandSecret = "registered-s3cret"

// user is a user of the program, with a home folder, an environment, a browser and a screen.
type user struct {
	*authtest.Server
	t       *testing.T
	home    string
	env     map[string]string
	browser authtest.Browser

	terminal bool // standard error is a terminal
	reads    bool // the user opens addresses from the screen by hand
	opened   int  // how often the program opened a browser

	visits sync.WaitGroup
	mu     sync.Mutex
	pages  []string // last pages of the browser
	giveUp func()   // cancels the command
}

// newUser returns a user who has registered a client with a platform, and has a profile sso.
func newUser(t *testing.T, options platformtest.Options) *user {
	t.Helper()
	u := &user{Server: authtest.StartPlatform(t, options), t: t, home: t.TempDir()}
	u.env = map[string]string{
		"PLATFORM_ADMIN_PASSWORD": platformtest.Password, "PLATFORM_OAUTH_CLIENT_ID": "command", "PLATFORM_OAUTH_CLIENT_SECRET": commandSecret,
		"PLATFORM_OAUTH_REDIRECT_URI": redirectURI + ":0",
	}
	code, out, errs := u.run("profile", "oauth2", "client", "register", "--url", u.URL, "--admin-user", platformtest.Username, "--redirect-uri", redirectURI)
	if code != 0 || !strings.Contains(out, "command") {
		t.Fatalf("register: %d %s%s", code, out, errs)
	}
	if code, out, errs = u.run("profile", "add", "sso", "--url", u.URL, "--auth", "oauth2", "--from-env"); code != 0 {
		t.Fatalf("add: %d %s%s", code, out, errs)
	}
	return u
}

// command returns the program of a user with a home folder.
func command(home string, env func(string) string, browser func(ctx context.Context, address string) error) *cliadapter.CLI {
	return cliadapter.New(cliadapter.Config{Getenv: env, Platform: cliadapter.Platform{Folder: home, Home: home, Cache: home, OpenBrowser: browser}})
}

// run runs a command and waits for the browser. It fails the test if the output contains a secret.
func (u *user) run(args ...string) (code int, out, errs string) {
	u.t.Helper()
	var stdout bytes.Buffer
	stderr := screen{user: u}
	program := command(u.home, func(name string) string { return u.env[name] }, func(_ context.Context, address string) error {
		u.opened++
		u.visit(address)
		return nil
	})
	ctx, cancel := context.WithCancel(u.t.Context())
	defer cancel()
	u.giveUp = cancel
	code = program.Run(ctx, args, cliadapter.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr, ErrTerminal: u.terminal})
	u.visits.Wait()
	out, errs = stdout.String(), stderr.text.String()
	for _, secret := range []string{commandSecret, platformtest.Password, "eyJ"} {
		if strings.Contains(out+errs, secret) {
			u.t.Errorf("%v prints a secret: %s%s", args, out, errs)
		}
	}
	return code, out, errs
}

// visit opens an address in the browser. A user who ends at a page of the platform gives up.
func (u *user) visit(address string) {
	u.visits.Go(func() {
		_, page, err := u.browser.Visit(u.t.Context(), address)
		if err != nil {
			page = err.Error()
		}
		if strings.Contains(page, "<title>Platform</title>") || strings.HasPrefix(page, "{") {
			u.giveUp()
		}
		u.mu.Lock()
		u.pages = append(u.pages, page)
		u.mu.Unlock()
	})
}

// screen is standard error, where the user reads addresses.
type screen struct {
	user *user
	text bytes.Buffer
	seen bool
}

var printed = regexp.MustCompile(`(?m)^ +(http\S+/oauth2/authorize\S+)\n`)

func (s *screen) Write(text []byte) (int, error) {
	s.text.Write(text)
	if address := printed.FindSubmatch(s.text.Bytes()); address != nil && s.user.reads && !s.seen {
		s.seen = true
		s.user.visit(string(address[1]))
	}
	return len(text), nil
}

// folder returns the folder of the user's profiles and tokens.
func (u *user) folder() string { return filepath.Join(u.home, ".config", "platform") }

// stored returns the bytes of the profile file and the token file.
func (u *user) stored() string {
	u.t.Helper()
	var all strings.Builder
	for _, name := range []string{"profiles.toml", tokenstore.FileName} {
		content, err := os.ReadFile(filepath.Join(u.folder(), name))
		if err != nil {
			u.t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

// change changes the stored token.
func (u *user) change(change func(token *auth.OAuth2Token)) {
	u.t.Helper()
	store := tokenstore.New(filepath.Join(u.folder(), tokenstore.FileName))
	defer store.Close()
	token, err := store.Get(u.t.Context(), login.StoreKey("sso"))
	if err != nil || token == nil {
		u.t.Fatalf("%v, %v", token, err)
	}
	changed := *token
	change(&changed)
	if err := store.Set(u.t.Context(), login.StoreKey("sso"), &changed); err != nil {
		u.t.Fatal(err)
	}
}

func expired(token *auth.OAuth2Token) { token.ExpiresAt = 1 }

// works verifies the profile and uses it.
func (u *user) works() {
	u.t.Helper()
	opened := u.opened
	code, out, errs := u.run("profile", "verify", "sso")
	if code != 0 || !strings.HasPrefix(out, "OK sso "+u.URL+" auth=oauth2 ") || !strings.Contains(out, " user=admin ") {
		u.t.Errorf("verify: %d %s%s", code, out, errs)
	}
	code, out, errs = u.run("-p", "sso", "system", "whoami", "--json")
	var me struct {
		ID, Username string
		Authorities  []string
	}
	if err := json.Unmarshal([]byte(out), &me); err != nil || code != 0 || me.ID != platformtest.UserID || me.Username != "admin" || len(me.Authorities) != 2 {
		u.t.Errorf("whoami: %d %s%s", code, out, errs)
	}
	if u.opened != opened {
		u.t.Errorf("a browser was opened")
	}
}

// releases returns the versions between which rules differ, from a major on.
func releases(from int) []string {
	return slices.DeleteFunc(platformtest.Releases(), func(version string) bool { return version < fmt.Sprintf("2.%d", from) })
}

// TestCommandLogin registers a client, adds a profile, logs in in every way, and uses the profile.
// Platform client, section 4: profile login runs the OAuth2 flow; --no-browser and
// PLATFORM_OAUTH_NO_BROWSER=1 print the authorize URL to stderr.
// Rows of docs/platform.md: 2.3.1, 2.3.2, 2.3.3, 2.3.5, 4.6, 4.16, 4.17, 4.20, 5.5.
func TestCommandLogin(t *testing.T) {
	for _, version := range releases(42) {
		u := newUser(t, platformtest.Options{Version: version})
		scope := "ALL"
		if u.Platform.Rules().UsernameScope {
			scope = "openid username"
		}
		// Platform client, section 2.3: the record of a registered client.
		stored := u.Platform.Clients()[0]
		if !strings.HasPrefix(stored.Secret, "$2a$10$") || stored.ClientSettings == "" || stored.TokenSettings == "" || strings.Join(stored.Scopes, " ") != scope {
			t.Errorf("%s: registered %+v", version, stored)
		}
		for _, way := range []string{"browser", "--no-browser", oauth2.NoBrowserVariable} {
			u.opened, u.pages, u.reads = 0, nil, way != "browser"
			delete(u.env, oauth2.NoBrowserVariable)
			args := []string{"profile", "login", "sso"}
			switch way {
			case "--no-browser":
				args = append(args, way)
			case oauth2.NoBrowserVariable:
				u.env[way] = "1"
			}
			code, out, errs := u.run(args...)
			if code != 0 || !strings.HasPrefix(out, "OK sso ") || u.reads == (u.opened > 0) || len(u.pages) != 1 || !strings.Contains(u.pages[0], "You are signed in") {
				t.Errorf("%s, %s: %d %s%s, %d browsers, pages %q", version, way, code, out, errs, u.opened, u.pages)
			}
			u.works()
		}
	}
}

// TestCommandLoginFails: every failure has its message, and no stored byte changes.
// Rows of docs/platform.md: 2.3.2, 2.3.3, 3.10, 4.16, 5.5, 5.6, 5.7, 5.8, 5.9, 7.1, 7.2, 7.9.
func TestCommandLoginFails(t *testing.T) {
	for _, version := range []string{"2.42.4", "2.43.2"} {
		t.Run(version, func(t *testing.T) { loginFails(t, version) })
	}
}

func loginFails(t *testing.T, version string) {
	u := newUser(t, platformtest.Options{Version: version, RequireOpenID: true})
	own := u.Platform.Rules().OwnProvider // then two keys suffice, and the user's name counts
	if code, out, errs := u.run("profile", "login", "sso"); code != 0 {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	admin := u.Platform.Get("users", platformtest.UserID)
	client := u.Platform.Get("oAuth2Clients", u.Platform.Clients()[0].UID)
	edited := func(object platformtest.Object, member string, value any) platformtest.Object {
		copied := platformtest.Object{member: value}
		for name, value := range object {
			if name != member {
				copied[name] = value
			}
		}
		return copied
	}
	before := u.stored()
	for _, test := range []struct {
		name     string
		switches authtest.Switches
		change   func()
		want     string
	}{
		// Platform client, section 7: authorization state mismatch on redirect: flow rejected.
		{"wrong state", authtest.Switches{WrongState: true}, nil, "state mismatch"},
		{"denied consent", authtest.Switches{}, func() { u.browser.Deny = true }, "authorization failed: access_denied"},
		{"no code", authtest.Switches{NoCode: true}, nil, "no authorization code"},
		{"reused code", authtest.Switches{UsedCode: true}, nil, "invalid_grant"},
		{"expired code", authtest.Switches{CodeLifetime: time.Nanosecond}, nil, "invalid_grant"},
		// Platform client, section 7: client secret stored in plaintext: 401 invalid_client.
		{"plaintext secret", authtest.Switches{}, func() { u.Platform.Put("oAuth2Clients", edited(client, "clientSecret", commandSecret)) }, "401: invalid_client"},
		// Platform client, section 7: clientSettings or tokenSettings empty.
		{"empty client settings", authtest.Switches{}, func() { u.Platform.Put("oAuth2Clients", edited(client, "clientSettings", "")) }, "settings cannot be empty"},
		{"empty token settings", authtest.Switches{}, func() { u.Platform.Put("oAuth2Clients", edited(client, "tokenSettings", "{}")) }, "settings cannot be empty"},
		{"client unknown", authtest.Switches{}, func() { u.Platform.Put("oAuth2Clients", edited(client, "clientId", "other")) }, "register the client, or correct the profile"},
		// Platform client, section 5: what each missing key of the server configuration does.
		{"oauth2.server.enabled missing", authtest.Switches{NoServer: true}, nil, "404: the instance exposes no OAuth2/OIDC endpoints; set oauth2.server.enabled = on"},
		{"oidc.oauth2.login.enabled missing", authtest.Switches{NoLogin: true}, nil, "500: set oidc.oauth2.login.enabled = on"},
		{"oidc.jwt.token.authentication.enabled missing", authtest.Switches{NoJWT: true}, nil, "set oidc.jwt.token.authentication.enabled = on"},
		{"server.base.url and oidc.provider wrong", authtest.Switches{WrongIssuer: true}, nil, "server.base.url"},
		{"openId not set", authtest.Switches{}, func() { u.Platform.Put("users", edited(admin, "openId", "another")) }, "openId"},
		{"page for a token", authtest.Switches{TokenHTML: true}, nil, "not a token in JSON"},
		{"page for discovery", authtest.Switches{DiscoveryHTML: true}, nil, "not JSON"},
	} {
		if own && (test.switches.NoLogin || test.switches.NoJWT || test.name == "openId not set") {
			continue
		}
		u.Set(test.switches)
		if test.change != nil {
			test.change()
		}
		code, out, errs := u.run("profile", "login", "sso")
		if own && (strings.Contains(errs, "oidc.jwt") || strings.Contains(errs, "oidc.oauth2") || strings.Contains(errs, "oidc.provider")) {
			t.Errorf("%s: keys that this version does not need: %s", test.name, errs)
		}
		if code != 1 || out != "" || strings.Count("\n"+errs, "\nroget: ") != 1 || !strings.Contains(errs, test.want) {
			t.Errorf("%s: %d %s%s", test.name, code, out, errs)
		}
		if u.stored() != before {
			t.Errorf("%s: the stored bytes changed", test.name)
		}
		u.browser.Deny = false
		u.Platform.Put("users", admin)
		u.Platform.Put("oAuth2Clients", client)
	}
	u.Set(authtest.Switches{})
	u.works()
}

// TestCommandRefresh: tokens that expire. Platform client, section 3: the token is used,
// refreshed, or the flow runs again. Profile verify never opens a browser.
// Rows of docs/platform.md: 3.1, 3.2, 3.3.
func TestCommandRefresh(t *testing.T) {
	for _, version := range []string{"2.42.4", "2.42.7"} {
		t.Run(version, func(t *testing.T) { refreshes(t, version) })
	}
}

func refreshes(t *testing.T, version string) {
	u := newUser(t, platformtest.Options{Version: version})
	for _, test := range []struct {
		name     string
		switches authtest.Switches // at login
		change   func(token *auth.OAuth2Token)
		revoke   bool
		refused  bool
	}{
		{"far from expiry", authtest.Switches{}, func(token *auth.OAuth2Token) { token.ExpiresAt = auth.UnixSeconds(time.Now()) + 120 }, true, false},
		{"within 60 seconds of expiry", authtest.Switches{}, func(token *auth.OAuth2Token) { token.ExpiresAt = auth.UnixSeconds(time.Now()) + 50 }, false, false},
		{"refresh token revoked", authtest.Switches{}, expired, true, true},
		{"refresh token expired", authtest.Switches{RefreshLifetime: time.Nanosecond}, expired, false, true},
		{"no refresh token", authtest.Switches{NoRefresh: true}, expired, false, true},
	} {
		u.Set(test.switches)
		if code, out, errs := u.run("profile", "login", "sso"); code != 0 {
			t.Fatalf("%s: %d %s%s", test.name, code, out, errs)
		}
		u.change(test.change)
		if test.revoke {
			u.RevokeRefreshTokens(t)
		}
		if !test.refused {
			u.works()
			continue
		}
		before, opened := u.stored(), u.opened
		code, out, errs := u.run("profile", "verify", "sso")
		if code != 1 || !strings.HasPrefix(out, "FAIL sso ") || !strings.Contains(out, "run roget profile login sso") {
			t.Errorf("%s: %d %s%s", test.name, code, out, errs)
		}
		code, out, errs = u.run("-p", "sso", "system", "whoami")
		if code != 1 || out != "" || !strings.Contains(errs, "run roget profile login sso") {
			t.Errorf("%s: %d %s%s", test.name, code, out, errs)
		}
		if u.opened != opened || u.stored() != before {
			t.Errorf("%s: %d browsers; the store has changed: %v", test.name, u.opened-opened, u.stored() != before)
		}
		u.terminal = true
		if code, out, errs = u.run("-p", "sso", "system", "whoami"); code != 0 || u.opened != opened+1 {
			t.Errorf("%s: %d %s%s, %d browsers", test.name, code, out, errs, u.opened-opened)
		}
		u.terminal = false
		u.Set(authtest.Switches{})
		u.works()
	}
}

// TestCommandShortcuts: bootstrap registers a client and logs in, oidc-config makes a profile of the
// discovery document and logs in, logout deletes the token.
func TestCommandShortcuts(t *testing.T) {
	for _, version := range releases(42) {
		t.Run(version, func(t *testing.T) { shortcuts(t, version) })
	}
}

func shortcuts(t *testing.T, version string) {
	u := newUser(t, platformtest.Options{Version: version})
	for _, args := range [][]string{
		{"profile", "bootstrap", "sso", "--url", u.URL, "--auth", "oauth2", "--admin-user", platformtest.Username, "--client-id", "second", "--redirect-uri", redirectURI + ":0"},
		{"profile", "oidc-config", u.URL, "--name", "sso", "--client-id", "command", "--redirect-uri", redirectURI + ":0", "--login"},
	} {
		u.opened = 0
		if code, out, errs := u.run(args...); code != 0 || u.opened != 1 || !strings.Contains(out, "OK sso ") || strings.Contains(errs, "warning") {
			t.Errorf("%v: %d %s%s", args, code, out, errs)
		}
		u.works()
		if code, out, errs := u.run("profile", "logout", "sso"); code != 0 || out != "logged out: sso\n" {
			t.Errorf("%d %s%s", code, out, errs)
		}
		if code, out, _ := u.run("profile", "verify", "sso"); code != 1 || !strings.Contains(out, "run roget profile login sso") {
			t.Errorf("%d %s", code, out)
		}
	}
	if clients := u.Platform.Clients(); len(clients) != 2 || clients[1].ID != "second" || clients[1].UID == "" {
		t.Errorf("%+v", clients)
	}
}

// TestCommandMajor41: there is no OAuth2 before major 42. Platform client, section 9.
// Rows of docs/platform.md: 9.3.
func TestCommandMajor41(t *testing.T) {
	u := newUser(t, platformtest.Options{Version: "2.41.9"})
	if code, out, errs := u.run("profile", "login", "sso"); code != 1 || out != "" || !strings.Contains(errs, "which come with version 2.42") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if stored := u.Platform.Get("oAuth2Clients", u.Platform.Clients()[0].UID); stored["cid"] != "command" {
		t.Errorf("registered %v", stored)
	}
}

// TestKeysAndUserInfo: Platform client, section 4: GET /oauth2/jwks returns the keys that signed the
// token of a login, GET /userinfo returns its user. The discovery document names both.
// Rows of docs/platform.md: 4.3, 4.5, 5.4.
func TestKeysAndUserInfo(t *testing.T) {
	s := newSetting(t)
	if err := s.login(t); err != nil {
		t.Fatal(err)
	}
	found, err := oauth2.Discover(t.Context(), nil, s.URL, oauth2.DiscoveryTime)
	if err != nil || found.JWKSURI != s.URL+"/oauth2/jwks" || found.UserinfoEndpoint != s.URL+"/userinfo" {
		t.Fatalf("%+v, %v", found, err)
	}
	token := s.stored(t).AccessToken
	_, document := s.ask(t, found.JWKSURI, auth.Secret{})
	keys, err := platformtest.ReadKeys(found.Issuer, document)
	if err != nil {
		t.Fatal(err)
	}
	if subject, err := keys.Verify(token.Reveal()); err != nil || subject != authtest.Username {
		t.Errorf("%q, %v", subject, err)
	}
	for _, test := range []struct {
		token   auth.Secret
		status  int
		subject string
	}{{token, http.StatusOK, authtest.Username}, {auth.NewSecret(token.Reveal() + "x"), http.StatusUnauthorized, ""}, {auth.Secret{}, http.StatusUnauthorized, ""}} {
		status, text := s.ask(t, found.UserinfoEndpoint, test.token)
		var user struct{ Sub string }
		if err := json.Unmarshal(text, &user); err != nil || status != test.status || user.Sub != test.subject {
			t.Errorf("%d %s, %v", status, text, err)
		}
	}
}

// ask sends a GET, with a token unless it is empty.
func (s *setting) ask(t *testing.T, address string, token auth.Secret) (status int, text []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !token.IsZero() {
		request.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, text
}

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
