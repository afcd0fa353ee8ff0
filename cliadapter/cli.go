package cliadapter

import (
	"context"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/cliadapter/platform"
	"github.com/roget-health/roget/engine/operation"
)

// programName is the name of the program on the command line.
const programName = "roget"

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

// Platform is what the commands of the platform need.
type Platform = platform.Config

// Streams are what commands read and write.
type Streams = command.Streams

// A UsageError is returned when the command line itself is wrong; the exit code is 2.
type UsageError = command.UsageError

// CLI is the command line program. Safe for concurrent use.
type CLI struct {
	config  Config
	program *command.Program
}

// New makes the program from its parts.
func New(config Config) *CLI {
	if config.Getenv == nil {
		config.Getenv = os.Getenv
	}
	config.Platform.Version = config.Version.Version
	c := &CLI{config: config}
	c.program = &command.Program{
		Root:   c.root,
		Getenv: config.Getenv,
		Footer: "Exit codes: 0 yes; 1 no (not a member, unknown code); 2 wrong usage; 3 failure.\n" +
			"Commands of the platform: 0 success; 1 failure; 2 wrong usage.",
	}
	return c
}

// Run runs one command line, without the program's name, and returns the exit code.
func (c *CLI) Run(ctx context.Context, args []string, s Streams) int {
	return c.program.Run(ctx, args, s)
}

// root has the commands of one run, in the order of the help.
func (c *CLI) root(t *command.Tree) *cli.Command {
	b := builder{t, c}
	list := []*cli.Command{
		b.serveCommand(), b.auditCommand(), b.mcpCommand(), b.loadCommand(), b.classifyCommand(), b.verifyCommand(), b.backupCommand(), b.restoreCommand(), b.publishCommand(), b.tokenCommand(), b.policyCommand(), b.listCommand(), b.statsCommand(),
		b.importCommand(), b.exportCommand(), b.generateCommand(), b.readCommand(), b.convertCommand(), b.validateCommand(), b.scoreCommand(), b.viewCommand(),
	}
	list = append(list, b.queryCommands()...)
	list = append(list, b.annotateCommand())
	list = append(list, b.treeCommand(), b.ancestorsCommand(), b.browseCommand(), b.diffCommand(), b.impactCommand())
	list = append(list, platform.Commands(t, c.config.Platform, groupPlatform)...)
	return &cli.Command{
		Name: programName, Usage: "FHIR R4 server: terminology and clinical resources, over HTTP, from the terminal, or as a Go library.",
		Flags: append(c.config.Platform.Flags(c.config.Getenv),
			&cli.BoolFlag{Name: "version", Aliases: []string{"V", "v"}, Usage: "Print the version, and the platform version that roget assumes when it asks no server."}),
		Subcommands: append(list, b.healthCommand(), b.versionCommand(), b.completionCommand(), b.manualCommand(), b.doctorCommand()),
	}
}

// A builder adds commands to the tree of one run.
type builder struct {
	*command.Tree
	*CLI
}

// An invocation is one run of a command with its parsed arguments.
type invocation struct {
	*command.Invocation
	cli *CLI
}

// run adapts an action to the tree of commands, and reports its error.
func (c builder) run(action func(ctx context.Context, inv *invocation) error) func(context.Context, *command.Invocation) error {
	return func(ctx context.Context, started *command.Invocation) error {
		inv, out := &invocation{started, c.CLI}, &answer{Writer: started.Out}
		inv.Out = out
		err := action(ctx, inv)
		if out.begun {
			return withoutCall(err)
		}
		return inv.report(err)
	}
}

// An answer is what a command writes to Out.
type answer struct {
	io.Writer
	begun bool
}

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.Writer.Write(p)
}
