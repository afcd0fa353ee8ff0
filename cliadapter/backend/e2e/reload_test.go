//go:build unix

package e2e_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// letters writes a code system whose code a has a display.
func letters(t *testing.T, path, version, display string) {
	t.Helper()
	text := fmt.Sprintf(`{"resourceType":"CodeSystem","url":"http://example.org/letters","version":%q,"status":"active",
		"content":"complete","concept":[{"code":"a","display":%q}]}`, version, display)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestReload: what roget load brings into the data folder of a running server is in force after
// SIGHUP, or without it a little later, while requests go on without a failure. The service manager is told. A load that was
// killed and a pack that is damaged change nothing.
func TestReload(t *testing.T) {
	folder := t.TempDir()
	data, source, config := filepath.Join(folder, "data"), filepath.Join(folder, "letters.json"), filepath.Join(folder, "roget.toml")
	socket := filepath.Join(folder, "notify")
	notices, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer notices.Close()
	t.Setenv("NOTIFY_SOCKET", socket)
	letters(t, source, "1", "Alpha 1")
	load := func(args ...string) {
		t.Helper()
		if _, errs, code := backendtest.Run(t, append([]string{"load", source, "--data", data}, args...)...); code != 0 {
			t.Fatalf("load: exit code %d: %s", code, errs)
		}
	}
	load()
	if err := os.WriteFile(config, []byte("log-level = \"info\"\ndrain = \"5s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := backendtest.Serve(t, backendtest.Tested, "--data", data, "--config", config)
	notice := func(want string) {
		t.Helper()
		buffer := make([]byte, 1000)
		_ = notices.SetReadDeadline(time.Now().Add(time.Minute))
		n, err := notices.Read(buffer)
		if err != nil || !strings.HasPrefix(string(buffer[:n]), want) {
			t.Fatalf("notice %q, want %s: %v", buffer[:n], want, err)
		}
	}
	notice("READY=1")

	const question = "/CodeSystem/$lookup?system=http://example.org/letters&code=a"
	var failed, asked atomic.Int64
	var group sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		group.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for {
				select {
				case <-done:
					return
				default:
				}
				response, err := client.Get(server.URL + question)
				asked.Add(1)
				if err != nil {
					failed.Add(1)
					continue
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), "Alpha ") {
					failed.Add(1)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	reload := func() {
		t.Helper()
		if err := server.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		notice("RELOADING=1\nMONOTONIC_USEC=")
		notice("READY=1")
	}
	for version := 2; version <= 5; version++ {
		// An odd version replaces the one before in place, and so removes its pack.
		letters(t, source, fmt.Sprint(version/2*2), fmt.Sprintf("Alpha %d", version))
		load()
		if version < 5 {
			reload()
		}
		answer := ""
		for range 1000 { // without the signal the server looks every 2 s
			_, answer = server.Do(t, http.MethodGet, question, "")
			if version < 5 || strings.Contains(answer, "Alpha 5") {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if !strings.Contains(answer, fmt.Sprintf("Alpha %d", version)) {
			t.Errorf("after the reload of version %d: %s", version, answer)
		}
	}
	packs, err := filepath.Glob(filepath.Join(data, "packs", "*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatal(packs, err)
	}
	if err := os.WriteFile(filepath.Join(data, "packs", "9999999999.pack"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "packs", "9999999998.pack.tmp"), []byte("of a killed load"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("log-level = \"debug\"\ndrain = \"6s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reload()
	if _, answer := server.Do(t, http.MethodGet, question, ""); !strings.Contains(answer, "Alpha 5") {
		t.Errorf("after the reload of a damaged pack: %s", answer)
	}
	close(done)
	group.Wait()
	if failed.Load() > 0 || asked.Load() < 50 {
		t.Errorf("%d of %d requests failed\n%s", failed.Load(), asked.Load(), server.Log)
	}
	for _, want := range []string{
		"level=ERROR msg=\"reload failed; the former state stays in force\" part=\"data folder\"", "9999999999.pack",
		"level=WARN msg=\"a setting has changed; restart the server to apply it\" setting=drain", "level=DEBUG msg=request",
	} {
		for wait := 0; !strings.Contains(server.Log.String(), want) && wait < 1000; wait++ {
			time.Sleep(10 * time.Millisecond) // the log comes through a pipe
		}
		if !strings.Contains(server.Log.String(), want) {
			t.Errorf("no %q in the log\n%s", want, server.Log)
		}
	}
	if err := server.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	notice("STOPPING=1")
}
