package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// mcpToken is the token of the tool server in these tests.
const mcpToken = "a-token-of-the-tests-0123456789"

// mcpCalls are calls of all terminology tools that the samples answer.
func mcpCalls() map[string]map[string]any {
	const animals = "https://roget.health/fhir/CodeSystem/animals"
	return map[string]map[string]any{
		"find":      {"text": "dog", "system": animals},
		"lookup":    {"code": "dog", "system": "Animals"},
		"validate":  {"code": "dog", "display": "Dog", "system": animals},
		"expand":    {"valueset": "https://roget.health/fhir/ValueSet/pets", "limit": 3},
		"subsumes":  {"code_a": "mammal", "code_b": "dog", "system": animals},
		"translate": {"code": "red", "system": "https://roget.health/fhir/CodeSystem/triage-colours"},
		"explain":   {"code": "wolf", "system": animals, "valueset": "https://roget.health/fhir/ValueSet/pets"},
		"catalogue": {},
		"diff":      {"valueset_a": "https://roget.health/fhir/ValueSet/pets", "valueset_b": "https://roget.health/fhir/ValueSet/four-legged"},
	}
}

// callAll calls every tool that a session lists.
func callAll(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	calls := mcpCalls()
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		arguments, ok := calls[tool.Name]
		if !ok {
			t.Errorf("%s is not called", tool.Name)
			continue
		}
		delete(calls, tool.Name)
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments})
		if err != nil || result.IsError || result.StructuredContent == nil {
			doc, _ := json.Marshal(result)
			t.Errorf("%s: %v: %s", tool.Name, err, doc)
		}
	}
	for name := range calls {
		t.Errorf("%s is not listed", name)
	}
}

// overStdio starts the program and speaks to it on its standard input and output.
func overStdio(t *testing.T, cmd *exec.Cmd) *mcp.ClientSession {
	t.Helper()
	var log strings.Builder
	cmd.Stderr = &log
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// TestMCPStdio: a client of the SDK runs every tool of the program on standard input and
// output: from a data folder, and from a server.
func TestMCPStdio(t *testing.T) {
	folder := t.TempDir()
	server := backendtest.Serve(t, backendtest.Tested, "--store", "memory:", "--data", folder)
	for name, args := range map[string][]string{
		"samples": {"mcp"},
		"server":  {"mcp", "--server", server.URL},
	} {
		t.Run(name, func(t *testing.T) {
			callAll(t, overStdio(t, backendtest.Tested(t, args...)))
		})
	}
}

// TestMCPEnds: the program ends when its input does, and at a signal, without an error.
func TestMCPEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	for name, end := range map[string]func(cmd *exec.Cmd, input interface{ Close() error }) error{
		"input":   func(_ *exec.Cmd, input interface{ Close() error }) error { return input.Close() },
		"SIGTERM": func(cmd *exec.Cmd, _ interface{ Close() error }) error { return cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			cmd := backendtest.Tested(t, "mcp")
			input, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			output, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var log strings.Builder
			cmd.Stderr = &log
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
			if _, err := input.Write([]byte(hello)); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(output).ReadString('\n')
			if err != nil || !strings.Contains(line, `"serverInfo"`) {
				t.Fatalf("%v: %s", err, line)
			}
			if err := end(cmd, input); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %s", err, log.String())
			}
		})
	}
}

// overHTTP starts the program with --http and returns its address.
func overHTTP(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(mcpToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := backendtest.Tested(t, append([]string{"mcp", "--http", "127.0.0.1:0", "--token-file", file}, args...)...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if _, url, found := strings.Cut(lines.Text(), "tool server on "); found {
			return url
		}
	}
	t.Fatal("the program does not listen")
	return ""
}

// withToken adds the token to requests.
type withToken struct{}

func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+mcpToken)
	return http.DefaultTransport.RoundTrip(r)
}

// TestMCPHTTP: a client of the SDK runs every tool of the program over streamable HTTP.
func TestMCPHTTP(t *testing.T) {
	url := overHTTP(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	if _, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, nil); err == nil {
		t.Error("connected without the token")
	}
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withToken{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	callAll(t, session)
}

// TestMCPRefuses: wrong command lines of the tool server.
func TestMCPRefuses(t *testing.T) {
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"mcp --http 0.0.0.0:0":                               "needs a token",
		"mcp --http nowhere":                                 "--http",
		"mcp --http 127.0.0.1:0 --token-file " + short:       "fewer than 16 characters",
		"mcp --http 127.0.0.1:0 --token-file " + short + "-": "no such file",
		"mcp --token-file " + short:                          "fewer than 16 characters",
		"mcp --host tools.example":                           "are for --http",
		"mcp --toolsets everything":                          "is not a toolset",
		"mcp --server localhost:8080":                        "https://HOST/PATH",
		"mcp --server http://localhost --load x":             "two sources",
		"mcp --data /no/such/folder":                         "does not exist",
	} {
		_, stderr, exit := backendtest.Run(t, strings.Fields(line)...)
		if exit == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d: %s lacks %q", line, exit, stderr, want)
		}
	}
}

