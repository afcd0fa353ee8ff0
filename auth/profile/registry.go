package profile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/roget-health/roget/auth/internal/filelock"
	"github.com/roget-health/roget/auth/internal/privatefile"
)

// A Scope is the file that a profile is in: the project's or the user's.
type Scope string

// The scopes. A profile of the project hides a profile of the user with the same name.
const (
	Project Scope = "project"
	Global  Scope = "global"
)

const (
	folderName = ".platform"
	fileName   = "profiles.toml"
)

// Options say where a Registry finds its files. The zero Options are for the running process.
type Options struct {
	Getenv func(name string) string // os.Getenv if nil
	Folder string                   // where the search for the project begins; the working directory if empty
	Home   string                   // the user's home directory if empty
}

// A Registry holds the profiles of a user and of a project. Every call reads the files again, and
// changes lock them. Files are TOML with mode 0600. A change loses the comments in a file. Platform
// toolkit, section 1.5.3.
type Registry struct {
	getenv func(name string) string
	paths  map[Scope]string
}

// Open finds the profile files. The user's is profiles.toml in $XDG_CONFIG_HOME/platform or
// ~/.config/platform. The project's is the nearest .platform/profiles.toml in a folder or above it.
// Neither file need exist.
func Open(options Options) (*Registry, error) {
	if options.Getenv == nil {
		options.Getenv = os.Getenv
	}
	folder, err := filepath.Abs(options.Folder)
	if err != nil {
		return nil, err
	}
	paths := map[Scope]string{Project: projectFile(folder)}
	if config := configFolder(options); config != "" {
		paths[Global] = filepath.Join(config, "platform", fileName)
	}
	return &Registry{options.Getenv, paths}, nil
}

// configFolder returns the folder of the user's settings, or "" if the user has no home directory.
func configFolder(options Options) string {
	if config := options.Getenv("XDG_CONFIG_HOME"); config != "" {
		return config
	}
	home := options.Home
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(home, ".config")
}

func projectFile(folder string) string {
	for at := folder; ; at = filepath.Dir(at) {
		path := filepath.Join(at, folderName, fileName)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		if at == filepath.Dir(at) {
			return filepath.Join(folder, folderName, fileName)
		}
	}
}

// Path returns the path of the file of a scope, or "" for a user without a home directory.
func (r *Registry) Path(scope Scope) string { return r.paths[scope] }

// An Entry is a profile with its file.
type Entry struct {
	Name      string
	Profile   Profile
	Scope     Scope
	Path      string // of the file
	IsDefault bool   // used if nothing else is chosen
	Shadowed  bool   // hidden by a profile of the project with the same name
}

// layers reads both files.
func (r *Registry) layers() (map[Scope]*file, error) {
	layers := map[Scope]*file{}
	for _, scope := range []Scope{Project, Global} {
		f := &file{}
		if path := r.paths[scope]; path != "" {
			var err error
			if f, err = readFile(path); err != nil {
				return nil, err
			}
		}
		layers[scope] = f
	}
	return layers, nil
}

// List returns all profiles in the order of their files, the project's first.
func (r *Registry) List() ([]Entry, error) {
	layers, err := r.layers()
	if err != nil {
		return nil, err
	}
	chosen := layers[Project].def
	if chosen == "" {
		chosen = layers[Global].def
	}
	var list []Entry
	for _, scope := range []Scope{Project, Global} {
		for _, n := range layers[scope].profiles {
			shadowed := scope == Global && layers[Project].index(n.name) >= 0
			list = append(list, Entry{n.name, n.profile, scope, r.paths[scope], n.name == chosen && !shadowed, shadowed})
		}
	}
	return list, nil
}

