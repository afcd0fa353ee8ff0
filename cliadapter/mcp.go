package cliadapter

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter/bridge"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// Toolsets that the tool server knows.
const (
	ToolsetTerminology = "terminology"
	ToolsetPlatform    = "platform"
	ToolsetBridge      = "bridge"
)

var toolsets = [...]string{ToolsetTerminology, ToolsetPlatform, ToolsetBridge}

// MCPOptions configure the tool server for assistants.
type MCPOptions struct {
	// Toolsets are the names of the toolsets to offer.
	Toolsets []string
	// Sources are what the terminology tools answer from, unless Server is the base URL of a
	// FHIR server that does.
	Sources Sources
	Server  string
	// Rules are those that the terminology tools follow without Server.
	Rules engine.Rules
	// HTTP is the address to listen on; "" for standard input and output.
	HTTP           string
	Token          auth.Secret
	Hosts, Origins []string
	Drain          time.Duration
	In             io.Reader
	Out            io.Writer
	// Platform and Profile are the surroundings and the default profile of the platform tools.
	Platform Platform
	Profile  string
	ReadOnly bool // no platform tools that change something
	// Bridge runs a command line of the program, for the toolset bridge.
	Bridge func(ctx context.Context, args []string, profile string) (exit int, stdout, stderr string, err error)
	Getenv func(string) string

	Logger  *slog.Logger
	Version Version
}

// tokenVariable holds the token of the tool server over HTTP.
const tokenVariable = "ROGET_MCP_TOKEN" //nolint:gosec // the name of a variable

func (c builder) mcpCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "mcp", Category: groupRun, Usage: "Run the tool server for assistants",
		Description: "Offers tools to an assistant over the Model Context Protocol: by default on standard input and output, for a program " +
			"that starts roget itself; with --http as streamable HTTP at /mcp. Logs go to standard error.\n\n" +
			"The toolset terminology finds, looks up, validates, lists, compares, translates and explains codes. It only reads. It answers from " +
			"the sources that queries answer from, or from a FHIR server with --server.\n\n" +
			"The toolset platform works on a DHIS2-compatible server with a profile (see roget profile). It may change the server: " +
			"--read-only, or PLATFORM_MCP_READONLY=1, offers only the tools that read. Tools with file arguments use files of this machine.\n\n" +
			"The toolset bridge is one tool that runs commands of roget: those of the platform, and queries. PLATFORM_MCP_PROTECTED_HOSTS and " +
			"PLATFORM_MCP_CLI_TIMEOUT limit it.\n\n" +
			"Over HTTP, clients send the token as Authorization: Bearer TOKEN. Only a server on a loopback address may do without.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "toolsets", Aliases: []string{"t"}, Usage: "`NAMES` Toolsets to offer, separated by commas: terminology, platform, bridge. terminology by default."},
			&command.Flag{Env: "ROGET_MCP_SERVER", StringFlag: cli.StringFlag{Name: "server", Aliases: []string{"s"}, Usage: "`URL` FHIR server that answers the terminology tools, such as http://127.0.0.1:8080."}},
			rulesOption(),
			&cli.StringFlag{Name: "http", Usage: "`HOST:PORT` Listen for streamable HTTP, instead of standard input; port 0 picks a free one."},
			&command.Flag{StringFlag: cli.StringFlag{Name: "token-file", TakesFile: true, Usage: "`FILE` File with the token that clients send. By default the token is in " + tokenVariable + "."}},
			&cli.StringSliceFlag{Name: "host", Usage: "`NAME` Further name under which clients reach the server."},
			&cli.StringSliceFlag{Name: "origin", Usage: "`ORIGIN` Origin of web pages that may call."},
			&command.Flag{StringFlag: cli.StringFlag{Name: "profile", Aliases: []string{"p"}, Usage: "`NAME` Profile that platform tools use when a call names none. By default PLATFORM_PROFILE, or the default profile."}},
			&cli.BoolFlag{Name: "read-only", Usage: "Offer only tools that change nothing."},
			&cli.BoolFlag{Name: "no-base", Usage: "Leave out the built-in code systems and value sets of FHIR R4."},
			&cli.StringFlag{Name: "drain", Value: "10s", Usage: "`DURATION` Time limit for calls in progress at shutdown."},
			&command.Flag{Env: "ROGET_LOG_LEVEL", StringFlag: cli.StringFlag{Name: "log-level", Value: "warn", Usage: "Lowest level to log."}, Choices: []string{"debug", "info", "warn", "error"}},
			quietOption(),
		}, sourceOptions()...),
	}, command.Details{
		Access: command.Writes,
		Examples: []string{
			"roget mcp --data ./roget-data",
			"roget mcp --server http://127.0.0.1:8080",
			"roget mcp --toolsets terminology,platform --read-only --profile prod",
			"roget mcp --http 127.0.0.1:8090 --token-file token.txt",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			o, err := inv.mcpOptions()
			if err != nil {
				return err
			}
			obs := inv.observer()
			return c.config.Backend.MCP(ctx, o, obs, func(url string) {
				obs.finish()
				if slices.Contains(o.Toolsets, ToolsetTerminology) && o.Server == "" {
					inv.note("answers from " + o.Sources.where())
				}
				if url != "" {
					fmt.Fprintln(inv.Err, "roget: tool server on "+url)
				}
			})
		}),
	})
}

