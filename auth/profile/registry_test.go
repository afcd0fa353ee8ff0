package profile_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
)

func pat(url string) profile.Profile {
	return profile.Profile{BaseURL: url, Auth: profile.PAT, Token: auth.NewSecret("d2pat_x")}
}

// An entryPlace is a home folder, a project below it and an environment.
type entryPlace struct {
	home, project string
	env           map[string]string
}

func newPlace(t *testing.T) *entryPlace {
	home := t.TempDir()
	project := filepath.Join(home, "work", "deep", "er")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	return &entryPlace{home, project, map[string]string{}}
}

func (p *entryPlace) open(t *testing.T) *profile.Registry {
	t.Helper()
	r, err := profile.Open(profile.Options{Getenv: func(name string) string { return p.env[name] }, Folder: p.project, Home: p.home})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func add(t *testing.T, r *profile.Registry, scope profile.Scope, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := r.Add(t.Context(), scope, name, pat("https://"+name+"."+string(scope)+".example/"), false); err != nil {
			t.Fatal(err)
		}
	}
}

// summary returns the names in order. * marks the default, - a shadowed profile, P the project.
func summary(t *testing.T, r *profile.Registry) string {
	t.Helper()
	list, err := r.List()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		name := e.Name
		if e.Scope == profile.Project {
			name = "P" + name
		}
		if e.IsDefault {
			name += "*"
		}
		if e.Shadowed {
			name += "-"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// TestPlaces: section 1.5.3 of the platform toolkit, where the files are.
func TestPlaces(t *testing.T) {
	p := newPlace(t)
	r := p.open(t)
	if got, want := r.Path(profile.Global), filepath.Join(p.home, ".config", "platform", "profiles.toml"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := r.Path(profile.Project), filepath.Join(p.project, ".platform", "profiles.toml"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p.env["XDG_CONFIG_HOME"] = filepath.Join(p.home, "xdg")
	r = p.open(t)
	if got, want := r.Path(profile.Global), filepath.Join(p.home, "xdg", "platform", "profiles.toml"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	above := filepath.Join(p.home, "work", ".platform", "profiles.toml")
	os.MkdirAll(filepath.Dir(above), 0o700)
	os.WriteFile(above, nil, 0o644)
	r = p.open(t)
	if got := r.Path(profile.Project); got != above {
		t.Errorf("%s, want %s", got, above)
	}
	add(t, r, profile.Project, "a")
	add(t, r, profile.Global, "a")
	for _, scope := range []profile.Scope{profile.Project, profile.Global} {
		if info, err := os.Stat(r.Path(scope)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", scope, info.Mode(), err)
		}
	}
}

// TestChanges: what becomes of order and default.
func TestChanges(t *testing.T) {
	r, ctx := newPlace(t).open(t), t.Context()
	must := func(_ profile.Entry, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	is := func(want string) {
		t.Helper()
		if got := summary(t, r); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	is("")
	add(t, r, profile.Global, "d", "c", "b")
	is("d* c b")
	must(r.Add(ctx, profile.Global, "e", pat("https://e.example"), true))
	is("d c b e*")
	must(r.Add(ctx, profile.Global, "c", pat("https://c2.example"), false))
	if got, err := r.Find("c", ""); err != nil || got.Profile.BaseURL != "https://c2.example" {
		t.Errorf("replaced: %+v, %v", got, err)
	}
	is("d c b e*")
	must(r.Rename(ctx, "c", "x", ""))
	is("d x b e*")
	must(r.Rename(ctx, "e", "y", ""))
	is("d x b y*")
	must(r.Remove(ctx, "y", ""))
	is("d* x b")
	entry, err := r.SetDefault(ctx, "x", "")
	if must(entry, err); entry.Name != "x" || !entry.IsDefault {
		t.Errorf("the new default: %+v", entry)
	}
	is("d x* b")
	must(r.Remove(ctx, "x", ""))
	is("d b*")
	add(t, r, profile.Project, "b")
	is("Pb* d b-")
	must(r.SetDefault(ctx, "b", profile.Global))
	must(r.Remove(ctx, "b", "")) // that of the project
	is("d b*")
	must(r.Remove(ctx, "d", profile.Global))
	must(r.Remove(ctx, "b", profile.Global))
	is("")
	if text, err := os.ReadFile(r.Path(profile.Global)); err != nil || len(text) != 0 {
		t.Errorf("left: %s, %v", text, err)
	}
}

func TestErrors(t *testing.T) {
	r, ctx := newPlace(t).open(t), t.Context()
	add(t, r, profile.Global, "b", "a")
	add(t, r, profile.Project, "a")
	var unknown *profile.UnknownProfileError
	_, removeErr := r.Remove(ctx, "z", "")
	_, renameErr := r.Rename(ctx, "z", "y", "")
	_, defaultErr := r.SetDefault(ctx, "z", "")
	_, resolveErr := r.Resolve("z")
	for _, err := range []error{removeErr, renameErr, defaultErr, resolveErr} {
		if !errors.As(err, &unknown) || unknown.Name != "z" || !slices.Equal(unknown.Known, []string{"a", "b"}) || !strings.Contains(err.Error(), "a, b") {
			t.Errorf("%v", err)
		}
	}
	if _, err := r.Find("b", profile.Project); !errors.As(err, &unknown) {
		t.Errorf("in the project only: %v", err)
	}
	var taken *profile.ExistsError
	if _, err := r.Rename(ctx, "b", "a", ""); !errors.As(err, &taken) || taken.Path != r.Path(profile.Global) {
		t.Errorf("rename to a name in use: %v", err)
	}
	var invalid *profile.InvalidNameError
	_, addErr := r.Add(ctx, profile.Global, "a-b", pat("https://x.example"), false)
	_, renameErr = r.Rename(ctx, "a", "2", "")
	_, defaultErr = r.SetDefault(ctx, "", "")
	for _, err := range []error{addErr, renameErr, defaultErr} {
		var family profile.Error
		if !errors.As(err, &invalid) || !errors.As(err, &family) {
			t.Errorf("%v", err)
		}
	}
	before := summary(t, r)
	var field *auth.FieldError
	if _, err := r.Add(ctx, profile.Global, "c", profile.Profile{BaseURL: "https://c.example"}, false); !errors.As(err, &field) || summary(t, r) != before {
		t.Errorf("an incomplete profile: %v, %s", err, summary(t, r))
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, addErr = r.Add(ended, profile.Global, "c", pat("https://x.example"), true)
	_, removeErr = r.Remove(ended, "b", "")
	_, renameErr = r.Rename(ended, "b", "c", "")
	_, defaultErr = r.SetDefault(ended, "b", "")
	for i, err := range []error{addErr, removeErr, renameErr, defaultErr} {
		if !errors.Is(err, context.Canceled) || summary(t, r) != before {
			t.Errorf("change %d is given up: %v, %s", i, err, summary(t, r))
		}
	}
	if err := os.WriteFile(r.Path(profile.Global), []byte("\ntoken = Sw0rdfish"), 0o600); err != nil {
		t.Fatal(err)
	}
	var bad *profile.FileError
	_, err := r.List()
	_, addErr = r.Add(ctx, profile.Global, "a", pat("https://x.example"), false)
	_, resolveErr = r.Resolve("")
	_, findErr := r.Find("a", "")
	for _, err := range []error{err, addErr, resolveErr, findErr} {
		if !errors.As(err, &bad) || bad.Line != 2 || !strings.HasPrefix(err.Error(), r.Path(profile.Global)+":2: ") || strings.Contains(err.Error(), "Sw0rd") {
			t.Errorf("%v", err)
		}
	}
}

// TestConcurrentChanges loses none.
func TestConcurrentChanges(t *testing.T) {
	p := newPlace(t)
	var group sync.WaitGroup
	for i := range 10 {
		r := p.open(t)
		group.Go(func() {
			if _, err := r.Add(t.Context(), profile.Global, fmt.Sprintf("p%d", i), pat("https://x.example"), false); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if list, err := p.open(t).List(); err != nil || len(list) != 10 {
		t.Errorf("%d, %v", len(list), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.open(t).Add(ctx, profile.Global, "x", pat("https://x.example"), false); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestResolve: section 1.5.4 of the platform toolkit, row by row.
func TestResolve(t *testing.T) {
	p := newPlace(t)
	r := p.open(t)
	var none *profile.NoProfileError
	if _, err := r.Resolve(""); !errors.As(err, &none) || !strings.Contains(none.Hint(), "profile add") || !strings.Contains(none.Hint(), "PLATFORM_PAT") {
		t.Errorf("%v", err)
	}
	check := func(name, wantName string, source profile.Source, scope profile.Scope) profile.Resolved {
		t.Helper()
		got, err := r.Resolve(name)
		path := ""
		if source != profile.FromEnvironment {
			path = r.Path(scope)
		}
		if err != nil || got.Name != wantName || got.Source != source || got.Scope != scope || got.Path != path || got.Folder != filepath.Dir(r.Path(scope)) {
			t.Errorf("%q: %+v, %v; want %s, %s, %s", name, got, err, wantName, source, scope)
		}
		return got
	}
	add(t, r, profile.Global, "g", "both")
	check("", "g", profile.FromGlobal, profile.Global)
	add(t, r, profile.Project, "l", "both")
	check("", "l", profile.FromProject, profile.Project)
	p.env["PLATFORM_URL"] = "https://env.example/"
	check("", "l", profile.FromProject, profile.Project)
	p.env["PLATFORM_USERNAME"] = "ada"
	check("", "l", profile.FromProject, profile.Project)
	p.env["PLATFORM_PASSWORD"] = "pw"
	if got := check("", "<env>", profile.FromEnvironment, profile.Global); got.Profile.Auth != profile.Basic || got.Profile.BaseURL != "https://env.example" || got.Profile.Password.Reveal() != "pw" {
		t.Errorf("%+v", got)
	}
	p.env["PLATFORM_PAT"] = "d2pat_env"
	if got := check("", "<env>", profile.FromEnvironment, profile.Global); got.Profile.Auth != profile.PAT || got.Profile.Token.Reveal() != "d2pat_env" || got.Profile.Username != "" {
		t.Errorf("%+v", got)
	}
	p.env["PLATFORM_PROFILE"] = "g"
	check("", "g", profile.FromVariable, profile.Global)
	if got := check("both", "both", profile.FromArgument, profile.Project); got.Profile.BaseURL != "https://both.project.example" {
		t.Errorf("%+v", got)
	}
	p.env["PLATFORM_PROFILE"] = ""
	p.env["PLATFORM_URL"] = "https://ada:Sw0rdfish@env.example"
	if _, err := r.Resolve(""); err == nil || strings.Contains(err.Error(), "Sw0rd") || !strings.Contains(err.Error(), "PLATFORM_*: base_url") {
		t.Errorf("%v", err)
	}
}

// TestVersion: the hint of a profile, of the environment, and what a server says to it.
func TestVersion(t *testing.T) {
	p := newPlace(t)
	r := p.open(t)
	add(t, r, profile.Global, "plain")
	pinned := pat("https://x.example")
	pinned.Version = "43"
	if _, err := r.Add(t.Context(), profile.Global, "pinned", pinned, false); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, env, want string }{{"plain", "", ""}, {"plain", "42", "v42"}, {"plain", "v41", "v41"}, {"pinned", "v41", "v43"}} {
		p.env["PLATFORM_VERSION"] = test.env
		got, err := r.Resolve(test.name)
		if err != nil || got.Version != test.want {
			t.Errorf("%v: %s, %v", test, got.Version, err)
		}
		var mismatch *profile.VersionMismatchError
		if err := got.CheckServer(42); errors.As(err, &mismatch) != (test.name == "pinned") {
			t.Errorf("%v: %v", test, err)
		}
	}
	p.env["PLATFORM_VERSION"] = "2.42"
	if _, err := r.Resolve("plain"); err == nil || !strings.Contains(err.Error(), "PLATFORM_VERSION") {
		t.Errorf("%v", err)
	}
}

// TestClean: sections 1.3 and 1.5.1 of the platform toolkit.
// Rows of docs/platform.md: 2.2.7, 2.2.8, 2.2.9, 7.4.
func TestClean(t *testing.T) {
	secret := auth.NewSecret
	full := profile.Profile{
		BaseURL: "https://p.example/ctx//", Auth: profile.OAuth2, ClientID: " c ", ClientSecret: secret(" s "), Token: secret("\tt\n"),
		Cookie: secret(" A=1 "), XSRFToken: secret("  "), Password: secret(" pw "),
	}
	got, err := full.Clean()
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, field := range got.Fields() {
		text += field.Name + "=" + field.Value + field.Secret.Reveal() + ";"
	}
	if want := "base_url=https://p.example/ctx;auth=oauth2;token=t;password= pw ;cookie=A=1;client_id=c;client_secret= s ;scope=ALL;redirect_uri=http://localhost:8765;"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
	free := full // from the rule of headers
	free.Auth, free.Username, free.Password, free.ClientSecret = profile.Basic, "ada", secret("a\nb"), secret("a\x00b")
	if _, err := free.Clean(); err != nil {
		t.Errorf("control characters in what no header carries: %v", err)
	}
	encoded, err := json.Marshal(got)
	if want := `{"base_url":"https://p.example/ctx","auth":"oauth2","token":"**********","password":"**********","cookie":"**********","client_id":"c","client_secret":"**********","scope":"ALL","redirect_uri":"http://localhost:8765"}`; err != nil || string(encoded) != want {
		t.Errorf("%s, %v", encoded, err)
	}
	for _, test := range []struct {
		field  string
		change func(p *profile.Profile)
	}{
		{"base_url", func(p *profile.Profile) { p.BaseURL = "p.example" }},
		{"base_url", func(p *profile.Profile) { p.BaseURL = "https://a:b@p.example" }},
		{"base_url", func(p *profile.Profile) { p.BaseURL = "https://p.example?x" }},
		{"auth", func(p *profile.Profile) { p.Auth = "" }},
		{"auth", func(p *profile.Profile) { p.Auth = "token" }},
		{"version", func(p *profile.Profile) { p.Version = "v40" }},
		{"token_store", func(p *profile.Profile) { p.TokenStore = "memory" }},
		{"token", func(p *profile.Profile) { p.Token = secret(" ") }},
		{"token", func(p *profile.Profile) { p.Token = secret("a\nb") }},
		{"username", func(p *profile.Profile) { p.Auth, p.Password = profile.Basic, secret("x") }},
		{"username", func(p *profile.Profile) { p.Auth, p.Username, p.Password = profile.Basic, "a:b", secret("x") }},
		{"password", func(p *profile.Profile) { p.Auth, p.Username = profile.Basic, "ada" }},
		{"cookie", func(p *profile.Profile) { p.Auth = profile.Session }},
		{"cookie", func(p *profile.Profile) { p.Auth, p.Cookie = profile.Session, secret("A=1\x00") }},
		{"xsrf_token", func(p *profile.Profile) {
			p.Auth, p.Cookie, p.XSRFToken = profile.Session, secret("A=1"), secret("a\x7fb")
		}},
		{"client_id", func(p *profile.Profile) { p.Auth, p.ClientSecret = profile.OAuth2, secret("s") }},
		{"client_secret", func(p *profile.Profile) { p.Auth, p.ClientID = profile.OAuth2, "c" }},
	} {
		p := pat("https://p.example")
		test.change(&p)
		var field *auth.FieldError
		if _, err := p.Clean(); !errors.As(err, &field) || field.Field != test.field {
			t.Errorf("%s: %v", test.field, err)
		}
	}
}

// TestBuildAuthProvider: section 7 of the platform client, a profile of oauth2 is not
// implemented here.
// Rows of docs/platform.md: 2.2.7, 7.3.
func TestBuildAuthProvider(t *testing.T) {
	secret := auth.NewSecret
	for _, test := range []struct {
		profile profile.Profile
		header  string
		want    string
	}{
		{pat("https://p.example"), "Authorization", "ApiToken d2pat_x"},
		{profile.Profile{Auth: profile.Basic, Username: "a", Password: secret("b")}, "Authorization", "Basic YTpi"},
		{profile.Profile{Auth: profile.Session, Cookie: secret("A=1"), XSRFToken: secret("t")}, "X-XSRF-TOKEN", "t"},
	} {
		provider, err := profile.BuildAuthProvider(test.profile)
		if err != nil {
			t.Fatal(err)
		}
		if headers, err := provider.Headers(t.Context()); err != nil || headers[test.header] != test.want {
			t.Errorf("%v, %v", headers, err)
		}
	}
	if _, err := profile.BuildAuthProvider(profile.Profile{Auth: profile.OAuth2}); !errors.Is(err, auth.ErrNotImplemented) || !strings.Contains(err.Error(), "auth/login") {
		t.Errorf("oauth2: %v", err)
	}
	var field *auth.FieldError
	for _, p := range []profile.Profile{{}, {Auth: profile.PAT}, {Auth: profile.Basic, Username: "a"}, {Auth: profile.Session}} {
		if _, err := profile.BuildAuthProvider(p); !errors.As(err, &field) {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// TestNoHome: without a home there are the environment and the project, and the error of
// what would be the user's says what to set. Platform toolkit, section 1.5.4.
func TestNoHome(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "")
	p := newPlace(t)
	p.home = ""
	r := p.open(t)
	if list, err := r.List(); err != nil || len(list) != 0 || r.Path(profile.Global) != "" {
		t.Error(list, err)
	}
	if _, err := r.Add(t.Context(), profile.Global, "a", pat("https://a.example"), false); err == nil || !strings.Contains(err.Error(), "set HOME or XDG_CONFIG_HOME") {
		t.Error(err)
	}
	if _, err := r.Resolve(""); !errors.As(err, new(*profile.NoProfileError)) {
		t.Error(err)
	}
	p.env["PLATFORM_URL"], p.env["PLATFORM_PAT"] = "https://raw.example", "d2pat_x"
	if got, err := r.Resolve(""); err != nil || got.Profile.BaseURL != "https://raw.example" {
		t.Error(got, err)
	}
	add(t, r, profile.Project, "b")
	if got, err := r.Resolve("b"); err != nil || got.Scope != profile.Project {
		t.Error(got, err)
	}
}
