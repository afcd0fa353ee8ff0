package platform

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// waits returns a policy that notes its pauses and does not wait.
func waits(policy RetryPolicy, pauses *[]time.Duration) *RetryPolicy {
	policy.Wait = func(ctx context.Context, pause time.Duration) error {
		*pauses = append(*pauses, pause)
		return ctx.Err()
	}
	return &policy
}

// TestRetry: platform toolkit, section 2.4.
func TestRetry(t *testing.T) {
	second, date := time.Second, []string{"Date", "Wed, 21 Oct 2015 07:28:00 GMT", "Retry-After"}
	for _, test := range []struct {
		name     string
		policy   *RetryPolicy
		method   string
		status   int // of all answers but the third
		headers  []string
		requests int
		pauses   []time.Duration // at the least where there is jitter; nil: not compared
	}{
		{"off by default", nil, "GET", 503, nil, 1, nil},
		{"the third succeeds", &RetryPolicy{}, "GET", 503, nil, 3, nil},
		{"two attempts", &RetryPolicy{Attempts: 2}, "PUT", 429, nil, 2, nil},
		{"POST is not sent twice", &RetryPolicy{}, "POST", 503, nil, 1, nil},
		{"PATCH is not sent twice", &RetryPolicy{}, "PATCH", 503, nil, 1, nil},
		{"POST is where it is allowed", &RetryPolicy{NonIdempotent: true}, "POST", 502, nil, 3, nil},
		{"DELETE is", &RetryPolicy{}, "DELETE", 504, nil, 3, nil},
		{"500 is not in the list", &RetryPolicy{}, "GET", 500, nil, 1, nil},
		{"credentials that are refused", &RetryPolicy{Statuses: []int{401, 403}}, "GET", 401, nil, 1, nil},
		{"what is forbidden", &RetryPolicy{Statuses: []int{401, 403}}, "GET", 403, nil, 1, nil},
		{"seconds", &RetryPolicy{}, "GET", 429, []string{"Retry-After", "7"}, 3, []time.Duration{7 * second, 7 * second}},
		{"a date", &RetryPolicy{}, "GET", 429, append(date, "Wed, 21 Oct 2015 07:28:09 GMT"), 3, []time.Duration{9 * second, 9 * second}},
		{"a date that is over", &RetryPolicy{}, "GET", 429, append(date, "Wed, 21 Oct 2015 07:27:00 GMT"), 3, []time.Duration{0, 0}},
		{"longer than anybody waits", &RetryPolicy{}, "GET", 429, []string{"Retry-After", "121"}, 1, nil},
		{"a date next year", &RetryPolicy{}, "GET", 429, append(date, "Fri, 21 Oct 2016 07:28:00 GMT"), 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var pauses []time.Duration
			if test.policy != nil {
				test.policy = waits(*test.policy, &pauses)
			}
			requests := 0
			c := serve(t, Options{Retry: test.policy}, func(w http.ResponseWriter, r *http.Request) {
				requests++
				status := test.status
				if requests == 3 {
					status = 200
				}
				answer(status, "", test.headers...)(w, r)
			})
			_, err := c.Do(t.Context(), Request{Method: test.method, Path: "/api/x", Body: []byte("{}")})
			if requests != test.requests || (err == nil) != (requests == 3) || len(pauses) != requests-1 {
				t.Errorf("%d requests, pauses %v: %v", requests, pauses, err)
			}
			if test.pauses != nil && !slices.Equal(pauses, test.pauses) {
				t.Errorf("pauses %v", pauses)
			}
		})
	}
}

