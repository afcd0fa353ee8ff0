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

// platformCommands are the commands about the platform, by their names in the help.
func (c *CLI) platformCommands() []*command {
	return []*command{}
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
		name = inv.text("profile")
	}
	return registry.Resolve(name)
}

// json tells that JSON is asked for.
func (inv *invocation) json() bool { return inv.global.json || inv.is("json") }

// offlineMajor is the version of the platform that is assumed without asking a server:
// the profile's, else that of PLATFORM_VERSION, else 42. Platform toolkit, section 0.2, D9.
func (c *CLI) offlineMajor(global globals) int {
	const assumed = 42
	registry, err := c.profiles()
	if err != nil {
		return assumed
	}
	version := c.config.Getenv("PLATFORM_VERSION")
	if chosen, err := registry.Resolve(global.profile); err == nil {
		version = chosen.Version
	}
	for _, major := range []int{41, 42, 43} {
		if v, err := profile.CleanVersion(version); err == nil && v == "v"+string(rune('0'+major/10))+string(rune('0'+major%10)) {
			return major
		}
	}
	return assumed
}
