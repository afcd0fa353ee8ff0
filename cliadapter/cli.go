package cliadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/operation"
)

// Config is what the terminal is made of.
type Config struct {
	// Operations is the operation table.
	Operations []*operation.Operation
	// Backend opens sources and runs the server.
	Backend Backend
	// Version is shown by the command version.
	Version Version
	// Platform is what the commands of the platform need.
	Platform Platform
	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(string) string
}

// CLI is the command line program. Safe for concurrent use.
type CLI struct {
	config   Config
	commands []*command
}

// New makes the program from its parts.
func New(config Config) *CLI {
	if config.Getenv == nil {
		config.Getenv = os.Getenv
	}
	c := &CLI{config: config}
	c.commands = append(c.commands, c.serveCommand(), c.loadCommand(), c.verifyCommand(), c.listCommand(), c.statsCommand(),
		c.importCommand(), c.exportCommand(), c.generateCommand(), c.readCommand(), c.validateCommand(), c.scoreCommand())
	c.commands = append(c.commands, c.queryCommands()...)
	c.commands = append(c.commands, c.platformCommands()...)
	c.commands = append(c.commands, c.versionCommand(), c.completionCommand())
	for _, cmd := range c.commands {
		cmd.prepare("", cmd.group == groupPlatform)
	}
	return c
}

// Run runs one command line, without the program's name, and gives the exit code.
func (c *CLI) Run(ctx context.Context, args []string, s Streams) int {
	code, err := c.dispatch(ctx, args, s)
	if err == nil {
		return code
	}
	if code == operation.ExitYes { // the answer did not get there
		code = operation.ExitFailure
	}
	fmt.Fprintln(s.Err, "roget: "+printable(operation.Shorten(err.Error())))
	if advice, ok := errors.AsType[adviser](err); ok {
		fmt.Fprintln(s.Err, "hint: "+printable(advice.Hint()))
	}
	return code
}

// root is the group of all commands.
func (c *CLI) root() *command { return &command{commands: c.commands, options: globalOptions()} }

// dispatch finds the command and runs it. The error is what is still to be said.
func (c *CLI) dispatch(ctx context.Context, args []string, s Streams) (int, error) {
	if len(args) > 0 && args[0] == completeCommand {
		return operation.ExitYes, c.complete(s.Out, args[1:])
	}
	cmd := c.root()
	var global globals
	for len(cmd.commands) > 0 {
		see := fmt.Sprintf("(see %s --help)", cmd.line())
		rest, err := global.take(args, cmd.options)
		switch {
		case err != nil:
			return operation.ExitUsage, fmt.Errorf("%w %s", err, see)
		case global.help:
			return operation.ExitYes, c.writeGroup(s.Out, cmd, global)
		case global.version:
			cmd, args = c.command("version"), rest
			continue
		case len(rest) == 0:
			return operation.ExitUsage, c.writeGroup(s.Err, cmd, global)
		case rest[0] == "help" && cmd.path == "":
			if args = rest[1:]; !slices.Contains(args, "--help") {
				args = append(slices.Clone(args), "--help")
			}
			continue
		}
		sub := cmd.find(rest[0])
		if sub == nil {
			return operation.ExitUsage, fmt.Errorf("unknown command %q%s %s", strings.TrimPrefix(cmd.path+" "+rest[0], " "), didYouMean(nearest(rest[0], c.names(cmd, global))), see)
		}
		cmd, args = sub, rest[1:]
	}
	cmd, args = cmd.of(args)
	return c.runLeaf(ctx, cmd, args, global, s)
}

// runLeaf runs a command that is no group.
func (c *CLI) runLeaf(ctx context.Context, cmd *command, args []string, global globals, s Streams) (int, error) {
	arranged, err := arrange(args, cmd.options)
	if err == nil && !slices.Contains(arranged[:slices.Index(arranged, "--")], "--help") {
		arranged, err = cmd.asJSON(arranged, global.json)
	}
	if err != nil {
		return operation.ExitUsage, fmt.Errorf("%s: %w (see %s --help)", cmd.path, err, cmd.line())
	}
	if slices.Contains(arranged[:slices.Index(arranged, "--")], "--help") {
		return operation.ExitYes, c.writeHelp(s.Out, cmd)
	}
	err = c.invoke(ctx, cmd, arranged, global, s)
	switch {
	case err == nil:
		return operation.ExitYes, nil
	case errors.Is(err, errNo):
		return operation.ExitNo, nil
	}
	code := cmd.exitCode(err)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return code, fmt.Errorf("%s: interrupted", cmd.path)
	}
	message := err.Error()
	if !strings.HasPrefix(message, cmd.path+": ") {
		message = cmd.path + ": " + message
	}
	if code == operation.ExitUsage {
		message += " (see " + cmd.line() + " --help)"
	}
	return code, &told{message, err}
}

// line is how a command is written.
func (cmd *command) line() string { return strings.TrimSuffix("roget "+cmd.path, " ") }

// command finds a command of the root by name.
func (c *CLI) command(name string) *command { return c.root().find(name) }

// names are those of the commands of a group that are shown.
func (c *CLI) names(group *command, global globals) []string {
	var names []string
	for _, cmd := range c.shown(group, global) {
		names = append(names, cmd.name)
	}
	if group.path == "" {
		names = append(names, "help")
	}
	return names
}

// shown are the commands of a group that help and completion show.
func (c *CLI) shown(group *command, global globals) []*command {
	major := c.offlineMajor(global)
	var list []*command
	for _, cmd := range group.commands {
		if cmd.shows(major) {
			list = append(list, cmd)
		}
	}
	return list
}

// exitCode maps an error of a command to the exit code: those of the platform have 1 for
// whatever fails. Platform toolkit, section 0.4.
func (cmd *command) exitCode(err error) int {
	if code := exitCode(err); code == operation.ExitUsage || !cmd.ofPlatform {
		return code
	}
	return operation.ExitNo
}

// exitCode maps an error to the exit code.
func exitCode(err error) int {
	if _, wrong := errors.AsType[*UsageError](err); wrong {
		return operation.ExitUsage
	}
	return operation.ExitCode(err)
}

// printable makes text from outside safe for one line on a terminal: control characters,
// ends of lines and what turns the direction of the text after it become spaces.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text)
}

// write sends text to a stream and reports that it did not get there.
func write(w io.Writer, data []byte) error {
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
