package backend

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter"
)

// TestLogStart: the first line names the data folder, the store, the base address, how requests say
// who makes them, and where that is recorded; passwords and keys are not in it.
func TestLogStart(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		options cliadapter.ServeOptions
		want    map[string]string
	}{
		"defaults": {
			cliadapter.ServeOptions{Addr: "127.0.0.1:8080", Data: "data"},
			map[string]string{
				"data": filepath.Join(here, "data"), "store": "sqlite:" + filepath.Join(here, "data", "roget.db"), "addr": "127.0.0.1:8080",
				"baseURL": "that of each request", "authentication": "none", "audit": "none", "policy": "",
			},
		},
		"everything": {
			cliadapter.ServeOptions{
				Data: "/srv/roget", Store: "postgres://roget:S3cret@db.example/roget?sslmode=require&password=S3cret&sslpassword=S3cret",
				Edge: cliadapter.EdgeOptions{BaseURL: "https://tx.example/fhir"},
				Access: cliadapter.AccessOptions{
					Issuers:       []cliadapter.AccessIssuer{{URL: "https://id.example"}},
					Introspection: cliadapter.Introspection{URL: "https://id.example/introspect"},
					Tokens:        "tokens.toml", Basic: "htpasswd", Certificates: true, Policy: "policy.toml",
				},
				Audit: cliadapter.AuditOptions{Folder: "audit", Events: true, Key: auth.NewSecret("S3cret")},
			},
			map[string]string{
				"data": "/srv/roget", "store": "postgres://roget:xxxxx@db.example/roget?sslmode=require", "baseURL": "https://tx.example/fhir",
				"authentication": "jwt,introspection,token,basic,certificate", "policy": filepath.Join(here, "policy.toml"),
				"audit": filepath.Join(here, "audit") + ", AuditEvents in the store",
			},
		},
		"another file": {
			cliadapter.ServeOptions{Store: "sqlite:a folder/x.db", Access: cliadapter.AccessOptions{Policy: "/p.toml"}, Audit: cliadapter.AuditOptions{Events: true}},
			map[string]string{"store": "sqlite:" + filepath.Join(here, "a folder/x.db"), "authentication": "none", "policy": "/p.toml", "audit": "AuditEvents in the store"},
		},
		"memory":       {cliadapter.ServeOptions{Store: "memory:"}, map[string]string{"store": "memory:"}},
		"no address":   {cliadapter.ServeOptions{Store: "postgres://u:S3cret@[::1/x"}, map[string]string{"store": "?"}},
		"only secrets": {cliadapter.ServeOptions{Store: "postgres:///x?password=S3cret"}, map[string]string{"store": "postgres:///x"}},
	} {
		var log strings.Builder
		row.options.Logger = slog.New(slog.NewJSONHandler(&log, nil))
		logStart(row.options)
		got := map[string]any{}
		if err := json.Unmarshal([]byte(log.String()), &got); err != nil {
			t.Fatal(err)
		}
		for key, want := range row.want {
			if text, _ := got[key].(string); text != want {
				t.Errorf("%s: %s is %q, want %q", name, key, text, want)
			}
		}
		if strings.Contains(log.String(), "S3cret") {
			t.Errorf("%s: %s", name, log.String())
		}
	}
}
