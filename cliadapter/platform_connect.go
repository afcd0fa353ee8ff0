package cliadapter

import (
	"cmp"
	"context"
	"fmt"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
)

// loginOptions are what providers of OAuth2 need besides a profile.
func (inv *invocation) loginOptions(store auth.TokenStore) login.Options {
	return login.Options{
		Store: store, NoBrowser: oauth2.NoBrowser(inv.cli.config.Getenv), Notice: inv.streams.Err,
		Transport: inv.cli.config.Platform.Transport, OpenBrowser: inv.cli.config.Platform.OpenBrowser,
	}
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
	options := inv.loginOptions(inv.tokens(chosen.Folder))
	if !inv.streams.ErrTerminal {
		options.Capture = refuseLogin(chosen)
	}
	provider, err := login.BuildAuth(chosen, options)
	if err != nil {
		return nil, fmt.Errorf("profile %q: %w", chosen.Name, err)
	}
	return inv.connect(ctx, chosen, provider)
}

// connect connects to the platform of a profile, and refuses a command that its version
// does not have.
func (inv *invocation) connect(ctx context.Context, chosen profile.Resolved, provider auth.Provider) (*platform.Client, error) {
	options := inv.clientOptions()
	client, err := platform.Connect(ctx, chosen.Profile.BaseURL, provider, options)
	if err != nil {
		return nil, err
	}
	major, err := client.Major()
	if err != nil {
		return nil, err
	}
	if !inv.cmd.fits(major) {
		return nil, inv.cmd.misfit(major, client.ServerVersion())
	}
	if version, err := platform.ParseVersion(client.ServerVersion()); err == nil && version.Major != major {
		inv.notice("warning: the platform has version %s, which this program does not know; it is taken as %s", client.ServerVersion(), major)
	} else if err := chosen.CheckServer(int(major)); err != nil {
		inv.notice("warning: %v", err)
	}
	return client, nil
}

// clientOptions are those of every client that a command makes.
func (inv *invocation) clientOptions() platform.Options {
	options := platform.Options{
		AllowFallback: true,
		UserAgent:     "roget/" + cmp.Or(inv.cli.config.Version.Version, "devel"),
		Transport:     inv.cli.config.Platform.Transport,
	}
	if inv.global.debug || inv.is("debug") {
		options.Debug = inv.streams.Err
	}
	return options
}

// misfit reports whether a version of the platform does not have what a command is about.
func (cmd *command) misfit(major platform.Major, version string) error {
	wants := "from " + cmd.minMajor.String()
	switch {
	case cmd.minMajor == 0:
		wants = "up to " + cmd.maxMajor.String()
	case cmd.maxMajor != 0:
		wants += " to " + cmd.maxMajor.String()
	}
	return fmt.Errorf("this command is for platforms %s; this one has version %s, which is taken as %s", wants, version, major)
}

// offlineMajor is the version of the platform that is assumed without asking a server:
// the profile's, else that of PLATFORM_VERSION, else 42. Platform toolkit, section 0.2, D9.
func (c *CLI) offlineMajor(global globals) platform.Major {
	version := c.config.Getenv("PLATFORM_VERSION")
	if registry, err := c.profiles(); err == nil {
		if chosen, err := registry.Resolve(global.profile); err == nil {
			version = chosen.Version
		}
	}
	if major, err := platform.ParseMajor(version); err == nil {
		return major
	}
	return 42
}
