package httpadapter

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
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

// TestWorkOn checks the estimates for documents of few large elements and of many small ones.
func TestWorkOn(t *testing.T) {
	for _, test := range []struct {
		name        string
		body        string
		least, most float64 // times the size
	}{
		{"a Binary", `{"resourceType":"Binary","contentType":"x/y","data":"` + strings.Repeat("A", 1<<20) + `"}`, 3, 3.1},
		{"identifiers", `{"resourceType":"Patient","identifier":[` + strings.Repeat(`{"value":"7-1f3a0"},`, 50_000) + `{}]}`, 12, 12},
		{"concepts", `{"concept":[` + strings.Repeat(`{"code":"c12345","display":"concept number 12345"},`, 20_000) + `{}]}`, 9, 12},
		{"concepts in XML", strings.Repeat(`<concept><code value="c12345"/><display value="concept number 12345"/></concept>`, 20_000), 9, 12},
		{"only commas", strings.Repeat(",", 1<<20), 12, 12},
	} {
		if got := float64(workOn([]byte(test.body))) / float64(len(test.body)); got < test.least || got > test.most {
			t.Errorf("%s: %.1f times its size, want %v to %v", test.name, got, test.least, test.most)
		}
	}
}

// peerConn is a connection from an address.
type peerConn struct {
	net.Conn
	from string
}

func (c peerConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.from))
}
func (c peerConn) Close() error { return nil }

// peers is a listener with connections from a list of addresses.
type peers struct {
	net.Listener
	from []string
}

func (p *peers) Accept() (net.Conn, error) {
	if len(p.from) == 0 {
		return nil, net.ErrClosed
	}
	conn := peerConn{from: p.from[0]}
	p.from = p.from[1:]
	return conn, nil
}

func TestConnectionLimits(t *testing.T) {
	in := &peers{from: []string{
		"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", // the third of a client is refused
		"[::ffff:192.0.2.1]:4",                                  // the same client
		"[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::3]:1", // one network
		"10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3", "127.0.0.1:1", // a proxy, and this machine
		"192.0.2.9:1", // beyond all
	}}
	l := LimitConnections(in, 8, 2, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	var open []net.Conn
	accept := func() (got []string) {
		for {
			conn, err := l.Accept()
			if err != nil {
				return got
			}
			open = append(open, conn)
			got = append(got, conn.RemoteAddr().String())
		}
	}
	if got := accept(); len(got) != 8 || got[1] != "192.0.2.1:2" || got[2] != "[2001:db8::1]:1" || got[7] != "127.0.0.1:1" {
		t.Fatalf("accepted %v", got)
	}
	if n, limit, refused := CountConnections(l); n != 8 || limit != 8 || refused != (RefusedConnections{All: 1, PerClient: 3}) {
		t.Errorf("%d of %d connections are open, refused %+v", n, limit, refused)
	}
	for range 2 { // closing twice counts once
		_ = open[0].Close()
	}
	in.from = []string{"192.0.2.1:5", "192.0.2.1:6"}
	if got := accept(); len(got) != 1 || got[0] != "192.0.2.1:5" {
		t.Errorf("after one is closed: accepted %v", got)
	}
	if n, _, _ := CountConnections(l); n != 8 {
		t.Errorf("%d connections are open", n)
	}
	if n, limit, _ := CountConnections(in); n != 0 || limit != 0 {
		t.Errorf("a listener without limits has %d of %d connections", n, limit)
	}
	if LimitConnections(in, 0, 0, nil) != net.Listener(in) {
		t.Error("a listener without limits is wrapped")
	}
}
