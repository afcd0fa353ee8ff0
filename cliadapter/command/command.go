// Package command runs a tree of commands in a terminal, on top of cli.App.
//
// A tree is made of cli.Command values. What cli.Command has no place for (positional
// arguments, examples, whether the command reads or writes) stands beside it in Details.
// A program reads its arguments in one pass that knows the tree (line.go), brings them into
// the order that cli.App understands (flags behind the command that has them, then the
// arguments) and lets the App run them. Help (help.go) and completion (completion.go) are read
// from the same tree.
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

	"github.com/samber/lo"
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
	// Settings lets the flags be settings of the environment and of a configuration file too; nil:
	// only those with Flag.Env, in the environment.
	Settings *Settings
	// Failed and Interrupted are the exit codes of a command that failed and that was
	// interrupted; that of the error where 0.
	Failed, Interrupted int
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

// A Program describes a command line program.
type Program struct {
	// Root builds the tree of commands. The flags of the root may stand before a command; commands
	// that do something are added by Tree.Add.
	Root   func(t *Tree) *cli.Command
	Getenv func(string) string
	Footer string // of the help of the program
}

// A Tree is the tree of commands of one run.
type Tree struct {
	program *Program
	root    *cli.Command
	app     *cli.App // runs root
	details map[*cli.Command]*Details
	streams Streams
	line    *Line // that runs
}

// Tree builds the tree of commands.
func (p *Program) Tree(s Streams) *Tree {
	t := &Tree{program: p, details: map[*cli.Command]*Details{}, streams: s}
	t.root = p.Root(t)
	t.app = &cli.App{
		Name: t.root.Name, Flags: t.root.Flags, Commands: t.root.Subcommands, Reader: s.In, Writer: s.Out, ErrWriter: s.Err,
		HideHelp: true, DisableSliceFlagSeparator: true, ExitErrHandler: func(*cli.Context, error) {}, // Run prints errors and returns the code
	}
	t.app.Setup()
	t.prepare(t.root, t.root.Name)
	return t
}

// prepare completes a command and those below it; line is how it is written.
func (t *Tree) prepare(cmd *cli.Command, line string) {
	cmd.HelpName, cmd.HideHelp = line, true
	if printsJSON(cmd) && FindFlag(cmd.Flags, "json") == nil {
		cmd.Flags = append(cmd.Flags, &cli.BoolFlag{Name: "json", Aliases: []string{"j"}, Usage: "The same as --output json."})
	}
	cmd.Flags = append(cmd.Flags, &cli.BoolFlag{Name: helpName, Aliases: []string{"h"}, Usage: "Show this help."})
	for _, sub := range cmd.Subcommands {
		t.prepare(sub, line+" "+sub.Name)
	}
}

// Getenv reads the environment.
func (t *Tree) Getenv(name string) string { return t.program.Getenv(name) }

// Add notes the details of a command. Without Details.Run it stays a group.
func (t *Tree) Add(cmd *cli.Command, d Details) *cli.Command {
	t.details[cmd] = &d
	cmd.Action = func(c *cli.Context) error { return t.run(c, &d) }
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

// Commands returns all commands, groups before the commands in them.
func (t *Tree) Commands() []*cli.Command { return below(t.root) }

func below(cmd *cli.Command) []*cli.Command {
	return lo.FlatMap(cmd.Subcommands, func(sub *cli.Command, _ int) []*cli.Command {
		return append([]*cli.Command{sub}, below(sub)...)
	})
}

// Path returns the names of a command and of the groups that it is in: "metadata list".
func (t *Tree) Path(cmd *cli.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(cmd.HelpName, t.root.Name), " ")
}

// shown returns the commands below that of a line which help and completion show.
func (t *Tree) shown(l *Line) []*cli.Command {
	return lo.Reject(l.Command.Subcommands, func(sub *cli.Command, _ int) bool {
		hidden := t.Details(sub).Hidden
		return hidden != nil && hidden(l.Value)
	})
}

// Run runs one command line, without the program's name, and returns the exit code.
func (p *Program) Run(ctx context.Context, args []string, s Streams) int {
	t := p.Tree(s)
	if len(args) > 0 && args[0] == completeName {
		return t.exit(ctx, t.root, t.complete(ctx, args[1:]))
	}
	l, err := t.Read(args)
	switch {
	case err != nil:
	case l.Help:
		err = t.help(s.Out, l)
	case t.isGroup(l.Command): // which of its commands is meant was not said
		if err = t.help(s.Err, l); err == nil {
			return operation.ExitUsage
		}
	default:
		t.line = l
		err = t.app.RunContext(ctx, slices.Concat(l.argv, []string{"--"}, l.Args))
	}
	return t.exit(ctx, l.Command, err)
}

// run is the action of a command that does something.
func (t *Tree) run(c *cli.Context, d *Details) error {
	inv := &Invocation{Streams: t.streams, Getenv: t.program.Getenv, Parsed: c, line: t.line}
	if err := cmp.Or(inv.setForm(), d.check(inv.Args())); err != nil {
		return err
	}
	if d.Settings == nil {
		return d.Run(c.Context, inv)
	}
	if err := inv.settle(d.Settings); err != nil {
		return err
	}
	return located(d.Run(c.Context, inv), inv.Source)
}

// exit prints the error that a command ended with, and returns the exit code.
func (t *Tree) exit(ctx context.Context, cmd *cli.Command, err error) int {
	details, text := t.Details(cmd), ""
	code := cmp.Or(details.Failed, operation.ExitCode(err))
	_, wrong := errors.AsType[*UsageError](err)
	switch {
	case err == nil:
		return operation.ExitYes
	case errors.Is(err, ErrNo):
		return operation.ExitNo
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))):
		text, code = "interrupted", cmp.Or(details.Interrupted, code)
	case wrong || code == operation.ExitUsage:
		text, code = err.Error()+" (see "+cmd.HelpName+" --help)", operation.ExitUsage
	default:
		text = err.Error()
	}
	if path := t.Path(cmd) + ": "; cmd != t.root && !strings.HasPrefix(text, path) {
		text = path + text
	}
	fmt.Fprintln(t.streams.Err, t.root.Name+": "+Printable(operation.Shorten(text)))
	var advice interface{ Hint() string } // an error that also advises what to do
	if errors.As(err, &advice) && advice.Hint() != "" {
		fmt.Fprintln(t.streams.Err, "hint: "+Printable(advice.Hint()))
	}
	return code
}

// check refuses too few and too many positional arguments.
func (d *Details) check(got []string) error {
	if required := lo.CountBy(d.Args, func(a Argument) bool { return a.Required }); len(got) < required {
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

// A UsageError is returned when the command line itself is wrong; the exit code is 2.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{Err: fmt.Errorf(format, args...)}
}

// Write sends text to a stream and reports when it did not get there.
func Write(w io.Writer, data []byte) error {
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
