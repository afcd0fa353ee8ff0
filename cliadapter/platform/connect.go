package platform

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
)

// loginOptions are what providers of OAuth2 need besides a profile.
func (inv *invocation) loginOptions(store auth.TokenStore) (login.Options, error) {
	transport, err := inv.transport()
	return login.Options{
		Store: store, NoBrowser: oauth2.NoBrowser(inv.Getenv), Notice: inv.Err,
		Transport: transport, OpenBrowser: inv.cli.OpenBrowser,
	}, err
}

// refuseLogin is for what must not ask the user.
func refuseLogin(chosen profile.Resolved) oauth2.RedirectCapturer {
	return oauth2.RefuseLogin("roget profile login " + chosen.Name)
}

// platform connects to the platform of the profile to use. Where a token of OAuth2 cannot
// be refreshed the user logs in again if there is a terminal: platform client, section 3.
func (inv *invocation) platform(ctx context.Context) (*platform.Client, error) {
	chosen, err := inv.profile()
	if err != nil {
		return nil, err
	}
	provider, err := inv.provider(chosen)
	if err != nil {
		return nil, err
	}
	return inv.connect(ctx, chosen, provider)
}

// provider returns the provider of the credentials of a profile.
func (inv *invocation) provider(chosen profile.Resolved) (auth.Provider, error) {
	inv.warnReadable(chosen)
	store, err := inv.tokens(chosen)
	if err != nil {
		return nil, fmt.Errorf("profile %q: %w", chosen.Name, err)
	}
	options, err := inv.loginOptions(store)
	if err != nil {
		return nil, err
	}
	if !inv.ErrTerminal {
		options.Capture = refuseLogin(chosen)
	}
	provider, err := login.BuildAuth(chosen, options)
	if err != nil {
		return nil, fmt.Errorf("profile %q: %w", chosen.Name, err)
	}
	return provider, nil
}

// connect connects to the platform of a profile, and refuses a command that its version
// does not have.
func (inv *invocation) connect(ctx context.Context, chosen profile.Resolved, provider auth.Provider) (*platform.Client, error) {
	options, err := inv.clientOptions()
	if err != nil {
		return nil, err
	}
	client, err := platform.Connect(ctx, chosen.Profile.BaseURL, provider, options)
	if err != nil {
		return nil, err
	}
	major, err := client.Major()
	if err != nil {
		return nil, err
	}
	if !inv.majors.fits(major) {
		return nil, inv.majors.misfit(major, client.ServerVersion())
	}
	if version, err := platform.ParseVersion(client.ServerVersion()); err == nil && version.Major != major {
		inv.Notice("warning: the platform has version %s, which roget does not know; roget treats it as %s", client.ServerVersion(), major)
	} else if err := chosen.CheckServer(int(major)); err != nil {
		inv.Notice("warning: %v", err)
	}
	return client, nil
}

// misfit is the error for a version of the platform that a command does not support.
func (m majors) misfit(major platform.Major, version string) error {
	wants := "from " + m.from.String()
	switch {
	case m.from == 0:
		wants = "up to " + m.to.String()
	case m.to != 0:
		wants += " to " + m.to.String()
	}
	return fmt.Errorf("this command is for platforms %s; this one has version %s, which roget treats as %s", wants, version, major)
}
