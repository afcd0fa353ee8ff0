package cliadapter

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
	for line, want := range map[string]string{
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
