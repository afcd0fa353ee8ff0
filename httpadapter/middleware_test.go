package httpadapter

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/engine/operation"
)

func TestCORS(t *testing.T) {
	c := newClient(t, func(config *Config) { config.CORSOrigins = []string{"https://app.example"} })
	for _, path := range []string{"/CodeSystem/$lookup", "/baseR4/ValueSet/pets", "/metadata"} {
		r := c.do("OPTIONS", path, "", "Origin", "https://app.example", "Access-Control-Request-Method", "PUT",
			"Access-Control-Request-Headers", "content-type")
		if r.status != 204 || r.header.Get("Access-Control-Allow-Origin") != "https://app.example" ||
			r.header.Get("Access-Control-Allow-Methods") != "PUT" || r.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("preflight of %s: %d %v", path, r.status, r.header)
		}
		r = c.do("OPTIONS", path, "", "Origin", "https://evil.example", "Access-Control-Request-Method", "PUT")
		if r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("another origin: %v", r.header)
		}
	}
	for method, header := range map[string]string{
		"POST": "content-type,if-none-exist,x-cache-id", "PUT": "content-type,if-match,prefer", "PATCH": "content-type,if-match", "DELETE": "if-match",
	} {
		r := c.do("OPTIONS", "/r4/ValueSet/pets", "", "Origin", "https://app.example", "Access-Control-Request-Method", method,
			"Access-Control-Request-Headers", header)
		if r.header.Get("Access-Control-Allow-Methods") != method || r.header.Get("Access-Control-Allow-Headers") != header {
			t.Errorf("preflight of %s with %s: %d %v", method, header, r.status, r.header)
		}
	}
	if r := c.get("/metadata", "Origin", "https://app.example"); !strings.Contains(r.header.Get("Access-Control-Expose-Headers"), "Retry-After") {
		t.Errorf("a page cannot read Retry-After: %v", r.header)
	}
	path := "/CodeSystem/$lookup?system=http://t.example/animals&code=dog"
	for _, encoding := range []string{"", "gzip"} {
		r := c.get(path, "Origin", "https://app.example", "Accept-Encoding", encoding)
		vary := strings.Join(r.header["Vary"], ", ")
		if r.status != 200 || r.header.Get("Access-Control-Allow-Origin") != "https://app.example" ||
			!strings.Contains(r.header.Get("Access-Control-Expose-Headers"), "Etag") && !strings.Contains(r.header.Get("Access-Control-Expose-Headers"), "ETag") ||
			!strings.Contains(vary, "Origin") || !strings.Contains(vary, "Accept-Encoding") {
			t.Errorf("actual request: %d %v", r.status, r.header)
		}
		r = c.get(path, "Accept-Encoding", encoding)
		vary = strings.Join(r.header["Vary"], ", ")
		if r.header.Get("Access-Control-Allow-Origin") != "" || !strings.Contains(vary, "Origin") || !strings.Contains(vary, "Accept-Encoding") {
			t.Errorf("no origin: %v", r.header)
		}
	}
	c.get("/nowhere", "Origin", "https://app.example").wantIssue(t, 404, "not-found")

	without := newClient(t)
	if r := without.get(path, "Origin", "https://app.example"); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("off: %v", r.header)
	}
	all := newClient(t, func(config *Config) { config.CORSOrigins = []string{"*"} })
	if r := all.get(path, "Origin", "https://app.example"); r.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("all: %v", r.header)
	}
}

func TestOptions(t *testing.T) {
	r := newClient(t).do("OPTIONS", "/CodeSystem/animals", "")
	if r.status != 204 || !strings.Contains(r.header.Get("Allow"), "PUT") || r.body != "" {
		t.Errorf("%d %v", r.status, r.header)
	}
}

func TestCompression(t *testing.T) {
	c := newClient(t)
	plain := c.get("/metadata")
	r := c.get("/metadata", "Accept-Encoding", "gzip")
	if r.header.Get("Content-Encoding") != "gzip" || len(r.body) >= len(plain.body) || strings.Join(r.header.Values("Vary"), ", ") != "Accept, Accept-Encoding" {
		t.Fatalf("%v", r.header)
	}
	unzip, err := gzip.NewReader(strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(unzip)
	if err != nil || string(body) != plain.body {
		t.Errorf("%v", err)
	}
	if plain.header.Get("Content-Encoding") != "" || plain.header.Get("Vary") != "Accept, Accept-Encoding" {
		t.Errorf("plain: %v", plain.header)
	}
	small := c.get("/healthz", "Accept-Encoding", "gzip")
	if small.header.Get("Content-Encoding") != "" || small.body != `{"status":"ok"}` {
		t.Errorf("small: %v %q", small.header, small.body)
	}
	if r := c.get("/CodeSystem/nowhere", "Accept-Encoding", "gzip"); r.status != 404 {
		t.Errorf("error: %d", r.status)
	}
}

func TestRequestID(t *testing.T) {
	c := newClient(t)
	first, second := c.get("/healthz").header.Get("X-Request-Id"), c.get("/healthz").header.Get("X-Request-Id")
	if first == "" || first == second || !validRequestID(first) {
		t.Errorf("%q %q", first, second)
	}
	if got := c.get("/healthz", "X-Request-Id", "abc-1.2_3").header.Get("X-Request-Id"); got != "abc-1.2_3" {
		t.Errorf("%q", got)
	}
	for _, bad := range []string{"a b", "a\"b", strings.Repeat("x", 65), "ä"} {
		if got := c.get("/healthz", "X-Request-Id", bad).header.Get("X-Request-Id"); got == bad || got == "" {
			t.Errorf("%q was taken", bad)
		}
	}
	if got := c.get("/nowhere").header; got.Get("X-Request-Id") == "" || got.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v", got)
	}
}

