package platformtest

import (
	"net/http"
	"strings"
)

// Fault is what goes wrong on a path. One that says nothing but Wait is answered as ever
// when the waiting is over.
type Fault struct {
	Method string // any where empty
	Times  int    // how many requests it meets; all where 0

	Wait   <-chan struct{} // nothing is answered before it is closed, or the request given up
	Drop   bool            // the connection ends without an answer
	HTML   bool            // the answer is a page, with Status, 200 where 0
	Status int             // the answer is an error, with Body, an envelope where empty
	Body   string
	Header http.Header // of the answer: Location, Retry-After, Content-Type
}

// Fault makes requests of a path go wrong, from now on. The path is below the base URL,
// such as "/api/me"; with * at the end it is all that begin so. Of several faults of a path
// the first that has not met its requests is met.
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

// Heal ends all faults.
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

// happen reports whether the fault has answered.
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

// drop ends a connection within its first line. Nothing at all would not do: a
// client may send a request again, of its own, on a connection that ends before an answer.
func drop(w http.ResponseWriter) {
	if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_, _ = connection.Write([]byte("HTTP/1.1 200"))
		_ = connection.Close()
	}
	panic(http.ErrAbortHandler)
}
