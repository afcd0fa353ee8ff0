package platform

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// profileCommand is the group of all that is about which platform to use and as whom.
func (c commands) profileCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "profile", Usage: "Manage profiles: platforms and how to log in to them",
		Description: "A profile has the address of a platform and the way to authenticate to it. Your profiles are in " +
			"~/.config/platform/profiles.toml (or below $XDG_CONFIG_HOME if it is set). A project can have profiles too, in " +
			".platform/profiles.toml; they hide yours of the same name.\n\n" +
			"A command uses the first of these:\n\n" +
			"  1. the profile of --profile (-p)\n" +
			"  2. the profile that PLATFORM_PROFILE names\n" +
			"  3. PLATFORM_URL with PLATFORM_PAT, or with PLATFORM_USERNAME and PLATFORM_PASSWORD\n" +
			"  4. the default profile of the project\n" +
			"  5. your default profile",
		Subcommands: []*cli.Command{
			c.profileAddCommand(),
			c.profileListCommand(),
			c.profileShowCommand(),
			c.profileVerifyCommand(),
			c.profileLoginCommand(),
			c.profileLogoutCommand(),
			c.profileDefaultCommand(),
			c.profileRenameCommand(),
			c.profileRemoveCommand(),
			c.profileEnvCommand(),
			c.profilePATCommand(),
			c.profileOAuth2Command(),
			c.profileBootstrapCommand(),
			c.profileOIDCCommand(),
		},
	}, command.Details{
		Examples: []string{
			"roget profile add prod --url https://platform.example.org --auth pat --verify",
			"roget profile login prod",
			`eval "$(roget profile env prod)"`,
		},
	})
}

// profileArgument is the argument for the name of a profile. If it is optional, it defaults to the
// profile that other commands use.
func (c commands) profileArgument(required bool) command.Argument {
	usage := "Name of the profile."
	if !required {
		usage = "Name of the profile. By default the one that other commands use."
	}
	return command.Argument{Name: "NAME", Required: required, Usage: usage, Complete: c.completeProfile()}
}

// newProfileArgument is the name of a profile that is made.
func (c commands) newProfileArgument() command.Argument {
	return command.Argument{Name: "NAME", Required: true, Usage: "Name of the profile: a letter, then letters, digits and _.", Complete: c.completeProfile()}
}

// scopeOptions are the flags that select a file of profiles.
func scopeOptions() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "global", Usage: "Use the profiles of the user."},
		&cli.BoolFlag{Name: "local", Usage: "Use the profiles of the project, in .platform/profiles.toml."},
	}
}

// scope returns the file that --global or --local selects, or "" without them.
func (inv *invocation) scope() (profile.Scope, error) {
	switch global, local := inv.Is("global"), inv.Is("local"); {
	case global && local:
		return "", command.Usagef("--global and --local cannot be used together")
	case local:
		return profile.Project, nil
	case global:
		return profile.Global, nil
	}
	return "", nil
}

// chosen returns the profile named by the first argument, or by -p, or the one that other
// commands use.
func (inv *invocation) chosen() (profile.Resolved, error) {
	args := inv.Args()
	if len(args) == 0 {
		return inv.profile()
	}
	switch {
	case args[0] == "":
		return profile.Resolved{}, errNoName
	case inv.Given("profile"):
		return profile.Resolved{}, command.Usagef("the profile is given twice: as argument %q and as --profile", args[0])
	}
	registry, err := inv.cli.profiles()
	if err != nil {
		return profile.Resolved{}, err
	}
	return registry.Resolve(args[0])
}

// source names the file of a scope, as answers do.
func source(scope profile.Scope, name string) profile.Source {
	switch {
	case name == profile.EnvironmentName:
		return profile.FromEnvironment
	case scope == profile.Project:
		return profile.FromProject
	}
	return profile.FromGlobal
}

// inFile writes a profile with its file, for notices.
func inFile(entry profile.Entry) string {
	return fmt.Sprintf("profile %q in %s", entry.Name, entry.Path)
}

// resolvedOf makes a usable profile from an entry, even if a profile of the other file hides it.
func resolvedOf(entry profile.Entry) profile.Resolved {
	return profile.Resolved{
		Name: entry.Name, Profile: entry.Profile, Source: source(entry.Scope, entry.Name),
		Path: entry.Path, Scope: entry.Scope, Folder: filepath.Dir(entry.Path), Version: entry.Profile.Version,
	}
}

// A profileRow is a profile in lists. Platform toolkit, section 3.2.
type profileRow struct {
	Name       string         `json:"name"`
	BaseURL    string         `json:"base_url"`
	Auth       profile.Kind   `json:"auth"`
	Source     profile.Source `json:"source"`
	SourcePath string         `json:"source_path"`
	IsDefault  bool           `json:"is_default"`
	Shadowed   bool           `json:"shadowed"`
}

func rowOf(entry profile.Entry) profileRow {
	return profileRow{
		entry.Name, auth.ShownURL(entry.Profile.BaseURL), entry.Profile.Auth, source(entry.Scope, entry.Name), entry.Path, entry.IsDefault, entry.Shadowed,
	}
}

// done reports a profile that was changed: in a line, or as JSON like a list does.
func (inv *invocation) done(entry profile.Entry, format string, args ...any) error {
	return inv.Show(rowOf(entry), &engine.Table{Footer: fmt.Sprintf(format, args...)})
}

// registry returns the profiles, and the file that --global or --local selects.
func (inv *invocation) registry() (*profile.Registry, profile.Scope, error) {
	scope, err := inv.scope()
	if err != nil {
		return nil, "", err
	}
	registry, err := inv.cli.profiles()
	return registry, scope, err
}

// warnOther reports whether a profile of the same name is in the other file, too.
func (inv *invocation) warnOther(registry *profile.Registry, entry profile.Entry) {
	if entry.Scope == profile.Project {
		if other, err := registry.Find(entry.Name, profile.Global); err == nil {
			inv.Notice("warning: the user also has a %s; in this project it is hidden", inFile(other))
		}
		return
	}
	if other, err := registry.Find(entry.Name, profile.Project); err == nil {
		inv.Notice("warning: the project also has a %s, which takes precedence here", inFile(other))
	}
}

// tokens returns the token store that a profile names. It is closed when the command
// has run.
func (inv *invocation) tokens(p profile.Resolved) (login.Store, error) {
	store, err := login.OpenStore(p, func(context.Context) (auth.Secret, error) {
		return inv.Secret(login.PassphraseVariable, "Passphrase of the token file")
	})
	if err != nil {
		return nil, err
	}
	inv.opened = append(inv.opened, store)
	return store, nil
}
