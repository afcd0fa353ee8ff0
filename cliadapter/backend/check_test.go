package backend

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter"
)

// TestCheckServe: options that a server would refuse are refused without one.
func TestCheckServe(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("= no file of roget"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*cliadapter.ServeOptions){
		"":            func(*cliadapter.ServeOptions) {},
		"addr":        func(o *cliadapter.ServeOptions) { o.Addr = "" },
		"addr: ":      func(o *cliadapter.ServeOptions) { o.Addr = "127.0.0.1:99999" },
		"ops-addr":    func(o *cliadapter.ServeOptions) { o.Operations.Addr = "127.0.0.1:no-such-port" },
		"base-url":    func(o *cliadapter.ServeOptions) { o.Edge.BaseURL = "tx.example" },
		"cors-origin": func(o *cliadapter.ServeOptions) { o.CORSOrigins = []string{"foo"} },
		"host":        func(o *cliadapter.ServeOptions) { o.Edge.Hosts = []string{"a:1"} },
		"store":       func(o *cliadapter.ServeOptions) { o.Store = "mysql://db" },
		"tls-cert":    func(o *cliadapter.ServeOptions) { o.Edge.Cert, o.Edge.Key = bad, bad },
		"auth-tokens": func(o *cliadapter.ServeOptions) { o.Access.Tokens = bad },
		"auth-basic":  func(o *cliadapter.ServeOptions) { o.Access.Basic = bad + ".absent" },
		"auth-policy": func(o *cliadapter.ServeOptions) { o.Access.Policy = bad },
		"traces":      func(o *cliadapter.ServeOptions) { o.Operations.OTLP = "localhost" },
	} {
		o := cliadapter.ServeOptions{Addr: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler)}
		change(&o)
		err := Backend{}.CheckServe(t.Context(), o)
		if (err != nil) != (name != "") || err != nil && !strings.Contains(err.Error(), strings.Trim(name, ": ")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
