package httpadapter

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// exposed returns the lines of the exposition: those of the Go runtime and the process, and
// those of requests.
func exposed(t *testing.T, m *metrics) (process, requests []string) {
	t.Helper()
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if got := w.Header().Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("Content-Type: %s", got)
	}
	lines := strings.SplitAfter(w.Body.String(), "\n")
	lines = lines[:len(lines)-1]
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "# HELP roget_") })
	if at < 0 {
		at = len(lines)
	}
	return lines[:at], lines[at:]
}

// golden reads a file of testdata.
func golden(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMetricsOfRequests compares the metrics of requests byte for byte: names, help, labels, order,
// and counts on both sides of the bucket bounds.
func TestMetricsOfRequests(t *testing.T) {
	m := newMetrics(nil)
	if _, requests := exposed(t, m); strings.Contains(strings.Join(requests, ""), "action=") {
		t.Errorf("before any request:\n%s", requests)
	}
	for _, o := range []struct {
		what   label
		status int
		took   time.Duration
	}{
		{label{"lookup", "CodeSystem"}, 200, 50 * time.Microsecond},
		{label{"lookup", "CodeSystem"}, 204, 51 * time.Microsecond},
		{label{"lookup", "CodeSystem"}, 404, 500 * time.Millisecond},
		{label{"lookup", "CodeSystem"}, 0, 31 * time.Second},
		{label{"search", "Patient"}, 503, 30 * time.Second},
		{label{"search", ""}, 600, 0},
		{label{"capabilities", ""}, 304, time.Millisecond},
	} {
		m.observe(o.what, o.status, o.took)
	}
	_, requests := exposed(t, m)
	if diff := cmp.Diff(golden(t, "metrics-requests.txt"), strings.Join(requests, "")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestMetricsOfProcess checks the names and kinds of all metrics of the runtime and the process, that
// each has a text, and that values are plausible.
func TestMetricsOfProcess(t *testing.T) {
	runtime.GC()
	lines, _ := exposed(t, newMetrics(nil))
	help := regexp.MustCompile(`^# HELP ([a-z_]+) [A-Z].*\n$`)
	sample := regexp.MustCompile(`^([a-z_]+)(\{[^}]*\})? ([-+.0-9e]+)\n$`)
	got := map[string]float64{}
	var kinds []string
	family := ""
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "# HELP"):
			found := help.FindStringSubmatch(line)
			if found == nil || !strings.HasPrefix(lines[i+1], "# TYPE "+found[1]+" ") {
				t.Fatalf("help: %s", line)
			}
			family = found[1]
		case strings.HasPrefix(line, "# TYPE"):
			kinds = append(kinds, line)
		default:
			found := sample.FindStringSubmatch(line)
			if found == nil || !strings.HasPrefix(found[1], family) {
				t.Fatalf("no sample of %s: %s", family, line)
			}
			value, err := strconv.ParseFloat(found[3], 64)
			if err != nil || value < 0 {
				t.Fatalf("%s: %v", line, err)
			}
			got[found[1]] = value
		}
	}
	want := golden(t, "metrics-process.txt")
	if runtime.GOOS != "linux" {
		want, _, _ = strings.Cut(want, "# TYPE process_")
	}
	if diff := cmp.Diff(want, strings.Join(kinds, "")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got["go_memstats_heap_alloc_bytes"] != got["go_memstats_alloc_bytes"] {
		t.Errorf("go_memstats_heap_alloc_bytes %v, but go_memstats_alloc_bytes %v: they are read at once", got["go_memstats_heap_alloc_bytes"], got["go_memstats_alloc_bytes"])
	}
	for name, least := range map[string]float64{"go_goroutines": 1, "go_gomaxprocs": 1, "go_memstats_sys_bytes": 1 << 20, "go_gc_duration_seconds_count": 1, "process_resident_memory_bytes": 1 << 20, "process_open_fds": 3, "process_start_time_seconds": float64(time.Now().Unix() - 7*24*3600)} {
		if got[name] < least && (runtime.GOOS == "linux" || !strings.HasPrefix(name, "process_")) {
			t.Errorf("%s %v", name, got[name])
		}
	}
}

// TestMetricsAtOnce counts from several goroutines and reads meanwhile. No sample may be lost, and a
// histogram must always be consistent.
func TestMetricsAtOnce(t *testing.T) {
	const workers, each = 4, 1000
	m := newMetrics(nil)
	done := make(chan struct{})
	for range workers {
		go func() {
			for i := range each {
				m.observe(label{"read", "Patient"}, 200, time.Duration(i)*time.Second/64)
			}
			done <- struct{}{}
		}()
	}
	number := func(lines []string, series string) string {
		for _, line := range lines {
			if value, ok := strings.CutPrefix(line, series+" "); ok {
				return strings.TrimSpace(value)
			}
		}
		return ""
	}
	const all, bucket = `roget_http_request_seconds_count{action="read",type="Patient"}`, `roget_http_request_seconds_bucket{action="read",type="Patient",le="+Inf"}`
	for left := workers; left > 0; {
		select {
		case <-done:
			left--
		default:
		}
		if _, lines := exposed(t, m); number(lines, all) != number(lines, bucket) {
			t.Fatalf("%s in all, %s in classes", number(lines, all), number(lines, bucket))
		}
	}
	_, lines := exposed(t, m)
	if got := number(lines, all); got != "4000" {
		t.Errorf("%s requests", got)
	}
	if got := number(lines, `roget_http_request_seconds_sum{action="read",type="Patient"}`); got != "31218.75" {
		t.Errorf("%s seconds", got)
	}
}
