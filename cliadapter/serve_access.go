package cliadapter

import (
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// AccessOptions configure who may use the service, and for what.
type AccessOptions struct {
	Issuers       []AccessIssuer // authorization servers whose tokens are accepted
	Introspection Introspection
	Roles         []string // claims with roles
	Skew          time.Duration
	Tokens        string // file of static tokens
	Basic         string // file of passwords
	// Certificates accepts client certificates that TLS has verified.
	Certificates bool
	Policy       string // file
	// PageClient is the client as which the page for browsers asks the first issuer for tokens, with
	// PageScopes; "" if people paste tokens.
	PageClient string
	PageScopes []string
	// AuthorizationURL and TokenURL are shown to clients instead of those of the issuer.
	AuthorizationURL, TokenURL string
}

// An AccessIssuer is an authorization server whose tokens are accepted.
type AccessIssuer struct {
	URL       string
	Keys      string   // file or address with its keys; "" asks the issuer
	Audiences []string // of its tokens
}

// Introspection is an authorization server that is asked about each token. Without a URL there is none.
type Introspection struct {
	URL, Client, SecretFile string
	Audiences               []string // of tokens; without any, all are accepted
	Keep                    time.Duration
}

// Guarded reports whether requests need permission.
func (o *AccessOptions) Guarded() bool {
	return len(o.Issuers) > 0 || o.Introspection.URL != "" || o.Tokens != "" || o.Basic != "" || o.Certificates || o.Policy != ""
}

// accessFlags are about who may use the service.
func accessFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "auth-issuer", Usage: "`URL` Accept the JSON Web Tokens of this authorization server. Requires --auth-audience."},
		&cli.StringSliceFlag{Name: "auth-jwks", Usage: "`FILE` File or https address with the keys of the issuer; ISSUER=FILE if there are several. By default the issuer's discovery document names them."},
		&cli.StringSliceFlag{Name: "auth-audience", Usage: "`AUDIENCE` Accept tokens for this audience (claim aud), usually the address of this server; ISSUER=AUDIENCE for the tokens of that issuer only."},
		&cli.StringFlag{Name: "auth-introspection", Usage: "`URL` Ask this endpoint of an authorization server about tokens that are no JSON Web Tokens (RFC 7662). Requires the next two."},
		&cli.StringFlag{Name: "auth-introspection-client", Usage: "`ID` Client as which this server asks."},
		&cli.StringFlag{Name: "auth-introspection-secret-file", TakesFile: true, Usage: "`FILE` File with the secret of that client."},
		&cli.StringFlag{Name: "auth-introspection-cache", Value: "10s", Usage: "`DURATION` Time for which an answer is used. A token that is revoked works that long."},
		&cli.StringSliceFlag{Name: "auth-roles", Value: cli.NewStringSlice("roles", "groups", "realm_access.roles"), Usage: "`CLAIM` Claim of tokens with roles that the policy may ask for."},
		&cli.StringFlag{Name: "auth-clock-skew", Value: "30s", Usage: "`DURATION` Difference allowed between the clocks of issuers and of this server."},
		&cli.StringFlag{Name: "auth-tokens", TakesFile: true, Usage: "`FILE` Accept the static tokens of this file, which roget token makes."},
		&cli.StringFlag{Name: "auth-basic", TakesFile: true, Usage: "`FILE` Accept the users and passwords of this file, which htpasswd -B makes. Requires --auth-policy."},
		&cli.BoolFlag{Name: "auth-certificates", Usage: "Accept client certificates that TLS has verified. Requires --auth-policy."},
		&cli.StringFlag{Name: "auth-policy", TakesFile: true, Usage: "`FILE` Policy in TOML: which principals may do what. Without it they may do what the scopes of their tokens permit."},
		&cli.StringFlag{Name: "ui-client-id", Usage: "`ID` Public client as which people sign in to the page at /ui at the first issuer (code flow with PKCE); it redirects to /ui/callback. Without it they enter a token or a password."},
		&cli.StringSliceFlag{Name: "ui-scope", Value: cli.NewStringSlice("openid", "offline_access", "user/*.rs"), Usage: "`SCOPE` Scope that the page asks for."},
		&cli.StringFlag{Name: "auth-authorize-url", Usage: "`URL` Authorization endpoint to show to clients. By default that of the first issuer."},
		&cli.StringFlag{Name: "auth-token-url", Usage: "`URL` Token endpoint to show to clients. By default that of the first issuer."},
	}
}

