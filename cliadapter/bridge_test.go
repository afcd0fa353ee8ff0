package cliadapter

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kballard/go-shellquote"

	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/bridge"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// newBridge returns a bridge on the real tree of commands, with profiles of an empty home.
func newBridge(t *testing.T, environment map[string]string) *bridge.Bridge {
	t.Helper()
	home := t.TempDir()
	getenv := func(name string) string { return environment[name] }
	c := New(Config{Operations: operation.Terminal(), Getenv: getenv})
	b, err := bridge.New(bridge.Config{
		Tree:    func() *command.Tree { return c.program.Tree(Streams{}) },
		Offered: offeredByBridge,
		LookupEnv: func(name string) (string, bool) {
			text, set := environment[name]
			return text, set
		},
		Profiles: func() (*profile.Registry, error) {
			return profile.Open(profile.Options{Getenv: getenv, Folder: home, Home: home})
		},
		Name: "roget",
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// bridgeLines are the lines of testdata/bridge.txt: arguments by kind.
func bridgeLines(t *testing.T) map[bridge.Kind][][]string {
	t.Helper()
	f, err := os.Open("testdata/bridge.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, n := map[bridge.Kind][][]string{}, 0
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		kind, line, _ := strings.Cut(s.Text(), "\t")
		args, err := shellquote.Split(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines[bridge.Kind(kind)] = append(lines[bridge.Kind(kind)], args)
		n++
	}
	if n < 300 {
		t.Fatalf("%d lines; at least 300 are wanted", n)
	}
	return lines
}

// TestBridgeClassifies: the verdict on each line of testdata/bridge.txt, which was written from
// the rules of the specification. Platform toolkit, section 6.3.
// Rows of docs/platform.md: 4.29, T6.3.
func TestBridgeClassifies(t *testing.T) {
	b := newBridge(t, nil)
	for kind, lines := range bridgeLines(t) {
		for _, args := range lines {
			split := args
			if len(args) > 0 && strings.Contains(args[0], " ") {
				first, err := shellquote.Split(args[0])
				if err != nil {
					t.Fatal(err)
				}
				split = slices.Concat(first, args[1:])
			}
			if got := b.Classify(split); got.Kind != kind || got.Kind != bridge.Read && got.Reason == "" {
				t.Errorf("%q: %s (%s), want %s", args, got.Kind, got.Reason, kind)
			}
		}
	}
}

// TestBridgeOffers: the commands that read and those that write are those of
// testdata/bridge_commands.txt. Who makes one more adds it there, having looked twice.
// Rows of docs/platform.md: 4.29, T6.3.
func TestBridgeOffers(t *testing.T) {
	b := newBridge(t, nil)
	var got []string
	for _, path := range b.Reads() {
		got = append(got, "read\t"+path)
	}
	for _, path := range b.Writes() {
		got = append(got, "write\t"+path)
	}
	const file = "testdata/bridge_commands.txt"
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(golden)), "\n"), got); diff != "" {
		t.Errorf("-%s +commands\n%s", file, diff)
	}
}

// TestBrowsable checks where the browser begins, and that it offers what is no part of FHIR.
func TestBrowsable(t *testing.T) {
	err := newSamples(t).Query(context.Background(), Sources{}, nil, func(eng *engine.Engine) error {
		var names []string
		for _, s := range browsable(eng) {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != "animals clinic triage-colours" {
			t.Errorf("code systems %s", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBrowseErrors checks that what is wrong with a command line is said before a screen is drawn.
func TestBrowseErrors(t *testing.T) {
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"browse zebra", 2, "no code system that is loaded has the code zebra"},
		{"browse zebra --system animals", 1, `unknown code: "zebra" in https://roget.health/fhir/CodeSystem/animals|1.0.0`},
		{"browse --system animmals", 3, "the nearest: animals"},
		{"browse sheepdog --system http://example.org/absent", 3, "unknown code system: http://example.org/absent"},
	} {
		var out, errs bytes.Buffer
		streams := Streams{In: strings.NewReader(""), Out: &out, Err: &errs, InTerminal: true, OutTerminal: true}
		code := New(Config{Operations: operation.Terminal(), Backend: newSamples(t), Getenv: func(string) string { return "" }}).Run(context.Background(), strings.Fields(c.line), streams)
		if code != c.code || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: exit code %d: %s%s", c.line, code, out.String(), errs.String())
		}
	}
}

// TestMCPOptions: what flags and the environment ask of the tool server.
// Rows of docs/platform.md: T6.1.
func TestMCPOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(" from-the-file-0123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, c := range map[string]struct {
		env  map[string]string
		want func(o MCPOptions) bool
	}{
		"mcp": {nil, func(o MCPOptions) bool {
			return slices.Equal(o.Toolsets, []string{"terminology"}) && !o.ReadOnly && o.Sources.Samples && o.Sources.Base && o.Sources.Optional && o.HTTP == ""
		}},
		"mcp -t platform,terminology -t platform": {nil, func(o MCPOptions) bool { return slices.Equal(o.Toolsets, []string{"platform", "terminology"}) }},
		"mcp --read-only":                         {nil, func(o MCPOptions) bool { return o.ReadOnly }},
		"mcp -q":                                  {map[string]string{"PLATFORM_MCP_READONLY": "Yes"}, func(o MCPOptions) bool { return o.ReadOnly }},
		"mcp --no-base":                           {map[string]string{"PLATFORM_MCP_READONLY": "0"}, func(o MCPOptions) bool { return !o.ReadOnly && !o.Sources.Base }},
		"mcp --data dir":                          {nil, func(o MCPOptions) bool { return o.Sources.Data == "dir" && !o.Sources.Optional && !o.Sources.Samples }},
		"mcp --server http://h":                   {map[string]string{"ROGET_DATA": "dir"}, func(o MCPOptions) bool { return o.Server == "http://h" && o.Sources.Data == "" }},
		"mcp -p prod":                             {nil, func(o MCPOptions) bool { return o.Profile == "prod" }},
		"-p prod mcp":                             {nil, func(o MCPOptions) bool { return o.Profile == "prod" }},
		"mcp --http :0 --token-file " + file:      {nil, func(o MCPOptions) bool { return o.Token.Reveal() == "from-the-file-0123456789" }},
		"mcp --http :0":                           {map[string]string{"ROGET_MCP_TOKEN": "from-the-environment"}, func(o MCPOptions) bool { return o.Token.Reveal() == "from-the-environment" }},
	} {
		b := &absent{}
		if code, _, errs := run(t, b, c.env, strings.Fields(line)...); code != 0 || !c.want(b.mcp) {
			t.Errorf("%s: exit code %d: %s%+v", line, code, errs, b.mcp)
		}
	}
	t.Setenv("PLATFORM_MCP_CLI_TIMEOUT", "soon")
	for line, want := range map[string]string{
		"mcp --toolsets bridge":                 "PLATFORM_MCP_CLI_TIMEOUT",
		"mcp --toolsets all":                    "is not a toolset",
		"mcp --drain soon":                      "--drain",
		"mcp --origin x":                        "are for --http",
		"mcp --log-level loud":                  "--log-level",
		"mcp --server http://h --data d":        "two sources",
		"mcp --http :0 --token-file " + nowhere: "no such file",
		"mcp extra":                             "unexpected argument",
	} {
		if code, _, errs := run(t, &absent{}, nil, strings.Fields(line)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d: %s", line, code, errs)
		}
	}
	if code, _, errs := run(t, &absent{}, map[string]string{"ROGET_MCP_TOKEN": "short"}, "mcp", "--http", ":0"); code == 0 || !strings.Contains(errs, "fewer than 16") || strings.Contains(errs, "short") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
