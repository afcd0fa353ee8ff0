package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// job starts a job and returns its address on a server.
func job(t *testing.T, s *backendtest.Server, method, target, body string) string {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Prefer", "respond-async")
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusAccepted {
		t.Fatalf("%s: %d %s", target, answer.StatusCode, text)
	}
	return strings.TrimPrefix(answer.Header.Get("Content-Location"), s.URL)
}

// A jobFile is an entry of the manifest of a job.
type jobFile struct {
	Type, URL, InputURL string
	Count               int
}

// ended waits for the manifest of a job.
func ended(t *testing.T, s *backendtest.Server, job string) (output, failed []jobFile) {
	t.Helper()
	for range 1200 {
		status, body := s.Do(t, "GET", job, "")
		if status == http.StatusAccepted {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		var m struct{ Output, Error []jobFile }
		if err := json.Unmarshal([]byte(body), &m); status != http.StatusOK || err != nil {
			t.Fatalf("%s: %d %v %s\n%s", job, status, err, body, s.Log)
		}
		return m.Output, m.Error
	}
	t.Fatalf("%s does not end\n%s", job, s.Log)
	return nil, nil
}

// allOf returns the resources of a server by type, sorted, as an export writes them, except for when
// they were stored.
func allOf(t *testing.T, s *backendtest.Server) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	output, _ := ended(t, s, job(t, s, "GET", "/$export", ""))
	for _, f := range output {
		_, body := s.Do(t, "GET", strings.TrimPrefix(f.URL, s.URL), "")
		for line := range strings.Lines(body) {
			before, rest, _ := strings.Cut(line, `"lastUpdated":"`)
			_, after, _ := strings.Cut(rest, `"`)
			files[f.Type] = append(files[f.Type], before+after)
		}
		slices.Sort(files[f.Type])
	}
	return files
}

// TestImport imports the export of one server in another, which is killed in the middle of two of the
// files. It goes on with the file where it was, and both servers have the same resources then.
func TestImport(t *testing.T) {
	data := t.TempDir()
	for _, typ := range []string{"Observation", "Patient", "Condition"} {
		if _, errs, code := backendtest.Run(t, "generate", typ, "--count", "1000", "--seed", "1", "--data", data, "--output", "store"); code != 0 {
			t.Fatal(errs)
		}
	}
	from := backendtest.Serve(t, backendtest.Tested, "--data", data, "--no-samples", "--exports", t.TempDir())
	want := allOf(t, from)
	output, _ := ended(t, from, job(t, from, "GET", "/$export", ""))

	// The files come from a host that sends a part of two of them at first.
	var mu sync.Mutex
	asked, half := map[string]int{}, make(chan string)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		first := asked[r.URL.Path] == 1 && !strings.Contains(r.URL.Path, "Condition")
		mu.Unlock()
		_, body := from.Do(t, "GET", r.URL.Path, "")
		if !first {
			_, _ = io.WriteString(w, body)
			return
		}
		_, _ = io.WriteString(w, body[:len(body)*2/3])
		w.(http.Flusher).Flush()
		half <- path.Base(r.URL.Path)
		<-r.Context().Done()
	}))
	defer host.Close()

	folders := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	start := func() *backendtest.Server {
		return backendtest.Serve(t, backendtest.Tested, "--data", folders[0], "--no-samples", "--imports", folders[1], "--exports", folders[2],
			"--import-hosts", strings.TrimPrefix(host.URL, "http://"))
	}
	var inputs []map[string]string
	for _, f := range output {
		inputs = append(inputs, map[string]string{"type": f.Type, "url": host.URL + strings.TrimPrefix(f.URL, from.URL)})
	}
	request, err := json.Marshal(map[string]any{
		"inputFormat": "application/fhir+ndjson", "inputSource": from.URL, "storageDetail": map[string]string{"type": "https"}, "input": inputs,
	})
	if err != nil {
		t.Fatal(err)
	}
	to := start()
	address := job(t, to, "POST", "/$import", string(request))
	for range 2 {
		typ, _, _ := strings.Cut(<-half, ".")
		for wait := 0; ; wait++ { // until a part of the file is stored
			if _, body := to.Do(t, "GET", "/"+typ+"?_summary=count", ""); !strings.Contains(body, `"total":0`) {
				break
			}
			if wait == 1000 {
				t.Fatalf("no %s is stored\n%s", typ, to.Log)
			}
			time.Sleep(10 * time.Millisecond)
		}
		to.Kill()
		to = start()
	}
	results, failed := ended(t, to, address)
	for i, f := range results {
		if f.Count != 1000 || f.InputURL != inputs[i]["url"] {
			t.Errorf("%+v", f)
		}
	}
	if len(results) != 3 || len(failed) != 0 {
		t.Errorf("%+v, errors %+v", results, failed)
	}
	mu.Lock()
	defer mu.Unlock()
	for file, n := range asked {
		if once := strings.Contains(file, "Condition"); once != (n == 1) || n > 2 {
			t.Errorf("%s was asked for %d times", file, n)
		}
	}
	got := allOf(t, to)
	for typ, lines := range want {
		if !slices.Equal(got[typ], lines) {
			t.Errorf("%s: %d resources, not the %d of the other server", typ, len(got[typ]), len(lines))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d types, want %d", len(got), len(want))
	}
}
