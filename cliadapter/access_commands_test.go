package cliadapter

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// TestTokenCommands makes, lists and removes a token.
func TestTokenCommands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.toml")
	code, token, errs := run(t, &absent{}, nil, "token", "add", "loader", "--tokens", path, "--scopes", "system/*.cruds", "--role", "etl", "--expires", "1h")
	if code != 0 || errs != "" || !strings.HasPrefix(token, "roget_") {
		t.Fatalf("%d %q %q", code, token, errs)
	}
	for _, format := range []string{"table", "json"} {
		code, list, errs := run(t, &absent{}, nil, "token", "list", "--tokens", path, "-o", format)
		if code != 0 || errs != "" || !strings.Contains(list, "loader") || !strings.Contains(list, "system/*.cruds") || strings.Contains(list, strings.TrimSpace(token)) || strings.Contains(list, "sha256") || strings.HasPrefix(list, "NAME ") != (format == "table") {
			t.Errorf("%d %q %q", code, list, errs)
		}
	}
	if code, _, errs := run(t, &absent{}, nil, "token", "add", "loader", "--tokens", path); code != 2 || !strings.Contains(errs, "already") {
		t.Errorf("twice: %d %q", code, errs)
	}
	if code, _, errs := run(t, &absent{}, nil, "token", "add", "x", "--tokens", path, "--scopes", "openid"); code != 2 || !strings.Contains(errs, "openid") {
		t.Errorf("a scope that permits nothing: %d %q", code, errs)
	}
	if code, _, errs := run(t, &absent{}, nil, "token", "remove", "loader", "--tokens", path); code != 0 || errs != "" {
		t.Errorf("%d %q", code, errs)
	}
	if code, _, errs := run(t, &absent{}, nil, "token", "remove", "loader", "--tokens", path); code == 0 || !strings.Contains(errs, "no token") {
		t.Errorf("again: %d %q", code, errs)
	}
}

func TestPolicyCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(path, []byte("[[rule]]\nname='staff'\nrole='nurse'\nallow='user/*.rs'\ndeny='user/Condition.rs?code=a|b'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 0, "1 rule, no errors"},
		{[]string{"--as", "role=nurse", "GET /Patient/1"}, 0, "yes: read of Patient, of every resource"},
		{[]string{"--as", "role=nurse", "search Condition"}, 0, "yes, of some"},
		{[]string{"--as", "role=nurse", "--scopes", "user/Observation.rs", "GET /Patient/1"}, 1, "no: read of Patient: no scope of this request covers read of Patient"},
		{[]string{"--as", "role=nurse", "POST /Patient"}, 1, "no: create of Patient"},
		{[]string{"--as", "role=nurse", "--scopes", "user/Observation.rs", "GET /Patient/1/Observation"}, 1, "no: search of Observation: no scope of this request covers read of Patient"},
		{[]string{"--as", "anonymous", "GET /Patient/1"}, 1, "does not apply, as there are no credentials"},
		{[]string{"--as", "role=clerk"}, 0, "role is not nurse"},
		{[]string{"--as", "roles=clerk"}, 2, `"roles=clerk" is not one of`},
		{[]string{"GET /Patient/1"}, 2, "needs --as"},
		{[]string{"--as", "role=nurse", "fly"}, 2, "is not a request"},
	} {
		code, out, errs := run(t, &absent{}, nil, append([]string{"policy", "check", path}, row.args...)...)
		if code != row.code || !strings.Contains(out+errs, row.want) {
			t.Errorf("%q: %d %s%s, want %d with %q", row.args, code, out, errs, row.code, row.want)
		}
	}
}

// TestAccessFlags has flags that do not go together.
func TestAccessFlags(t *testing.T) {
	for _, row := range []struct{ args, want string }{
		{"--auth-issuer https://id.example", "--auth-audience"},
		{"--auth-audience x", "--auth-issuer"},
		{"--auth-basic users", "--auth-policy"},
		{"--auth-certificates", "--auth-policy"},
		{"--auth-issuer https://a --auth-issuer https://b --auth-audience x --auth-jwks k", "--auth-jwks https://a=k"},
		{"--auth-issuer https://a --auth-issuer https://b --auth-audience https://a=x", "--auth-issuer https://b needs --auth-audience"},
		{"--auth-issuer https://a --auth-audience x --auth-jwks k --auth-jwks https://a=l", "keys twice"},
		{"--auth-jwks k", "--auth-issuer"},
		{"--auth-introspection https://a", "--auth-introspection-client"},
		{"--auth-introspection-client x", "--auth-introspection"},
		{"--auth-introspection https://a --auth-introspection-client x --auth-introspection-secret-file y --auth-introspection-cache 1h", "10m"},
		{"--auth-token-url https://a", "--auth-issuer"},
	} {
		if code, _, errs := run(t, &absent{}, nil, append([]string{"serve"}, strings.Fields(row.args)...)...); code != 2 || !strings.Contains(errs, row.want) {
			t.Errorf("%s: %d %q", row.args, code, errs)
		}
	}
	b := &absent{}
	code, _, errs := run(t, b, nil, strings.Fields("serve --auth-issuer https://a --auth-issuer https://a/b --auth-jwks https://a/b=k=1 --auth-audience https://a=x --auth-audience y "+
		"--auth-introspection https://a/ask --auth-introspection-client c --auth-introspection-secret-file s")...)
	want := []AccessIssuer{{URL: "https://a", Audiences: []string{"x", "y"}}, {URL: "https://a/b", Keys: "k=1", Audiences: []string{"y"}}}
	if code != 0 || !reflect.DeepEqual(b.served.Access.Issuers, want) || !reflect.DeepEqual(b.served.Access.Introspection.Audiences, []string{"y"}) {
		t.Errorf("%d %q %+v", code, errs, b.served.Access)
	}
	if code, _, errs := run(t, b, nil, "serve", "--auth-issuer", "https://id.example", "--auth-audience", "x"); code != 0 || !b.served.Access.Guarded() || len(b.served.Access.Roles) != 3 {
		t.Errorf("%d %q %+v", code, errs, b.served.Access)
	}
}

