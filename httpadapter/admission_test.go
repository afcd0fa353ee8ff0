package httpadapter

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestAdmission checks that large requests wait for others, and that small ones do not.
func TestAdmission(t *testing.T) {
	c := newClient(t)
	h := c.handler.(*Handler)
	h.admission = make(admission, 1)
	parameters := `{"name":"system","valueUri":"http://t.example/animals"},{"name":"code","valueCode":"dog"}`
	small := withResources(parameters)
	large := withResources(`{"name":"x","valueString":"`+strings.Repeat("x", largeBody)+`"},`+parameters, planets)
	batch := batchOf(entry("POST", "CodeSystem/$lookup", large), entry("POST", "CodeSystem/$lookup", large))
	ask := func(path, body string, status int) {
		t.Helper()
		if r := c.do("POST", path, body); r.status != status || strings.Contains(r.body, `"503`) {
			t.Errorf("%s with %d bytes: %d %.200s", path, len(body), r.status, r.body)
		}
		if len(h.admission) != 0 && len(h.admission) != cap(h.admission) {
			t.Errorf("%d slots are not released", len(h.admission))
		}
	}
	for range 2 {
		ask("/CodeSystem/$lookup", large, http.StatusOK)
		ask("/CodeSystem/$lookup", strings.Replace(large, `"dog"`, `"fog"`, 1), http.StatusNotFound)
		ask("/", batch, http.StatusOK)
	}
	h.admission <- struct{}{}
	ask("/CodeSystem/$lookup", small, http.StatusOK)
	h.Limits.Timeout = time.Millisecond
	ask("/CodeSystem/$lookup", large, http.StatusServiceUnavailable)
	h.Limits.Timeout = time.Minute
	time.AfterFunc(10*time.Millisecond, func() { <-h.admission })
	if r := c.do("POST", "/CodeSystem/$lookup", large); r.status != http.StatusOK {
		t.Error("not admitted though a slot is free:", r.status)
	}
}

// TestAdmissionAfterPanic checks that a handler that panics releases its slot.
func TestAdmissionAfterPanic(t *testing.T) {
	h := newClient(t).handler.(*Handler)
	c := &call{h: h, w: nothing{}, r: newRequest(t)}
	func() {
		defer func() { _ = recover() }()
		c.run(func(c *call) {
			if err := c.admit(make([]byte, largeBody)); err != nil {
				t.Error(err)
			}
			panic("oops")
		})
	}()
	if len(h.admission) != 0 {
		t.Error("the slot is not released")
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

// nothing is a ResponseWriter that discards everything.
type nothing struct{}

func (nothing) Header() http.Header         { return http.Header{} }
func (nothing) WriteHeader(int)             {}
func (nothing) Write(p []byte) (int, error) { return len(p), nil }
