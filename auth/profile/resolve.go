package profile

import (
	"fmt"
	"path/filepath"

	"github.com/roget-health/roget/auth"
)

// Source is what chose a profile.
type Source string

// The sources, in the order in which they are asked.
const (
	FromArgument    Source = "arg"
	FromVariable    Source = "env-profile"
	FromEnvironment Source = "env-raw"
	FromProject     Source = "project-toml"
	FromGlobal      Source = "global-toml"
)

// EnvironmentName is the name of the profile that is made of environment variables.
const EnvironmentName = "<env>"

// Resolved is the profile to use. Platform toolkit, section 1.5.4.
type Resolved struct {
	Name    string
	Profile Profile
	Source  Source
	Path    string // of the file the profile is in, "" for that of the environment
	Scope   Scope  // of that file; Global for that of the environment
	Folder  string // where tokens of the scope are kept, whatever the source
	Version string // the profile's, else of PLATFORM_VERSION: v42; "" where neither says
}

// Resolve tells which profile to use: the one named, else that of PLATFORM_PROFILE, else
// one made of PLATFORM_URL with PLATFORM_PAT or PLATFORM_USERNAME and PLATFORM_PASSWORD,
// else the default of the project, else of the user. It may fail with a NoProfileError or
// an UnknownProfileError.
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
				err = fmt.Errorf("the variables PLATFORM_*: %w", err)
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

// raw makes a profile of the environment, if it has one.
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

// CheckServer tells by a VersionMismatchError that the profile is for another version of
// the platform than the server's, of which it gets the major number.
func (r Resolved) CheckServer(major int) error {
	if server := fmt.Sprintf("v%d", major); r.Profile.Version != "" && r.Profile.Version != server {
		return &VersionMismatchError{Name: r.Name, Profile: r.Profile.Version, Server: server}
	}
	return nil
}
