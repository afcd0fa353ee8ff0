// Package command runs a tree of commands in a terminal, on top of cli.App.
//
// A tree is made of cli.Command values. What cli.Command has no place for (positional
// arguments, examples, whether the command reads or writes) stands beside it in Details.
// A program reads its arguments in one pass that knows the tree (line.go), brings them into
// the order that cli.App understands and lets the App run them. Help (help.go) and
// completion (completion.go) are read from the same tree.
//
// The tree is built for every run, because cli.App changes the commands that it runs.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/engine/operation"
)

// Access states what running a command may change, for programs that run commands on behalf
// of others. A command without it counts as one that writes. Platform toolkit, section 6.3.
type Access uint8

// The kinds of access.
const (
	Undeclared Access = iota
	Reads             // changes nothing, unless a flag that writes is given
	Writes            // may change the platform, the data folder, files or profiles
)

// Details are what a command that does something has beside its cli.Command.
type Details struct {
	Access   Access
	Args     []Argument
	Examples []string
	Run      func(ctx context.Context, inv *Invocation) error
	// Order returns the words after the name of the command in the order in which they are
	// read; nil reads them as they are.
	Order func(words []string) []string
	// Hidden reports whether help and completion leave the command out; flag returns the
	// value of a flag before the command.
	Hidden func(flag func(name string) string) bool
	// PrintsSecret reports whether the command prints a secret in clear, given the values of
	// its flags; nil: it never does. Programs that run commands for others refuse it.
	PrintsSecret func(flag func(name string) string) bool
	// ExitCode maps an error to the exit code; operation.ExitCode where nil.
	ExitCode func(error) int
	// Interrupted is the exit code of a command that was interrupted; that of the error where 0.
	Interrupted int
}

// An Argument is a positional argument.
type Argument struct {
	Name     string // "PATH"
	Required bool
	Many     bool // takes all that follow
	Choices  []string
	Usage    string
	Complete Completer // finds further choices when completion asks for them
}

// A Completer returns the values that completion offers; flag returns the value of a flag
// that has been typed.
type Completer func(flag func(name string) string) []string

// A Program describes a command line program.
type Program struct {
	Name, Usage string
	// Flags may stand before a command. Version is the command that --version runs.
	Flags   func() []cli.Flag
	Version string
	// Commands builds the tree; commands that do something are added by Tree.Add.
	Commands func(t *Tree) []*cli.Command
	Getenv   func(string) string
	Footer   string // of the help of the program
}

// A Tree is the tree of commands of one run.
type Tree struct {
	program *Program
	app     *cli.App
	root    *cli.Command // holds the commands and flags of app
	details map[*cli.Command]*Details
	streams Streams
}

// Tree builds the tree of commands.
func (p *Program) Tree(s Streams) *Tree {
	t := &Tree{program: p, details: map[*cli.Command]*Details{}, streams: s}
	t.app = &cli.App{
		Name: p.Name, Usage: p.Usage, Flags: append(p.Flags(), helpFlag()), Reader: s.In, Writer: s.Out, ErrWriter: s.Err,
		HideHelp: true, HideVersion: true, DisableSliceFlagSeparator: true, Action: t.group,
		ExitErrHandler: func(*cli.Context, error) {}, // Run prints errors and returns the code
		Commands:       append(p.Commands(t), t.helpCommand(), t.completeCommand()),
	}
	t.app.Setup()
	t.root = &cli.Command{Name: p.Name, HelpName: p.Name, Usage: p.Usage, Flags: t.app.Flags, Subcommands: t.app.Commands}
	t.prepare(t.root)
	return t
}

// prepare completes the commands below one.
func (t *Tree) prepare(parent *cli.Command) {
	for _, cmd := range parent.Subcommands {
		cmd.HelpName = parent.HelpName + " " + cmd.Name
		cmd.HideHelp = true
		cmd.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return &UsageError{Err: err} }
		if cmd.Action == nil {
			cmd.Action = t.group
		}
		if hasJSON(cmd) && flagOf(cmd, "json") == nil {
			cmd.Flags = append(cmd.Flags, &cli.BoolFlag{Name: "json", Aliases: []string{"j"}, Usage: "The same as --output json."})
		}
		if !cmd.SkipFlagParsing {
			cmd.Flags = append(cmd.Flags, helpFlag())
		}
		t.prepare(cmd)
	}
}

// Getenv reads the environment.
func (t *Tree) Getenv(name string) string { return t.program.Getenv(name) }

// Add notes the details of a command. Without Details.Run it stays a group.
func (t *Tree) Add(cmd *cli.Command, d Details) *cli.Command {
	t.details[cmd] = &d
	if d.Run != nil {
		cmd.Action = func(c *cli.Context) error { return t.run(c, &d) }
	}
	return cmd
}

// Details returns what Add was told of a command; of a group, zero Details.
func (t *Tree) Details(cmd *cli.Command) *Details {
	if d := t.details[cmd]; d != nil {
		return d
	}
	return &Details{}
}

// isGroup reports whether a command does nothing without one of its subcommands.
func (t *Tree) isGroup(cmd *cli.Command) bool {
	return len(cmd.Subcommands) > 0 && t.Details(cmd).Run == nil
}

// Commands returns all commands that are not hidden, groups before the commands in them.
func (t *Tree) Commands() []*cli.Command { return below(t.root) }

