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
	c.commands = append(c.commands, c.versionCommand(), c.completionCommand())
	for _, cmd := range c.commands {
		cmd.options = append(cmd.options, &option{names: []string{"help", "h"}, usage: "show this help"})
	}
	return c
}

// Run runs one command line, without the program's name, and gives the exit code.
func (c *CLI) Run(ctx context.Context, args []string, s Streams) int {
	code, err := c.dispatch(ctx, args, s)
	if err != nil {
		fmt.Fprintln(s.Err, "roget: "+printable(operation.Shorten(err.Error())))
	}
	return code
}

// dispatch finds the command and runs it. The error is what is still to be said.
func (c *CLI) dispatch(ctx context.Context, args []string, s Streams) (int, error) {
	if len(args) == 0 {
		return operation.ExitUsage, c.writeOverview(s.Err)
	}
	name, rest := args[0], args[1:]
	switch name {
	case completeCommand:
		return operation.ExitYes, c.complete(s.Out, rest)
	case "help", "--help", "-h":
		if len(rest) == 0 {
			return operation.ExitYes, c.writeOverview(s.Out)
		}
		name, rest = rest[0], append(rest[1:], "--help")
	case "--version", "-v":
		name = "version"
	}
	cmd := c.command(name)
	if cmd == nil {
		if isFlag(name) {
			return operation.ExitUsage, fmt.Errorf("unknown flag %s; flags of a command come after its name (see roget --help)", name)
		}
		return operation.ExitUsage, fmt.Errorf("unknown command %q%s (see roget --help)", name, didYouMean(nearest(name, c.names())))
	}
	cmd, rest = cmd.of(rest)
	arranged, err := arrange(rest, cmd.options)
	if err != nil {
		return operation.ExitUsage, fmt.Errorf("%s: %w (see roget %s --help)", cmd.name, err, cmd.name)
	}
	if slices.Contains(arranged[:slices.Index(arranged, "--")], "--help") {
		return operation.ExitYes, c.writeHelp(s.Out, cmd)
	}
	err = c.invoke(ctx, cmd, arranged, s)
	switch {
	case err == nil:
		return operation.ExitYes, nil
	case errors.Is(err, errNo):
		return operation.ExitNo, nil
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return operation.ExitFailure, fmt.Errorf("%s: interrupted", cmd.name)
	}
	message := err.Error()
	if !strings.HasPrefix(message, cmd.name+": ") {
		message = cmd.name + ": " + message
	}
	code := exitCode(err)
	if code == operation.ExitUsage {
		message += " (see roget " + cmd.name + " --help)"
	}
	return code, errors.New(message)
}

// command finds a command by name.
func (c *CLI) command(name string) *command {
	for _, cmd := range c.commands {
		if cmd.name == name {
			return cmd
		}
	}
	return nil
}

func (c *CLI) names() []string {
	var names []string
	for _, cmd := range c.commands {
		if !cmd.hidden {
			names = append(names, cmd.name)
		}
	}
	return append(names, "help")
}

// exitCode maps an error to the exit code.
func exitCode(err error) int {
	if _, wrong := errors.AsType[*UsageError](err); wrong {
		return operation.ExitUsage
	}
	return operation.ExitCode(err)
}

// printable makes text from outside safe for one line on a terminal: control
// characters become spaces.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
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