func (inv *invocation) mcpOptions() (MCPOptions, error) {
	o := MCPOptions{
		Server: inv.Text("server"), HTTP: inv.Text("http"), Hosts: inv.List("host"), Origins: inv.List("origin"),
		In: inv.In, Out: inv.Out, Platform: inv.cli.config.Platform, Profile: inv.Nearest("profile"), Getenv: inv.Getenv,
		ReadOnly: inv.Is("read-only") || switchedOn(inv.Getenv("PLATFORM_MCP_READONLY")), Version: inv.cli.config.Version,
	}
	for _, list := range inv.List("toolsets") {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); !slices.Contains(toolsets[:], name) {
				return o, command.Usagef("--toolsets: %q is not a toolset; there are %s", name, strings.Join(toolsets[:], ", "))
			}
			if !slices.Contains(o.Toolsets, name) {
				o.Toolsets = append(o.Toolsets, name)
			}
		}
	}
	if o.Toolsets == nil {
		o.Toolsets = []string{ToolsetTerminology}
	}
	var err error
	if slices.Contains(o.Toolsets, ToolsetBridge) {
		if o.Bridge, err = inv.cli.bridged(o.ReadOnly); err != nil {
			return o, err
		}
	}
	if o.Sources, err = inv.mcpSources(o.Server); err != nil {
		return o, err
	}
	if o.Server != "" && inv.IsSet("rules") {
		return o, command.Usagef("--rules is for tools without --server; the base of a server states its rules, such as http://127.0.0.1:8080/r4")
	}
	if o.Rules, err = inv.rules(); err != nil {
		return o, err
	}
	if o.Drain, err = inv.Duration("drain"); err != nil {
		return o, err
	}
	if o.Token, err = inv.mcpToken(); err != nil {
		return o, err
	}
	if o.HTTP == "" && (inv.IsSet("token-file") || inv.IsSet("host") || inv.IsSet("origin")) {
		return o, command.Usagef("--token-file, --host and --origin are for --http")
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(inv.Text("log-level"))); err != nil {
		return o, command.Usagef("--log-level: %w", err)
	}
	if inv.Is("quiet") {
		level = max(level, slog.LevelError)
	}
	o.Logger = slog.New(slog.NewTextHandler(inv.Err, &slog.HandlerOptions{Level: level}))
	return o, nil
}

// bridged returns what runs commands for the toolset bridge.
func (c *CLI) bridged(readOnly bool) (func(context.Context, []string, string) (int, string, string, error), error) {
	b, err := c.bridge(func(name string) (string, bool) {
		if readOnly && name == bridge.ReadOnlyVariable {
			return "1", true
		}
		return os.LookupEnv(name)
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, args []string, profile string) (int, string, string, error) {
		r, err := b.Run(ctx, args, profile)
		return r.ExitCode, r.Stdout, r.Stderr, err
	}, nil
}

// mcpSources returns what the terminology tools answer from: as queries do.
func (inv *invocation) mcpSources(server string) (Sources, error) {
	src := Sources{Load: inv.List("load"), Base: !inv.Is("no-base")}
	if server != "" {
		if len(src.Load) > 0 || inv.IsSet("data") {
			return src, command.Usagef("--server and --data or --load are two sources: give one")
		}
		return src, nil
	}
	if err := filesOnly(src.Load); err != nil {
		return src, err
	}
	switch {
	case inv.Given("data"):
		src.Data = inv.Text("data")
	case len(src.Load) == 0:
		src.Data, src.Optional, src.Samples = defaultData, true, true
	}
	return src, nil
}

// minToken and maxToken bound the token of the tool server, in bytes.
const minToken, maxToken = 16, 4096

// mcpToken reads the token of the server over HTTP.
func (inv *invocation) mcpToken() (auth.Secret, error) {
	from, text := tokenVariable, inv.Getenv(tokenVariable)
	if path := inv.Text("token-file"); path != "" {
		doc, err := readSmall(path, maxToken)
		if err != nil {
			return auth.Secret{}, fmt.Errorf("--token-file: %w", err)
		}
		from, text = "--token-file "+path, string(doc)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && from == tokenVariable:
		return auth.Secret{}, nil
	case len(text) < minToken:
		return auth.Secret{}, command.Usagef("%s: the token has fewer than %d characters", from, minToken)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return auth.Secret{}, command.Usagef("%s: the token has characters that a header cannot have", from)
	}
	return auth.NewSecret(text), nil
}

// readSmall reads a file of at most most bytes.
func readSmall(path string, most int64) ([]byte, error) {
	file, err := command.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	doc, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(doc)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return doc, err
}

// switchedOn reads a switch in the environment. Platform toolkit, section 0.3.
func switchedOn(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(strings.TrimSpace(value)))
}