// logged is a log in memory.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func TestAccessLog(t *testing.T) {
	path := "/CodeSystem/$lookup?system=http://t.example/animals&code=dog"
	for _, tt := range []struct {
		level     slog.Level
		accessLog bool
		line, uri bool
	}{
		{slog.LevelInfo, false, false, false},
		{slog.LevelInfo, true, true, false},
		{slog.LevelDebug, false, true, true},
		{slog.LevelDebug, true, true, true},
	} {
		var out logged
		c := newClient(t, func(config *Config) {
			config.Logger = slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: tt.level}))
			config.AccessLog = tt.accessLog
		})
		c.get(path)
		c.get("/CodeSystem/secret-id")
		if steps := c.get("/Patient?family=x").header["Server-Timing"]; (len(steps) > 0) != (tt.level == slog.LevelDebug) {
			t.Errorf("level %v: %q", tt.level, steps)
		}
		text := out.String()
		if strings.Contains(text, `"action":"lookup"`) != tt.line || strings.Contains(text, "code=dog") != tt.uri || strings.Contains(text, "secret-id") != tt.uri {
			t.Errorf("level %v, access log %v: %s", tt.level, tt.accessLog, text)
		}
		if tt.line && (!strings.Contains(text, `"status":404`) || !strings.Contains(text, `"type":"CodeSystem"`)) {
			t.Errorf("%s", text)
		}
	}
}

// failing returns a table with operations that fail.
func failing(run func(ctx context.Context) error) []*operation.Operation {
	return []*operation.Operation{{
		Name: "fail", Type: "CodeSystem", Summary: "fails",
		Run: func(ctx context.Context, _ operation.Env, _ *operation.Input) (operation.Result, error) {
			return nil, run(ctx)
		},
	}}
}

// TestInternalErrors checks that a client gets only an id, and that the log has the details under the
// same id.
func TestInternalErrors(t *testing.T) {
	for name, run := range map[string]func(context.Context) error{
		"error": func(context.Context) error { return errors.New("secret detail") },
		"panic": func(context.Context) error { panic("secret detail") },
	} {
		var out logged
		c := newClient(t, func(config *Config) {
			config.Operations = failing(run)
			config.Logger = slog.New(slog.NewTextHandler(&out, nil))
		})
		r := c.get("/CodeSystem/$fail", "X-Request-Id", "req-1")
		text := r.wantIssue(t, 500, "exception")
		if strings.Contains(r.body, "secret") || text == "" {
			t.Errorf("%s: the client sees %s", name, r.body)
		}
		log := out.String()
		if !strings.Contains(log, "secret detail") || !strings.Contains(log, "req-1") || !strings.Contains(log, "level=ERROR") {
			t.Errorf("%s: the log has %s", name, log)
		}
		c.get("/healthz") // and the server lives on
	}
}

func TestAbort(t *testing.T) {
	c := newClient(t, func(config *Config) {
		config.Operations = failing(func(context.Context) error { panic(http.ErrAbortHandler) })
	})
	defer func() {
		if cause := recover(); cause != http.ErrAbortHandler { //nolint:errorlint // compared as net/http does
			t.Errorf("recovered %v", cause)
		}
	}()
	c.get("/CodeSystem/$fail")
}

