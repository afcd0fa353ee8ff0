package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestUpgradeWhileServing starts a server on a store with an old search index, kills it while it makes the
// index anew, and starts it again. It reads and writes all the time, and refuses a search until it can answer.
// A store with the index of a later program is refused.
func TestUpgradeWhileServing(t *testing.T) {
	data := t.TempDir()
	args := []string{"--data", data, "--no-samples", "--no-base"}
	mark := func(index string) {
		store, err := sqlite.Open(t.Context(), filepath.Join(data, "roget.db"))
		if err == nil {
			err = store.SetMark(t.Context(), "index", index)
			_ = store.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const search = "/Observation?status=final,amended&_total=accurate&_count=0"
	server := backendtest.Serve(t, backendtest.Tested, append(args, "--patients", "60")...)
	total := func(text string) string {
		_, text, _ = strings.Cut(text, `"total":`)
		text, _, _ = strings.Cut(text, ",")
		return text
	}
	_, text := server.Do(t, "GET", search, "")
	want := total(text)
	server.Kill()
	mark("1-0123456789abcdef")
	for round := range 2 {
		server = backendtest.Serve(t, backendtest.Tested, args...)
		for _, row := range []struct {
			method, path, body string
			status             int
			text               string
		}{
			{"GET", "/readyz", "", 200, `{"status":"ready","running":[{"check":"index","progress":"`},
			{"GET", search, "", 503, "it is needed of Observation; "},
			{"PUT", "/Patient/p1", patientOf("p1", "Bert"), 201 - round, "Bert"},
			{"GET", "/Patient/p1", "", 200, "p1"},
		} {
			if status, text := server.Do(t, row.method, row.path, row.body); status != row.status || !strings.Contains(text, row.text) {
				t.Errorf("%s %s: %d %s", row.method, row.path, status, text)
			}
		}
		if round == 0 {
			time.Sleep(200 * time.Millisecond)
			server.Kill()
		}
	}
	for end, last := time.Now().Add(time.Minute), false; !last; time.Sleep(20 * time.Millisecond) {
		last = strings.Contains(server.Log.String(), "the search index is up to date")
		status, text := server.Do(t, "GET", search, "")
		if status != 503 && total(text) != want || last && status != 200 || time.Now().After(end) {
			t.Fatalf("search: %d %s, want %s\n%s", status, text, want, server.Log)
		}
	}
	if _, text := server.Do(t, "GET", "/readyz", ""); text != `{"status":"ready"}` {
		t.Errorf("readyz: %s", text)
	}
	server.Kill()
	mark("12-0123456789abcdef")
	if _, errs, exit := backendtest.Run(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...); exit == 0 || !strings.Contains(errs, "index layout 12, this version supports 4") {
		t.Errorf("a later index: exit code %d: %s", exit, errs)
	}
}
