package cliadapter

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
)

// Platform is where the commands of the platform find what they need. The zero Platform is
// the running process.
type Platform struct {
	// Folder is where to look for the profiles of a project; the working directory where empty.
	Folder string
	// Home is the user's, with the profiles; that of the process where empty.
	Home string
	// Cache is the folder for what may be fetched again; the user's where empty.
	Cache string
	// Transport sends requests to the platform; http.DefaultTransport where nil.
	Transport http.RoundTripper
	// SecretCost is that of the BCrypt hashes of client secrets; 10 where 0.
	SecretCost int
	// OpenBrowser opens an address; the system's browser where nil.
	OpenBrowser func(ctx context.Context, url string) error
}

// platformCommands are the commands about the platform, by their names in the help.
func (c *CLI) platformCommands() []*command {
	return []*command{
		c.profileCommand(),
		c.datastoreCommand(),
		c.routeCommand(),
		c.customizeCommand(),
		c.schemaCommand(),
		c.metadataCommand(),
		c.devCommand(),
		c.systemCommand(),
		c.userCommand(),
		c.appsCommand(),
		c.securityCommand(),
	}
}

// profiles gives the profiles of the user and of the project.
func (c *CLI) profiles() (*profile.Registry, error) {
	return profile.Open(profile.Options{Getenv: c.config.Getenv, Folder: c.config.Platform.Folder, Home: c.config.Platform.Home})
}

// profileNames are the names of the profiles, for completion.
func profileNames(inv *invocation) []string {
	registry, err := inv.cli.profiles()
	if err != nil {
		return nil
	}
	list, _ := registry.List() // a file that cannot be read completes nothing
	var names []string
	for _, entry := range list {
		if !entry.Shadowed {
			names = append(names, entry.Name)
		}
	}
	return names
}

// profile gives the profile to use: that of -p, else what the environment and the files say.
func (inv *invocation) profile() (profile.Resolved, error) {
	registry, err := inv.cli.profiles()
	if err != nil {
		return profile.Resolved{}, err
	}
	name := inv.global.profile
	if inv.given("profile") {
		if name = inv.text("profile"); name == "" {
			return profile.Resolved{}, errNoName
		}
	}
	return registry.Resolve(name)
}

// errNoName is for names that a script left empty: the default is not what was meant.
var errNoName = usagef("the name of the profile is empty")

// json tells that JSON is asked for.
func (inv *invocation) json() bool { return inv.global.json || inv.is("json") }

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
		SecretCost:    inv.cli.config.Platform.SecretCost,
	}
	if inv.global.debug || inv.is("debug") {
		options.Debug = inv.streams.Err
	}
	return options
}

// misfit tells that a version of the platform does not have what a command is about.
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
