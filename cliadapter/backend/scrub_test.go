package backend

import (
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter"
)

// letters is a small code system.
const letters = `{"resourceType":"CodeSystem","id":"letters","url":"http://example.org/letters","status":"active",
	"content":"complete","concept":[{"code":"a","display":"Alpha"},{"code":"b"}]}`

// loadLetters makes a data folder with one small code system and returns the path of its pack.
func loadLetters(t *testing.T) (data, source, pack string) {
	t.Helper()
	folder := t.TempDir()
	source, data = filepath.Join(folder, "letters.json"), filepath.Join(folder, "data")
	if err := os.WriteFile(source, []byte(letters), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := cli(t, "load", source, "--data", data); code != 0 {
		t.Fatalf("load: exit code %d: %s", code, errs)
	}
	packs, err := filepath.Glob(filepath.Join(data, "packs", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %v, %v", packs, err)
	}
	return data, source, packs[0]
}

// spoil changes a byte of a pack.
func spoil(t *testing.T, pack string) {
	t.Helper()
	bytes, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	bytes[strings.Index(string(bytes), "Alpha")] ^= 0x02
	if err := os.WriteFile(pack, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestVerify(t *testing.T) {
	data, source, pack := loadLetters(t)
	if code, out, errs := cli(t, "verify", "--data", data); code != 0 || !strings.Contains(out, "1 pack,") {
		t.Errorf("sound: exit code %d: %s%s", code, out, errs)
	}
	spoil(t, pack)
	for range 2 { // it repairs nothing
		if code, out, errs := cli(t, "verify", "--data", data); code != 3 || !strings.Contains(errs, pack) {
			t.Errorf("damaged: exit code %d: %s%s", code, out, errs)
		}
	}
	if err := os.WriteFile(pack, []byte("no pack"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := cli(t, "verify", "--data", data); code != 3 || !strings.Contains(errs, pack) {
		t.Errorf("foreign: exit code %d: %s%s", code, out, errs)
	}
	if code, _, errs := cli(t, "load", source, "--data", data); code != 0 {
		t.Fatalf("load again: exit code %d: %s", code, errs)
	}
	if code, out, errs := cli(t, "verify", "--data", data); code != 0 {
		t.Errorf("loaded again: exit code %d: %s%s", code, out, errs)
	}
	if code, _, errs := cli(t, "verify", "--data", filepath.Join(data, "nowhere")); code != 3 || !strings.Contains(errs, "nowhere") {
		t.Errorf("no folder: exit code %d: %s", code, errs)
	}
}

// A service whose packs go bad while it runs says that it cannot be relied on.
func TestScrub(t *testing.T) {
	data, _, pack := loadLetters(t)
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	svc, err := Open(t.Context(), cliadapter.ServeOptions{Data: data, Store: "memory:", Logger: log}, silent{})
	if err != nil {
		t.Fatal(err)
	}
	defer svc.Close()
	status := func(path string) int {
		t.Helper()
		answer := httptest.NewRecorder()
		svc.handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer.Code
	}
	const question = "/CodeSystem/$lookup?system=http://example.org/letters&code=b"
	if got := status(question); got != http.StatusOK {
		t.Fatalf("lookup: %d", got)
	}
	if svc.scrub(t.Context(), log) != scrubEvery || status("/readyz") != http.StatusOK {
		t.Error("a sound folder is reported as damaged")
	}
	if svc.scrubFailed(fs.ErrClosed, log) != scrubRetry || status("/readyz") != http.StatusServiceUnavailable {
		t.Error("packs that cannot be read are not reported")
	}
	if svc.scrub(t.Context(), log) != scrubEvery || status("/readyz") != http.StatusOK {
		t.Error("packs that can be read again are reported as damaged")
	}
	spoil(t, pack)
	if svc.scrub(t.Context(), log) != 0 || status("/readyz") != http.StatusServiceUnavailable {
		t.Error("the damage is not reported")
	}
	if got := status("/healthz"); got != http.StatusOK {
		t.Errorf("the process lives, but /healthz gives %d", got)
	}
	if got := status(question); got != http.StatusOK {
		t.Errorf("lookup: %d", got)
	}
	again, err := Open(t.Context(), cliadapter.ServeOptions{Data: data, Store: "memory:", Logger: log}, silent{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	answer := httptest.NewRecorder()
	again.handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/CodeSystem/$lookup?system=http://example.org/letters&code=a", nil))
	if !strings.Contains(answer.Body.String(), "Alpha") || again.scrub(t.Context(), log) != scrubEvery {
		t.Errorf("after a new start: %s", answer.Body)
	}
}

// The scrub ends with the service.
func TestScrubEnds(t *testing.T) {
	data, _, _ := loadLetters(t)
	log := slog.New(slog.DiscardHandler)
	svc, err := Open(t.Context(), cliadapter.ServeOptions{Data: data, Store: "memory:", Logger: log}, silent{})
	if err != nil {
		t.Fatal(err)
	}
	defer svc.Close()
	svc.startScrub(t.Context(), log)()
}
