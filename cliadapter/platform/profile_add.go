package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

func (c commands) profileAddCommand() *cli.Command {
	kinds := []string{}
	for _, kind := range profile.Kinds() {
		kinds = append(kinds, string(kind))
	}
	return c.Add(&cli.Command{
		Name: "add", Usage: "Add a profile, or replace one",
		Description: "Credentials are not flags, because other users of the machine could see them. They come from the environment " +
			"(PLATFORM_PAT, PLATFORM_PASSWORD, PLATFORM_SESSION_COOKIE with PLATFORM_SESSION_XSRF, or " +
			"PLATFORM_OAUTH_CLIENT_SECRET), or else from a prompt. The first profile in a file becomes the default.",
		Flags: append([]cli.Flag{
			&command.Flag{Env: "PLATFORM_URL", StringFlag: cli.StringFlag{Name: "url", Usage: "`URL` Address of the platform."}},
			&command.Flag{StringFlag: cli.StringFlag{Name: "auth", Value: string(profile.PAT), Usage: "Way to authenticate: a personal access token (pat), a user name and password (basic, for local development), OAuth2 (oauth2), or the cookie of a browser session (session)."}, Choices: kinds},
			&command.Flag{Env: "PLATFORM_USERNAME", StringFlag: cli.StringFlag{Name: "username", Usage: "`NAME` User name, for basic."}},
			&cli.StringFlag{Name: "client-id", Usage: "`ID` Id of the registered client, for oauth2."},
			&cli.StringFlag{Name: "scope", Usage: "`SCOPE` Scope to request, for oauth2. By default the platform is asked for its version: \"openid username\" from 2.42.5 and 2.43.0 on, ALL before."},
			&cli.StringFlag{Name: "redirect-uri", Value: auth.DefaultRedirectURI, Usage: "`URI` Address that the browser returns to, for oauth2."},
			tokenStoreOption(),
			&cli.StringFlag{Name: "version", Usage: "`VERSION` Version of the platform to assume offline: v41, v42 or v43."},
			&cli.BoolFlag{Name: "from-env", Usage: "Read everything that is not a flag from the environment, including PLATFORM_OAUTH_CLIENT_ID, _SCOPES, _REDIRECT_URI and _TOKEN_STORE, and never prompt."},
			&cli.BoolFlag{Name: "default", Usage: "Make it the default profile."},
			&cli.BoolFlag{Name: "verify", Usage: "Test the profile on the platform. A failure changes neither the profile nor the exit code, unless --strict is given."},
			&cli.BoolFlag{Name: "strict", Usage: "With --verify, store the profile only if the test succeeds. Otherwise the exit code is 1."},
		}, scopeOptions()...),
	}, command.Details{
		Access: command.Writes,
		Args:   []command.Argument{c.newProfileArgument()},
		Examples: []string{
			"roget profile add prod --url https://platform.example.org",
			"roget profile add local --url http://localhost:8080 --auth basic --username admin --local --default",
			"roget profile add sso --url https://platform.example.org --auth oauth2 --client-id roget --token-store keyring",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			registry, scope, err := inv.registry()
			if err != nil {
				return err
			}
			name := inv.Args()[0]
			if err := profile.CheckName(name); err != nil {
				return err
			}
			if inv.Is("strict") && !inv.Is("verify") {
				return command.Usagef("--strict goes with --verify")
			}
			p, err := inv.described(ctx)
			if err != nil {
				return err
			}
			var tried *verified
			if inv.Is("strict") {
				if tried, err = inv.tryUnstored(ctx, registry, cmp.Or(scope, profile.Global), name, p); err != nil {
					return err
				}
			}
			before, replaced := registry.Find(name, cmp.Or(scope, profile.Global))
			entry, err := registry.Add(ctx, cmp.Or(scope, profile.Global), name, p, inv.Is("default"))
			if err != nil {
				return err
			}
			if replaced == nil && before.Profile.Auth == profile.OAuth2 && (p.Auth != profile.OAuth2 || p.TokenStore != before.Profile.TokenStore) {
				if err := inv.deleteToken(ctx, before); err != nil {
					inv.Notice("warning: the token of the replaced profile was not deleted: %v", err)
				}
			}
			inv.warnOther(registry, entry)
			if inv.Is("verify") && tried == nil {
				done := inv.verify(ctx, resolvedOf(entry))
				tried = &done
			}
			return inv.saved(entry, tried)
		}),
	})
}

// tryUnstored asks the platform whether a profile works before it is stored. If it does not, the answer says so,
// and the error is the exit code.
func (inv *invocation) tryUnstored(ctx context.Context, registry *profile.Registry, scope profile.Scope, name string, p profile.Profile) (*verified, error) {
	p, err := p.Clean()
	if err != nil {
		return nil, err
	}
	tried := inv.verify(ctx, profile.Resolved{Name: name, Profile: p, Scope: scope, Folder: filepath.Dir(registry.Path(scope)), Version: p.Version})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !tried.OK {
		inv.Notice("profile %q does not work and was not stored", name)
		return nil, inv.showVerified(tried)
	}
	return &tried, nil
}

