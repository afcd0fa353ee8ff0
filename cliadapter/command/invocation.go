package command

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/docker/go-units"
	"github.com/urfave/cli/v2"
)

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// InTerminal, OutTerminal and ErrTerminal report which of them are terminals.
	InTerminal, OutTerminal, ErrTerminal bool
	// Width is the number of columns of the terminal; 0 where it is not known.
	Width int
	// ReadSecret reads a line from the terminal without showing it.
	ReadSecret func(ctx context.Context) ([]byte, error)
}

// An Invocation is one run of a command with its parsed arguments.
type Invocation struct {
	Streams
	Getenv func(string) string
	Parsed *cli.Context

	line    *Line
	sources map[string]Source // of the settings that are given; nil for a command without Settings
}

// IsSet reports whether a flag was given on the command line.
func (inv *Invocation) IsSet(name string) bool { return inv.Parsed.IsSet(name) }

// Set returns the names of the flags of the command that were given on the command line.
func (inv *Invocation) Set() []string {
	var set []string
	for _, f := range inv.Parsed.Command.Flags {
		if name := describe(f).Name; inv.IsSet(name) {
			set = append(set, name)
		}
	}
	return set
}

// Env returns the environment variable that stands in for a flag, or "".
func (inv *Invocation) Env(name string) string {
	return describe(FindFlag(inv.Parsed.Command.Flags, name)).Env
}

// Given reports whether a flag, or its environment variable, was given.
func (inv *Invocation) Given(name string) bool {
	return inv.IsSet(name) || inv.Getenv(inv.Env(name)) != ""
}

// Text is the value of a flag: as given, else from the environment, else the default.
func (inv *Invocation) Text(name string) string {
	if inv.IsSet(name) {
		return inv.Parsed.String(name)
	}
	return cmp.Or(inv.Getenv(inv.Env(name)), inv.Parsed.String(name))
}

// List returns the values of a repeatable flag.
func (inv *Invocation) List(name string) []string { return inv.Parsed.StringSlice(name) }

// Is returns a boolean flag of the command.
func (inv *Invocation) Is(name string) bool { return inv.Parsed.Bool(name) }

// Args returns the positional arguments.
func (inv *Invocation) Args() []string { return inv.Parsed.Args().Slice() }

// Anywhere reports whether a boolean flag was given to the command, or to a group before it.
func (inv *Invocation) Anywhere(name string) bool { return inv.Nearest(name) == "true" }

// Nearest returns the value of a flag that was given to the command, or else to the group
// nearest to it.
func (inv *Invocation) Nearest(name string) string { return inv.line.Value(name) }

// setForm makes --json the same as --output json, where the command has both. A form that
// was chosen for the command goes before a --json before its name.
func (inv *Invocation) setForm() error {
	form := inv.Parsed.String("output")
	switch {
	case !printsJSON(inv.Parsed.Command):
	case !inv.IsSet("output") && inv.Anywhere("json"):
		return inv.Parsed.Set("output", "json")
	case inv.IsSet("output") && inv.Is("json") && form != "json":
		return Usagef("flags --output=%s and --json ask for two forms", form)
	}
	return nil
}

// printsJSON reports whether a command prints JSON by --output.
func printsJSON(cmd *cli.Command) bool {
	return slices.Contains(describe(FindFlag(cmd.Flags, "output")).Choices, "json")
}

// Duration reads a flag such as 30s; 0 stands for no limit.
func (inv *Invocation) Duration(name string) (time.Duration, error) {
	d, err := time.ParseDuration(inv.Text(name))
	if err != nil || d < 0 {
		return 0, Usagef("flag --%s must be a duration such as 30s or 2m, not %q", name, inv.Text(name))
	}
	return d, nil
}

// Integer reads a flag that is a whole number not below least.
func (inv *Invocation) Integer(name string, least int) (int, error) {
	n, err := strconv.Atoi(inv.Text(name))
	if err != nil || n < least {
		return 0, Usagef("flag --%s must be a whole number of at least %d, not %q", name, least, inv.Text(name))
	}
	return n, nil
}

// Size reads a flag that is a number of bytes: 16MiB, 1.5G, 500k, 1048576. Units are powers of 1024.
func (inv *Invocation) Size(name string) (int64, error) {
	n, err := units.RAMInBytes(inv.Text(name))
	if err != nil || n < 0 || n > 1<<62 { // what is too large for an int64 becomes one of the two
		return 0, Usagef("flag --%s must be a size such as 16MiB, not %q", name, inv.Text(name))
	}
	return n, nil
}
