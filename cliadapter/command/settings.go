package command

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// Settings makes the flags of a command settings: each of them may also stand in the environment
// and in a configuration file. A flag on the command line goes before the environment, the
// environment before the file, and the file before the default.
type Settings struct {
	// Prefix begins the names of environment variables: with ROGET_, the variable of the flag
	// --log-level is ROGET_LOG_LEVEL. Flag.Env overrides the name. An empty variable counts as
	// absent. A variable of a flag that may be repeated has its values separated by commas.
	Prefix string
	// File is the name of the flag with the path of the configuration file.
	File string
	// Not lists flags that ask for something once, and are no settings.
	Not []string
}

// A Source says where the value of a setting comes from. The zero Source is the default.
type Source struct {
	Flag     bool   // it was given on the command line
	Variable string // name of the environment variable
	File     string // path of the configuration file
	Line     int    // in the file
}

// String names the source: "flag", "variable ROGET_ADDR", "roget.toml, line 3", "default".
func (s Source) String() string {
	switch {
	case s.Flag:
		return "flag"
	case s.Variable != "":
		return "variable " + s.Variable
	case s.File != "":
		return s.File + ", line " + strconv.Itoa(s.Line)
	}
	return "default"
}

// A given is the value of a setting as it was written, before it is checked.
type given struct {
	values []string
	source Source
}

// variable returns the environment variable that stands in for a flag, or "".
func (s *Settings) variable(d description) string {
	if d.Env != "" || s == nil || d.Name == helpName || slices.Contains(s.Not, d.Name) {
		return d.Env
	}
	return s.Prefix + strings.ToUpper(strings.ReplaceAll(d.Name, "-", "_"))
}

// takes reports whether a flag is a setting of the configuration file.
func (s *Settings) takes(d description) bool {
	return d.Name != helpName && d.Name != s.File && !slices.Contains(s.Not, d.Name)
}

// settle sets the flags that are not on the command line from the environment and the
// configuration file, and remembers where each value comes from.
func (inv *Invocation) settle(s *Settings) error {
	found, err := inv.find(s)
	if err != nil {
		return err
	}
	inv.sources = map[string]Source{}
	for _, f := range inv.Parsed.Command.Flags {
		d := describe(f)
		g, there := found[d.Name]
		if !there {
			continue
		}
		inv.sources[d.Name] = g.source
		if g.source.Flag || slices.Equal(g.values, inv.defaults(d)) {
			continue
		}
		for _, value := range g.values {
			if err := inv.Parsed.Set(d.Name, value); err != nil {
				return &UsageError{Err: fmt.Errorf("%s: %w", g.source, err)}
			}
		}
	}
	return nil
}

// defaults returns the values of a flag that is not given.
func (inv *Invocation) defaults(d description) []string {
	switch {
	case d.many:
		return d.list
	case d.placeholder == "":
		return []string{"false"}
	}
	return []string{d.Value}
}

// find returns the settings that are given anywhere, each from the source that goes first.
func (inv *Invocation) find(s *Settings) (map[string]given, error) {
	found := map[string]given{}
	flags := inv.Parsed.Command.Flags
	for _, f := range flags {
		d := describe(f)
		variable := s.variable(d)
		value := ""
		if variable != "" {
			value = inv.Getenv(variable)
		}
		switch source := (Source{Variable: variable}); {
		case inv.line.seen[d.Name]:
			found[d.Name] = given{source: Source{Flag: true}}
		case value == "":
		case d.many:
			values := strings.Split(value, ",")
			for i := range values {
				values[i] = strings.TrimSpace(values[i])
			}
			found[d.Name] = given{values, source}
		default:
			if d.placeholder == "" {
				yes, err := strconv.ParseBool(value)
				if err != nil {
					return nil, Usagef("variable %s must be true or false, not %q", variable, value)
				}
				value = strconv.FormatBool(yes)
			}
			found[d.Name] = given{[]string{value}, source}
		}
	}
	path := inv.Parsed.String(s.File)
	if g, there := found[s.File]; there && !g.source.Flag {
		path = g.values[0]
	}
	if path != "" {
		inFile, err := readSettings(path, s, flags)
		if err != nil {
			return nil, err
		}
		for name, g := range inFile {
			if _, there := found[name]; !there {
				found[name] = g
			}
		}
	}
	for _, f := range flags {
		d := describe(f)
		g := found[d.Name]
		if g.source.Flag { // the line was checked when it was read
			continue
		}
		for _, value := range g.values {
			if err := d.check(dashed(d.Name), value); err != nil {
				return nil, located(&UsageError{Err: err}, func(name string) Source { return found[name].source })
			}
		}
	}
	return found, nil
}

// Source returns where the value of a setting comes from.
func (inv *Invocation) Source(name string) Source {
	if inv.sources == nil && inv.IsSet(name) {
		return Source{Flag: true}
	}
	return inv.sources[name]
}

// Reread reads the environment and the configuration file again. It returns the settings whose
// values are no longer those in force. The values in force do not change.
func (inv *Invocation) Reread(s *Settings) (map[string][]string, error) {
	found, err := inv.find(s)
	if err != nil {
		return nil, err
	}
	changed := map[string][]string{}
	for _, f := range inv.Parsed.Command.Flags {
		d := describe(f)
		g, there := found[d.Name]
		if !s.takes(d) || g.source.Flag {
			continue
		}
		now := g.values
		if !there {
			now = inv.defaults(d)
		}
		if !slices.Equal(now, inv.values(d)) {
			changed[d.Name] = now
		}
	}
	return changed, nil
}

// values returns the values in force of a flag.
func (inv *Invocation) values(d description) []string {
	switch {
	case d.many:
		return inv.List(d.Name)
	case d.placeholder == "":
		return []string{strconv.FormatBool(inv.Is(d.Name))}
	}
	return []string{inv.Parsed.String(d.Name)}
}

// flagInText finds the flags that an error names.
var flagInText = regexp.MustCompile(`(flag )?--([a-z0-9][a-z0-9-]*)`)

// A locatedError is a UsageError about a setting that was not given as a flag. Its text names the
// setting as its user wrote it.
type locatedError struct {
	text string
	err  error
}

func (e *locatedError) Error() string { return e.text }
func (e *locatedError) Unwrap() error { return e.err }

// located rewrites a UsageError that names flags: a flag that comes from the environment is named
// by its variable, and one from a configuration file by its key, behind the file and the line.
func located(err error, source func(name string) Source) error {
	usage, wrong := errors.AsType[*UsageError](err)
	if !wrong {
		return err
	}
	if _, done := errors.AsType[*locatedError](err); done {
		return err
	}
	where := ""
	text := flagInText.ReplaceAllStringFunc(usage.Error(), func(written string) string {
		parts := flagInText.FindStringSubmatch(written)
		switch s := source(parts[2]); {
		case s.Variable != "":
			if parts[1] != "" {
				return "variable " + s.Variable
			}
			return s.Variable
		case s.File != "":
			where = cmp.Or(where, fmt.Sprintf("%s:%d: ", s.File, s.Line))
			if parts[1] != "" {
				return "key " + parts[2]
			}
			return parts[2]
		}
		return written
	})
	if where+text == usage.Error() {
		return err
	}
	return &UsageError{Err: &locatedError{where + text, usage.Err}}
}

// listed returns the flags of a command that are settings.
func (s *Settings) listed(flags []cli.Flag) (list []description) {
	for _, f := range flags {
		if d := describe(f); s.takes(d) {
			list = append(list, d)
		}
	}
	return list
}
