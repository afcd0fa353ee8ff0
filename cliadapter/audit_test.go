package cliadapter

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine/operation"
)

// auditLines returns lines of an audit log with the members of each.
func auditLines(members ...string) (lines []string) {
	chain := audit.NewChain(nil)
	for i, m := range members {
		line := chain.AppendLine(nil, uint64(i+1), []byte(`"time":"2026-01-02T03:04:05Z",`+m), nil)
		lines = append(lines, strings.TrimSuffix(string(line), "\n"))
	}
	return lines
}

// TestAudit checks each form of the lines of a log.
func TestAudit(t *testing.T) {
	b := &absent{audit: auditLines(
		`"event":"read","status":200,"subject":"ann","client":"app","address":"127.0.0.1","read":["Patient/1/_history/2","Patient/2"]`,
		`"event":"write","status":1,"client":"app","created":["Patient/3"],"updated":["A/1","A/2","A/3","A/4","A/5","A/6"],"deleted":["Patient/5"]`,
		`"event":"login","path":"/r4","query":"a=b"`,
		`"event":"re\u009bad","address":"1\u001b[2J","subject":"a\nb","path":"\u202e"`,
	)}
	code, out, errs := run(t, b, nil, "audit", "log")
	want := `TIME WHO FROM EVENT STATUS WHAT
2026-01-02T03:04:05Z ann 127.0.0.1 read 200 Patient/1@2, Patient/2
2026-01-02T03:04:05Z app - write 1 created Patient/3; updated A/1, A/2, A/3, A/4, A/5 and 1 more; deleted Patient/5
2026-01-02T03:04:05Z - - login - /r4?a=b
2026-01-02T03:04:05Z a b 1 [2J re ad -
`
	var rows strings.Builder
	for row := range strings.Lines(out) {
		rows.WriteString(strings.Join(strings.Fields(row), " ") + "\n")
	}
	if diff := cmp.Diff(want, rows.String()); code != 0 || errs != "" || diff != "" {
		t.Errorf("exit code %d, %s: -want +got\n%s", code, errs, diff)
	}
	for form, want := range map[string]string{
		"ndjson": strings.Join(b.audit, "\n") + "\n",
		"json":   "[\n" + strings.Join(b.audit, ",\n") + "\n]\n",
	} {
		if _, out, _ := run(t, b, nil, "audit", "log", "-o", form); out != want {
			t.Errorf("%s: %s, want %s", form, out, want)
		}
	}
	if _, out, _ := run(t, b, nil, "audit", "log", "-o", "csv"); strings.Count(out, "\n") != 6 || !strings.Contains(out, "\n2,2026-01-02T03:04:05Z,write,1,,,app,") {
		t.Errorf("csv: %s", out)
	}
	for form, want := range map[string]string{"table": "no line fits\n", "json": "[]\n", "ndjson": "", "csv": strings.Join(auditColumns[:], ",") + "\n"} {
		if code, out, _ := run(t, &absent{}, nil, "audit", "log", "-o", form); code != 0 || out != want {
			t.Errorf("%s of no lines: %d, %q, want %q", form, code, out, want)
		}
	}
	for line, want := range map[string]string{
		"--patient A/1":                         "--patient must be an id",
		"--resource A":                          "--resource must be TYPE/ID",
		"--status 600":                          "--status must be a status",
		"--since soon":                          "--since: ",
		"--until 2026-13":                       "--until: ",
		"--since 2026-01-03 --until 2026-01-02": "--since is not before --until",
	} {
		if code, out, errs := run(t, b, nil, append([]string{"audit", "log"}, strings.Fields(line)...)...); code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %q, %q", line, code, out, errs)
		}
	}
	for _, line := range []string{"--since 2026-01-02", "--until 2026-01-02", "--since 2026-01-02 --until 2026-01-02", "--patient Patient/1 --until 2025"} {
		if code, _, errs := run(t, b, nil, append([]string{"audit", "log"}, strings.Fields(line)...)...); code != 0 {
			t.Errorf("%s: %d, %q", line, code, errs)
		}
	}
}

