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

// Scope is which file a profile is in.
type Scope string

// The scopes. A project's profiles come before the user's of the same names.
const (
	Project Scope = "project"
	Global  Scope = "global"
)

const (
	folderName = ".platform"
	fileName   = "profiles.toml"
)

// Options are what a Registry is about; the zero Options are the running process.
type Options struct {
	Getenv func(name string) string // os.Getenv where nil
	Folder string                   // where to look for the project; the working directory where empty
	Home   string                   // the user's home where empty
}

// Registry is the profiles of a user and of a project. It reads their files anew at each
// call; changes lock them. Files are TOML with mode 0600; comments in them are lost when
// they are changed. Platform toolkit, section 1.5.3.
type Registry struct {
	getenv func(name string) string
	paths  map[Scope]string
}

// Open finds the files: profiles.toml in $XDG_CONFIG_HOME/platform or ~/.config/platform
// for the user, and the nearest .platform/profiles.toml in a folder or above it for the
// project, which need not be there.
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

// configFolder is where the user's settings are, "" where no variable says it.
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

// Path returns the file of a scope; "" for that of a user who has no home.
func (r *Registry) Path(scope Scope) string { return r.paths[scope] }

// Entry is a profile with its place.
type Entry struct {
	Name      string
	Profile   Profile
	Scope     Scope
	Path      string // of its file
	IsDefault bool   // it is used where nothing else is said
	Shadowed  bool   // the project has another one of its name
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

// List returns all profiles, those of the project first, in the order of their files.
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

// Find returns the profile of a name, that of the project before that of the user, or only
// one of a scope where that is not empty. It may fail with an UnknownProfileError.
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

// Add stores a profile, cleaned, in the place of one of its name. The first of a file
// becomes its default, others where asked for.
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

// Remove removes a profile, found as Find does, and gives what it was. Where it was the
// default of its file, the next one becomes it, or the first after the last.
func (r *Registry) Remove(ctx context.Context, name string, scope Scope) (Entry, error) {
	entry, err := r.Find(name, scope)
	if err != nil {
		return entry, err
	}
	return entry, r.change(ctx, entry.Scope, func(f *file) error {
		i := f.index(name)
		if i < 0 { // another process was quicker
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

// Rename returns a profile, found as Find does, another name. It keeps its place and being
// the default. It may fail with an ExistsError. A token of OAuth2 stays under the old
// name's key.
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

// SetDefault makes a profile, found as Find does, the default of its file.
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

// change reads a file, changes it and writes it, while no other process does.
func (r *Registry) change(ctx context.Context, scope Scope, apply func(f *file) error) error {
	path := r.paths[scope]
	if path == "" {
		return errors.New("there is no folder for the profiles of the user; set HOME or XDG_CONFIG_HOME, or keep them in the project")
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