// TestMCPPlatform: the platform tools of the program work with a profile of the environment,
// and --read-only leaves out what changes something.
// Rows of docs/platform.md: T6.1.
func TestMCPPlatform(t *testing.T) {
	double := platformtest.New(t, platformtest.Options{Major: 42})
	cmd := backendtest.Tested(t, "mcp", "--toolsets", "platform", "--read-only")
	cmd.Env = append(os.Environ(), "PLATFORM_URL="+double.URL, "PLATFORM_PAT="+platformtest.PAT, "HOME="+t.TempDir(), "XDG_CONFIG_HOME=")
	session := overStdio(t, cmd)
	if name := session.InitializeResult().ServerInfo.Name; name != "platform" {
		t.Errorf("the server is named %s", name)
	}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s changes something", tool.Name)
		}
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "system_whoami"})
	if err != nil || result.IsError || result.StructuredContent.(map[string]any)["username"] != platformtest.Username {
		doc, _ := json.Marshal(result)
		t.Errorf("%v: %s", err, doc)
	}
}

// TestMCPInspector: the inspector of the protocol's authors lists and calls tools over both
// transports without complaint.
func TestMCPInspector(t *testing.T) {
	nodeScript(t) // skips without the clients
	inspect := func(t *testing.T, args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		launcher := filepath.Join("testdata", "clients", "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
		if _, err := os.Stat(launcher); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skipf("the inspector is not installed: %v", err)
		}
		cmd := exec.CommandContext(ctx, "node", append([]string{launcher, "--cli"}, args...)...)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		said := strings.TrimSpace(errs.String())
		if strings.HasPrefix(said, "roget: mcp: answers from ") { // where the data lies is no complaint
			_, said, _ = strings.Cut(said, "\n")
		}
		if err != nil || said != "" {
			t.Fatalf("%v: %v: %s%s", args, err, out, said)
		}
		return string(out)
	}
	program := backendtest.Released(t, "mcp")
	targets := map[string][]string{
		"stdio": program.Args,
		"http":  {overHTTP(t), "--transport", "http", "--header", "Authorization: Bearer " + mcpToken},
	}
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			var list struct{ Tools []struct{ Name string } }
			if err := json.Unmarshal([]byte(inspect(t, append(target, "--method", "tools/list", "--strict")...)), &list); err != nil || len(list.Tools) != len(mcpCalls()) {
				t.Fatalf("%v: %v", err, list)
			}
			for tool, arguments := range mcpCalls() {
				args := append(append([]string{}, target...), "--method", "tools/call", "--tool-name", tool)
				for key, value := range arguments {
					doc, err := json.Marshal(value)
					if err != nil {
						t.Fatal(err)
					}
					text := string(doc)
					if s, ok := value.(string); ok {
						text = s
					}
					args = append(args, "--tool-arg", key+"="+text)
				}
				if out := inspect(t, args...); !strings.Contains(out, `"structuredContent"`) || strings.Contains(out, `"isError": true`) {
					t.Errorf("%s: %s", tool, out)
				}
			}
			for _, method := range []string{"resources/list", "resources/templates/list", "prompts/list"} {
				inspect(t, append(target, "--method", method)...)
			}
		})
	}
}

// TestMCPBridge: the toolset bridge runs commands of the program, and with --read-only refuses
// those that write before anything starts.
func TestMCPBridge(t *testing.T) {
	double := platformtest.New(t, platformtest.Options{Major: 42})
	cmd := backendtest.Released(t, "mcp", "--toolsets", "bridge", "--read-only")
	cmd.Env = append(os.Environ(), "PLATFORM_URL="+double.URL, "PLATFORM_PAT="+platformtest.PAT, "HOME="+t.TempDir(), "XDG_CONFIG_HOME=")
	session := overStdio(t, cmd)
	run := func(args ...string) map[string]any {
		t.Helper()
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "roget_bridge", Arguments: map[string]any{"args": args}})
		if err != nil || result.IsError {
			doc, _ := json.Marshal(result)
			t.Fatalf("%v: %v: %s", args, err, doc)
		}
		return result.StructuredContent.(map[string]any)
	}
	if got := run("system", "whoami"); got["exit_code"] != 0.0 || !strings.Contains(got["stdout"].(string), `"username":"`+platformtest.Username) {
		t.Errorf("%v", got)
	}
	double.Forget()
	if got := run("system", "settings", "set", "applicationTitle", "New"); got["exit_code"] != 126.0 || len(double.Requests()) != 0 {
		t.Errorf("%v, %d requests", got, len(double.Requests()))
	}
}
