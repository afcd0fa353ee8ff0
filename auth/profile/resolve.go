package profile

import (
	"fmt"
	"path/filepath"

	"github.com/roget-health/roget/auth"
)

// A Source is what chose a profile.
type Source string

// The sources, in order of precedence.
const (
	FromArgument    Source = "arg"
	FromVariable    Source = "env-profile"
	FromEnvironment Source = "env-raw"
	FromProject     Source = "project-toml"
	FromGlobal      Source = "global-toml"
)

// EnvironmentName is the name of the profile that consists of environment variables.
const EnvironmentName = "<env>"

// Resolved is the profile that a program uses. Platform toolkit, section 1.5.4.
type Resolved struct {
	Name    string
	Profile Profile
	Source  Source
	Path    string // of the profile's file; "" for the environment
	Scope   Scope  // of that file; Global for the environment
	Folder  string // where the tokens of the scope are stored
	Version string // the profile's, else PLATFORM_VERSION, such as v42; may be ""
}

// Resolve returns the profile to use: the named profile, else the profile that PLATFORM_PROFILE
// names, else PLATFORM_URL with PLATFORM_PAT or with PLATFORM_USERNAME and PLATFORM_PASSWORD, else
// the default of the project, else the default of the user. Its error may be a NoProfileError or an
// UnknownProfileError.
func (r *Registry) Resolve(name string) (Resolved, error) {
	resolved, err := r.choose(name)
	if err != nil {
		return Resolved{}, err
	}
	resolved.Folder = filepath.Dir(r.paths[resolved.Scope])
	resolved.Version = resolved.Profile.Version
	if hint := r.getenv("PLATFORM_VERSION"); hint != "" && resolved.Version == "" {
		if resolved.Version, err = CleanVersion(hint); err != nil {
			return Resolved{}, fmt.Errorf("PLATFORM_VERSION: %w", err)
		}
	}
	return resolved, nil
}

func (r *Registry) choose(name string) (Resolved, error) {
	source := FromArgument
	if name == "" {
		name, source = r.getenv("PLATFORM_PROFILE"), FromVariable
	}
	if name == "" {
		if p, ok := r.raw(); ok {
			p, err := p.Clean()
			if err != nil {
				err = fmt.Errorf("the environment variables PLATFORM_*: %w", err)
			}
			return Resolved{Name: EnvironmentName, Profile: p, Source: FromEnvironment, Scope: Global}, err
		}
		layers, err := r.layers()
		if err != nil {
			return Resolved{}, err
		}
		if name, source = layers[Project].def, FromProject; name == "" {
			name, source = layers[Global].def, FromGlobal
		}
	}
	if name == "" {
		return Resolved{}, &NoProfileError{}
	}
	entry, err := r.Find(name, "")
	return Resolved{Name: name, Profile: entry.Profile, Source: source, Path: entry.Path, Scope: entry.Scope}, err
}

// raw returns the profile that environment variables describe, if they do.
func (r *Registry) raw() (Profile, bool) {
	p := Profile{
		BaseURL: r.getenv("PLATFORM_URL"), Auth: PAT, Token: auth.NewSecret(r.getenv("PLATFORM_PAT")),
		Username: r.getenv("PLATFORM_USERNAME"), Password: auth.NewSecret(r.getenv("PLATFORM_PASSWORD")),
	}
	if !p.Token.IsZero() {
		p.Username, p.Password = "", auth.Secret{}
	} else {
		p.Auth = Basic
	}
	return p, p.BaseURL != "" && (p.Auth == PAT || p.Username != "" && !p.Password.IsZero())
}

// CheckServer returns a VersionMismatchError if the profile has another version than the server,
// whose major version is given.
func (r Resolved) CheckServer(major int) error {
	if server := fmt.Sprintf("v%d", major); r.Profile.Version != "" && r.Profile.Version != server {
		return &VersionMismatchError{Name: r.Name, Profile: r.Profile.Version, Server: server}
	}
	return nil
}
