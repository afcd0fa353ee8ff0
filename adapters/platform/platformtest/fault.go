package platformtest

import (
	"net/http"
	"strconv"
	"strings"
)

// A Fault makes requests of a path fail. With only Wait set, the normal response follows after the wait.
type Fault struct {
	Method string // "" means any
	Times  int    // number of requests that fail; 0 means all

	Wait   <-chan struct{} // the response waits until it is closed or the request is canceled
	Drop   bool            // the connection ends without a response
	Cut    bool            // the connection ends in the middle of the body, Body or some JSON
	HTML   bool            // the response is an HTML page, with Status, 200 if 0
	Status int             // the response is an error, with Body, an envelope if empty
	Body   string
	Header http.Header // of the response: Location, Retry-After, Content-Type
}

// Fault adds a fault for the requests of a path below the base URL, such as "/api/me". A path with * at the
// end is a prefix. Of several faults of a path, the first that is not used up applies.
func (p *Platform) Fault(path string, faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range faults {
		if fault.Times == 0 {
			fault.Times = -1
		}
		p.faults[path] = append(p.faults[path], &fault)
	}
}

// Heal removes all faults.
func (p *Platform) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.faults)
}

func (p *Platform) faultOf(r *http.Request) *Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := ""
	for path := range p.faults {
		begin, wild := strings.CutSuffix(path, "*")
		if (path == r.URL.Path || wild && strings.HasPrefix(r.URL.Path, begin)) && len(path) > len(best) {
			best = path
		}
	}
	for _, fault := range p.faults[best] {
		if fault.Times != 0 && (fault.Method == "" || fault.Method == r.Method) {
			fault.Times--
			return fault
		}
	}
	return nil
}

// happen applies the fault, and reports whether it has responded.
func (f *Fault) happen(w http.ResponseWriter, r *http.Request) bool {
	if f.Wait != nil {
		select {
		case <-f.Wait:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	given := answer{status: f.Status, header: f.Header}
	switch {
	case f.Drop:
		drop(w)
	case f.Cut:
		cut(w, f.Body)
	case f.HTML:
		given = page(max(f.Status, http.StatusOK), "The platform is busy")
		for name, values := range f.Header {
			given.header[name] = values
		}
	case f.Status == 0:
		return false
	case f.Body != "":
		given.body = []byte(f.Body)
	case f.Status >= 400:
		given.body = envelope(f.Status, "A test wants it so")
	}
	given.write(w)
	return true
}

// cut sends the first half of a body that was announced as a whole.
func cut(w http.ResponseWriter, body string) {
	if body == "" {
		body = `{"cut": "in the middle", "list": [1, 2, 3]}`
	}
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write([]byte(body[:len(body)/2]))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// drop closes a connection within the status line. If it closed the connection before any output,
// http.Client might resend the request by itself.
func drop(w http.ResponseWriter) {
	if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_, _ = connection.Write([]byte("HTTP/1.1 200"))
		_ = connection.Close()
	}
	panic(http.ErrAbortHandler)
}
