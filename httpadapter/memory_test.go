package httpadapter_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// slow is a client that reads nothing until it is released.
type slow struct {
	*httptest.ResponseRecorder
	begun, release chan struct{}
	once           sync.Once
}

func (s *slow) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.begun) })
	<-s.release
	return s.ResponseRecorder.Write(p)
}

// TestAnswerMemory checks that pages of large documents share a budget: while one client reads slowly
// what has all of it, another one gets 503 with Retry-After, a small request is answered, and
// afterwards everything works again. That holds for each way to large documents.
func TestAnswerMemory(t *testing.T) {
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/store.db")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	service := resources.NewService(store, nil, resources.WithPageBytes(1<<20))
	handler := func(timeout time.Duration) *httpadapter.Handler {
		h, err := httpadapter.New(httpadapter.Config{
			Engine: engine.New(), Resources: service,
			Limits: httpadapter.Limits{AnswerMemory: 2 << 20, Timeout: timeout},
		})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := handler(200 * time.Millisecond)
	put := func(path, body string) {
		t.Helper()
		w := do(handler(time.Minute), http.MethodPut, path, body)
		if w.Code != http.StatusCreated {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	put("/Patient/p", `{"resourceType":"Patient","id":"p","active":true}`)
	long := strings.Repeat("x", 900_000)
	for i := range 3 {
		id := fmt.Sprint("o", i)
		put("/Observation/"+id, `{"resourceType":"Observation","id":"`+id+`","status":"final","code":{"text":"`+long+`"},"subject":{"reference":"Patient/p"}}`)
	}
	large := []string{
		"/Observation?_count=1000", "/Patient?_revinclude=Observation:subject", "/Observation/_history", "/_history",
		"/Patient/p/$everything", "/Observation/o1", "/Observation/o1/_history/1", "/Observation?_format=xml", "/Observation/o1?_format=xml",
	}
	for _, path := range large {
		first := &slow{ResponseRecorder: httptest.NewRecorder(), begun: make(chan struct{}), release: make(chan struct{})}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			h.ServeHTTP(first, httptest.NewRequest(http.MethodGet, "/Observation?_count=1000", nil))
		}()
		<-first.begun
		second := do(h, http.MethodGet, path, "")
		if second.Code != http.StatusServiceUnavailable || second.Header().Get("Retry-After") == "" || second.Body.Len() > 1000 {
			t.Errorf("%s without memory: %d, Retry-After %q, %d bytes", path, second.Code, second.Header().Get("Retry-After"), second.Body.Len())
		}
		if small := do(h, http.MethodGet, "/Patient/p", ""); small.Code != http.StatusOK {
			t.Errorf("a small request without memory: %d", small.Code)
		}
		close(first.release)
		<-ended
		if after := do(handler(time.Minute), http.MethodGet, path, ""); after.Code != http.StatusOK || after.Body.Len() < 900_000 {
			t.Errorf("%s: %d, %d bytes", path, after.Code, after.Body.Len())
		}
	}
	batch := `{"resourceType":"Bundle","type":"batch","entry":[` + strings.TrimSuffix(strings.Repeat(`{"request":{"method":"GET","url":"Observation?_count=1000"}},`, 20), ",") + `]}`
	h = handler(time.Minute)
	if w := do(h, http.MethodPost, "/", batch); w.Code != http.StatusOK || strings.Count(w.Body.String(), `"status":"200 OK"`) != 20 {
		t.Errorf("a batch of large pages: %d, %d of 20 pages", w.Code, strings.Count(w.Body.String(), `"status":"200 OK"`))
	}
	if !h.Settled(1<<20) || h.Settled(1) {
		t.Error("memory is not settled once at the end")
	}
}

func do(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/fhir+json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// drip is a body that arrives a part at a time, until its context ends.
type drip struct {
	ctx   context.Context //nolint:containedctx // of the test
	parts chan []byte
}

func (d drip) Read(p []byte) (int, error) {
	select {
	case part := <-d.parts:
		return copy(p, part), nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

// TestRequestMemory checks that a client that announces a large body and sends little of it holds
// little, and that one that sends much holds it.
func TestRequestMemory(t *testing.T) {
	h, err := httpadapter.New(httpadapter.Config{
		Engine: engine.New(), Limits: httpadapter.Limits{RequestMemory: 4 << 20, Timeout: 200 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	post := func(body drip) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/ValueSet/$expand", body)
		r.ContentLength = 16 << 20
		r.Header.Set("Content-Type", "application/fhir+json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() { post(drip{ctx, nil}) })
	}
	full := do(h, http.MethodPost, "/ValueSet/$expand", `{"resourceType":"Parameters","id":"`+strings.Repeat("x", 200<<10)+`"}`)
	if full.Code == http.StatusServiceUnavailable {
		t.Error("clients that have sent nothing hold the memory for requests")
	}
	parts := make(chan []byte)
	group.Go(func() { post(drip{ctx, parts}) })
	part := make([]byte, 32<<10)
	for range 3 << 20 / len(part) {
		parts <- part
	}
	busy := do(h, http.MethodPost, "/ValueSet/$expand", `{"resourceType":"Parameters","id":"`+strings.Repeat("x", 200<<10)+`"}`)
	if busy.Code != http.StatusServiceUnavailable || busy.Header().Get("Retry-After") == "" {
		t.Errorf("a large body without memory: %d", busy.Code)
	}
	cancel()
	group.Wait()
	release, err := h.Reserve(t.Context(), [][]byte{make([]byte, 5<<20)}) // all there is
	if _, late := h.Reserve(ctx, [][]byte{{1}}); err != nil || late == nil {
		t.Fatal(err, late)
	}
	release()
	if !h.Settled(1 << 20) {
		t.Error("memory is not settled at the end")
	}
}
