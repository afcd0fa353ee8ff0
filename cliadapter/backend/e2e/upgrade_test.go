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
	"github.com/roget-health/roget/resources/index"
)

// TestUpgradeWhileServing starts a server on a store with an old search index, kills it while it makes the
// index anew, and starts it again. It reads and writes all the time, and refuses a search until it can answer.
// A store with the index of a later program is refused.
func TestUpgradeWhileServing(t *testing.T) {
	data := t.TempDir()
	schema := postgresServer.Schema(t)
	for name, open := range map[string]func() (resources.Store, error){
		"sqlite":   func() (resources.Store, error) { return sqlite.Open(t.Context(), filepath.Join(data, "roget.db")) },
		"postgres": func() (resources.Store, error) { return postgres.Open(t.Context(), schema) },
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"--data", data, "--no-samples", "--no-base"}
			if name == "postgres" {
				args = []string{"--data", t.TempDir(), "--no-samples", "--no-base", "--store", schema}
			}
			server := backendtest.Serve(t, backendtest.Tested, args...)
			for from := range 3 {
				bundle := `{"resourceType":"Bundle","type":"transaction","entry":[`
				for i := range 1000 {
					id := fmt.Sprint("p", 1000*from+i)
					bundle += fmt.Sprintf(`{"request":{"method":"PUT","url":"Patient/%s"},"resource":%s},`, id, patientOf(id, "Anna"))
				}
				if status, text := server.Do(t, "POST", "/", strings.TrimSuffix(bundle, ",")+"]}"); status != http.StatusOK {
					t.Fatal(status, text)
				}
			}
			server.Kill()
			age := func(mark string) {
				store, err := open()
				if err != nil {
					t.Fatal(err)
				}
				defer store.Close()
				err = store.(resources.Indexed).View(t.Context(), func(r index.Reader) error {
					all, err := r.Versions(t.Context(), index.VersionsRequest{Type: "Patient"})
					former := make([]resources.Reindexed, len(all))
					for i := range all {
						former[i] = resources.Reindexed{Seq: all[i].Seq, Values: new(index.Values).Append(nil)}
					}
					if err == nil && mark[0] == '1' {
						err = store.(resources.Reindexer).Reindex(t.Context(), former)
					}
					return err
				})
				if err == nil {
					err = store.(resources.Marker).SetMark(t.Context(), "index", mark)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			age("1-0123456789abcdef")
			const search = "/Patient?name=anna&_total=accurate&_count=1"
			for round := range 2 {
				server = backendtest.Serve(t, backendtest.Tested, args...)
				status, text := server.Do(t, "GET", "/readyz", "")
				if status != http.StatusOK || !strings.HasPrefix(text, `{"status":"ready","running":[{"check":"index","progress":"0 of 1 types and `) {
					t.Errorf("readyz: %d %s", status, text)
				}
				if status := ask(t, server, 10*time.Second, "GET", search, ""); status != http.StatusServiceUnavailable {
					t.Errorf("search: %d", status)
				}
				if status, text = server.Do(t, "GET", search, ""); !strings.Contains(text, "it is needed of Patient; 0 of 1 types and") {
					t.Errorf("search: %d %s", status, text)
				}
				if status := ask(t, server, 10*time.Second, "GET", "/Patient/p1", ""); status != http.StatusOK {
					t.Errorf("read: %d", status)
				}
				if status := ask(t, server, 10*time.Second, "PUT", "/Patient/p1", patientOf("p1", fmt.Sprint("Bert ", round))); status != http.StatusOK {
					t.Errorf("write: %d", status)
				}
				if round == 0 {
					time.Sleep(200 * time.Millisecond)
					server.Kill()
				}
			}
			for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
				status, text := server.Do(t, "GET", search, "")
				if status == http.StatusOK && strings.Contains(text, `"total":2999`) {
					break
				}
				if status != http.StatusServiceUnavailable || time.Now().After(end) {
					t.Fatalf("search: %d %s\n%s", status, text, server.Log)
				}
			}
			for end := time.Now().Add(time.Minute); !strings.Contains(server.Log.String(), "the search index is up to date"); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal(server.Log)
				}
			}
			if status, text := server.Do(t, "GET", "/readyz", ""); text != `{"status":"ready"}` {
				t.Errorf("readyz: %d %s", status, text)
			}
			server.Kill()
			age("12-0123456789abcdef")
			if _, errs, exit := backendtest.Run(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...); exit == 0 || !strings.Contains(errs, "index layout 12, this version supports 3") {
				t.Errorf("a later index: exit code %d: %s", exit, errs)
			}
		})
	}
}
