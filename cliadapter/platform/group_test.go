package platform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// nested is a program with a group of commands three levels deep.
func nested(env map[string]string) *command.Program {
	if env == nil {
		env = map[string]string{"PLATFORM_URL": "https://p.example", "PLATFORM_PAT": "x", "PLATFORM_VERSION": "42"}
	}
	config := Config{Folder: nowhere, Home: nowhere}
	getenv := func(name string) string { return env[name] }
	return &command.Program{
		Getenv: getenv,
		Root: func(t *command.Tree) *cli.Command {
			c := commands{t, config}
			try := c.tryCommand()
			c.prepare([]*cli.Command{try})
			version := t.Add(&cli.Command{Name: "version", Category: "Other", Usage: "Print the version"}, command.Details{Run: func(context.Context, *command.Invocation) error { return nil }})
			return &cli.Command{
				Name: "roget", Usage: "Try commands", Subcommands: append(Commands(t, config, "Platform"), try, version),
				Flags: append(config.Flags(getenv), &cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "Print the version."}),
			}
		},
	}
}

// nowhere is a folder that is not there.
const nowhere = "/nowhere/at/all"

func (c commands) tryCommand() *cli.Command {
	say := func(_ context.Context, inv *invocation) error {
		given := inv.Nearest("profile")
		fmt.Fprintf(inv.Out, "%s %v profile=%s json=%v debug=%v", c.Path(inv.Parsed.Command), inv.Args(), given, inv.JSON(), inv.Anywhere("debug"))
		return nil
	}
	names := func(func(string) string) []string { return []string{"beta", "alpha"} }
	leaf := func(name, usage string, action func(context.Context, *invocation) error) *cli.Command {
		return c.Add(&cli.Command{Name: name, Usage: usage}, command.Details{Access: command.Reads, Run: c.run(action)})
	}
	only := func(name, usage string, m majors) *cli.Command {
		return c.Add(&cli.Command{Name: name, Usage: usage}, c.only(m, command.Details{Access: command.Reads}, func(ctx context.Context, inv *invocation) error {
			if inv.Getenv("CONNECT") == "" {
				return say(ctx, inv)
			}
			_, err := inv.platform(ctx)
			return err
		}))
	}
	list := c.Add(&cli.Command{Name: "list", Aliases: []string{"ls"}, Usage: "List them", Flags: []cli.Flag{
		&command.Flag{StringFlag: cli.StringFlag{Name: "kind"}, Choices: []string{"round"}, Complete: command.Words(names)},
		&cli.StringFlag{Name: "post", Aliases: []string{"p"}},
	}}, command.Details{Access: command.Reads, Args: []command.Argument{{Name: "NAME", Complete: command.Words(names)}}, Run: c.run(func(ctx context.Context, inv *invocation) error {
		if inv.Getenv("CONNECT") == "" {
			return say(ctx, inv)
		}
		_, err := inv.platform(ctx)
		return err
	})})
	return c.Add(&cli.Command{
		Name: "try", Category: "Platform", Usage: "Try it", Description: "All of it.",
		Subcommands: []*cli.Command{
			list,
			only("newer", "For newer ones", majors{from: 43}),
			only("older", "For older ones", majors{to: 41}),
			only("middle", "For others", majors{42, 42}),
			{Name: "inner", Usage: "One level more", Subcommands: []*cli.Command{
				{Name: "deep", Usage: "The deepest", Subcommands: []*cli.Command{leaf("get", "Get it", say)}},
			}},
			leaf("fail", "Fail", func(context.Context, *invocation) error { return &hintedFailure{errors.New("it failed\nbadly")} }),
			leaf("wrong", "Be used wrongly", func(context.Context, *invocation) error { return command.Usagef("so not") }),
			leaf("no", "Say no", func(context.Context, *invocation) error { return command.ErrNo }),
			leaf("table", "Show", func(_ context.Context, inv *invocation) error {
				return inv.Show(map[string]any{"a": "<b>"}, &engine.Table{Header: []string{"A"}, Rows: [][]string{{"<b>"}}})
			}),
		},
	}, command.Details{Examples: []string{"roget try list"}})
}

type hintedFailure struct{ error }

func (*hintedFailure) Hint() string { return "try again" }

