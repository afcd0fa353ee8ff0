package httpadapter

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTurns has large requests wait while others are at work, and small ones go ahead.
func TestTurns(t *testing.T) {
	c := newClient(t)
	h := c.handler.(*Handler)
	h.turns = make(turns, 1)
	parameters := `{"name":"system","valueUri":"http://t.example/animals"},{"name":"code","valueCode":"dog"}`
	small := withResources(parameters)
	large := withResources(`{"name":"x","valueString":"`+strings.Repeat("x", largeBody)+`"},`+parameters, planets)
	batch := batchOf(entry("POST", "CodeSystem/$lookup", large), entry("POST", "CodeSystem/$lookup", large))
	ask := func(path, body string, status int) {
		t.Helper()
		if r := c.do("POST", path, body); r.status != status || strings.Contains(r.body, `"503`) {
			t.Errorf("%s with %d bytes: %d %.200s", path, len(body), r.status, r.body)
		}
		if len(h.turns) != 0 && len(h.turns) != cap(h.turns) {
			t.Errorf("%d turns are not given back", len(h.turns))
		}
	}
	for range 2 {
		ask("/CodeSystem/$lookup", large, http.StatusOK)
		ask("/CodeSystem/$lookup", strings.Replace(large, `"dog"`, `"fog"`, 1), http.StatusNotFound)
		ask("/", batch, http.StatusOK)
	}
	h.turns <- struct{}{}
	ask("/CodeSystem/$lookup", small, http.StatusOK)
	h.Limits.Timeout = time.Millisecond
	ask("/CodeSystem/$lookup", large, http.StatusServiceUnavailable)
	h.Limits.Timeout = time.Minute
	time.AfterFunc(10*time.Millisecond, func() { <-h.turns })
	if r := c.do("POST", "/CodeSystem/$lookup", large); r.status != http.StatusOK {
		t.Error("no turn though one is free:", r.status)
	}
}

// TestTurnAfterPanic checks that a handler that panics gives its turn back.
func TestTurnAfterPanic(t *testing.T) {
	h := newClient(t).handler.(*Handler)
	c := &call{h: h, w: nothing{}, r: newRequest(t)}
	func() {
		defer func() { _ = recover() }()
		c.run(func(c *call) {
			if err := c.takeTurn(largeBody); err != nil {
				t.Error(err)
			}
			panic("oops")
		})
	}()
	if len(h.turns) != 0 {
		t.Error("the turn is lost")
	}
}

func newRequest(t *testing.T) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// nothing is a client that takes nothing.
type nothing struct{}

func (nothing) Header() http.Header         { return http.Header{} }
func (nothing) WriteHeader(int)             {}
func (nothing) Write(p []byte) (int, error) { return len(p), nil }
