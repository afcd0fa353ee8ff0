package backend

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine/operation"
)

// cli runs one command line in this process.
func cli(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := cliadapter.New(cliadapter.Config{
		Operations: operation.Terminal(), Backend: Backend{}, Version: buildVersion(Release{}),
		Getenv: func(name string) string { return os.Getenv("TEST_" + name) },
	})
	code = c.Run(t.Context(), args, cliadapter.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// A damaged pack is compiled again if its sources are there, and otherwise refused by name.
func TestDamagedPack(t *testing.T) {
	data, source, pack := loadLetters(t)
	lookup := []string{"lookup", "a", "--system", "http://example.org/letters", "--data", data}
	spoil(t, pack)
	if code, out, errs := cli(t, lookup...); code != 0 || !strings.Contains(out, "Alpha") {
		t.Errorf("damaged, with its source: exit code %d: %s%s", code, out, errs)
	}
	spoil(t, pack)
	if err := os.Remove(source); err != nil {
		t.Fatal(err)
	}
	code, out, errs := cli(t, lookup...)
	if code != 3 || out != "" || !strings.Contains(errs, ".pack") {
		t.Errorf("damaged, without its source: exit code %d: %s%s", code, out, errs)
	}
	// Loading again repairs.
	if err := os.WriteFile(source, []byte(letters), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := cli(t, "load", source, "--data", data); code != 0 {
		t.Fatalf("load again: exit code %d: %s", code, errs)
	}
	if code, out, errs := cli(t, lookup...); code != 0 {
		t.Errorf("loaded again: exit code %d: %s%s", code, out, errs)
	}
}

// An interrupted load leaves nothing.
func TestInterruptedLoad(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := filepath.Join(t.TempDir(), "data")
	err := Backend{}.Load(ctx, cliadapter.LoadRequest{Paths: []string{"../../examples/samples"}, Data: data}, silent{})
	if err == nil {
		t.Fatal("no error")
	}
	if packs, _ := filepath.Glob(filepath.Join(data, "packs", "*")); len(packs) != 0 {
		t.Errorf("left behind: %v", packs)
	}
}

func TestBaseURL(t *testing.T) {
	for _, tt := range []struct {
		ip   string
		want string
	}{
		{"127.0.0.1", "http://127.0.0.1:80"}, {"0.0.0.0", "http://localhost:80"}, {"::", "http://localhost:80"}, {"::1", "http://[::1]:80"},
	} {
		if got := baseURL(&net.TCPAddr{IP: net.ParseIP(tt.ip), Port: 80}); got != tt.want {
			t.Errorf("baseURL(%s) = %s, want %s", tt.ip, got, tt.want)
		}
	}
}

func TestStoreAddresses(t *testing.T) {
	for _, address := range []string{"oracle:x", "sqlite", "nothing"} {
		_, err := openStore(t.Context(), address, nil, nil)
		if err == nil {
			t.Errorf("%s: no error", address)
		}
	}
	store, err := openStore(t.Context(), "memory:", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	path := filepath.Join(t.TempDir(), "a b.db")
	if store, err = openStore(t.Context(), "sqlite:"+path, nil, nil); err != nil {
		t.Fatal(err)
	}
	store.Close()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