// TestBackoff: 0.5 s, twice as long each time, at most 30 s, a tenth up or down.
func TestBackoff(t *testing.T) {
	policy, err := RetryPolicy{Attempts: 10}.complete()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[time.Duration]bool{}
	for range 1000 {
		for attempt, want := range []time.Duration{1: 500 * time.Millisecond, 2: time.Second, 3: 2 * time.Second, 7: 30 * time.Second, 9: 30 * time.Second} {
			if want == 0 {
				continue
			}
			got := policy.backoff(attempt)
			if got < want*9/10 || got > want*11/10 || got > 30*time.Second {
				t.Fatalf("attempt %d: %v", attempt, got)
			}
			seen[got] = true
		}
	}
	if len(seen) < 100 {
		t.Error("there is no jitter")
	}
	for _, bad := range []RetryPolicy{{Attempts: 11}, {Attempts: -1}, {Base: -1}, {Max: -1}, {Factor: 0.5}, {Jitter: 2}} {
		if _, err := bad.complete(); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// TestRetryOfConnections: answers that break off are asked for again, vetoed requests not.
func TestRetryOfConnections(t *testing.T) {
	var pauses []time.Duration
	requests := 0
	c := serve(t, Options{Retry: waits(RetryPolicy{}, &pauses)}, func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests < 3 {
			w.Header().Set("Content-Length", "10")
			panic(http.ErrAbortHandler)
		}
	})
	if err := c.get(t.Context(), "/api/x", nil, nil); err != nil || len(pauses) != 2 {
		t.Error(err, pauses)
	}
	veto := errors.New("not this one")
	c.options.Hooks = []Hook{func(r *http.Request) error {
		if r.Header.Get("Authorization") == "" || r.URL.Path != "/api/x" {
			t.Error("the hook does not see the request")
		}
		return veto
	}}
	if err := c.get(t.Context(), "/api/x", nil, nil); !errors.Is(err, veto) || requests != 3 || len(pauses) != 2 {
		t.Error(err, requests)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c = serve(t, Options{Retry: &RetryPolicy{Base: time.Hour, Max: time.Hour}}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		cancel()
	})
	if err := c.get(ctx, "/api/x", nil, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestLimits: an answer that is too long, and one that does not go on.
func TestLimits(t *testing.T) {
	requests := 0
	c := serve(t, Options{MaxAnswer: 10, Retry: &RetryPolicy{}}, func(w http.ResponseWriter, r *http.Request) {
		requests++
		answer(200, `"`+strings.Repeat("x", requests*8)+`"`)(w, r)
	})
	if err := c.get(t.Context(), "/api/x", nil, nil); err != nil {
		t.Error(err)
	}
	if err := c.get(t.Context(), "/api/x", nil, nil); err == nil || !strings.Contains(err.Error(), "GET /api/x: the response is longer than the limit of 10 bytes") || requests != 2 {
		t.Error(err, requests)
	}
	c.options.MaxAnswer = math.MaxInt64
	if c, err := New(c.base, c.provider, c.options); err != nil {
		t.Error(err)
	} else if err := c.get(t.Context(), "/api/x", nil, new(string)); err != nil {
		t.Error(err)
	}
	c = serve(t, Options{ReadTimeout: 20 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"a":`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	var network networkError
	if err := c.get(t.Context(), "/api/x", nil, nil); !errors.As(err, &network) || !strings.Contains(err.Error(), "20ms") {
		t.Error(err)
	}
}

// TestParseVersion: platform toolkit, section 2.2, step 2.
func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{
		"2.42.4": {42, 4, 0, ""}, "2.41.8.1": {41, 8, 1, ""}, "2.43-SNAPSHOT": {43, 0, 0, "SNAPSHOT"}, "2.43.0-rc-1": {43, 0, 0, "rc-1"},
	} {
		if got, err := ParseVersion(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "2", "2.", "2.x", "42.1", "2.42.", "2.42-", "2.42.1.2.3", "2.4200000", " 2.42", "2.42.-1", "2.+1"} {
		if got, err := ParseVersion(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for text, want := range map[string]Major{"v41": 41, "42": 42, "v43": 43, "44": 0, "": 0, "V42": 0, "v": 0} {
		if got, err := ParseMajor(text); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestParseTime: times without an offset are in UTC.
func TestParseTime(t *testing.T) {
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, text := range []string{"2026-01-02T03:04:05", "2026-01-02T03:04:05.000", "2026-01-02T03:04:05Z", "2026-01-02T05:04:05.000+0200", "2026-01-02T05:04:05+02:00", "1767323045000"} {
		if got, err := ParseTime(text); err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if got, err := ParseTime(""); err != nil || !got.IsZero() {
		t.Error(got, err)
	}
	for _, text := range []string{"soon", "2026", "2026-13-01"} {
		if _, err := ParseTime(text); err == nil {
			t.Errorf("%s is a time", text)
		}
	}
	for text, want := range map[string]bool{"Usr00000001": true, "abcdefghijk": true, "1sr00000001": false, "Usr0000000": false, "Usr0000000_": false, "Usr000000012": false} {
		if IsUID(text) != want {
			t.Errorf("%s", text)
		}
	}
}