// TestRemoteOfCommand: a command reads from the hosts that it names, by https from other machines, and one
// port of this machine stands for all. A server has no such exception, and sends no credentials.
func TestRemoteOfCommand(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.Header.Get("Authorization")))
	}))
	t.Cleanup(server.Close)
	for _, tt := range []struct{ address, command, server string }{
		{"https://data.example/x", "", ""},
		{"https://DATA.example:443/x", "", ""},
		{"https://data.example:444/x", "allow it with --host data.example:444", "allow it with --host data.example:444"},
		{"https://other.example/x", "allow it with --host", "allow it with --host"},
		{"http://data.example/x", "only https", "only https"},
		{"https://ann:x@data.example/x", "", "no credentials are sent"},
		{"http://127.0.0.1:1/x", "", ""},
		{"http://localhost:2/x", "", "allow it with --host"},
		{"ftp://data.example/x", "not an https URL", "not an https URL"},
		{"https:///x", "not an https URL", "not an https URL"},
	} {
		for _, local := range []bool{false, true} {
			r, want := NewRemote("host", []string{"data.example", "127.0.0.1:1"}), tt.server
			if r.local = local; local {
				want = tt.command
			}
			if err := r.Check(tt.address); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, of a command %v: %v, want %q", tt.address, local, err, want)
			}
		}
	}
	for token, want := range map[string]string{"": "", "abc": "Bearer abc"} {
		r := NewRemote("host", []string{strings.TrimPrefix(server.URL, "http://")})
		r.token = auth.NewSecret(token)
		body, err := r.Open(t.Context(), server.URL)
		if err != nil {
			t.Fatal(err)
		}
		var got [100]byte
		n, _ := body.Read(got[:])
		if _ = body.Close(); string(got[:n]) != want {
			t.Errorf("token %q: sent %q", token, got[:n])
		}
	}
}

func TestWhere(t *testing.T) {
	here := t.TempDir()
	none := filepath.Join(here, "none")
	for _, tt := range []struct {
		src  Sources
		want string
	}{
		{Sources{Data: here}, "the data folder " + here},
		{Sources{Data: here, Optional: true}, "the data folder " + here},
		{Sources{Data: none}, "the data folder " + none},
		{Sources{Data: none, Optional: true}, "the built-in samples, because there is no folder " + none + ": name one with --data or ROGET_DATA"},
		{Sources{Data: here, Load: []string{none}}, "the data folder " + here + ", " + none},
	} {
		if got := tt.src.where(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.src, got, tt.want)
		}
	}
	for _, tt := range [][3]string{{"", "1", ""}, {"s", "", "s"}, {"s", "1", "s|1"}, {"s|2", "1", "s|2"}} {
		if got := versioned(tt[0], tt[1]); got != tt[2] {
			t.Errorf("versioned(%q, %q) = %q", tt[0], tt[1], got)
		}
	}
}

// TestBadNumbers: a flag whose default is a number, a size or a duration refuses other words by its name,
// before the command does anything.
func TestBadNumbers(t *testing.T) {
	tree, tried := terminal(), 0
	needed := map[string]string{"search": "x", "expand": "x", "compare": "x y"}
	for path := range leaves(t) {
		if strings.HasPrefix(path, "generate") && path != "generate population" {
			continue // they have the flags of one place
		}
		cmd, line := find(tree, path), strings.Fields(path+" "+needed[path])
		for _, a := range tree.Details(cmd).Args {
			if a.Required {
				line = append(line, "x")
			}
		}
		for _, f := range cmd.Flags {
			name := f.Names()[0]
			text, ok := f.(interface{ GetValue() string })
			if !ok || name != "cache-size" && !strings.ContainsAny(strings.Trim(text.GetValue(), `"`)+"x", "0123456789") || strings.Trim(text.GetValue(), "0123456789.smhkKMGiB") != "" {
				continue
			}
			tried++
			b := &absent{err: errors.New("the command began")}
			if code, out, errs := run(t, b, nil, append(line, "--"+name+"=much")...); code != 2 || out != "" || !strings.Contains(errs, name) {
				t.Errorf("%s --%s=much: exit code %d, %q, %q", path, name, code, out, errs)
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d flags", tried)
	}
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullOutput: a command whose answer cannot be written fails, and says why.
func TestFullOutput(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens.toml")
	if code, _, errs := run(t, nil, nil, "token", "add", "x", "--tokens", tokens); code != 0 {
		t.Fatal(errs)
	}
	b := &absent{audit: auditLines(`"event":"read"`)}
	for _, line := range []string{
		"audit log", "audit log -o csv", "audit log -o json", "audit log -o ndjson", "list", "list -o json", "load one.json", "load one.json -o json",
		"verify", "backup target", "backup target --every 1h", "completion bash", "version", "version --json", "token list --tokens " + tokens,
		"token list -o json --tokens " + tokens, "token add y --tokens " + tokens, "stats", "__complete lo", "help", "help audit",
	} {
		var errs strings.Builder
		c := New(Config{Operations: operation.Terminal(), Backend: b, Getenv: func(string) string { return "" }, Platform: Platform{Folder: nowhere, Home: nowhere}})
		if code := c.Run(context.Background(), strings.Fields(line), command.Streams{In: strings.NewReader(""), Out: full{}, Err: &errs}); code == 0 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: exit code %d, %q", line, code, errs.String())
		}
	}
}
