package platformtest

import (
	"bytes"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"time"
)

// routePaths are the paths that only routes have.
var routePaths = map[string]handler{
	"/api/routes/{id}/run":           (*Platform).run,
	"/api/routes/{id}/run/{rest...}": (*Platform).run,
}

// routeSecrets are the secret members of a route's auth.
var routeSecrets = []string{"password", "token", "headers", "queryParams", "clientSecret"}

// routeAuths are the types of a route's auth. The last exists from major 42 on.
var routeAuths = []string{"http-basic", "api-token", "api-headers", "api-query-params", "oauth2-client-credentials"}

// routable reports whether the platform supports the type of a route's auth.
func (p *Platform) routable(route Object) bool {
	auth, given := route["auth"].(Object)
	known := slices.Index(routeAuths, text(auth, "type"))
	return !given || known >= 0 && (known < 4 || p.options.Major > 41)
}

// hide moves the secrets out of a route before it is stored. If the route has the same type and no secrets,
// the previous secrets stay.
func (p *Platform) hide(route Object) {
	auth, _ := route["auth"].(Object)
	uid, secret := text(route, "id"), Object{}
	for _, name := range routeSecrets {
		if auth[name] != nil {
			secret[name] = auth[name]
			delete(auth, name)
		}
	}
	before, _ := p.collections["routes"].get(uid)["auth"].(Object)
	if len(secret) > 0 || text(before, "type") != text(auth, "type") {
		p.secrets[uid] = secret
	}
}

// run forwards a request to the upstream of a route and returns its response.
func (p *Platform) run(r *request) answer {
	route, refused := p.one(r, "routes")
	rest := strings.TrimPrefix(r.URL.EscapedPath()[strings.Index(r.URL.EscapedPath(), "/run")+len("/run"):], "/")
	target, wild := strings.CutSuffix(text(route, "url"), "**")
	needed := several(route["authorities"])
	switch {
	case route == nil:
		return refused
	case route["disabled"] == true:
		return refuse(http.StatusConflict, "Route "+text(route, "id")+" is disabled")
	case len(needed) > 0 && !slices.ContainsFunc(needed, func(each string) bool { return p.may(r.user, each) }):
		return forbidden(strings.Join(needed, ", "))
	case rest != "" && !wild:
		return refuse(http.StatusBadRequest, "Route "+text(route, "id")+" does not allow sub-paths")
	}
	address, err := url.Parse(target + rest)
	if err != nil {
		return refuse(http.StatusBadRequest, "Invalid target: "+target+rest)
	}
	query := r.URL.Query()
	request := &http.Request{Method: r.Method, URL: address, Host: address.Host, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body))}
	for name, values := range r.Header {
		if name == "Accept" || name == "Content-Type" || strings.HasPrefix(name, "X-") && name != "X-Xsrf-Token" {
			request.Header[name] = values
		}
	}
	headers, _ := route["headers"].(Object)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		request.Header.Set(name, text(headers, name))
	}
	auth, _ := route["auth"].(Object)
	identify(request, query, auth, p.secrets[text(route, "id")])
	address.RawQuery = query.Encode()
	upstream := p.options.Upstream
	return answer{later: func() answer { return proxy(request.WithContext(r.Context()), upstream) }}
}

// identify adds the credentials of a route to a request.
func identify(request *http.Request, query url.Values, auth, secret Object) {
	switch text(auth, "type") {
	case "http-basic":
		request.SetBasicAuth(text(auth, "username"), text(secret, "password"))
	case "api-token":
		request.Header.Set("Authorization", "ApiToken "+text(secret, "token"))
	case "api-headers":
		headers, _ := secret["headers"].(Object)
		for name := range headers {
			request.Header.Set(name, text(headers, name))
		}
	case "api-query-params":
		parameters, _ := secret["queryParams"].(Object)
		for name := range parameters {
			query.Set(name, text(parameters, name))
		}
	}
}

// proxy sends a request to an upstream and returns its response, or 502 without one.
func proxy(request *http.Request, upstream http.Handler) (given answer) {
	unanswered := refuse(http.StatusBadGateway, "The upstream of the route does not answer")
	if ip := net.ParseIP(request.URL.Hostname()); ip != nil && ip.IsLoopback() {
		client := http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response, err := client.Do(request)
		if err != nil {
			return unanswered
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
		if err != nil {
			return unanswered
		}
		return proxied(response.StatusCode, response.Header, body)
	}
	if upstream == nil {
		return unanswered
	}
	defer func() {
		if recover() != nil {
			given = unanswered
		}
	}()
	w := httptest.NewRecorder()
	upstream.ServeHTTP(w, request)
	return proxied(w.Code, w.Header(), w.Body.Bytes())
}

func proxied(status int, header http.Header, body []byte) answer {
	return answer{status: status, body: body, header: http.Header{"Content-Type": {either(header.Get("Content-Type"), "application/octet-stream")}}}
}
