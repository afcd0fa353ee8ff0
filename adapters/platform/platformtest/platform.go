package platformtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// maxBody limits the body of a request.
const maxBody = 16 << 20

// A Platform is a running platform double. It is safe for concurrent use.
type Platform struct {
	URL string // base URL with the context path, without a trailing slash

	options Options
	mux     *http.ServeMux

	mu          sync.Mutex
	collections map[string]*collection
	passwords   map[string]string // by user name
	tokens      map[string]string // uid in the collection apiToken, or "user:" and a name, by personal token
	settings    map[string]any
	known       map[string]bool                         // keys of settings that exist, with or without a value
	datastore   map[string]map[string]map[string][]byte // by owner ("" for the shared store), namespace and key
	secrets     map[string]Object                       // secrets of routes by uid
	apps, hub   []Object
	files       map[string]file
	schemas     []Object
	made        int // number of generated uids
	faults      map[string][]*Fault
	requests    []Request
}

// versions are the default versions by major.
var versions = map[int]string{41: "2.41.4", 42: "2.42.4", 43: "2.43.1"}

// New starts a platform that runs until the test ends.
func New(t testing.TB, options Options) *Platform {
	t.Helper()
	p := Unstarted(options)
	running := httptest.NewServer(p.Handler())
	t.Cleanup(running.Close)
	p.URL = running.URL + options.ContextPath
	return p
}

// Unstarted returns a platform that does not listen. Serve it with its Handler. Its URL is empty.
func Unstarted(options Options) *Platform {
	if options.Major == 0 {
		options.Major = 42
		_, _ = fmt.Sscanf(options.Version, "2.%d", &options.Major)
	}
	if options.Version == "" {
		options.Version = versions[options.Major]
	}
	p := &Platform{options: options, mux: http.NewServeMux(), faults: map[string][]*Fault{}}
	p.populate()
	for path, fault := range options.Faults {
		p.Fault(path, fault)
	}
	for _, table := range []map[string]handler{
		systemPaths, settingPaths, datastorePaths, collectionPaths, tokenPaths, clientPaths, userPaths,
		memberPaths, sharingPaths, routePaths, appPaths, filePaths, schemaPaths,
	} {
		for pattern, handle := range table {
			p.mux.Handle(pattern, p.serve(handle))
		}
	}
	return p
}

// Handler returns the handler of the platform, including its context path, for example to mount it beside
// an authorization server.
func (p *Platform) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		below := strings.TrimPrefix(r.URL.Path, p.options.ContextPath)
		switch {
		case below == r.URL.Path && p.options.ContextPath != "" && r.URL.Path == "/":
			http.Redirect(w, r, p.options.ContextPath+"/", http.StatusFound)
		case below == r.URL.Path && p.options.ContextPath != "":
			http.NotFound(w, r)
		default:
			http.StripPrefix(p.options.ContextPath, http.HandlerFunc(p.receive)).ServeHTTP(w, r)
		}
	})
}

// receive records a request, applies a fault, and responds.
func (p *Platform) receive(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "" {
		r.URL.Path = "/"
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	p.record(r, body)
	p.headers(w, r)
	if err != nil {
		refuse(http.StatusRequestEntityTooLarge, "the body is longer than 16 MiB").write(w)
		return
	}
	if fault := p.faultOf(r); fault != nil && fault.happen(w, r) {
		return
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	p.mux.ServeHTTP(w, r)
}

// request is an authenticated request.
type request struct {
	*http.Request
	body []byte
	user Object // nil if anonymous
}

// handler returns the response to a request. The lock is held during the call, but not while the response
// is written.
type handler func(p *Platform, r *request) answer

// serve checks credentials and calls a handler.
func (p *Platform) serve(handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		given := p.locked(r, body, handle)
		if given.later != nil {
			given = given.later()
		}
		given.write(w)
	})
}

// locked calls a handler with the lock held.
func (p *Platform) locked(r *http.Request, body []byte, handle handler) answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	user, given := p.authenticate(r)
	if given.status == 0 {
		given = handle(p, &request{r, body, user})
	}
	return given.encoded()
}

// headers sets the headers of every response.
func (p *Platform) headers(w http.ResponseWriter, r *http.Request) {
	for name, values := range p.options.Headers {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	origin := r.Header.Get("Origin")
	allowed := origin == "http://"+r.Host
	for _, pattern := range p.options.CORS {
		allowed = allowed || glob(pattern, origin)
	}
	if origin != "" && allowed {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Allow-Credentials", "true")
		w.Header().Set("Vary", "Origin")
	}
}

// glob reports whether a text matches a pattern in which * matches any text.
func glob(pattern, text string) bool {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, before)
	for ok && rest != "" {
		if glob(after, rest) {
			return true
		}
		rest = rest[1:]
	}
	return ok && glob(after, rest)
}
