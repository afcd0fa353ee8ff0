// Package platform has the commands of a health information platform: DHIS2-compatible
// servers, majors 41 to 43. They read and write metadata, users, settings, apps and routes
// of such a server, as the user of a profile.
//
// Each group of commands has a file: roget datastore get is in datastore.go. Every command
// takes the flags -p, -j and -d before and after its name, asks invocation.platform for a
// client of the chosen profile, and prints by Show. It exits with 1 for every failure that is
// not wrong usage. Platform toolkit, sections 0.4 and 3.
package platform

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine/operation"
)

// Config is what the commands need from outside. The zero Config is the running process.
type Config struct {
	// Folder is where to look for the profiles of a project; the working directory where empty.
	Folder string
	// Home is the home folder of the user, which has the profiles. By default that of the process.
	Home string
	// Cache is the folder for what may be fetched again; the user's where empty.
	Cache string
	// Transport sends requests to the platform; http.DefaultTransport where nil.
	Transport http.RoundTripper
	// OpenBrowser opens an address; the system's browser where nil.
	OpenBrowser func(ctx context.Context, url string) error
	// Wait waits before a request is sent again; a timer where nil.
	Wait func(ctx context.Context, pause time.Duration) error
	// Version of this program, for the platform's logs.
	Version string
}

// commands makes the commands of a tree.
type commands struct {
	*command.Tree
	Config
}

// An invocation is one run of a command of the platform.
type invocation struct {
	*command.Invocation
	cli    commands
	majors majors

	sender http.RoundTripper // set by transport
	fresh  bool              // the platform is asked again for its address and version
	warned bool              // about a file of profiles that others can read
	opened []login.Store     // closed when the command has run
}

// Commands returns the commands of the platform, in the order of the help.
func Commands(t *command.Tree, config Config, category string) []*cli.Command {
	c := commands{t, config}
	list := []*cli.Command{
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
		c.apiCommand(),
		c.devCommand(),
	}
	for _, cmd := range list {
		cmd.Category = category
		cmd.Description = strings.TrimSuffix(servers+"\n\n"+cmd.Description, "\n\n")
	}
	c.prepare(list)
	return list
}

// exitInterrupted is the exit code of a command that SIGINT ends, as in shells.
const exitInterrupted = 130

// servers is the first sentence in the help of every command of the platform.
const servers = "For DHIS2-compatible servers, majors 41 to 43, called the platform."

// prepare adds the flags of all commands of the platform to a list of commands, and the
// exit code 1 to their failures.
func (c commands) prepare(list []*cli.Command) {
	for _, cmd := range list {
		for _, f := range append(c.Flags(), networkFlags()...) {
			var name string
			switch f := f.(type) {
			case *command.Flag:
				name, f.Aliases = f.Name, free(f.Aliases, cmd.Flags)
			case *cli.BoolFlag:
				name, f.Aliases = f.Name, free(f.Aliases, cmd.Flags)
			}
			if command.FindFlag(cmd.Flags, name) == nil {
				cmd.Flags = append(cmd.Flags, f)
			}
		}
		c.Details(cmd).Failed, c.Details(cmd).Interrupted = operation.ExitNo, exitInterrupted
		c.prepare(cmd.Subcommands)
	}
}

// free returns the names that no flag of a list has.
func free(names []string, flags []cli.Flag) []string {
	return slices.DeleteFunc(names, func(name string) bool { return command.FindFlag(flags, name) != nil })
}

// run adapts an action to the tree of commands.
func (c commands) run(action func(ctx context.Context, inv *invocation) error) func(context.Context, *command.Invocation) error {
	return c.runFor(majors{}, action)
}

// runFor adapts an action that only some versions of the platform have.
func (c commands) runFor(m majors, action func(ctx context.Context, inv *invocation) error) func(context.Context, *command.Invocation) error {
	return func(ctx context.Context, started *command.Invocation) error {
		inv := &invocation{Invocation: started, cli: c, majors: m}
		defer func() {
			for _, store := range inv.opened {
				_ = store.Close() // what was written to it is on the disk
			}
		}()
		err := action(ctx, inv)
		if err == nil || errors.Is(err, command.ErrNo) {
			return err
		}
		return errors.Join(err, inv.writeConflicts(err))
	}
}

