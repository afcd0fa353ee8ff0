package e2e_test

import (
	"encoding/json"
	"fmt"
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

// start starts a job and returns its address on a server.
func start(t *testing.T, s *backendtest.Server, method, target, body string) string {
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
	if answer.StatusCode != http.StatusAccepted {
		t.Fatalf("%s: %s", target, answer.Status)
	}
	return strings.TrimPrefix(answer.Header.Get("Content-Location"), s.URL)
}

// An ended is the manifest of a job.
type ended struct {
	Output, Error []struct {
		Type, URL, InputURL string
		Count               int
	}
}

func await(t *testing.T, s *backendtest.Server, job string) (m ended) {
	t.Helper()
	status, body := s.Do(t, "GET", job, "")
	for ; status == http.StatusAccepted; status, body = s.Do(t, "GET", job, "") {
		time.Sleep(20 * time.Millisecond)
	}
	if err := json.Unmarshal([]byte(body), &m); status != http.StatusOK || err != nil {
		t.Fatalf("%s: %d %v %s\n%s", job, status, err, body, s.Log)
	}
	return m
}

// allOf exports a server. It returns the files by path, and their lines in order without the time at
// which they were stored.
func allOf(t *testing.T, s *backendtest.Server) (files map[string]string, lines []string) {
	t.Helper()
	files = map[string]string{}
	for _, f := range await(t, s, start(t, s, "GET", "/$export", "")).Output {
		at := strings.TrimPrefix(f.URL, s.URL)
		_, files[at] = s.Do(t, "GET", at, "")
		for line := range strings.Lines(files[at]) {
			before, rest, _ := strings.Cut(line, `"lastUpdated":"`)
			_, after, _ := strings.Cut(rest, `"`)
			lines = append(lines, before+after)
		}
	}
	slices.Sort(lines)
	return files, lines
}

// TestImport imports the export of one server in another, which is killed in the middle of two of the
// files. It goes on with the file where it was, and both servers have the same resources then.
func TestImport(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for _, typ := range []string{"Condition", "Observation", "Patient"} {
		if _, errs, code := backendtest.Run(t, "generate", typ, "--count", "1000", "--seed", "1", "--data", data, "--output", "store"); code != 0 {
			t.Fatal(errs)
		}
	}
	files, want := allOf(t, backendtest.Serve(t, backendtest.Tested, "--data", data, "--no-samples", "--exports", t.TempDir()))

	// The host sends a part of two of them at first. One is read at a time.
	var mu sync.Mutex
	asked, half := map[string]int{}, make(chan string)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		typ, _, _ := strings.Cut(path.Base(r.URL.Path), ".")
		body := files[r.URL.Path]
		mu.Lock()
		asked[typ]++
		whole := asked[typ] > 1 || typ == "Condition"
		mu.Unlock()
		if whole {
			_, _ = io.WriteString(w, body)
			return
		}
		_, _ = io.WriteString(w, body[:len(body)*2/3])
		w.(http.Flusher).Flush()
		half <- typ
		<-r.Context().Done()
	}))
	defer host.Close()
	var inputs []string
	for file := range files {
		typ, _, _ := strings.Cut(path.Base(file), ".")
		inputs = append(inputs, fmt.Sprintf(`{"type":%q,"url":%q}`, typ, host.URL+file))
	}
	args := []string{"--data", t.TempDir(), "--no-samples", "--imports", t.TempDir(), "--exports", t.TempDir(), "--import-hosts", strings.TrimPrefix(host.URL, "http://")}
	to := backendtest.Serve(t, backendtest.Tested, args...)
	job := start(t, to, "POST", "/$import", `{"inputFormat":"application/fhir+ndjson","input":[`+strings.Join(inputs, ",")+`]}`)
	for range 2 {
		typ, stored := <-half, false
		for wait := 0; !stored && wait < 1000; wait++ { // for a part of the file
			time.Sleep(10 * time.Millisecond)
			_, body := to.Do(t, "GET", "/"+typ+"?_summary=count", "")
			stored = !strings.Contains(body, `"total":0`)
		}
		if !stored {
			t.Fatalf("no %s is stored\n%s", typ, to.Log)
		}
		to.Kill()
		to = backendtest.Serve(t, backendtest.Tested, args...)
	}
	m := await(t, to, job)
	mu.Lock()
	defer mu.Unlock()
	for i, f := range m.Output {
		if f.Count != 1000 || !strings.Contains(inputs[i], f.InputURL) {
			t.Errorf("%+v", f)
		}
	}
	if len(m.Output) != 3 || len(m.Error) != 0 || asked["Condition"] != 1 || asked["Observation"] != 2 || asked["Patient"] != 2 {
		t.Errorf("%+v, asked for %v", m, asked)
	}
	if _, got := allOf(t, to); len(want) != 3000 || !slices.Equal(got, want) {
		t.Errorf("%d resources, not the %d of the other server", len(got), len(want))
	}
}
