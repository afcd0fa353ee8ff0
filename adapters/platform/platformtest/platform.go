package platformtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// maxBody is the most that is read of a request.
const maxBody = 16 << 20

// Platform is a platform. It is safe for concurrent use.
type Platform struct {
	URL string // base URL, with the context path and without a slash at the end

	options Options
	mux     *http.ServeMux

	mu          sync.Mutex
	collections map[string]*collection
	passwords   map[string]string // by user name
	tokens      map[string]string // personal token to its uid in the collection apiToken, or to "user:" and a name
	settings    map[string]any
	datastore   map[string]map[string]map[string][]byte // owner, "" for the shared one; namespace; key
	secrets     map[string]Object                       // what routes never show of their auth, by uid
	apps, hub   []Object
	files       map[string]file
	schemas     []Object
	made        int // uids given so far
	faults      map[string][]*Fault
	requests    []Request
}

// versions are what servers say where a test does not. From 2.43.2 on clients are not
// given the scope ALL.
var versions = map[int]string{41: "2.41.4", 42: "2.42.4", 43: "2.43.0"}

// New runs a platform until the test ends.
func New(t testing.TB, options Options) *Platform {
	t.Helper()
	p := Unstarted(options)
	running := httptest.NewServer(p.Handler())
	t.Cleanup(running.Close)
	p.URL = running.URL + options.ContextPath
	return p
}

// Unstarted is a platform that does not listen, to serve by its Handler. Its URL is empty.
func Unstarted(options Options) *Platform {
	if options.Major == 0 {
		options.Major = 42
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

// Handler serves the platform, its context path included: to mount beside an authorization
// server, say.
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

// receive records a request, has its fault if any, and answers it.
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

// request is a request whose sender is known.
type request struct {
	*http.Request
	body []byte
	user Object // nil where nobody has signed in
}

// handler answers a request. It is called with the lock held, and its answer is written
// without.
type handler func(p *Platform, r *request) answer

// serve checks credentials and has a handler answer.
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

// locked answers with the lock held.
func (p *Platform) locked(r *http.Request, body []byte, handle handler) answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	user, given := p.authenticate(r)
	if given.status == 0 {
		given = handle(p, &request{r, body, user})
	}
	return given.encoded()
}

// headers sets the headers of every answer.
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

// glob reports whether text is what pattern says, where * is any text.
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
