package cliadapter

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/command"
)

// TestJSONEverywhere: --json before or after the name of a command is --output json where
// there is that, and changes nothing of others.
func TestJSONEverywhere(t *testing.T) {
	tree := terminal()
	for _, cmd := range tree.Commands() {
		if command.FindFlag(cmd.Flags, "profile") != nil && command.FindFlag(cmd.Flags, "json") == nil {
			t.Errorf("%s has no --json", tree.Path(cmd))
		}
	}
	_, want, _ := run(t, &absent{}, nil, "list", "--output", "json")
	if !strings.HasPrefix(want, "[") {
		t.Fatal(want)
	}
	for _, line := range []string{"list --json", "list -j", "--json list", "-j list", "list --json -o json"} {
		if code, out, errs := run(t, &absent{}, nil, strings.Fields(line)...); code != 0 || out != want {
			t.Errorf("%s: exit code %d: %s%s", line, code, out, errs)
		}
	}
	_, table, _ := run(t, &absent{}, nil, "list")
	if _, out, _ := run(t, &absent{}, nil, "--json", "list", "--output", "table"); out != table {
		t.Errorf("the form after the name goes first: %s", out)
	}
	if code, _, errs := run(t, &absent{}, nil, "list", "--output", "table", "--json"); code != 2 || !strings.Contains(errs, "ask for two forms") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	_, script, _ := run(t, nil, nil, "completion", "bash")
	if code, out, _ := run(t, nil, nil, "--json", "completion", "bash"); code != 0 || out != script {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// TestVersionTells: the version of the platform that is assumed offline.
func TestVersionTells(t *testing.T) {
	for env, want := range map[string]string{"": "v42", "43": "v43", "v41": "v41", "44": "v42"} {
		for _, line := range []string{"-V", "--version", "version"} {
			if _, out, _ := run(t, nil, map[string]string{"PLATFORM_VERSION": env}, line); !strings.HasSuffix(out, "\nplatform "+want+" is assumed when no server is asked\n") {
				t.Errorf("%s with %q: %s", line, env, out)
			}
		}
	}
	if _, out, _ := run(t, nil, map[string]string{"PLATFORM_VERSION": "41"}, "-V", "--json"); !strings.Contains(out, `"tree":"v41"`) {
		t.Errorf("%s", out)
	}
}
