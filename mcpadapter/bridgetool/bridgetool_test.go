package bridgetool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter"
	"github.com/roget-health/roget/mcpadapter/bridgetool"
)

// TestBridgeTool: the tool hands on arguments and profile, returns what came of them, and stays
// small.
func TestBridgeTool(t *testing.T) {
	server, err := mcpadapter.New(mcpadapter.Config{Toolsets: []mcpadapter.Toolset{bridgetool.New(
		func(_ context.Context, args []string, profile string) (int, string, string, error) {
			switch args[0] {
			case "big":
				return 0, strings.Repeat("\"a\x1b[31m\n", 50_000), strings.Repeat("e", 50_000), nil
			case "fails":
				return 0, "", "", errors.New("interrupted")
			}
			return 126, "", "refused " + strings.Join(args, " ") + " of " + profile, nil
		}, true)}})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.MCP().Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	call := func(args ...string) (string, bool) {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "roget_bridge", Arguments: map[string]any{"args": args, "profile": "prod"}})
		if err != nil {
			t.Fatal(err)
		}
		doc, _ := json.Marshal(result)
		if len(doc) >= bridgetool.MaxAnswer {
			t.Errorf("%v: %d bytes", args, len(doc))
		}
		return string(doc), result.IsError
	}
	if said, failed := call("metadata", "list"); failed || !strings.Contains(said, `"exit_code":126`) || !strings.Contains(said, "refused metadata list of prod") {
		t.Errorf("%s", said)
	}
	if said, failed := call("big"); failed || !strings.Contains(said, `"truncated":true`) || strings.Contains(said, `\u001b`) {
		t.Errorf("%.300s", said)
	}
	if said, failed := call("fails"); !failed || !strings.Contains(said, "interrupted") {
		t.Errorf("%s", said)
	}
	if said, failed := call(make([]string, 501)...); !failed || !strings.Contains(said, "more than 500 words") {
		t.Errorf("%.300s", said)
	}
}
