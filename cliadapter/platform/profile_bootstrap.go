package platform

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
)

// profileBootstrapCommand makes a profile out of an administrator's credentials. Platform
// toolkit, section 3.2.
func (c commands) profileBootstrapCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "bootstrap", Usage: "Create a profile with the credentials of an administrator",
		Description: "With --auth pat, creates a personal access token. With --auth oauth2, registers a client, whose secret is " +
			clientSecretVariable + " or a random one. Stores the profile, makes it the default, and logs you in.",
		Flags: append(append(append(append([]cli.Flag{
			&command.Flag{StringFlag: cli.StringFlag{Name: "auth", Value: string(profile.PAT), Usage: "Way in which the profile authenticates."}, Choices: []string{string(profile.PAT), string(profile.OAuth2)}},
			&cli.BoolFlag{Name: "no-login", Usage: "Store the profile without logging in."},
			noBrowserOption(),
		}, adminOptions()...), tokenOptions()...), append(clientOptions(), tokenStoreOption())...), scopeOptions()...),
	}, command.Details{
		Access: command.Writes,
		Args:   []command.Argument{c.newProfileArgument()},
		Examples: []string{
			"roget profile bootstrap prod --url https://platform.example.org --admin-user ada --expires-in-days 90",
			"roget profile bootstrap sso --url https://platform.example.org --auth oauth2 --client-id roget",
		},
		Run: c.run(bootstrap),
	})
}

func bootstrap(ctx context.Context, inv *invocation) error {
	name := inv.Args()[0]
	if err := profile.CheckName(name); err != nil {
		return err
	}
	registry, scope, err := inv.registry()
	if err != nil {
		return err
	}
	obtain := inv.bootstrapPAT
	wrong := append(clientOptions(), tokenStoreOption())
	if inv.Text("auth") == string(profile.OAuth2) {
		obtain, wrong = inv.bootstrapOAuth2, tokenOptions()
	}
	for _, name := range inv.Set() {
		if command.FindFlag(wrong, name) != nil {
			return command.Usagef("--%s cannot be used with --auth %s", name, inv.Text("auth"))
		}
	}
	p, made, err := obtain(ctx, name)
	if err != nil {
		return err
	}
	entry, err := registry.Add(ctx, cmp.Or(scope, profile.Global), name, p, true)
	if err != nil {
		return fmt.Errorf("%s was created on the platform, but the profile could not be stored: %w", made, err)
	}
	inv.warnOther(registry, entry)
	inv.Notice("made %s", made)
	return inv.begin(ctx, entry, !inv.Is("no-login"))
}

// bootstrapPAT creates a token. It returns the profile, and a description of the token.
func (inv *invocation) bootstrapPAT(ctx context.Context, name string) (profile.Profile, string, error) {
	p := profile.Profile{Auth: profile.PAT}
	token, err := inv.newToken()
	if err != nil {
		return p, "", err
	}
	if token.Code == "" {
		token.Code = tokenCode(name, time.Now())
	}
	client, err := inv.admin(ctx)
	if err != nil {
		return p, "", err
	}
	minted, err := mint(ctx, client, token)
	p.BaseURL, p.Token = client.BaseURL(), minted.Value
	return p, "personal access token " + minted.UID, err
}

// tokenCode returns a code for the token of a profile, which no other token has: roget-prod-20260102T030405Z.
func tokenCode(name string, now time.Time) string {
	const most = 24 // of the name; the platform takes 50 characters
	return "roget-" + name[:min(len(name), most)] + "-" + now.UTC().Format("20060102T150405Z")
}

// bootstrapOAuth2 registers a client. It returns the profile, and a description of the client.
func (inv *invocation) bootstrapOAuth2(ctx context.Context, _ string) (profile.Profile, string, error) {
	p := inv.profileOfClient()
	record, err := inv.newClient()
	if err != nil {
		return p, "", err
	}
	record.ClientSecret = auth.NewSecret(inv.Getenv(clientSecretVariable))
	if record.ClientSecret.IsZero() {
		record.ClientSecret = randomSecret()
	}
	client, err := inv.admin(ctx)
	if err != nil {
		return p, "", err
	}
	if p.Scope == "" {
		p.Scope = platform.ScopeFor(client.ServerVersion(), nil)
		record.Scopes = strings.Fields(p.Scope)
	}
	uid, err := register(ctx, client, record)
	p.BaseURL, p.ClientSecret = client.BaseURL(), record.ClientSecret
	return p, "OAuth2 client " + uid, err
}

// randomSecret is 32 random bytes as 43 characters.
func randomSecret() auth.Secret {
	var bytes [32]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return auth.NewSecret(base64.RawURLEncoding.EncodeToString(bytes[:]))
}

// begin reports that a profile was stored, and logs in unless --no-login is set. It verifies
// profiles that need no login.
func (inv *invocation) begin(ctx context.Context, entry profile.Entry, logIn bool) error {
	if !logIn {
		return inv.saved(entry, nil)
	}
	chosen := resolvedOf(entry)
	var tried verified
	if entry.Profile.Auth == profile.OAuth2 {
		inv.Notice("saved %s", inFile(entry))
		var err error
		if tried, err = inv.login(ctx, chosen, inv.Is("no-browser")); err != nil {
			return err
		}
	} else {
		tried = inv.verify(ctx, chosen)
	}
	err := inv.saved(entry, &tried)
	if err == nil && !tried.OK {
		err = command.ErrNo
	}
	return err
}
