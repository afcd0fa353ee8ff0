package backend

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter"
)

// TestCheckServe: options that a server would refuse are refused without one.
func TestCheckServe(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("= no file of roget"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	written := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rule := func(scope string) string {
		return "[[rule]]\nname = \"r\"\nsubject = [\"x\"]\nscopes = \"replace\"\nallow = [\"" + scope + "\"]\n"
	}
	for name, change := range map[string]func(*cliadapter.ServeOptions){
		"":                  func(*cliadapter.ServeOptions) {},
		"addr":              func(o *cliadapter.ServeOptions) { o.Addr = "" },
		"addr: ":            func(o *cliadapter.ServeOptions) { o.Addr = "127.0.0.1:99999" },
		"ops-addr":          func(o *cliadapter.ServeOptions) { o.Operations.Addr = "127.0.0.1:no-such-port" },
		"base-url":          func(o *cliadapter.ServeOptions) { o.Edge.BaseURL = "tx.example" },
		"cors-origin":       func(o *cliadapter.ServeOptions) { o.CORSOrigins = []string{"foo"} },
		"host":              func(o *cliadapter.ServeOptions) { o.Edge.Hosts = []string{"a:1"} },
		"store":             func(o *cliadapter.ServeOptions) { o.Store = "mysql://db" },
		"tls-cert":          func(o *cliadapter.ServeOptions) { o.Edge.Cert, o.Edge.Key = bad, bad },
		"auth-tokens":       func(o *cliadapter.ServeOptions) { o.Access.Tokens = bad },
		"auth-basic":        func(o *cliadapter.ServeOptions) { o.Access.Basic = bad + ".absent" },
		"auth-policy":       func(o *cliadapter.ServeOptions) { o.Access.Policy = bad },
		"load":              func(o *cliadapter.ServeOptions) { o.Load = []string{bad, bad + ".absent"} },
		"audit":             func(o *cliadapter.ServeOptions) { o.Audit.Folder = bad },
		"audit-events-keep": func(o *cliadapter.ServeOptions) { o.Store, o.Audit.Events, o.Audit.EventsKeep = "memory:", true, 1 },
		"audit: ":           func(o *cliadapter.ServeOptions) { o.Audit.Folder = filepath.Join(bad, "below") },
		"Person2":           func(o *cliadapter.ServeOptions) { o.Access.Policy = written("type.toml", rule("system/Person2.rs")) },
		"colour": func(o *cliadapter.ServeOptions) {
			o.Access.Policy = written("parameter.toml", rule("system/Patient.rs?colour=red"))
		},
		"traces": func(o *cliadapter.ServeOptions) { o.Operations.OTLP = "localhost" },
	} {
		o := cliadapter.ServeOptions{Addr: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler)}
		change(&o)
		err := Backend{}.CheckServe(t.Context(), o)
		if (err != nil) != (name != "") || err != nil && !strings.Contains(err.Error(), strings.Trim(name, ": ")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := cliadapter.ServeOptions{Addr: "127.0.0.1:0", Store: "memory:", Logger: slog.New(slog.DiscardHandler), CacheSize: 1 << 20}
	o.Audit.Events, o.Audit.EventsKeep, o.Data = true, 1, filepath.Join(folder, "data")
	if _, err := Open(t.Context(), o, silent{}); err == nil || !strings.Contains(err.Error(), "audit-events-keep") {
		t.Errorf("a store that removes nothing: %v", err)
	}
	// What is right, although some of it is not there yet.
	o = cliadapter.ServeOptions{Addr: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler)}
	o.Audit.Folder, o.Load = filepath.Join(folder, "new", "audit"), []string{written("letters.json", letters)}
	o.Access.Policy = written("policy.toml", rule("system/Condition.rs?code:in=http://example.org/not-loaded"))
	if err := (Backend{}).CheckServe(t.Context(), o); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "new")); err == nil {
		t.Error("the check made the folder of the audit log")
	}
}

// A database that is down ends a start, or a command, and leaves no new data folder.
func TestNoDatabase(t *testing.T) {
	const down = "postgres://roget@127.0.0.1:1/roget?connect_timeout=2"
	data := filepath.Join(t.TempDir(), "data")
	patient := filepath.Join(t.TempDir(), "patient.json")
	if err := os.WriteFile(patient, []byte(`{"resourceType":"Patient","id":"p"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := func(o cliadapter.ServeOptions) bool {
		o.Addr, o.Store, o.Data, o.Logger = "127.0.0.1:0", down, data, slog.New(slog.DiscardHandler)
		return Backend{}.Serve(t.Context(), o, silent{}, func(url string) { t.Errorf("it serves %s", url) }) != nil
	}
	for name, fails := range map[string]func() bool{
		"serve":        func() bool { return serve(cliadapter.ServeOptions{}) },
		"serve --wait": func() bool { return serve(cliadapter.ServeOptions{Wait: 100 * time.Millisecond}) },
		"import": func() bool {
			code, _, _ := cli(t, "import", patient, "--store", down, "--data", data)
			return code == 3
		},
	} {
		if !fails() {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(data); !os.IsNotExist(err) {
			t.Errorf("%s: the data folder was made: %v", name, err)
		}
	}
}
