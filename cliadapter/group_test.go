package cliadapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// nested is a program with a group of platform commands three levels deep.
func nested() *CLI {
	c := New(Config{Operations: operation.Terminal(), Backend: &absent{}, Platform: Platform{Folder: nowhere, Home: nowhere}, Getenv: func(name string) string {
		return map[string]string{"PLATFORM_URL": "https://p.example", "PLATFORM_PAT": "x", "PLATFORM_VERSION": "42"}[name]
	}})
	say := func(_ context.Context, inv *invocation) error {
		fmt.Fprintf(inv.streams.Out, "%s %v profile=%s json=%v debug=%v", inv.cmd.path, inv.args(), inv.global.profile+inv.text("profile"), inv.json(), inv.global.debug || inv.is("debug"))
		return nil
	}
	names := func(*invocation) []string { return []string{"beta", "alpha"} }
	try := &command{
		name: "try", group: groupPlatform, summary: "Try it", doc: "All of it.", examples: []string{"roget try list"},
		commands: []*command{
			{name: "list", aliases: []string{"ls"}, summary: "List them", access: accessRead, args: []argument{{name: "NAME", complete: names}}, options: options{
				{names: []string{"kind"}, value: true, choices: []string{"round"}, complete: names}, {names: []string{"post", "p"}, value: true},
			}, run: say},
			{name: "newer", summary: "For newer ones", access: accessRead, minMajor: 43, run: say},
			{name: "older", summary: "For older ones", access: accessRead, maxMajor: 41, run: say},
			{name: "middle", summary: "For others", access: accessRead, minMajor: 42, maxMajor: 42, run: say},
			{name: "inner", summary: "One level more", commands: []*command{
				{name: "deep", summary: "The deepest", commands: []*command{{name: "get", summary: "Get it", access: accessRead, run: say}}},
			}},
			{name: "fail", summary: "Fail", access: accessRead, run: func(context.Context, *invocation) error {
				return &hintedFailure{errors.New("it failed\nbadly")}
			}},
			{name: "wrong", summary: "Be used wrongly", access: accessRead, run: func(context.Context, *invocation) error { return usagef("so not") }},
			{name: "no", summary: "Say no", access: accessRead, run: func(context.Context, *invocation) error { return errNo }},
			{name: "table", summary: "Show", access: accessRead, run: func(_ context.Context, inv *invocation) error {
				return inv.show(map[string]any{"a": "<b>"}, &engine.Table{Header: []string{"A"}, Rows: [][]string{{"<b>"}}})
			}},
		},
	}
	try.prepare("", true)
	c.commands = append(c.commands, try)
	return c
}

type hintedFailure struct{ error }

func (*hintedFailure) Hint() string { return "try again" }

func runNested(line string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = nested().Run(context.Background(), strings.Fields(line), Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// TestGroups: commands in groups of any depth, flags before and after their names, what is
// said of names and flags that are not there, and exit codes.
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
		{"-p a try list -p here --profile=x --json", 0, "try list [] profile=ax json=true debug=false", ""}, // -p is its own there
		{"--json=false try list", 0, "try list [] profile= json=false debug=false", ""},
		{"try newer -j", 0, "try newer [] profile= json=true debug=false", ""}, // no server was asked
		{"try table", 0, "A\n<b>\n", ""},
		{"try table -j", 0, "{\n  \"a\": \"<b>\"\n}\n", ""},
		{"try no", 1, "", ""},
		{"try fail", 1, "", "roget: try fail: it failed badly\nhint: try again\n"},
		{"try wrong", 2, "", "roget: try wrong: so not (see roget try wrong --help)\n"},
		{"try lsit", 2, "", "roget: unknown command \"try lsit\"; did you mean list? (see roget try --help)\n"},
		{"try inner deep gte", 2, "", "roget: unknown command \"try inner deep gte\"; did you mean get? (see roget try inner deep --help)\n"},
		{"tyr list", 2, "", "roget: unknown command \"tyr\"; did you mean try? (see roget --help)\n"},
		{"try list a b", 2, "", "roget: try list: unexpected argument \"b\" (see roget try list --help)\n"},
		{"try --kind x list", 2, "", "roget: unknown flag --kind; flags of a command come after its name (see roget try --help)\n"},
		{"try --version", 2, "", "roget: unknown flag --version; flags of a command come after its name (see roget try --help)\n"},
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
  -p, --profile NAME        Profile of the platform to use; else PLATFORM_PROFILE, or
                            the default (see roget profile).
  -j, --json                Print JSON; the same as --output json where there is that.
  -d, --debug               Write a line for each request to the platform to standard
                            error.
  -h, --help                show this help

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
	for _, want := range []string{"\nPlatform:\n  profile ", "\n  try            Try it\n", "\nFlags before the command:\n  -p, --profile NAME"} {
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

// TestGroupCompletion: commands at each level, flags, and what is found when it is asked for.
func TestGroupCompletion(t *testing.T) {
	for _, test := range []struct {
		words []string
		want  string // first words of the lines
	}{
		{[]string{"tr"}, "translate try"},
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
		{[]string{"try", "--"}, "--profile --json --debug --help"},
		{[]string{"--v"}, "--version"},
		{[]string{"try", "gone", ""}, ""},
	} {
		var out bytes.Buffer
		if code := nested().Run(context.Background(), append([]string{completeCommand}, test.words...), Streams{Out: &out, Err: &out}); code != 0 {
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
func TestMajors(t *testing.T) {
	for _, test := range []struct {
		major                int
		newer, older, middle bool
	}{{41, false, true, false}, {42, false, false, true}, {43, true, false, false}} {
		server := platformtest.New(t, platformtest.Options{Major: test.major})
		env := map[string]string{"PLATFORM_URL": server.URL, "PLATFORM_PAT": platformtest.PAT, "PLATFORM_VERSION": "42"}
		c := nested()
		c.config.Getenv = func(name string) string { return env[name] }
		for _, cmd := range c.root().find("try").commands {
			cmd.run = func(ctx context.Context, inv *invocation) error {
				_, err := inv.platform(ctx)
				return err
			}
		}
		for name, want := range map[string]bool{"newer": test.newer, "older": test.older, "middle": test.middle, "list": true} {
			var errs bytes.Buffer
			code := c.Run(t.Context(), []string{"try", name}, Streams{Out: io.Discard, Err: &errs})
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
		c.Run(t.Context(), []string{"try", "--help"}, Streams{Out: &help, Err: &help})
		for name, want := range map[string]bool{"newer": test.newer, "older": test.older, "middle": test.middle} {
			if strings.Contains(help.String(), "  "+name+" ") != want {
				t.Errorf("v%d: %s is shown: %v", test.major, name, !want)
			}
		}
	}
}
