package backend

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter"
)

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