func below(cmd *cli.Command) []*cli.Command {
	var all []*cli.Command
	for _, sub := range cmd.VisibleCommands() {
		all = append(append(all, sub), below(sub)...)
	}
	return all
}

// Path returns the names of a command and of the groups that it is in: "metadata list".
func (t *Tree) Path(cmd *cli.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(cmd.HelpName, t.program.Name), " ")
}

// shown returns the commands of a group that help and completion show.
func (t *Tree) shown(cmd *cli.Command, flag func(string) string) []*cli.Command {
	return slices.DeleteFunc(cmd.VisibleCommands(), func(sub *cli.Command) bool {
		hidden := t.Details(sub).Hidden
		return hidden != nil && hidden(flag)
	})
}

// Run runs one command line, without the program's name, and returns the exit code.
func (p *Program) Run(ctx context.Context, args []string, s Streams) int {
	t := p.Tree(s)
	line, err := t.read(args)
	if err == nil {
		err = t.app.RunContext(ctx, append([]string{p.Name}, line...))
	}
	if err == nil {
		return operation.ExitYes
	}
	code := operation.ExitFailure
	if exit, ok := errors.AsType[cli.ExitCoder](err); ok {
		code = exit.ExitCode()
	}
	if err.Error() != "" {
		fmt.Fprintln(s.Err, p.Name+": "+Printable(operation.Shorten(err.Error())))
	}
	if advice, ok := errors.AsType[Adviser](err); ok && advice.Hint() != "" {
		fmt.Fprintln(s.Err, "hint: "+Printable(advice.Hint()))
	}
	return code
}

// run is the action of a command that does something.
func (t *Tree) run(c *cli.Context, d *Details) error {
	inv := &Invocation{Streams: t.streams, Getenv: t.program.Getenv, Parsed: c, tree: t}
	err := inv.setForm()
	if err == nil {
		err = d.check(inv.Args())
	}
	if err == nil {
		err = d.Run(c.Context, inv)
	}
	for _, end := range inv.atEnd {
		end.Close()
	}
	return t.exit(c, d, err)
}

// exit returns an error with the exit code and the name of the command that ended with it.
func (t *Tree) exit(c *cli.Context, d *Details, err error) error {
	path := t.Path(c.Command)
	code := operation.ExitCode(err)
	if d.ExitCode != nil {
		code = d.ExitCode(err)
	}
	if _, wrong := errors.AsType[*UsageError](err); wrong {
		code = operation.ExitUsage
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNo):
		return cli.Exit("", operation.ExitNo)
	case c.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(c.Context))):
		return cli.Exit(path+": interrupted", cmp.Or(d.Interrupted, code))
	case code == operation.ExitUsage:
		return t.usage(c.Command, path, err)
	case strings.HasPrefix(err.Error(), path+": "):
		return cli.Exit(err, code)
	}
	return cli.Exit(fmt.Errorf("%s: %w", path, err), code)
}

// usage returns an error about a wrong command line, with where to read more.
func (t *Tree) usage(cmd *cli.Command, prefix string, err error) error {
	if prefix != "" && !strings.HasPrefix(err.Error(), prefix+": ") {
		err = fmt.Errorf("%s: %w", prefix, err)
	}
	return cli.Exit(fmt.Errorf("%w (see %s --help)", err, cmd.HelpName), operation.ExitUsage)
}

// group is the action of a group without one of its commands, and with an unknown one.
func (t *Tree) group(c *cli.Context) error {
	cmd := c.Command // at the root, the one that cli.App has made
	if !c.Args().Present() {
		if err := t.help(t.streams.Err, cmd, given(c)); err != nil {
			return err
		}
		return cli.Exit("", operation.ExitUsage)
	}
	names := []string{}
	for _, sub := range t.shown(cmd, given(c)) {
		names = append(names, sub.Name)
	}
	if t.Path(cmd) == "" {
		names = append(names, helpName)
	}
	word := c.Args().First()
	return t.usage(cmd, "", fmt.Errorf("unknown command %q%s", strings.TrimPrefix(t.Path(cmd)+" "+word, " "), DidYouMean(Nearest(word, names))))
}

// check refuses too few and too many positional arguments.
func (d *Details) check(got []string) error {
	required := 0
	for _, a := range d.Args {
		if a.Required {
			required++
		}
	}
	if len(got) < required {
		return Usagef("%s is missing", d.Args[len(got)].Name)
	}
	if slices.ContainsFunc(d.Args, func(a Argument) bool { return a.Many }) || len(got) <= len(d.Args) {
		return nil
	}
	extra := got[len(d.Args)]
	if extra == "true" || extra == "false" {
		return Usagef("unexpected argument %q (a flag that is true or false takes its value after =, as in --flag=%s)", extra, extra)
	}
	return Usagef("unexpected argument %q", extra)
}

// ErrNo ends a command whose answer is no: exit code 1 and no message.
var ErrNo = errors.New("no")

// An Adviser is an error that also advises what to do.
type Adviser interface {
	error
	Hint() string
}

// A UsageError is returned when the command line itself is wrong; the exit code is 2.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{Err: fmt.Errorf(format, args...)}
}

// Printable makes text from outside safe for one line on a terminal: control characters,
// line breaks and characters that change the direction of text become spaces.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text)
}

// Write sends text to a stream and reports when it did not get there.
func Write(w io.Writer, data []byte) error {
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