// saved reports a profile that was stored, and whether it works if that was tried.
func (inv *invocation) saved(entry profile.Entry, tried *verified) error {
	answer := struct {
		profileRow
		Verify *verified `json:"verify,omitempty"`
	}{rowOf(entry), tried}
	table := &engine.Table{Footer: "saved " + inFile(entry)}
	if tried != nil {
		table.Rows, table.Footer = [][]string{{table.Footer}}, tried.line()
	}
	return inv.Show(answer, table)
}

// described makes a profile of flags, the environment and answers.
func (inv *invocation) described(ctx context.Context) (profile.Profile, error) {
	p := profile.Profile{Auth: profile.Kind(inv.Text("auth"))}
	var err error
	if p.BaseURL, err = inv.wanted("url", "Address of the platform"); err != nil {
		return p, err
	}
	if p.BaseURL, err = auth.CleanBaseURL(p.BaseURL); err != nil {
		return p, err
	}
	if version := inv.Text("version"); version != "" {
		if p.Version, err = profile.CleanVersion(version); err != nil {
			return p, command.Usagef("--version: %w", err)
		}
	}
	for _, field := range []struct {
		flag string
		kind profile.Kind
	}{{"username", profile.Basic}, {"client-id", profile.OAuth2}, {"scope", profile.OAuth2}, {"redirect-uri", profile.OAuth2}, {"token-store", profile.OAuth2}} {
		if inv.IsSet(field.flag) && p.Auth != field.kind {
			return p, command.Usagef("--%s needs --auth %s", field.flag, field.kind)
		}
	}
	switch p.Auth {
	case profile.PAT:
		p.Token, err = inv.credential("PLATFORM_PAT", "Personal access token")
	case profile.Basic:
		if p.Username, err = inv.wanted("username", "User name"); err == nil {
			p.Password, err = inv.credential("PLATFORM_PASSWORD", "Password of "+p.Username)
		}
	case profile.Session:
		if p.Cookie, err = inv.credential("PLATFORM_SESSION_COOKIE", "Cookie header, with the names of the cookies"); err == nil {
			p.XSRFToken, err = inv.csrf()
		}
	case profile.OAuth2:
		err = inv.client(ctx, &p)
	}
	return p, err
}

// client fills in the fields of an OAuth2 profile.
func (inv *invocation) client(ctx context.Context, p *profile.Profile) error {
	fromEnv := func(flag, variable string) string {
		if value := inv.Getenv(variable); value != "" && inv.Is("from-env") && !inv.IsSet(flag) {
			return value
		}
		return inv.Text(flag)
	}
	p.Scope = fromEnv("scope", "PLATFORM_OAUTH_SCOPES")
	p.RedirectURI = fromEnv("redirect-uri", "PLATFORM_OAUTH_REDIRECT_URI")
	p.TokenStore = tokenStoreOf(fromEnv("token-store", "PLATFORM_OAUTH_TOKEN_STORE"))
	var err error
	if p.ClientID = fromEnv("client-id", "PLATFORM_OAUTH_CLIENT_ID"); p.ClientID == "" {
		if inv.Is("from-env") {
			return errors.New("no client id; give --client-id, or set PLATFORM_OAUTH_CLIENT_ID")
		}
		if p.ClientID, err = inv.wanted("client-id", "Client id"); err != nil {
			return err
		}
	}
	if p.ClientSecret, err = inv.credential(clientSecretVariable, "Client secret"); err == nil && p.Scope == "" {
		if _, err := inv.transport(); err != nil {
			return err
		}
		p.Scope = inv.defaultScope(ctx, p.BaseURL, p.Version)
		err = ctx.Err()
	}
	return err
}

// wanted returns the value of a flag or its environment variable, or else prompts for it.
func (inv *invocation) wanted(flag, prompt string) (string, error) {
	if value := inv.Text(flag); value != "" {
		return value, nil
	}
	if !inv.InTerminal || inv.Is("from-env") {
		ways := "give --" + flag
		if env := inv.Env(flag); env != "" {
			ways += ", or set " + env
		}
		return "", fmt.Errorf("%s: it is missing; %s", prompt, ways)
	}
	return inv.Line(prompt + ":")
}

// credential returns a secret from the environment, or else prompts for it unless --from-env is
// set.
func (inv *invocation) credential(env, prompt string) (auth.Secret, error) {
	if inv.Is("from-env") && inv.Getenv(env) == "" {
		return auth.Secret{}, fmt.Errorf("%s: set %s, or leave out --from-env to enter it at a prompt", prompt, env)
	}
	return inv.Secret(env, prompt)
}

// csrf is the token against cross-site requests that may go along with a cookie.
func (inv *invocation) csrf() (auth.Secret, error) {
	const env = "PLATFORM_SESSION_XSRF"
	if value := inv.Getenv(env); value != "" || inv.Is("from-env") || inv.Getenv("PLATFORM_SESSION_COOKIE") != "" {
		return auth.NewSecret(value), nil
	}
	return inv.Hidden("CSRF token, needed for writing on some instances (empty for none)")
}
