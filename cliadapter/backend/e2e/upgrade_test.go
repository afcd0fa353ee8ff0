package e2e_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/resources"
)

// TestUpgradeWhileServing starts a server on a store with an old search index, kills it while it makes the
// index anew, and starts it again. It reads and writes all the time, and refuses a search until it can answer.
// A store with the index of a later program is refused.
func TestUpgradeWhileServing(t *testing.T) {
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			args := []string{"--data", data, "--no-samples", "--no-base", "--store", "sqlite:" + filepath.Join(data, "s")}
			if name == "postgres" {
				args[5] = postgresServer.Schema(t)
			}
			start := func() *backendtest.Server { return backendtest.Serve(t, backendtest.Tested, args...) }
			mark := func(index string) {
				var store interface {
					resources.Store
					resources.Marker
				}
				var err error
				if name == "postgres" {
					store, err = postgres.Open(t.Context(), args[5])
				} else {
					store, err = sqlite.Open(t.Context(), filepath.Join(data, "s"))
				}
				if err == nil {
					defer store.Close()
					err = store.SetMark(t.Context(), "index", index)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			server := start()
			for from := range 3 {
				var entries []string
				for i := range 1000 {
					id := fmt.Sprint("p", 1000*from+i)
					entries = append(entries, fmt.Sprintf(`{"request":{"method":"PUT","url":"Patient/%s"},"resource":%s}`, id, patientOf(id, "Anna")))
				}
				if status, text := server.Do(t, "POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[`+strings.Join(entries, ",")+"]}"); status != http.StatusOK {
					t.Fatal(status, text)
				}
			}
			server.Kill()
			mark("1-0123456789abcdef")
			const search = "/Patient?name=anna&_total=accurate&_count=1"
			for round := range 2 {
				server = start()
				for _, row := range []struct {
					method, path, body string
					status             int
					text               string
				}{
					{"GET", "/readyz", "", 200, `{"status":"ready","running":[{"check":"index","progress":"0 of 1 types and `},
					{"GET", search, "", 503, "it is needed of Patient; 0 of 1 types and"},
					{"GET", "/Patient/p1", "", 200, "p1"},
					{"PUT", "/Patient/p1", patientOf("p1", fmt.Sprint("Bert ", round)), 200, "Bert"},
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
			for end := time.Now().Add(time.Minute); !strings.Contains(server.Log.String(), "the search index is up to date"); time.Sleep(20 * time.Millisecond) {
				status, text := server.Do(t, "GET", search, "")
				if status != http.StatusServiceUnavailable && (status != http.StatusOK || !strings.Contains(text, `"total":2999`)) || time.Now().After(end) {
					t.Fatalf("search: %d %s\n%s", status, text, server.Log)
				}
			}
			if status, text := server.Do(t, "GET", "/readyz", ""); text != `{"status":"ready"}` {
				t.Errorf("readyz: %d %s", status, text)
			}
			if status, text := server.Do(t, "GET", search, ""); !strings.Contains(text, `"total":2999`) {
				t.Errorf("search: %d %s", status, text)
			}
			server.Kill()
			mark("12-0123456789abcdef")
			if _, errs, exit := backendtest.Run(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...); exit == 0 || !strings.Contains(errs, "index layout 12, this version supports 3") {
				t.Errorf("a later index: exit code %d: %s", exit, errs)
			}
		})
	}
}
