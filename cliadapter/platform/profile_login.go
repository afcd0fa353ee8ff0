package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

func (c commands) profileLoginCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "login", Usage: "Log in with a browser to the platform of an OAuth2 profile",
		Description: "Opens the login page of the platform in a browser, stores the token, and shows which user it belongs to. The " +
			"previous token stays until the platform accepts the new one.",
		Flags: []cli.Flag{noBrowserOption()},
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{c.profileArgument(false)},
		Examples: []string{"roget profile login prod", "roget profile login prod --no-browser"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			chosen, err := inv.chosen()
			if err != nil {
				return err
			}
			done, err := inv.login(ctx, chosen, inv.Is("no-browser"))
			if err != nil {
				return err
			}
			return inv.showVerified(done)
		}),
	})
}

// login logs in to the platform of an OAuth2 profile. If the platform rejects the new token, the
// previous one stays in the store.
func (inv *invocation) login(ctx context.Context, chosen profile.Resolved, noBrowser bool) (verified, error) {
	if chosen.Profile.Auth != profile.OAuth2 {
		return verified{}, notOAuth2(chosen)
	}
	store, err := inv.tokens(chosen)
	if err != nil {
		return verified{}, err
	}
	if err := login.CheckStore(ctx, store, chosen.Name); err != nil {
		return verified{}, err
	}
	var staged stagedToken
	options, err := inv.loginOptions(&staged)
	if err != nil {
		return verified{}, err
	}
	options.NoBrowser = options.NoBrowser || noBrowser
	rules, known := inv.publicRules(ctx, chosen.Profile.BaseURL)
	options.Advice = auth.AdviceFor(rules.ServerKeys)
	if scopes := strings.Fields(chosen.Profile.Scope); known && rules.Scope == platform.ScopeUsername && !slices.Contains(scopes, "username") {
		inv.Notice("warning: profile %q requests the scope %q, but this version of the platform needs the scope username in tokens; "+
			"register the client and add the profile again with --scope %q", chosen.Name, chosen.Profile.Scope, rules.Scope)
	}
	provider, err := login.OAuth2(chosen, options)
	if err != nil {
		return verified{}, err
	}
	found, err := provider.Preflight(ctx)
	if flow, is := errors.AsType[*auth.FlowError](err); is && flow.Status == http.StatusNotFound && known && !rules.OAuth2Server {
		return verified{}, fmt.Errorf("the platform has no OAuth2 endpoints, which come with version 2.42; use a personal access token: roget profile add %s --auth pat", chosen.Name)
	}
	if err != nil {
		return verified{}, err
	}
	if err := provider.Login(ctx); err != nil {
		return verified{}, err
	}
	done, err := inv.identify(ctx, chosen, provider)
	if stop := ctx.Err(); stop != nil {
		return done, stop
	}
	if _, refused := errors.AsType[*platform.AuthenticationError](err); refused {
		if advice := found.IssuerAdvice(chosen.Profile.BaseURL, options.Advice); advice != "" && !strings.Contains(err.Error(), advice) {
			err = fmt.Errorf("%w; %s", err, advice)
		}
		return done, fmt.Errorf("the platform rejects the token that it issued, so the token was not stored: %w", err)
	}
	return done, store.Set(ctx, login.StoreKey(chosen.Name), staged.token)
}

// A stagedToken is a token store that holds the token of a login in memory until it is accepted.
type stagedToken struct{ token *auth.OAuth2Token }

// Get returns the token, nil before there is one.
func (s *stagedToken) Get(ctx context.Context, _ string) (*auth.OAuth2Token, error) {
	return s.token, ctx.Err()
}

// Set keeps the token.
func (s *stagedToken) Set(_ context.Context, _ string, token *auth.OAuth2Token) error {
	s.token = token
	return nil
}

func (c commands) profileLogoutCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "logout", Usage: "Delete the token of an OAuth2 profile",
		Description: "Deletes the token on this machine. The platform does not revoke it.",
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{c.profileArgument(false)},
		Examples: []string{"roget profile logout prod"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			chosen, err := inv.chosen()
			if err != nil {
				return err
			}
			if chosen.Profile.Auth != profile.OAuth2 {
				return notOAuth2(chosen)
			}
			store, err := inv.tokens(chosen)
			if err != nil {
				return err
			}
			key := login.StoreKey(chosen.Name)
			token, err := store.Get(ctx, key)
			damaged := errors.Is(err, auth.ErrTokenDamaged)
			if err != nil && !damaged {
				return err
			}
			if err := store.Delete(ctx, key); err != nil {
				return err
			}
			said := "logged out: " + chosen.Name
			if token == nil && !damaged {
				said = "was not logged in: " + chosen.Name
			}
			return inv.Show(map[string]any{"name": chosen.Name, "logged_out": token != nil || damaged}, &engine.Table{Footer: said})
		}),
	})
}

func notOAuth2(chosen profile.Resolved) error {
	return fmt.Errorf("profile %q uses %s; only profiles with oauth2 log in and out", chosen.Name, chosen.Profile.Auth)
}
