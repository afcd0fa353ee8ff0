package command

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

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

	tree  *Tree
	atEnd []io.Closer
}

// AtEnd closes c when the command has run.
func (inv *Invocation) AtEnd(c io.Closer) { inv.atEnd = append(inv.atEnd, c) }

// Context is the context of the run.
func (inv *Invocation) Context() context.Context { return inv.Parsed.Context }

// IsSet reports whether a flag was given on the command line.
func (inv *Invocation) IsSet(name string) bool { return inv.Parsed.IsSet(name) }

// Set returns the names of the flags of the command that were given on the command line.
func (inv *Invocation) Set() []string {
	var set []string
	for _, f := range inv.Parsed.Command.Flags {
		if name := features(f).name; inv.IsSet(name) {
			set = append(set, name)
		}
	}
	return set
}

// Env returns the environment variable that stands in for a flag, or "".
func (inv *Invocation) Env(name string) string {
	if f, ok := flagOf(inv.Parsed.Command, name).(*Flag); ok && len(f.EnvVars) > 0 {
		return f.EnvVars[0]
	}
	return ""
}

// Given reports whether a flag, or its environment variable, was given.
func (inv *Invocation) Given(name string) bool {
	env := inv.Env(name)
	return inv.IsSet(name) || env != "" && inv.Getenv(env) != ""
}

// Text is the value of a flag: as given, else from the environment, else the default.
func (inv *Invocation) Text(name string) string {
	if env := inv.Env(name); env != "" && !inv.IsSet(name) {
		if v := inv.Getenv(env); v != "" {
			return v
		}
	}
	return inv.Parsed.String(name)
}

// List returns the values of a repeatable flag.
func (inv *Invocation) List(name string) []string { return inv.Parsed.StringSlice(name) }

// Is returns a boolean flag of the command.
func (inv *Invocation) Is(name string) bool { return inv.Parsed.Bool(name) }

// Args returns the positional arguments.
func (inv *Invocation) Args() []string { return inv.Parsed.Args().Slice() }

// Anywhere reports whether a boolean flag was given to the command, or to a group before it.
func (inv *Invocation) Anywhere(name string) bool {
	return slices.ContainsFunc(inv.Parsed.Lineage(), func(c *cli.Context) bool {
		return slices.Contains(c.LocalFlagNames(), name) && c.Bool(name)
	})
}

// Nearest returns the value of a flag that was given to the command, or else to the group
// nearest to it.
func (inv *Invocation) Nearest(name string) string { return given(inv.Parsed)(name) }

// given returns the values of flags from where they were given.
func given(c *cli.Context) func(name string) string {
	return func(name string) string {
		for _, c := range c.Lineage() {
			if slices.Contains(c.LocalFlagNames(), name) {
				return c.String(name)
			}
		}
		return ""
	}
}

// setForm makes --json the same as --output json, where the command has both. A form that
// was chosen for the command goes before a --json before its name.
func (inv *Invocation) setForm() error {
	cmd := inv.Parsed.Command
	if !hasJSON(cmd) {
		return nil
	}
	form := inv.Parsed.String("output")
	switch {
	case !inv.IsSet("output") && inv.Anywhere("json"):
		return inv.Parsed.Set("output", "json")
	case inv.IsSet("output") && inv.Is("json") && form != "json":
		return Usagef("flags --output=%s and --json ask for two forms", form)
	}
	return nil
}

// hasJSON reports whether a command prints JSON by --output.
func hasJSON(cmd *cli.Command) bool {
	out := flagOf(cmd, "output")
	return out != nil && slices.Contains(features(out).choices, "json")
}

// Duration reads a flag such as 30s; 0 stands for no limit.
func (inv *Invocation) Duration(name string) (time.Duration, error) {
	text := inv.Text(name)
	if text == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, Usagef("flag --%s must be a duration such as 30s or 2m, not %q", name, text)
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

// Size reads a flag that is a number of bytes: 16MiB, 500k, 1048576.
func (inv *Invocation) Size(name string) (int64, error) {
	n, ok := parseSize(inv.Text(name))
	if !ok {
		return 0, Usagef("flag --%s must be a size such as 16MiB, not %q", name, inv.Text(name))
	}
	return n, nil
}

// parseSize reads a number of bytes. Units are powers of 1024, written as k, kB or KiB.
func parseSize(text string) (int64, bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(text), "b"), "i")
	number := strings.TrimRight(text, "kmg")
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	shift := 10 * (1 + strings.Index("kmg", text[len(number):]))
	if text == number {
		shift = 0
	}
	if err != nil || n < 0 || len(text) > len(number)+1 || n > (1<<62)>>shift {
		return 0, false
	}
	return n << shift, true
}
