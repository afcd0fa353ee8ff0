package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/roget-health/roget/auth/internal/privatefile"
)

// Limits of a profile file.
const (
	maxFile     = 1 << 20
	maxProfiles = 1000
	maxName     = 64
)

// file is a profile file. It keeps the order of the profiles.
type file struct {
	def      string // name of the default profile
	profiles []named
}

type named struct {
	name    string
	profile Profile
}

// index returns the index of a profile, or -1.
func (f *file) index(name string) int {
	return slices.IndexFunc(f.profiles, func(n named) bool { return n.name == name })
}

// readFile reads a file. An absent file is empty.
func readFile(path string) (*file, error) {
	text, err := privatefile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &file{}, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := parse(string(text))
	var bad *FileError
	if errors.As(err, &bad) {
		bad.Path = path
	}
	return f, err
}

// parse reads TOML. It refuses unknown members, because the next write would lose them.
func parse(text string) (*file, error) {
	refuse := func(format string, args ...any) (*file, error) {
		return nil, &FileError{Problem: fmt.Sprintf(format, args...)}
	}
	var document map[string]any
	meta, err := toml.Decode(text, &document)
	if err != nil { // its text may show a value
		var syntax toml.ParseError
		_ = errors.As(err, &syntax)
		return nil, &FileError{Line: syntax.Position.Line, Problem: "it is not TOML; is every text in quotes?"}
	}
	f := &file{}
	profiles := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(document)) {
		value, ok := document[key], false
		switch key {
		case "default":
			f.def, ok = value.(string)
		case "profiles":
			profiles, ok = value.(map[string]any)
		}
		if !ok {
			return refuse("%q is not expected there: a profile file has default = \"name\" and tables [profiles.name]", key)
		}
	}
	if len(profiles) > maxProfiles {
		return refuse("it has more than %d profiles", maxProfiles)
	}
	names := []string{}
	for _, key := range meta.Keys() {
		if len(key) > 1 && key[0] == "profiles" && !slices.Contains(names, key[1]) {
			names = append(names, key[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(profiles)) { // inline tables
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		table, ok := profiles[name].(map[string]any)
		if !ok {
			return refuse("%q is not a table [profiles.name]", "profiles."+name)
		}
		one := named{name: name}
		members := one.profile.members()
		for _, key := range slices.Sorted(maps.Keys(table)) {
			i := slices.IndexFunc(members, func(m member) bool { return m.name == key })
			text, ok := table[key].(string)
			if i < 0 || !ok {
				return refuse("profile %q: %q is not a setting of profiles with a text as its value", name, key)
			}
			members[i].set(text)
		}
		f.profiles = append(f.profiles, one)
	}
	return f, nil
}

// text returns the file as TOML.
func (f *file) text() []byte {
	var b strings.Builder
	if f.def != "" {
		fmt.Fprintf(&b, "default = %s\n", quote(f.def))
	}
	for _, one := range f.profiles {
		name := one.name
		if !validName(name) {
			name = quote(name)
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[profiles.%s]\n", name)
		for _, m := range one.profile.members() {
			if value := m.get(); value != "" {
				fmt.Fprintf(&b, "%s = %s\n", m.name, quote(value))
			}
		}
	}
	return []byte(b.String())
}

// quote returns a TOML basic string. Bytes that are not UTF-8 become U+FFFD.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// validName reports whether a profile may have a name. Platform toolkit, section 1.5.1.
func validName(name string) bool {
	if name == "" || utf8.RuneCountInString(name) > maxName {
		return false
	}
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return true
}

// CheckName returns an InvalidNameError if a profile cannot have a name.
func CheckName(name string) error {
	if !validName(name) {
		return &InvalidNameError{Name: name}
	}
	return nil
}