// Flags are the flags that every command of the platform has, and that may stand before it.
func (c commands) Flags() []cli.Flag { return c.Config.Flags(c.Getenv) }

// Flags are the flags that every command of the platform has. They may stand before the name
// of any command. Platform toolkit, section 3.
func (config Config) Flags(getenv func(string) string) []cli.Flag {
	names := func(func(string) string) []string { return config.profileNames(getenv) }
	return []cli.Flag{
		&command.Flag{StringFlag: cli.StringFlag{Name: "profile", Aliases: []string{"p"}, Usage: "`NAME` Profile of the platform to use. By default PLATFORM_PROFILE, or the default profile (see roget profile)."}, Complete: command.Words(names), Check: notEmpty},
		&cli.BoolFlag{Name: "json", Aliases: []string{"j"}, Usage: "Print JSON."},
		&cli.BoolFlag{Name: "debug", Aliases: []string{"d"}, Usage: "Log each request to the platform on standard error."},
	}
}

// profiles returns the profiles of the user and of the project.
func (config Config) profiles(getenv func(string) string) (*profile.Registry, error) {
	return profile.Open(profile.Options{Getenv: getenv, Folder: config.Folder, Home: config.Home})
}

func (c commands) profiles() (*profile.Registry, error) { return c.Config.profiles(c.Getenv) }

// profileNames are the names of the profiles, for completion.
func (config Config) profileNames(getenv func(string) string) []string {
	registry, err := config.profiles(getenv)
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

// completeProfile returns what completes the name of a profile.
func (c commands) completeProfile() command.Completer {
	return command.Words(func(func(string) string) []string { return c.profileNames(c.Getenv) })
}

// profile returns the profile to use: that of -p, or the one that environment and files select.
func (inv *invocation) profile() (profile.Resolved, error) {
	return inv.cli.resolve(inv.Nearest("profile"))
}

// resolve returns the profile with a name, or the selected profile if the name is empty.
func (c commands) resolve(name string) (profile.Resolved, error) {
	registry, err := c.profiles()
	if err != nil {
		return profile.Resolved{}, err
	}
	return registry.Resolve(name)
}

// errNoName is returned for a name that a script left empty, because the default profile was
// probably not meant.
var errNoName = command.Usagef("the name of the profile is empty")

func notEmpty(name string) error {
	if name == "" {
		return errNoName
	}
	return nil
}

// majors is the range of platform versions that a command supports; 0 means no bound. Platform
// toolkit, section 7.3.
type majors struct{ from, to platform.Major }

// fits reports whether the command supports a version of the platform.
func (m majors) fits(major platform.Major) bool {
	return major >= m.from && (m.to == 0 || major <= m.to)
}

// only is for commands that only some versions of the platform have: help leaves them out
// where another version is assumed, and other servers are refused.
func (c commands) only(m majors, d command.Details, action func(ctx context.Context, inv *invocation) error) command.Details {
	d.Hidden = func(flag func(string) string) bool { return !m.fits(c.OfflineMajor(c.Getenv, flag("profile"))) }
	d.Run = c.runFor(m, action)
	return d
}

// OfflineMajor returns the version of the platform to assume when no server is asked: the version
// of the profile, of PLATFORM_VERSION, or 42. Platform toolkit, section 0.2, D9.
func (config Config) OfflineMajor(getenv func(string) string, name string) platform.Major {
	version := getenv("PLATFORM_VERSION")
	if registry, err := config.profiles(getenv); err == nil {
		if chosen, err := registry.Resolve(name); err == nil {
			version = chosen.Version
		}
	}
	if major, err := platform.ParseMajor(version); err == nil {
		return major
	}
	return 42
}
