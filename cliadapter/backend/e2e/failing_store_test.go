//go:build linux

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// ask sends a request and returns its status. A 503 must say when to try again, and no answer may
// come later than late.
func ask(t *testing.T, server *backendtest.Server, late time.Duration, method, path, body string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), late)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/fhir+json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	if answer.StatusCode == http.StatusServiceUnavailable && path != "/readyz" && answer.Header.Get("Retry-After") == "" {
		t.Errorf("%s %s: 503 without Retry-After", method, path)
	}
	return answer.StatusCode
}

// becomes waits until /readyz has a status.
func becomes(t *testing.T, server *backendtest.Server, want int, within time.Duration) {
	t.Helper()
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		got := ask(t, server, 2*time.Second, "GET", "/readyz", "")
		if got == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("/readyz is %d after %s, want %d\n%s", got, within, want, server.Log)
		}
	}
}

func patientOf(id, name string) string {
	return fmt.Sprintf(`{"resourceType":"Patient","id":%q,"name":[{"text":%q}]}`, id, name)
}

// pausePostgres stops the processes of a PostgreSQL server as SIGSTOP does, and returns the
// function that lets them go on.
func pausePostgres(t *testing.T, address string) (resume func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
	if err != nil {
		t.Fatal(err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil || len(pids) == 0 {
		t.Fatal(pids, err)
	}
	_ = conn.Close(t.Context())
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pids[0]))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the server runs on another machine")
		}
		t.Skip("the server runs on another machine")
	}
	var parent int // the one that accepts connections
	if _, err := fmt.Sscanf(string(status[strings.LastIndexByte(string(status), ')')+1:]), " %s %d", new(string), &parent); err != nil {
		t.Fatal(err)
	}
	pids = append(pids, parent)
	signal := func(s syscall.Signal) {
		for _, pid := range pids {
			_ = syscall.Kill(pid, s)
		}
	}
	signal(syscall.SIGSTOP)
	resume = sync.OnceFunc(func() { signal(syscall.SIGCONT) })
	t.Cleanup(resume)
	return resume
}

// TestStoppedPostgres stops the database under load. Every request ends in its time, /readyz
// reports it, and all is well when the database goes on.
func TestStoppedPostgres(t *testing.T) {
	address := postgresServer.Schema(t)
	server := backendtest.Serve(t, backendtest.Tested, "--data", t.TempDir(), "--store", address, "--no-samples", "--no-base", "--timeout", "2s")
	const late = 6 * time.Second // 2 s, and a lot for a slow machine
	if got := ask(t, server, late, "PUT", "/Patient/a", patientOf("a", "x")); got != http.StatusCreated {
		t.Fatalf("status %d", got)
	}
	system := `{"resourceType":"CodeSystem","id":"c","url":"http://example.org/c","status":"active","content":"complete","concept":[{"code":"a"}]}`
	load := func(again func() bool, want ...int) {
		t.Helper()
		var group sync.WaitGroup
		for n := range 24 {
			group.Go(func() {
				for i := 0; again() || i == 0; i++ {
					var got int
					switch n % 6 {
					case 0:
						got = ask(t, server, late, "PUT", "/Patient/a", patientOf("a", fmt.Sprint(n, i)))
					case 1:
						id := fmt.Sprintf("n%d-%d", n, i)
						got = ask(t, server, late, "PUT", "/Patient/"+id, patientOf(id, "y"))
					case 2:
						got = ask(t, server, late, "GET", "/Patient?name=x", "")
					case 3:
						got = ask(t, server, late, "POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[{"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"Patient"}}]}`)
					case 4:
						got = ask(t, server, late, "PUT", "/CodeSystem/c", strings.Replace(system, `"a"`, fmt.Sprintf(`"a%d-%d"`, n, i), 1))
					default:
						got = ask(t, server, late, "GET", "/Patient/a", "")
					}
					allowed := got == http.StatusServiceUnavailable && len(want) > 0
					if got != http.StatusOK && got != http.StatusCreated && !allowed {
						t.Errorf("load %d: status %d", n%6, got)
						return
					}
				}
			})
		}
		group.Wait()
	}
	began := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		load(func() bool { return time.Since(began) < 5*time.Second }, http.StatusServiceUnavailable)
	}()
	time.Sleep(time.Second)
	resume := pausePostgres(t, address)
	becomes(t, server, http.StatusServiceUnavailable, 5*time.Second)
	<-done
	if got := ask(t, server, late, "GET", "/Patient/a", ""); got != http.StatusServiceUnavailable {
		t.Errorf("a read of a stopped database: status %d", got)
	}
	if got := ask(t, server, late, "GET", "/healthz", ""); got != http.StatusOK {
		t.Errorf("/healthz: status %d", got)
	}
	resume()
	becomes(t, server, http.StatusOK, 10*time.Second)
	time.Sleep(500 * time.Millisecond)
	load(func() bool { return false })
}

// TestFullDisk fills the disk of a data folder. Reads go on, writes are refused for the time being,
// and all is well when there is room again.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	switch err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); {
	case errors.Is(err, syscall.EPERM) && os.Getenv("CI") != "true":
		t.Skip("only root can make a small disk")
	case err != nil:
		t.Fatal(err)
	}
	defer func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }()
	server := backendtest.Serve(t, backendtest.Tested, "--data", filepath.Join(disk, "data"), "--no-samples", "--no-base")
	const late = 10 * time.Second
	states := func(when string, write, read int) {
		t.Helper()
		if got := ask(t, server, late, "PUT", "/Patient/a", patientOf("a", when)); got != write {
			t.Errorf("%s: a write has status %d, want %d", when, got, write)
		}
		for _, path := range []string{"/Patient/a", "/Patient?_id=a", "/Patient/a/_history"} {
			if got := ask(t, server, late, "GET", path, ""); got != read {
				t.Errorf("%s: GET %s has status %d, want %d", when, path, got, read)
			}
		}
	}
	states("empty", http.StatusCreated, http.StatusOK)
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	becomes(t, server, http.StatusServiceUnavailable, 5*time.Second) // before anybody writes
	for range 3 {
		states("full", http.StatusServiceUnavailable, http.StatusOK)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	becomes(t, server, http.StatusOK, 5*time.Second)
	states("freed", http.StatusOK, http.StatusOK)
}