func (inv *invocation) readAccess(o *ServeOptions) (err error) {
	a := &o.Access
	a.Roles, a.Tokens, a.Basic, a.Policy = inv.List("auth-roles"), inv.Text("auth-tokens"), inv.Text("auth-basic"), inv.Text("auth-policy")
	a.Certificates = inv.Is("auth-certificates")
	a.PageClient, a.PageScopes = inv.Text("ui-client-id"), inv.List("ui-scope")
	a.AuthorizationURL, a.TokenURL = inv.Text("auth-authorize-url"), inv.Text("auth-token-url")
	if a.Skew, err = inv.Duration("auth-clock-skew"); err != nil {
		return err
	}
	a.Introspection = Introspection{
		URL: inv.Text("auth-introspection"), Client: inv.Text("auth-introspection-client"), SecretFile: inv.Text("auth-introspection-secret-file"),
	}
	if a.Introspection.Keep, err = inv.Duration("auth-introspection-cache"); err != nil {
		return err
	}
	if err := inv.readIssuers(a); err != nil {
		return err
	}
	ask := &a.Introspection
	switch {
	case ask.URL != "" && (ask.Client == "" || ask.SecretFile == ""):
		return command.Usagef("--auth-introspection needs --auth-introspection-client and --auth-introspection-secret-file: authorization servers answer only clients that they know")
	case ask.URL == "" && (ask.Client != "" || ask.SecretFile != ""):
		return command.Usagef("--auth-introspection-client and --auth-introspection-secret-file need --auth-introspection")
	case ask.Keep <= 0 || ask.Keep > maxKept:
		return command.Usagef("--auth-introspection-cache must be more than 0 and at most %s, not %s: a token that is revoked works that long", maxKept, ask.Keep)
	case a.Basic != "" && a.Policy == "":
		return command.Usagef("--auth-basic needs --auth-policy: passwords carry no scopes, so only a policy says what their users may do")
	case a.Certificates && a.Policy == "":
		return command.Usagef("--auth-certificates needs --auth-policy: certificates carry no scopes, so only a policy says what their holders may do")
	case len(a.Issuers) == 0 && (a.AuthorizationURL != "" || a.TokenURL != ""):
		return command.Usagef("--auth-authorize-url and --auth-token-url need --auth-issuer")
	case a.PageClient != "" && len(a.Issuers) == 0:
		return command.Usagef("--ui-client-id needs --auth-issuer, at which people sign in")
	}
	for _, name := range []string{"auth-authorize-url", "auth-token-url"} {
		if text := inv.Text(name); text != "" && !strings.Contains(text, "://") {
			return command.Usagef("--%s: %q is not an address such as https://id.example/authorize", name, text)
		}
	}
	return nil
}

// maxKept is the longest time for which an answer about a token may be used.
const maxKept = 10 * time.Minute

// readIssuers reads the issuers. A value of --auth-jwks and --auth-audience is for the issuer with
// whose address and = it begins; others are for all issuers.
func (inv *invocation) readIssuers(a *AccessOptions) error {
	for _, url := range inv.List("auth-issuer") {
		a.Issuers = append(a.Issuers, AccessIssuer{URL: url})
	}
	of := func(value string) (only *AccessIssuer, rest string) {
		for i := range a.Issuers {
			if rest, found := strings.CutPrefix(value, a.Issuers[i].URL+"="); found {
				return &a.Issuers[i], rest
			}
		}
		return nil, value
	}
	for _, value := range inv.List("auth-jwks") {
		issuer, keys := of(value)
		switch {
		case len(a.Issuers) == 0:
			return command.Usagef("--auth-jwks and --auth-audience need --auth-issuer")
		case issuer == nil && len(a.Issuers) > 1:
			return command.Usagef("--auth-jwks %s is for one issuer, and there are %d; write --auth-jwks %s=%s", value, len(a.Issuers), a.Issuers[0].URL, value)
		case issuer == nil:
			issuer = &a.Issuers[0]
		}
		if issuer.Keys != "" {
			return command.Usagef("--auth-jwks: the issuer %s has keys twice; write them into one file", issuer.URL)
		}
		issuer.Keys = keys
	}
	for _, value := range inv.List("auth-audience") {
		issuer, audience := of(value)
		if issuer != nil {
			issuer.Audiences = append(issuer.Audiences, audience)
			continue
		}
		if len(a.Issuers) == 0 && a.Introspection.URL == "" {
			return command.Usagef("--auth-jwks and --auth-audience need --auth-issuer")
		}
		a.Introspection.Audiences = append(a.Introspection.Audiences, audience)
		for i := range a.Issuers {
			a.Issuers[i].Audiences = append(a.Issuers[i].Audiences, audience)
		}
	}
	for _, i := range a.Issuers {
		if len(i.Audiences) == 0 {
			return command.Usagef("--auth-issuer %s needs --auth-audience: a token that is meant for another server must not be accepted here", i.URL)
		}
	}
	return nil
}
