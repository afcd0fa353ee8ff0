package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestCache: platform toolkit, section 2.6: 300 s, one reads for all, errors are not kept.
// Rows of docs/platform.md: T2.6.
func TestCache(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	c := serve(t, Options{Now: func() time.Time { return now }}, answer(200, ""))
	loads := 0
	var failure error
	read := func(key string) string {
		t.Helper()
		value, err := c.cached(t.Context(), key, func(context.Context) (json.RawMessage, error) {
			loads++
			return json.RawMessage(fmt.Sprint(loads)), failure
		})
		if !errors.Is(err, failure) {
			t.Fatal(err)
		}
		return string(value)
	}
	check := func(key, want string) {
		t.Helper()
		if got := read(key); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	check("info", "1")
	check("info", "1")
	check("setting:a", "2")
	now = now.Add(299 * time.Second)
	check("info", "1")
	now = now.Add(time.Second)
	check("info", "3")
	c.uncache("setting:a")
	check("info", "3")
	failure = errors.New("no")
	check("setting:a", "4")
	failure = nil
	check("setting:a", "5")
	for i := range 3 * maxCached {
		read(fmt.Sprint(i))
	}
	if n := len(c.cache.entries); n > maxCached {
		t.Errorf("%d entries", n)
	}
	off := serve(t, Options{CacheTTL: -1}, answer(200, ""))
	for want := range 2 {
		got := 0
		_, _ = off.cached(t.Context(), "info", func(context.Context) (json.RawMessage, error) {
			got = want + 1
			return nil, nil
		})
		if got != want+1 {
			t.Error("a cache that is off keeps")
		}
	}
}

// TestCacheSingleFlight: of many concurrent callers, one loads. If it gives up, another one loads.
// A value that was written while it was being read is not cached.
// Rows of docs/platform.md: T2.6.
func TestCacheSingleFlight(t *testing.T) {
	c := serve(t, Options{}, answer(200, ""))
	var mu sync.Mutex
	loads, started, release := 0, make(chan struct{}, 100), make(chan struct{})
	load := func(ctx context.Context) (json.RawMessage, error) {
		mu.Lock()
		loads++
		mu.Unlock()
		started <- struct{}{}
		select {
		case <-release:
			return json.RawMessage("1"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := c.cached(ctx, "info", load)
		first <- err
	}()
	<-started
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if value, err := c.cached(t.Context(), "info", load); string(value) != "1" || err != nil {
				t.Error(string(value), err)
			}
		})
	}
	impatient, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.cached(impatient, "info", load); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-started // another one took over
	c.uncache("info")
	close(release)
	group.Wait()
	if loads < 2 || loads > 3 { // those who asked after uncache have one of their own
		t.Errorf("%d loads", loads)
	}
	before := loads
	if _, err := c.cached(t.Context(), "info", load); err != nil || loads > before+1 {
		t.Error(err, loads)
	}
}

// remembering is a memory that is a map.
type remembering struct {
	mu    sync.Mutex
	found map[string]Found
}

func (m *remembering) Get(base string) (Found, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, known := m.found[base]
	return found, known
}

func (m *remembering) Put(base string, found Found) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found[base] = found
}

func (m *remembering) Delete(base string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.found, base)
}

// TestConnectionCache: what Connect found is cached until an answer makes it doubtful.
func TestConnectionCache(t *testing.T) {
	memory := &remembering{found: map[string]Found{}}
	status, requests := 200, []string{}
	first := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.Path)
		switch r.URL.Path {
		case "/":
			http.Redirect(w, r, "/ctx/dhis-web-login/", http.StatusFound)
		case "/ctx" + systemInfoPath:
			answer(200, `{"version":"2.42.7"}`)(w, r)
		case "/ctx/api/x":
			w.WriteHeader(status)
		}
	})
	connect := func(options Options) *Client {
		t.Helper()
		requests = nil
		options.ConnectionCache = memory
		c, err := Connect(t.Context(), first.base+"/", first.provider, options)
		if err != nil || c.BaseURL() != first.base+"/ctx" || c.ServerVersion() != "2.42.7" || c.major != 42 {
			t.Fatal(c, err)
		}
		return c
	}
	for status = range slices.Values([]int{200, 403, 409, 301, 401, 404, 500, 503}) {
		if connect(Options{}); len(requests) != 4 && status == 200 {
			t.Errorf("at first: %q", requests)
		}
		c := connect(Options{})
		if len(requests) != 0 {
			t.Errorf("%d: cached all the same: %q", status, requests)
		}
		_, _ = c.Do(t.Context(), Request{Path: "/api/x"})
		if _, known := memory.Get(first.base); known != slices.Contains([]int{200, 403, 409}, status) {
			t.Errorf("after %d it is known: %v", status, known)
		}
	}
	memory.Put(first.base, Found{first.base + "/ctx", "2.40.1"}) // which is not supported
	if connect(Options{}); len(requests) != 4 {
		t.Errorf("%q", requests)
	}
}

// TestRetryNotice: who waits for a retry is told why; a policy for reads does not repeat writes.
func TestRetryNotice(t *testing.T) {
	var told []string
	var pauses []time.Duration
	policy := waits(RetryPolicy{ReadsOnly: true, Notice: func(pause time.Duration, why string) { told = append(told, pause.String()+" "+why) }}, &pauses)
	c := serve(t, Options{Retry: policy}, answer(503, "", "Retry-After", "2"))
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodPost} {
		_, _ = c.Do(t.Context(), Request{Method: method, Path: "/api/x"})
	}
	if want := []string{"2s 503 Service Unavailable", "2s 503 Service Unavailable"}; !slices.Equal(told, want) || len(pauses) != 2 {
		t.Errorf("%q, %v", told, pauses)
	}
	if _, err := New("https://a.example", c.provider, Options{Retry: &RetryPolicy{ReadsOnly: true, NonIdempotent: true}}); err == nil {
		t.Error("a policy for reads only and for all methods")
	}
}
