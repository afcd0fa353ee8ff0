package platform

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

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