// Find returns the profile with a name. The project's file comes before the user's, unless scope
// chooses one. The error is an UnknownProfileError if there is no such profile.
func (r *Registry) Find(name string, scope Scope) (Entry, error) {
	list, err := r.List()
	if err != nil {
		return Entry{}, err
	}
	unknown := &UnknownProfileError{Name: name}
	for _, entry := range list {
		if scope != "" && entry.Scope != scope {
			continue
		}
		if entry.Name == name {
			return entry, nil
		}
		unknown.Known = append(unknown.Known, entry.Name)
	}
	slices.Sort(unknown.Known)
	unknown.Known = slices.Compact(unknown.Known)
	return Entry{}, unknown
}

// Add cleans and stores a profile, and replaces the profile of the same name. The first profile of a
// file becomes its default, and so does any profile if makeDefault is set.
func (r *Registry) Add(ctx context.Context, scope Scope, name string, p Profile, makeDefault bool) (Entry, error) {
	if err := CheckName(name); err != nil {
		return Entry{}, err
	}
	p, err := p.Clean()
	if err != nil {
		return Entry{}, err
	}
	err = r.change(ctx, scope, func(f *file) error {
		if len(f.profiles) == 0 || makeDefault {
			f.def = name
		}
		if i := f.index(name); i >= 0 {
			f.profiles[i].profile = p
		} else {
			f.profiles = append(f.profiles, named{name, p})
		}
		return nil
	})
	if err != nil {
		return Entry{}, err
	}
	return r.Find(name, scope)
}

// Remove removes the profile that Find returns, and returns it. If it was the default of its file,
// the next profile becomes the default; after the last comes the first.
func (r *Registry) Remove(ctx context.Context, name string, scope Scope) (Entry, error) {
	entry, err := r.Find(name, scope)
	if err != nil {
		return entry, err
	}
	return entry, r.change(ctx, entry.Scope, func(f *file) error {
		i := f.index(name)
		if i < 0 { // another process removed it
			return nil
		}
		f.profiles = slices.Delete(f.profiles, i, i+1)
		if f.def == name {
			if f.def = ""; len(f.profiles) > 0 {
				f.def = f.profiles[i%len(f.profiles)].name
			}
		}
		return nil
	})
}

// Rename renames the profile that Find returns. The profile keeps its position and stays the default
// if it was. The error is an ExistsError if the new name is taken. An OAuth2 token stays under the
// key of the old name.
func (r *Registry) Rename(ctx context.Context, from, to string, scope Scope) (Entry, error) {
	if err := CheckName(to); err != nil {
		return Entry{}, err
	}
	entry, err := r.Find(from, scope)
	if err != nil {
		return entry, err
	}
	err = r.change(ctx, entry.Scope, func(f *file) error {
		i := f.index(from)
		if i < 0 {
			return &UnknownProfileError{Name: from}
		}
		if f.index(to) >= 0 {
			return &ExistsError{Name: to, Path: entry.Path}
		}
		f.profiles[i].name = to
		if f.def == from {
			f.def = to
		}
		return nil
	})
	if err != nil {
		return entry, err
	}
	return r.Find(to, entry.Scope)
}

// SetDefault makes the profile that Find returns the default of its file.
func (r *Registry) SetDefault(ctx context.Context, name string, scope Scope) (Entry, error) {
	if err := CheckName(name); err != nil {
		return Entry{}, err
	}
	entry, err := r.Find(name, scope)
	if err != nil {
		return entry, err
	}
	err = r.change(ctx, entry.Scope, func(f *file) error {
		f.def = name
		return nil
	})
	if err != nil {
		return entry, err
	}
	return r.Find(name, entry.Scope)
}

// change reads a file, changes it and writes it, under a lock that processes share.
func (r *Registry) change(ctx context.Context, scope Scope, apply func(f *file) error) error {
	path := r.paths[scope]
	if path == "" {
		return errors.New("no folder for the profiles of the user is known; set HOME or XDG_CONFIG_HOME, or store the profile in the project")
	}
	unlock, err := filelock.Lock(ctx, filelock.Key(path, "file"))
	if err != nil {
		return err
	}
	defer unlock()
	f, err := readFile(path)
	if err != nil {
		return err
	}
	if err := apply(f); err != nil {
		return err
	}
	return privatefile.Write(path, f.text())
}