func runNested(line string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = nested(nil).Run(context.Background(), strings.Fields(line), command.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// TestGroups: commands in groups of any depth, flags before and after their names, errors about
// unknown names and flags, and exit codes.
func TestGroups(t *testing.T) {
	for _, test := range []struct {
		line      string
		code      int
		out, errs string
	}{
		{"try list a", 0, "try list [a] profile= json=false debug=false", ""},
		{"try ls", 0, "try list [] profile= json=false debug=false", ""},
		{"try inner deep get", 0, "try inner deep get [] profile= json=false debug=false", ""},
		{"-p a -j -d try inner deep get", 0, "try inner deep get [] profile=a json=true debug=true", ""},
		{"--profile=a try --json inner --debug deep get", 0, "try inner deep get [] profile=a json=true debug=true", ""},
		{"try inner deep get -p a --json -d", 0, "try inner deep get [] profile=a json=true debug=true", ""},
		{"-p a try list -p here --profile=x --json", 0, "try list [] profile=x json=true debug=false", ""}, // -p is its own there
		{"--json=false try list", 0, "try list [] profile= json=false debug=false", ""},
		{"try newer -j", 0, "try newer [] profile= json=true debug=false", ""}, // no server was asked
		{"try table", 0, "A\n<b>\n", ""},
		{"try table -j", 0, "{\n  \"a\": \"<b>\"\n}\n", ""},
		{"try no", 1, "", ""},
		{"try fail", 1, "", "roget: try fail: it failed badly\nhint: try again\n"},
		{"try wrong", 2, "", "roget: try wrong: so not (see roget try wrong --help)\n"},
		{"try lsit", 2, "", "roget: try: unknown command \"lsit\"; did you mean list? (see roget try --help)\n"},
		{"try inner deep gte", 2, "", "roget: try inner deep: unknown command \"gte\"; did you mean get? (see roget try inner deep --help)\n"},
		{"tyr list", 2, "", "roget: unknown command \"tyr\"; did you mean try? (see roget --help)\n"},
		{"try list a b", 2, "", "roget: try list: unexpected argument \"b\" (see roget try list --help)\n"},
		{"try --kind x list", 2, "", "roget: try: unknown flag --kind; flags of a command come after its name (see roget try --help)\n"},
		{"try --version", 2, "", "roget: try: unknown flag --version; flags of a command come after its name (see roget try --help)\n"},
		{"-p", 2, "", "roget: flag -p needs a value (see roget --help)\n"},
		{"-j -j try list", 2, "", "roget: flag -j is given twice (see roget --help)\n"},
		{"-p --json try list", 2, "", "roget: flag -p needs a value, but --json follows; write -p=--json if that is the value (see roget --help)\n"},
	} {
		code, out, errs := runNested(test.line)
		if code != test.code || out != test.out || errs != test.errs {
			t.Errorf("%s: exit code %d\n%s\n%s", test.line, code, out, errs)
		}
	}
}

// TestGroupHelp: a group alone is wrong usage and shows its commands; help is asked for in
// several ways; commands of other versions of the platform are not shown.
func TestGroupHelp(t *testing.T) {
	code, out, errs := runNested("try")
	if code != 2 || out != "" {
		t.Errorf("exit code %d: %s", code, out)
	}
	const want = `roget try - Try it

Usage:
  roget try COMMAND [flags] [arguments]

All of it.

Commands:
  list    List them
  middle  For others
  inner   One level more
  fail    Fail
  wrong   Be used wrongly
  no      Say no
  table   Show

Flags, before or after the command:
  -p, --profile NAME        Profile of the platform to use. By default PLATFORM_PROFILE,
                            or the default profile (see roget profile).
  -j, --json                Print JSON.
  -d, --debug               Log each request to the platform on standard error.
  --timeout DURATION        Maximum time to wait for a response of the platform, and for
                            each further part of it. By default 30s.
  --ca-file FILE            PEM file of certificates to trust besides those of the
                            system.
  -h, --help                Show this help.

Examples:
  roget try list

Help on one command: roget try COMMAND --help
`
	if errs != want {
		t.Errorf("%s", errs)
	}
	for _, line := range []string{"try --help", "try -h", "help try", "-j try -h", "help -d try"} {
		if code, out, errs := runNested(line); code != 0 || out != want || errs != "" {
			t.Errorf("%s: exit code %d: %s%s", line, code, out, errs)
		}
	}
	_, leaf, _ := runNested("try inner deep get --help")
	for _, line := range []string{"help try inner deep get", "try inner deep get -h"} {
		if code, out, _ := runNested(line); code != 0 || out != leaf || !strings.HasPrefix(out, "roget try inner deep get - Get it\n\nUsage:\n  roget try inner deep get [flags]\n") {
			t.Errorf("%s: exit code %d: %s", line, code, out)
		}
	}
	_, all, _ := runNested("--help")
	for _, want := range []string{"\nPlatform:\n  profile ", "\n  try        Try it\n", "\nFlags before the command:\n  -p, --profile NAME"} {
		if !strings.Contains(all, want) {
			t.Errorf("the overview lacks %q:\n%s", want, all)
		}
	}
	for _, line := range []string{"", "-p a", "--json"} {
		if code, out, errs := runNested(line); code != 2 || out != "" || errs != all {
			t.Errorf("%q: exit code %d: %s%s", line, code, out, errs)
		}
	}
}

// TestGroupCompletion: commands at each level, flags, and values that are found on request.
func TestGroupCompletion(t *testing.T) {
	for _, test := range []struct {
		words []string
		want  string // first words of the lines
	}{
		{[]string{"tr"}, "try"},
		{[]string{"try", ""}, "list middle inner fail wrong no table"},
		{[]string{"-p", "x", "try", "--json", "inner", ""}, "deep"},
		{[]string{"try", "inner", "deep", ""}, "get"},
		{[]string{"help", "try", "in"}, "inner"},
		{[]string{"try", "list", ""}, "alpha beta"},
		{[]string{"try", "ls", "a"}, "alpha"},
		{[]string{"try", "list", "alpha", ""}, ""},
		{[]string{"try", "list", "--kind", ""}, "alpha beta round"},
		{[]string{"try", "list", "--kind=b"}, "--kind=beta"},
		{[]string{"try", "list", "--p"}, "--post --profile"},
		{[]string{"try", "--"}, "--profile --json --debug --timeout --ca-file --help"},
		{[]string{"--v"}, "--version"},
		{[]string{"try", "gone", ""}, ""},
	} {
		var out bytes.Buffer
		if code := nested(nil).Run(context.Background(), append([]string{"__complete"}, test.words...), command.Streams{Out: &out, Err: &out}); code != 0 {
			t.Errorf("%q: exit code %d", test.words, code)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q: %q, want %s", test.words, got, test.want)
		}
	}
}

// TestMajors: platform toolkit, section 7.3: a command that other versions of the platform
// have is refused, by the server's version and not by the profile's; where the profile says
// so it is shown.
// Rows of docs/platform.md: T7.3.
func TestMajors(t *testing.T) {
	for _, test := range []struct {
		major                int
		newer, older, middle bool
	}{{41, false, true, false}, {42, false, false, true}, {43, true, false, false}} {
		server := platformtest.New(t, platformtest.Options{Major: test.major})
		env := map[string]string{"PLATFORM_URL": server.URL, "PLATFORM_PAT": platformtest.PAT, "PLATFORM_VERSION": "42"}
		env["CONNECT"] = "yes"
		c := nested(env)
		for name, want := range map[string]bool{"newer": test.newer, "older": test.older, "middle": test.middle, "list": true} {
			var errs bytes.Buffer
			code := c.Run(t.Context(), []string{"try", name}, command.Streams{Out: io.Discard, Err: &errs})
			if (code == 0) != want || (code == 1) == want {
				t.Errorf("v%d, %s: exit code %d: %s", test.major, name, code, errs.String())
			}
			bounds := map[string]string{"newer": "from v43", "older": "up to v41", "middle": "from v42 to v42"}[name]
			if said := fmt.Sprintf("roget: try %s: this command is for platforms %s; this one has version 2.%d.", name, bounds, test.major); code != 0 && !strings.HasPrefix(errs.String(), said) {
				t.Errorf("v%d, %s: %s", test.major, name, errs.String())
			}
		}
		env["PLATFORM_VERSION"] = fmt.Sprint(test.major)
		var help bytes.Buffer
		c.Run(t.Context(), []string{"try", "--help"}, command.Streams{Out: &help, Err: &help})
		for name, want := range map[string]bool{"newer": test.newer, "older": test.older, "middle": test.middle} {
			if strings.Contains(help.String(), "  "+name+" ") != want {
				t.Errorf("v%d: %s is shown: %v", test.major, name, !want)
			}
		}
	}
}

// TestNoCache: without a folder for the user's cache, nothing is cached.
func TestNoCache(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	if store := (commands{}).typeStore(); store.Folder != "" {
		t.Error(store.Folder)
	}
}

// FuzzCommandLine: no words break dispatch or completion.
func FuzzCommandLine(f *testing.F) {
	f.Add("-p a try list --kind=round x -- --json")
	f.Add("help try inner deep get --help")
	f.Add("try --json=maybe -h= list -p")
	c := nested(nil)
	c.Root = func(t *command.Tree) *cli.Command {
		b := commands{t, Config{Folder: nowhere, Home: nowhere}}
		try := b.tryCommand()
		b.prepare([]*cli.Command{try})
		version := t.Add(&cli.Command{Name: "version"}, command.Details{Run: func(context.Context, *command.Invocation) error { return nil }})
		return &cli.Command{
			Name: "roget", Subcommands: []*cli.Command{try, version},
			Flags: append(b.Flags(), &cli.BoolFlag{Name: "version"}),
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, " ")
		var out, errs bytes.Buffer
		code := c.Run(t.Context(), words, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		if code < 0 || code > 2 || code == 2 && errs.Len() == 0 || code == 0 && errs.Len() > 0 {
			t.Errorf("%q: exit code %d: %s%s", words, code, out.String(), errs.String())
		}
		if code := c.Run(t.Context(), append([]string{"__complete"}, words...), command.Streams{Out: &out, Err: &errs}); code != 0 {
			t.Errorf("%q: completion ends with %d", words, code)
		}
	})
}