func TestTimeout(t *testing.T) {
	for name, run := range map[string]func(context.Context) error{
		"waits on Done": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"polls Err": func(ctx context.Context) error {
			for ctx.Err() == nil {
				time.Sleep(100 * time.Microsecond)
			}
			return ctx.Err()
		},
		"derives": func(ctx context.Context) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		c := newClient(t, func(config *Config) {
			config.Operations = failing(run)
			config.Limits.Timeout = 5 * time.Millisecond
		})
		r := c.get("/CodeSystem/$fail")
		if r.status != 503 {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
		r.wantIssue(t, 503, "timeout")
	}
}

// TestDeadline checks withDeadline alone.
func TestDeadline(t *testing.T) {
	parent, cancel := context.WithCancel(context.WithValue(context.Background(), parentKey{}, 1))
	ctx := withDeadline(parent, time.Hour)
	if at, ok := ctx.Deadline(); !ok || time.Until(at) > time.Hour {
		t.Errorf("deadline %v %v", at, ok)
	}
	if ctx.Err() != nil || ctx.Value(parentKey{}) != 1 {
		t.Error("the context has ended")
	}
	done := ctx.Done()
	cancel()
	<-done
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("%v", ctx.Err())
	}
	soon, cancelSoon := context.WithTimeout(context.Background(), time.Minute)
	defer cancelSoon()
	want, _ := soon.Deadline()
	if at, _ := withDeadline(soon, time.Hour).Deadline(); !at.Equal(want) {
		t.Error("the earlier deadline is ignored")
	}
	past := withDeadline(context.Background(), -time.Second)
	<-past.Done()
	if !errors.Is(past.Err(), context.DeadlineExceeded) {
		t.Errorf("%v", past.Err())
	}
}

type parentKey struct{}

func TestMetrics(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Metrics = true })
	c.get("/CodeSystem/$lookup?system=http://t.example/animals&code=dog")
	c.get("/CodeSystem/$lookup?system=http://t.example/animals&code=unicorn")
	c.get("/ValueSet/pets")
	c.get("/nowhere")
	r := c.get("/metrics")
	for _, line := range []string{
		`roget_http_requests_total{action="lookup",status="2xx",type="CodeSystem"} 1`,
		`roget_http_requests_total{action="lookup",status="4xx",type="CodeSystem"} 1`,
		`roget_http_requests_total{action="read",status="2xx",type="ValueSet"} 1`,
		`roget_http_requests_total{action="unknown",status="4xx",type=""} 1`,
		`roget_http_request_seconds_count{action="lookup",type="CodeSystem"} 2`,
		`go_goroutines`,
	} {
		if !strings.Contains(r.body, line) {
			t.Errorf("/metrics lacks %s", line)
		}
	}
	if strings.Contains(r.body, "dog") || strings.Contains(r.body, "t.example") {
		t.Error("a label has a code or system")
	}
	if r := c.get("/metrics", "Accept-Encoding", "gzip"); !slices.Equal(r.header.Values("Content-Encoding"), []string{"gzip"}) {
		t.Errorf("asked for gzip, got %q", r.header.Values("Content-Encoding"))
	}
	newClient(t).get("/metrics").wantIssue(t, 404, "not-found")
}

func TestHealth(t *testing.T) {
	var notReady error
	var progress string
	var log strings.Builder
	c := newClient(t, func(config *Config) {
		config.Logger = slog.New(slog.NewTextHandler(&log, nil))
		config.Ready = []Check{
			{Name: "sound", Problem: "never seen", Test: func(context.Context) error { return nil }},
			{Name: "content", Problem: "the content is incomplete", Test: func(context.Context) error { return notReady }, Progress: func() string { return progress }},
		}
	})
	if r := c.get("/healthz"); r.status != 200 || r.body != `{"status":"ok"}` || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.get("/readyz"); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	notReady = errors.New("still loading")
	const failed = `{"status":"not ready","failed":[{"check":"content","problem":"the content is incomplete"}]}`
	if r := c.get("/readyz"); r.status != 503 || r.body != failed {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.get("/healthz"); r.status != 200 {
		t.Errorf("%d", r.status)
	}
	progress = "half"
	const running = `,"running":[{"check":"content","progress":"half"}]}`
	if r := c.get("/readyz"); r.status != 503 || r.body != strings.TrimSuffix(failed, "}")+running {
		t.Errorf("%d %s", r.status, r.body)
	}
	if c.get("/readyz"); strings.Count(log.String(), "not ready") != 1 {
		t.Errorf("what stays as it is is logged again: %s", log.String())
	}
}

// TestManyAtOnce sends requests in parallel while resources change, to test the pool and to find
// races.
func TestManyAtOnce(t *testing.T) {
	c := newClient(t)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 40 {
				switch (worker + i) % 4 {
				case 0:
					r := c.get("/CodeSystem/$lookup?system=http://t.example/animals&code=dog")
					if !strings.Contains(r.body, `"Dog"`) {
						t.Errorf("lookup: %s", r.body)
					}
				case 1:
					body := strings.Replace(colours, "red", strings.Repeat("r", 1+i%5), 1)
					if r := c.do("PUT", "/CodeSystem/colours", body); r.status >= 300 {
						t.Errorf("put: %s", r.body)
					}
				case 2:
					if r := c.get("/CodeSystem?_sort=name"); r.status != 200 {
						t.Errorf("search: %s", r.body)
					}
				case 3:
					r := c.get("/ValueSet/$validate-code?url=http://t.example/vs/pets&code=bird&system=http://t.example/animals")
					if parameter(r.json(t), "result") != false {
						t.Errorf("validate: %s", r.body)
					}
				}
			}
		})
	}
	wg.Wait()
}
