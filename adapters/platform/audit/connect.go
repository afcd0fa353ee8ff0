package audit

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
)

// A Target is the platform to audit and the account to audit it with.
type Target struct {
	BaseURL  string
	Provider auth.Provider
	// Client are the settings of the audit's client: transport, TLS, retries, user agent. Connect sets
	// its Pin, hooks and limit of answers.
	Client platform.Options
	// Fallback audits a server whose version this program does not support as the nearest major that it
	// does support. Without it, Connect returns an UnsupportedVersionError.
	Fallback bool
}

// Limits of what an audit reads.
const (
	maxAnswer = 64 << 20 // bytes of a response
	maxProbe  = 1 << 20  // bytes of a response without login
	probeTime = 15 * time.Second
	maxHops   = 5 // redirects on the way to the canonical address
)

// anonymous is a provider that sends nothing.
type anonymous struct{}

func (anonymous) Headers(context.Context) (map[string]string, error) { return nil, nil }
func (anonymous) RefreshIfNeeded(context.Context) error              { return nil }

// Connect returns a scanner of a platform. It finds the canonical address without leaving the permitted
// paths, reads the version, and binds to its major.
func Connect(ctx context.Context, target Target) (*Scanner, error) {
	base, err := auth.CleanBaseURL(target.BaseURL)
	if err != nil {
		return nil, err
	}
	options := target.Client
	next, err := options.RoundTripper()
	if err != nil {
		return nil, err
	}
	if base, err = locate(ctx, base, next, options); err != nil {
		return nil, err
	}
	guard, err := NewGuard(next, base)
	if err != nil {
		return nil, err
	}
	options.Transport, options.TLS, options.MaxAnswer = guard, nil, maxAnswer
	s := &Scanner{base: base, guard: guard, bare: options}
	options.Pin = platform.Majors()[0] // to read the version; the real major follows
	if s.client, err = platform.New(base, target.Provider, options); err != nil {
		return nil, err
	}
	if s.platformVersion, err = s.reportedVersion(ctx); err != nil {
		return nil, err
	}
	if options.Pin, err = bind(s.platformVersion, target.Fallback); err != nil {
		return nil, err
	}
	if s.client, err = platform.New(base, target.Provider, options); err != nil {
		return nil, err
	}
	s.features = options.Pin.Features()
	return s, guard.Err()
}

// bind returns the major as which a server is audited. With fallback, a newer server is audited as the
// highest major, an older one as the lowest, and one without a readable version as the highest: a wrong
// guess costs an audit some reads that fail, and harms nothing.
func bind(reported string, fallback bool) (platform.Major, error) {
	majors := platform.Majors()
	version, err := platform.ParseVersion(reported)
	switch {
	case err == nil && version.Major.Supported():
		return version.Major, nil
	case !fallback:
		return 0, &platform.UnsupportedVersionError{Version: reported, Available: majors}
	case err == nil && version.Major < majors[0]:
		return majors[0], nil
	}
	return majors[len(majors)-1], nil
}

// bare returns a client with its own login, or none, that sends through a guard, never retries, and waits
// no longer than a probe may take. Of the options of the audit's client it has those about identity and
// debugging.
func bare(guard *Guard, base string, provider auth.Provider, o platform.Options) (*platform.Client, error) {
	return platform.New(base, provider, platform.Options{
		Transport: guard, UserAgent: o.UserAgent, Debug: o.Debug, MaxAnswer: maxProbe, ReadTimeout: probeTime, ConnectTimeout: probeTime,
	})
}

// ajax are the headers of every request. Without X-Requested-With, the platform redirects a request
// without login to its login page. Platform versions, V5.
func ajax() http.Header { return http.Header{"X-Requested-With": {"XMLHttpRequest"}} }

// probe requests a path with a bare client and returns the response, whatever its status.
func probe(ctx context.Context, client *platform.Client, path string) (*platform.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return client.Raw(ctx, platform.Request{Path: path, Header: ajax()})
}

// locate returns the canonical address: where the redirects of the root lead, without login page and
// apps, if the platform answers there; else the address that was given. It requests / and
// /api/system/info only, without credentials. Platform versions, V6.
func locate(ctx context.Context, base string, next http.RoundTripper, o platform.Options) (string, error) {
	for range maxHops {
		response, err := probeAt(ctx, base, "/", next, o)
		if err != nil || response == nil || response.Status < 300 || response.Status >= 400 {
			return base, err
		}
		candidate := landing(base, response.Header.Get("Location"))
		if candidate == "" || candidate == base {
			return base, nil
		}
		if response, err = probeAt(ctx, candidate, infoPath, next, o); err != nil {
			return base, err
		}
		if response == nil || !isJSON(response) {
			return base, nil
		}
		base = candidate
	}
	return base, nil
}

// probeAt requests a path of an address without credentials. The response is nil if there is none. The
// error is a veto, or that of the context.
func probeAt(ctx context.Context, base, path string, next http.RoundTripper, o platform.Options) (*platform.Response, error) {
	guard, err := NewGuard(next, base)
	if err != nil {
		return nil, nil //nolint:nilerr // an invalid address is not canonical
	}
	client, err := bare(guard, base, anonymous{}, o)
	if err != nil {
		return nil, nil //nolint:nilerr // as above
	}
	response, err := probe(ctx, client, path)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, platform.ErrVetoed):
		return nil, err
	case err != nil:
		return nil, nil //nolint:nilerr // without a response the address is kept
	}
	return response, nil
}

// landing returns the address that a redirect leads to, without the page at its end, or "".
func landing(base, location string) string {
	from, err := url.Parse(base + "/")
	if err != nil || location == "" {
		return ""
	}
	to, err := from.Parse(location)
	if err != nil || to.Host == "" || from.Scheme == "https" && to.Scheme != "https" {
		return ""
	}
	path := to.Path
	for _, page := range []string{"/dhis-web-", "/apps/", "/api/apps/", "/login", "/index.html"} {
		if i := strings.Index(path, page); i >= 0 {
			path = path[:i]
		}
	}
	clean, err := auth.CleanBaseURL((&url.URL{Scheme: to.Scheme, Host: to.Host, Path: path}).String())
	if err != nil {
		return ""
	}
	return clean
}

// isJSON reports whether a response claims to be JSON.
func isJSON(response *platform.Response) bool {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}
