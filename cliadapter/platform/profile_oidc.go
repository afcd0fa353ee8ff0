package platform

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
)

// profileOIDCCommand makes a profile from the discovery document of an authorization server.
// Platform toolkit, sections 1.6.6 and 3.2.
func (c commands) profileOIDCCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "oidc-config", Usage: "Create an OAuth2 profile from the discovery document of a platform",
		Description: "Reads URL/.well-known/openid-configuration. The document must have issuer, authorization_endpoint, " +
			"token_endpoint and jwks_uri; the issuer becomes the address of the profile. The client secret comes from " +
			clientSecretVariable + " or a prompt.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "name", Usage: "`NAME` Name of the profile. By default it is derived from the host of the issuer."},
			clientOption("client-id"),
			clientOption("scope"),
			clientOption("redirect-uri"),
			tokenStoreOption(),
			&cli.BoolFlag{Name: "default", Usage: "Make it the default profile."},
			&cli.BoolFlag{Name: "login", Usage: "Log in afterwards."},
			noBrowserOption(),
		}, scopeOptions()...),
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{{Name: "URL", Required: true, Usage: "Address of the platform."}},
		Examples: []string{"roget profile oidc-config https://platform.example.org --name sso --client-id roget --login"},
		Run:      c.run(configureOIDC),
	})
}

func noBrowserOption() cli.Flag {
	return &cli.BoolFlag{Name: "no-browser", Usage: "Print the address of the login page instead of opening a browser. Setting " + oauth2.NoBrowserVariable + "=1 does the same."}
}

func configureOIDC(ctx context.Context, inv *invocation) error {
	registry, scope, err := inv.registry()
	if err != nil {
		return err
	}
	address, err := auth.CleanBaseURL(inv.Args()[0])
	if err != nil {
		return err
	}
	p := inv.profileOfClient()
	if p.ClientID == "" {
		return command.Usagef("--client-id is missing")
	}
	transport, err := inv.transport()
	if err != nil {
		return err
	}
	found, err := oauth2.Discover(ctx, transport, address, oauth2.DiscoveryTime)
	if err != nil {
		return err
	}
	if missing := found.Missing(); len(missing) > 0 {
		return fmt.Errorf("the discovery document of %s has no %s; the authorization server is not fully configured", address, strings.Join(missing, ", "))
	}
	if p.BaseURL, err = auth.CleanBaseURL(found.Issuer); err != nil {
		return fmt.Errorf("the issuer in the discovery document of %s: %w", address, err)
	}
	name := inv.Text("name")
	if name == "" {
		name = nameOf(p.BaseURL)
	}
	if err := profile.CheckName(name); err != nil {
		return err
	}
	if p.Scope == "" {
		p.Scope = platform.ScopeFor(inv.publicVersion(ctx, p.BaseURL), found.ScopesSupported)
	}
	inv.warnDiscovery(address, p, found)
	if p.ClientSecret, err = inv.Secret(clientSecretVariable, "Client secret"); err != nil {
		return err
	}
	entry, err := registry.Add(ctx, cmp.Or(scope, profile.Global), name, p, inv.Is("default"))
	if err != nil {
		return err
	}
	inv.warnOther(registry, entry)
	return inv.begin(ctx, entry, inv.Is("login"))
}

// warnDiscovery warns about what in a discovery document prevents a login.
func (inv *invocation) warnDiscovery(address string, p profile.Profile, found *oauth2.Discovery) {
	if p.BaseURL != address {
		inv.Notice("warning: the issuer is %s, which becomes the address of the profile", p.BaseURL)
	}
	for _, endpoint := range []struct{ name, found, used string }{
		{"authorization_endpoint", found.AuthorizationEndpoint, p.BaseURL + "/oauth2/authorize"},
		{"token_endpoint", found.TokenEndpoint, p.BaseURL + "/oauth2/token"},
	} {
		if endpoint.found != endpoint.used {
			inv.Notice("warning: %s is %s; a login uses %s", endpoint.name, endpoint.found, endpoint.used)
		}
	}
	for _, list := range []struct {
		name  string
		found []string
		used  []string
	}{
		{"scopes_supported", found.ScopesSupported, strings.Fields(p.Scope)},
		{"response_types_supported", found.ResponseTypes, []string{"code"}},
		{"grant_types_supported", found.GrantTypes, []string{"authorization_code", "refresh_token"}},
	} {
		for _, used := range list.used {
			if len(list.found) > 0 && !slices.Contains(list.found, used) {
				inv.Notice("warning: %s is %s, without %s", list.name, strings.Join(list.found, ", "), used)
			}
		}
	}
}

// nameOf makes the name of a profile of the host in an address.
func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, u.Hostname())
	if name != "" && (name[0] < 'A' || name[0] == '_') {
		name = "p" + name
	}
	return name
}