// Verbs whose commands change nothing, and verbs whose commands do. Platform toolkit,
// section 6.3.
var (
	readVerbs = strings.Fields("list ls get show info whoami types members tree find search query status diff usage export verify " +
		"authority-list hub-list hub-versions keys namespaces")
	writeVerbs = strings.Fields("add set set-many delete delete-namespace remove rename create update patch register login logout " +
		"default apply import load serve mcp generate bootstrap oidc-config hub-url invite reinvite reset-password add-member " +
		"remove-member add-user remove-user sharing-grant-user reload restore logo-front logo-banner style")
	fileOptions = strings.Fields("output o output-dir output-root out directory file to")
)

// leaves are the commands of the whole tree that do something, by path.
func leaves(t *testing.T) map[string]*cli.Command {
	t.Helper()
	tree, all := terminal(), map[string]*cli.Command{}
	for _, cmd := range tree.Commands() {
		if tree.Details(cmd).Run != nil {
			all[tree.Path(cmd)] = cmd
		} else if len(cmd.Subcommands) == 0 {
			t.Errorf("%s does nothing and has no commands", tree.Path(cmd))
		}
	}
	if len(all) < 30 {
		t.Fatalf("only %d commands", len(all))
	}
	return all
}

// TestAccess: every command says whether it reads or writes, and so do the names.
// Rows of docs/platform.md: 4.29, T6.3.
func TestAccess(t *testing.T) {
	tree := terminal()
	for _, cmd := range tree.Commands() {
		details, path := tree.Details(cmd), tree.Path(cmd)
		if details.Run == nil {
			continue
		}
		has := func(verbs []string) bool {
			return slices.ContainsFunc(cmd.Names(), func(name string) bool { return slices.Contains(verbs, name) })
		}
		switch {
		case details.Access == command.Undeclared:
			t.Errorf("%s does not say whether it reads or writes", path)
		case has(readVerbs) && details.Access != command.Reads, has(writeVerbs) && details.Access != command.Writes:
			t.Errorf("%s: access %d does not go with its name", path, details.Access)
		}
		for _, f := range cmd.Flags {
			own, _ := f.(*command.Flag)
			value := f.(cli.DocGenerationFlag).TakesValue()
			file := value && (own == nil || len(own.Choices) == 0) && slices.ContainsFunc(f.Names(), func(name string) bool { return slices.Contains(fileOptions, name) })
			writes := own != nil && own.Writes
			if file && details.Access == command.Reads && !writes {
				t.Errorf("%s --%s: it names a file to write and is not marked", path, f.Names()[0])
			}
			if writes && !own.TakesFile {
				t.Errorf("%s --%s writes what is no file", path, f.Names()[0])
			}
		}
	}
}

// TestReadCommands checks that the commands that read are those of testdata/reads.txt. A command
// that appears in its diff must change nothing, neither on disk nor on a server.
// Rows of docs/platform.md: 4.29, T6.3.
func TestReadCommands(t *testing.T) {
	var reads []string
	tree := terminal()
	for path := range leaves(t) {
		if tree.Details(find(tree, path)).Access == command.Reads {
			reads = append(reads, path)
		}
	}
	slices.Sort(reads)
	golden(t, "reads.txt", strings.Join(reads, "\n")+"\n")
}

// TestAccessOfNames: names that mean one thing here and another there. Platform toolkit,
// section 6.3.
// Rows of docs/platform.md: T6.3.
func TestAccessOfNames(t *testing.T) {
	tree := terminal()
	if cmd := find(tree, "security settings"); tree.Details(cmd).Access != command.Reads || len(cmd.Subcommands) > 0 {
		t.Error("security settings reads")
	}
	if cmd := find(tree, "system settings"); len(cmd.Subcommands) == 0 {
		t.Error("system settings is a group")
	}
	for _, cmd := range tree.Commands() {
		alias := map[string]string{"list": "ls", "remove": "rm"}[cmd.Name]
		if alias != "" && strings.Contains(tree.Path(cmd), " ") && !slices.Contains(cmd.Aliases, alias) {
			t.Errorf("%s has no alias %s", tree.Path(cmd), alias)
		}
	}
}
