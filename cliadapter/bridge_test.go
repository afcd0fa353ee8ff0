package cliadapter

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kballard/go-shellquote"

	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/bridge"
	"github.com/roget-health/roget/cliadapter/command"
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
