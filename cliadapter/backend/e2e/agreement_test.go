package e2e_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestAgreement loads edition after edition into the folder that three servers share, or publishes it for
// servers with a folder each, kills, pauses and starts them, and asks them all the time, with and without
// keep-alive. A request that one refuses is answered by another one within seconds, and no client sees an
// edition after a later one.
func TestAgreement(t *testing.T) {
	t.Parallel()
	t.Run("shared folder", func(t *testing.T) { t.Parallel(); agree(t, false) })
	t.Run("published packs", func(t *testing.T) { t.Parallel(); agree(t, true) })
}

func agree(t *testing.T, published bool) {
	t.Helper()
	const editions, servers = 5, 3
	store, data, sources := postgresServer.Schema(t), t.TempDir(), t.TempDir()
	load := func(edition int) {
		path := filepath.Join(sources, fmt.Sprintf("e%d.json", edition))
		text := fmt.Sprintf(`{"resourceType":"CodeSystem","url":"http://e","version":"%d","status":"active","content":"complete","concept":[{"code":"a","display":"Edition %d"}]}`, edition, edition)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		succeeds(t, "load", path, "--data", data)
		if published {
			succeeds(t, "publish", filepath.Join(sources, "target"), "--data", data)
		}
	}
	load(1)
	var running [servers]atomic.Pointer[backendtest.Server]
	var own [servers]string
	for n := range own {
		own[n] = t.TempDir()
	}
	start := func(n int) {
		args := []string{"--data", data}
		if published {
			args = []string{"--data", own[n], "--packs", filepath.Join(sources, "target"), "--packs-every", "1s"}
		}
		running[n].Store(backendtest.Serve(t, backendtest.Tested, append(args, "--store", store, "--agree", store, "--lease", "3s", "--no-samples", "--no-base")...))
	}
	for n := range servers {
		start(n)
	}
	end := make(chan struct{})
	var group sync.WaitGroup
	var asked, last atomic.Int64
	for n := range 6 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(22, uint64(n)))
			client := &http.Client{Timeout: 6 * time.Second, Transport: &http.Transport{DisableKeepAlives: n%2 == 0}}
			version, number, since := 1, 1, time.Now()
			for {
				select {
				case <-end:
					return
				default:
				}
				seen, edition, err := editionOf(client, running[random.IntN(servers)].Load().URL)
				if err != nil {
					if time.Since(since) > 20*time.Second {
						t.Errorf("no server answers: %v", err)
						return
					}
					time.Sleep(20 * time.Millisecond)
					continue
				}
				if seen < version || edition < number {
					t.Errorf("edition %d, number %d after %d, number %d", seen, edition, version, number)
				}
				version, number, since = seen, edition, time.Now()
				last.Store(int64(max(version, int(last.Load()))))
				asked.Add(1)
			}
		})
	}
	taken := func(edition int) {
		for wait := time.Now(); last.Load() != int64(edition); time.Sleep(20 * time.Millisecond) {
			if time.Since(wait) > time.Minute {
				t.Fatalf("no server answers from edition %d\n%s", edition, running[0].Load().Log)
			}
		}
	}
	for edition := 2; edition <= editions; edition++ {
		time.Sleep(200 * time.Millisecond)
		n := edition % servers
		server := running[n].Load()
		switch edition % 4 {
		case 2:
			server.Kill()
			load(edition)
			start(n)
		case 3:
			_ = server.Cmd.Process.Signal(syscall.SIGSTOP)
			load(edition)
			taken(edition) // when its lease has run out
			_ = server.Cmd.Process.Signal(syscall.SIGCONT)
		case 0:
			load(edition)
			time.Sleep(2 * time.Second) // about when they change
			_ = server.Cmd.Process.Signal(syscall.SIGTERM)
			start(n)
		default:
			load(edition)
		}
		taken(edition)
	}
	close(end)
	group.Wait()
	t.Logf("%d requests", asked.Load())
	for n := range servers {
		if seen, _, err := editionOf(http.DefaultClient, running[n].Load().URL); err != nil || seen != editions {
			t.Errorf("server %d answers from edition %d, %v", n, seen, err)
		}
	}
}

// editionOf returns the edition in an answer, and its agreed number.
func editionOf(client *http.Client, server string) (version, number int, err error) {
	response, err := client.Get(server + "/CodeSystem/$lookup?system=http://e&code=a")
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return 0, 0, fmt.Errorf("status %d: %s: %w", response.StatusCode, text, err)
	}
	if number, err = strconv.Atoi(response.Header.Get("X-Roget-Edition")); err != nil {
		return 0, 0, err
	}
	_, display, _ := strings.Cut(string(text), `"Edition `)
	display, _, _ = strings.Cut(display, `"`)
	version, err = strconv.Atoi(display)
	return version, number, err
}
