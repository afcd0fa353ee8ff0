//go:build unix

package e2e_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestPublishedPacks publishes edition after edition for servers that read them from a web server that
// fails in every way, from another one that is Python's, and from a folder. A failure is told and changes
// nothing, all come to each edition, no request fails and none has an edition after a later one.
func TestPublishedPacks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source, origin, target := filepath.Join(folder, "letters.json"), filepath.Join(folder, "origin"), filepath.Join(folder, "target")
	edition := 0
	publish := func() {
		edition++
		letters(t, source, "1", fmt.Sprintf("Alpha %d", edition))
		succeeds(t, "load", source, "--data", origin)
		succeeds(t, "publish", target, "--data", origin)
	}
	var fault atomic.Pointer[http.HandlerFunc]
	var resumed atomic.Int64
	files := http.FileServer(http.Dir(target))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "hidden" || r.URL.RawQuery != "sig=hidden" {
			t.Errorf("%s without its secrets", r.URL.Path)
		}
		if f := fault.Load(); f != nil {
			f.ServeHTTP(w, r)
			return
		}
		if r.Header.Get("Range") != "" {
			resumed.Add(1)
		}
		files.ServeHTTP(w, r)
	}))
	defer web.Close()
	python := exec.CommandContext(t.Context(), "python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", target)
	out, err := python.StdoutPipe()
	if err != nil || python.Start() != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	other := regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if other == "" {
		t.Fatalf("%q %v", line, err)
	}
	data := filepath.Join(folder, "data")
	serve := func(data, address string) *backendtest.Server {
		return backendtest.Serve(t, backendtest.Tested, "--data", data, "--packs", address, "--packs-every", "1s", "--no-samples", "--no-base", "--store", "memory:")
	}
	server := serve(data, strings.Replace(web.URL, "http://", "http://user:hidden@", 1)+"?sig=hidden")
	servers := []*backendtest.Server{server, serve(t.TempDir(), other), serve(t.TempDir(), target)}
	eventually := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("not %s\n%s", what, server.Log)
			}
		}
	}
	ready := func(want int, text string) func() bool {
		return func() bool {
			status, body := server.Do(t, "GET", "/readyz", "")
			return status == want && strings.Contains(body, text)
		}
	}
	eventually("waiting", ready(http.StatusServiceUnavailable, `"check":"packs"`))
	hangup := func() {
		if err := server.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(s *backendtest.Server) (edition int) {
		_, text := s.Do(t, "GET", "/CodeSystem/$lookup?system=http://example.org/letters&code=a", "")
		_, display, _ := strings.Cut(text, `"Alpha `)
		_, _ = fmt.Sscanf(display, `%d"`, &edition)
		return edition
	}
	publish()
	for n, s := range servers {
		if n == 0 {
			hangup()
		}
		eventually("at the first edition", func() bool { return answer(s) == 1 })
	}
	eventually("ready", ready(http.StatusOK, ""))
	end := make(chan struct{})
	var group sync.WaitGroup
	for _, s := range servers {
		group.Go(func() {
			for last := 1; ; {
				select {
				case <-end:
					return
				case <-time.After(2 * time.Millisecond):
				}
				now := answer(s)
				if now < last {
					t.Errorf("edition %d after %d", now, last)
				}
				last = now
			}
		})
	}
	isPack := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, ".pack") }
	changed := func(change func(body []byte, pack bool) []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, err := os.ReadFile(filepath.Join(target, r.URL.Path))
			if err != nil {
				t.Error(err)
			}
			sent := change(body, isPack(r))
			w.Header().Set("Content-Length", fmt.Sprint(max(len(body), len(sent))))
			_, _ = w.Write(sent)
		}
	}
	var again sync.Once
	for name, f := range map[string]http.HandlerFunc{
		"truncated": changed(func(body []byte, pack bool) []byte {
			if pack {
				return body[:len(body)/2]
			}
			return body
		}),
		"other content": changed(func(body []byte, pack bool) []byte {
			if pack {
				body[len(body)/2] ^= 1
			}
			return body
		}),
		"huge": changed(func(body []byte, _ bool) []byte {
			return regexp.MustCompile(`"size": \d{4}`).ReplaceAll(body, []byte(`"size": 9000000000000000`))
		}),
		"foreign name": changed(func(body []byte, _ bool) []byte { return bytes.ReplaceAll(body, []byte("packs/"), []byte("../../")) }),
		"not there":    http.NotFound,
		"silent":       func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"elsewhere":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "ftp://hidden/", http.StatusFound) },
		"changed meanwhile": func(w http.ResponseWriter, r *http.Request) {
			if isPack(r) {
				again.Do(func() { publish(); publish() })
			}
			files.ServeHTTP(w, r)
		},
	} {
		fault.Store(&f)
		was := answer(server)
		publish()
		hangup()
		eventually(name+" noticed", ready(http.StatusOK, `"progress":"published packs could not be taken up`))
		if now := answer(server); now != was {
			t.Errorf("%s: edition %d, want %d", name, now, was)
		}
		before := resumed.Load()
		fault.Store(nil)
		hangup()
		eventually(fmt.Sprintf("at edition %d after: %s", edition, name), func() bool { return answer(server) == edition })
		if got := resumed.Load() > before; got != (name == "truncated") {
			t.Errorf("%s: resumed is %t", name, got)
		}
	}
	for _, s := range servers[1:] {
		eventually("at the last edition", func() bool { return answer(s) == edition })
	}
	close(end)
	group.Wait()
	if left, err := filepath.Glob(filepath.Join(target, "packs", "*")); err != nil || len(left) != 2 {
		t.Errorf("published are %v, %v", left, err)
	}
	if text := server.Log.String(); strings.Contains(text, "hidden") {
		t.Errorf("a secret is in the log\n%s", text)
	}
	err = filepath.WalkDir(data, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 || strings.Contains(path, "incoming") {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
