package cliadapter

import (
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// AccessOptions configure who may use the service, and for what.
type AccessOptions struct {
	Issuers   []string // authorization servers whose tokens are accepted
	Keys      string   // file or address with the keys of the only issuer; "" asks the issuer
	Audiences []string // of tokens
	Roles     []string // claims with roles
	Skew      time.Duration
	Tokens    string // file of static tokens
	Basic     string // file of passwords
	// Certificates accepts client certificates that TLS has verified.
	Certificates bool
	Policy       string // file
	// AuthorizationURL and TokenURL are shown to clients instead of those of the issuer.
	AuthorizationURL, TokenURL string
}

// Guarded reports whether requests need permission.
func (o *AccessOptions) Guarded() bool {
	return len(o.Issuers) > 0 || o.Tokens != "" || o.Basic != "" || o.Certificates || o.Policy != ""
}

// accessFlags are about who may use the service.
func accessFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "auth-issuer", Usage: "`URL` Accept the JSON Web Tokens of this authorization server. Requires --auth-audience."},
		&cli.StringFlag{Name: "auth-jwks", Usage: "`FILE` File or https address with the keys of the issuer. By default the issuer's discovery document names them."},
		&cli.StringSliceFlag{Name: "auth-audience", Usage: "`AUDIENCE` Accept tokens for this audience (claim aud), usually the address of this server."},
		&cli.StringSliceFlag{Name: "auth-roles", Value: cli.NewStringSlice("roles", "groups", "realm_access.roles"), Usage: "`CLAIM` Claim of tokens with roles that the policy may ask for."},
		&cli.StringFlag{Name: "auth-clock-skew", Value: "30s", Usage: "`DURATION` Difference allowed between the clocks of issuers and of this server."},
		&cli.StringFlag{Name: "auth-tokens", TakesFile: true, Usage: "`FILE` Accept the static tokens of this file, which roget token makes."},
		&cli.StringFlag{Name: "auth-basic", TakesFile: true, Usage: "`FILE` Accept the users and passwords of this file, which htpasswd -B makes. Requires --auth-policy."},
		&cli.BoolFlag{Name: "auth-certificates", Usage: "Accept client certificates that TLS has verified. Requires --auth-policy."},
		&cli.StringFlag{Name: "auth-policy", TakesFile: true, Usage: "`FILE` Policy in TOML: which principals may do what. Without it they may do what the scopes of their tokens permit."},
		&cli.StringFlag{Name: "auth-authorize-url", Usage: "`URL` Authorization endpoint to show to clients. By default that of the first issuer."},
		&cli.StringFlag{Name: "auth-token-url", Usage: "`URL` Token endpoint to show to clients. By default that of the first issuer."},
	}
}

func (inv *invocation) readAccess(o *ServeOptions) (err error) {
	a := &o.Access
	a.Issuers, a.Audiences, a.Roles = inv.List("auth-issuer"), inv.List("auth-audience"), inv.List("auth-roles")
	a.Keys, a.Tokens, a.Basic, a.Policy = inv.Text("auth-jwks"), inv.Text("auth-tokens"), inv.Text("auth-basic"), inv.Text("auth-policy")
	a.Certificates = inv.Is("auth-certificates")
	a.AuthorizationURL, a.TokenURL = inv.Text("auth-authorize-url"), inv.Text("auth-token-url")
	if a.Skew, err = inv.Duration("auth-clock-skew"); err != nil {
		return err
	}
	switch {
	case len(a.Issuers) > 0 && len(a.Audiences) == 0:
		return command.Usagef("--auth-issuer needs --auth-audience: a token that is meant for another server must not be accepted here")
	case len(a.Issuers) == 0 && (a.Keys != "" || len(a.Audiences) > 0):
		return command.Usagef("--auth-jwks and --auth-audience need --auth-issuer")
	case len(a.Issuers) > 1 && a.Keys != "":
		return command.Usagef("--auth-jwks has the keys of one issuer, and there are %d", len(a.Issuers))
	case a.Basic != "" && a.Policy == "":
		return command.Usagef("--auth-basic needs --auth-policy: passwords carry no scopes, so only a policy says what their users may do")
	case a.Certificates && a.Policy == "":
		return command.Usagef("--auth-certificates needs --auth-policy: certificates carry no scopes, so only a policy says what their holders may do")
	case len(a.Issuers) == 0 && (a.AuthorizationURL != "" || a.TokenURL != ""):
		return command.Usagef("--auth-authorize-url and --auth-token-url need --auth-issuer")
	}
	for _, name := range []string{"auth-authorize-url", "auth-token-url"} {
		if text := inv.Text(name); text != "" && !strings.Contains(text, "://") {
			return command.Usagef("--%s: %q is not an address such as https://id.example/authorize", name, text)
		}
	}
	return nil
}
