package cliadapter

import (
	"context"
	"net/http"

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
	// OpenBrowser opens an address; the system's browser where nil.
	OpenBrowser func(ctx context.Context, url string) error
}

// platformCommands are the commands about the platform, in the order of the help.
func (c *CLI) platformCommands() []*command {
	return []*command{
		c.profileCommand(),
		c.systemCommand(),
		c.userCommand(),
		c.metadataCommand(),
		c.schemaCommand(),
		c.datastoreCommand(),
		c.routeCommand(),
		c.appsCommand(),
		c.customizeCommand(),
		c.securityCommand(),
		c.devCommand(),
	}
}

// profiles returns the profiles of the user and of the project.
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

// profile returns the profile to use: that of -p, else what the environment and the files say.
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

// json reports whether JSON is asked for.
func (inv *invocation) json() bool { return inv.global.json || inv.is("json") }
