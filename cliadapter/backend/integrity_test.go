package backend

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/resources"
)

// openPatients opens a service on a data folder and stores patients p0, p1, …, each in two
// versions.
func openPatients(t *testing.T, data string, patients int) *Service {
	t.Helper()
	svc := openService(t, data)
	for version := range 2 {
		for n := range patients {
			body := fmt.Sprintf(`{"resourceType":"Patient","id":"p%d","name":[{"family":"Family%d","given":["Given%d"]}]}`, n, n, version)
			if status, text := send(svc, http.MethodPut, fmt.Sprintf("/Patient/p%d", n), body); status > 299 {
				t.Fatalf("status %d: %s", status, text)
			}
		}
	}
	svc.Close() // entries of the index are in their table then
	return openService(t, data)
}

func openService(t *testing.T, data string) *Service {
	t.Helper()
	svc, err := Open(t.Context(), cliadapter.ServeOptions{Data: data, Logger: slog.New(slog.DiscardHandler)}, silent{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(svc.Close)
	return svc
}

// send sends a request to a service.
func send(svc *Service, method, path, body string) (status int, text string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/fhir+json")
	w := httptest.NewRecorder()
	svc.handler.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// alter runs a statement on the file of a store, as no program of this project would.
func alter(t *testing.T, data, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, storeFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.ExecContext(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s changed %d rows, %v", statement, n, err)
	}
}

// whole makes the condition that selects the current version of Patient/p3.
const current = ` WHERE seq = (SELECT seq FROM version WHERE id = 'p3' AND version_id = 2)`

// An altered record is never returned, whatever the way to it, and is found by the walk of a server
// and by roget verify.
func TestAltered(t *testing.T) {
	reads := []string{"/Patient/p3", "/Patient/p3/_history/2", "/Patient/p3/_history", "/Patient?_id=p3", "/Patient?family=Family3", "/Patient?_count=20", "/_history?_count=100"}
	for _, row := range []struct {
		name, statement string
		served          bool // reads do not need what is altered
		problem         string
	}{
		{"a byte of the body", `UPDATE document SET body = CAST(replace(CAST(body AS text), 'Family3', 'Family4') AS blob)` + current, false, "checksum"},
		{"the body of another", `UPDATE document SET body = (SELECT body FROM document WHERE seq = (SELECT seq FROM version WHERE id = 'p4' AND version_id = 2))` + current, false, "checksum"},
		{"an older body", `UPDATE document SET body = (SELECT body FROM document WHERE seq = (SELECT seq FROM version WHERE id = 'p3' AND version_id = 1))` + current, false, "checksum"},
		{"no body", `UPDATE document SET body = NULL` + current, false, "checksum"},
		{"no checksum", `UPDATE version SET body_sum = NULL` + current, false, "checksum"},
		{"deleted", `UPDATE version SET deleted = 1` + current, false, "checksum"},
		{"the id", `UPDATE version SET id = 'p99'` + current, false, "checksum"},
		{"values of searches", `UPDATE version SET vals = vals || x'00'` + current, true, "values"},
		{"no document", `DELETE FROM document` + current, true, "missing"},
		{"no former version", `DELETE FROM version WHERE id = 'p3' AND version_id = 1`, true, "before is missing"},
		{"no later version", `DELETE FROM version WHERE id = 'p3' AND version_id = 2`, true, "follows is missing"},
		{"two current versions", `UPDATE version SET until = 9223372036854775807 WHERE id = 'p3' AND version_id = 1`, true, "later one exists"},
		{"an entry of the index", `DELETE FROM entry` + current, true, "missing in the index"},
		{"the entries in the record", `UPDATE document SET entries = x'ff'` + current, true, "corrupted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			svc := openPatients(t, data, 10)
			if code, out, errs := cli(t, "verify", "--data", data, "--index"); code != 0 || !strings.Contains(out, "20 versions") {
				t.Fatalf("sound: exit code %d: %s%s", code, out, errs)
			}
			if err := svc.walk(t.Context(), slog.New(slog.DiscardHandler)); err != nil || svc.intact(t.Context()) != nil {
				t.Fatal(err, svc.intact(t.Context()))
			}
			alter(t, data, row.statement)
			failed := 0
			for _, path := range reads {
				status, text := send(svc, http.MethodGet, path, "")
				if status == http.StatusInternalServerError && strings.Contains(text, "OperationOutcome") {
					failed++
				}
				if !json.Valid([]byte(text)) {
					t.Errorf("%s: status %d with half an answer: %s", path, status, text)
				}
				if strings.Contains(strings.ReplaceAll(text, "p4", "p3"), `"id":"p3"`) && strings.Count(text, `"family":"Family4"`) > 2 {
					t.Errorf("%s: an altered record was returned: %s", path, text)
				}
			}
			if row.served != (failed == 0) && !row.served {
				t.Errorf("no read failed")
			}
			if row.name == "a byte of the body" {
				if failed != len(reads) {
					t.Errorf("%d of %d reads failed", failed, len(reads))
				}
				svc.health.probe(t.Context(), svc.store.(resources.Monitored), slog.New(slog.DiscardHandler))
				if status, text := send(svc, http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(text, "integrity") {
					t.Errorf("/readyz after a read: status %d: %s", status, text)
				}
			}
			code, out, errs := cli(t, "verify", "--data", data)
			if code != 3 || !strings.Contains(errs, "Patient/p") || !strings.Contains(errs, row.problem) {
				t.Errorf("verify: exit code %d: %s%s", code, out, errs)
			}
			if err := svc.walk(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
				t.Fatal(err)
			}
			if status, text := send(svc, http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(text, "integrity") {
				t.Errorf("/readyz after the walk: status %d: %s", status, text)
			}
		})
	}
}

// Damage to the structure of the file that no version shows is found by the daily walk of a server.
func TestDamagedStructure(t *testing.T) {
	for _, index := range []string{"version_type", "journal"} { // which the walk through the versions does not read
		t.Run(index, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			openPatients(t, data, 5).Close()
			path := filepath.Join(data, storeFile)
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			var page, size int
			if err := db.QueryRowContext(t.Context(), `SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?`, index).Scan(&page, &size); err != nil {
				t.Fatal(err)
			}
			db.Close()
			log := slog.New(slog.DiscardHandler)
			svc := openService(t, data)
			if err := svc.walk(t.Context(), log); err != nil || svc.intact(t.Context()) != nil {
				t.Fatal(err, svc.intact(t.Context()))
			}
			svc.Close()
			flip(t, path, (page-1)*size)
			svc = openService(t, data)
			if err := svc.walk(t.Context(), log); err != nil {
				t.Fatal(err)
			}
			if err := svc.intact(t.Context()); err == nil || !strings.Contains(err.Error(), "page "+strconv.Itoa(page)) {
				t.Errorf("the walk finds %v", err)
			}
			if status, text := send(svc, http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(text, "integrity") {
				t.Errorf("/readyz: status %d: %s", status, text)
			}
			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			if err := svc.walk(cancelled, log); !errors.Is(err, context.Canceled) {
				t.Errorf("a walk whose context has ended: %v", err)
			}
		})
	}
}

// A store that an earlier program wrote has no checksums until they are filled in, and then an
// altered record is found.
func TestComplete(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	openPatients(t, data, 700).Close()
	alter(t, data, `UPDATE version SET body_sum = NULL, vals_sum = NULL`)
	alter(t, data, `DELETE FROM mark WHERE name = 'sums'`)
	svc := openService(t, data)
	if status, text := send(svc, http.MethodGet, "/Patient/p3", ""); status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	if err := svc.resources.Complete(t.Context(), paced(1<<40)); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := cli(t, "verify", "--data", data); code != 0 || !strings.Contains(out, "1,400 versions") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	alter(t, data, `UPDATE version SET body_sum = NULL`+current)
	if status, text := send(svc, http.MethodGet, "/Patient/p3", ""); status != http.StatusInternalServerError {
		t.Errorf("a checksum was removed: status %d: %s", status, text)
	}
}

// Bytes of the file that change, that are cut off or that were never a database are not taken for
// truth: a request has the former answer or an error, and verify names the file.
func TestFlippedBytes(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	openPatients(t, data, 60).Close()
	path := filepath.Join(data, storeFile)
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	svc := openService(t, data)
	answers := map[string]string{}
	for n := range 60 {
		for _, path := range []string{fmt.Sprintf("/Patient/p%d", n), fmt.Sprintf("/Patient/p%d/_history/1", n)} {
			_, answers[path] = send(svc, http.MethodGet, path, "")
		}
	}
	svc.Close()
	random := rand.New(rand.NewPCG(7, 7))
	refused, errors := 0, 0
	for round := range 30 {
		bytes := append([]byte(nil), sound...)
		for range 20 {
			bytes[100+random.IntN(len(bytes)-100)] ^= byte(1 + random.IntN(255))
		}
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		svc, err := Open(t.Context(), cliadapter.ServeOptions{Data: data, Logger: slog.New(slog.DiscardHandler)}, silent{})
		if err != nil {
			refused++
			continue
		}
		for path, want := range answers {
			switch status, text := send(svc, http.MethodGet, path, ""); {
			case status == http.StatusOK && text != want:
				t.Errorf("round %d: %s returned %s, not %s", round, path, text, want)
			case status != http.StatusOK:
				errors++
			}
		}
		svc.Close()
		if code, _, errs := cli(t, "verify", "--data", data); code != 3 {
			t.Errorf("round %d: verify has exit code %d: %s", round, code, errs)
		}
	}
	t.Logf("%d of 30 files refused, %d reads failed", refused, errors)
	if errors == 0 {
		t.Error("no read met the damage")
	}
	for name, bytes := range map[string][]byte{
		"random": []byte(strings.Repeat("random bytes ", 4000)), "truncated": sound[:len(sound)/2], "header only": sound[:100],
	} {
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, left := range []string{"-wal", "-shm"} {
			_ = os.Remove(path + left)
		}
		if code, _, errs := cli(t, "verify", "--data", data); code != 3 || !strings.Contains(errs, "roget.db") && !strings.Contains(errs, "damaged") {
			t.Errorf("%s: verify has exit code %d: %s", name, code, errs)
		}
	}
}

// Others may not read what is stored, also if an earlier program let them.
func TestPrivateFiles(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	openPatients(t, data, 1).Close()
	check := func() {
		t.Helper()
		err := filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Mode().Perm()&othersMay != 0 && path != data {
				t.Errorf("%s has mode %s", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check()
	if info, err := os.Stat(data); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
	for _, name := range []string{storeFile, "packs"} {
		if err := os.Chmod(filepath.Join(data, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	svc := openService(t, data)
	if status, text := send(svc, http.MethodPut, "/Patient/x", `{"resourceType":"Patient","id":"x"}`); status != http.StatusCreated {
		t.Fatalf("status %d: %s", status, text)
	}
	check()
}
