package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

const (
	routesPath = "/api/routes"
	// RouteFields are the default fields of routes.
	RouteFields = "id,code,name,url,disabled,authorities,auth"
)

func routePath(uid string) string { return routesPath + "/" + segment(uid) }

// Routes manages and calls routes. Platform toolkit, section 2.9.
type Routes struct{ client *Client }

// Routes returns the accessor of routes.
func (c *Client) Routes() Routes { return Routes{c} }

// List returns routes. The default of options.Fields is RouteFields.
func (r Routes) List(ctx context.Context, options ListOptions) ([]Route, error) {
	if options.Fields == "" {
		options.Fields = RouteFields
	}
	var routes []Route
	err := r.client.list(ctx, routesPath, options, "routes", &routes)
	return routes, err
}

// Get returns the route with a uid, or else with a code, with all its members. If there is neither,
// the error is a LookupError of kind ErrRouteNotFound.
func (r Routes) Get(ctx context.Context, uidOrCode string) (*Route, error) {
	fields := url.Values{"fields": {"*"}}
	if IsUID(uidOrCode) {
		var route Route
		err := r.client.get(ctx, routePath(uidOrCode), fields, &route)
		if err == nil {
			return &route, nil
		}
		if statusOf(err) != http.StatusNotFound {
			return nil, err
		}
	}
	return r.find(ctx, uidOrCode, "*")
}

// find returns the route with a code.
func (r Routes) find(ctx context.Context, code, fields string) (*Route, error) {
	query := url.Values{"filter": {"code:eq:" + code}, "fields": {fields}, "pageSize": {"1"}}
	var routes []Route
	if _, err := r.client.getPage(ctx, routesPath, query, "routes", &routes); err != nil {
		return nil, err
	}
	for _, route := range routes {
		if route.Code == code && route.ID != "" {
			return &route, nil
		}
	}
	return nil, &LookupError{Kind: ErrRouteNotFound, Name: code}
}

// Create creates a route and returns its uid.
func (r Routes) Create(ctx context.Context, route Route) (uid string, err error) {
	var answer struct{ Response struct{ UID string } }
	err = r.write(ctx, http.MethodPost, routesPath, route, &answer)
	return answer.Response.UID, err
}

// Update replaces the route with a uid. Members that the record lacks are lost, including secrets.
func (r Routes) Update(ctx context.Context, uid string, route Route) error {
	r.forget(uid)
	return r.write(ctx, http.MethodPut, routePath(uid), route, nil)
}

func (r Routes) write(ctx context.Context, method, path string, route Route, into any) error {
	if route.Auth == nil {
		return r.client.send(ctx, method, path, route, into)
	}
	codec, err := r.client.codec()
	if err != nil {
		return err
	}
	body, err := encodeRoute(route, codec)
	if err != nil {
		return err
	}
	return r.client.into(ctx, Request{
		Method: method, Path: path, Body: body, ContentType: "application/json", Secrets: routeSecrets(route.Auth),
	}, into)
}

// Patch applies a JSON Patch (RFC 6902) to the route with a uid.
func (r Routes) Patch(ctx context.Context, uid string, patch []PatchOperation) error {
	body, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("JSON Patch of route %s: %w", uid, err)
	}
	r.forget(uid)
	return r.client.into(ctx, Request{
		Method: http.MethodPatch, Path: routePath(uid), Body: body, ContentType: "application/json-patch+json", Secrets: patchSecrets(patch),
	}, nil)
}

// Delete deletes the route with a uid.
func (r Routes) Delete(ctx context.Context, uid string) error {
	r.forget(uid)
	return r.client.send(ctx, http.MethodDelete, routePath(uid), nil, nil)
}

// UID returns the uid of the route with a code. The client caches it, unless fresh is set. If there is no
// such route, the error is a LookupError of kind ErrRouteNotFound.
func (r Routes) UID(ctx context.Context, code string, fresh bool) (string, error) {
	c := r.client
	c.routesMu.Lock()
	uid, known := c.routes[code]
	c.routesMu.Unlock()
	if known && !fresh {
		return uid, nil
	}
	route, err := r.find(ctx, code, "id,code")
	if errors.Is(err, ErrRouteNotFound) {
		r.Invalidate(code)
	}
	if err != nil {
		return "", err
	}
	c.routesMu.Lock()
	defer c.routesMu.Unlock()
	if c.routes == nil {
		c.routes = map[string]string{}
	}
	c.routes[code] = route.ID
	return route.ID, nil
}

// Invalidate drops the cached uid of a code.
func (r Routes) Invalidate(code string) {
	r.client.routesMu.Lock()
	defer r.client.routesMu.Unlock()
	delete(r.client.routes, code)
}

// forget drops the cached codes of a uid before it changes.
func (r Routes) forget(uid string) {
	r.client.routesMu.Lock()
	defer r.client.routesMu.Unlock()
	for code, known := range r.client.routes {
		if known == uid {
			delete(r.client.routes, code)
		}
	}
}

// Run sends a GET through the route with a code and returns the response whatever its status. Status 502
// means that the upstream did not answer. The path for the upstream is not escaped and may be empty.
// Headers take precedence over the client's. If there is no such route, the error is a LookupError of
// kind ErrRouteNotFound.
func (r Routes) Run(ctx context.Context, code, path string, params url.Values, headers http.Header) (*Response, error) {
	uid, err := r.UID(ctx, code, false)
	if err != nil {
		return nil, err
	}
	return r.Send(ctx, Route{ID: uid}, RouteCall{Path: path, Query: params, Header: headers})
}

// A RouteCall is a request through a route.
type RouteCall struct {
	Method      string // GET if empty
	Path        string // for the upstream, not escaped; may be empty
	Query       url.Values
	Header      http.Header
	Body        []byte
	ContentType string // of the body; application/json if empty
}

// Send sends a request through a route, of which it needs the uid, and returns the response whatever its
// status. If the route has a URL with a wildcard, an empty path is ErrRoutePath.
func (r Routes) Send(ctx context.Context, route Route, call RouteCall) (*Response, error) {
	if route.Wildcard() && call.Path == "" {
		return nil, fmt.Errorf("%w: route %s leads to %s; give a path below it", ErrRoutePath, route.Code, route.URL)
	}
	path, err := runPath(route.ID, call.Path)
	if err != nil {
		return nil, err
	}
	request := Request{Method: call.Method, Path: path, Query: call.Query, Header: call.Header, Body: call.Body}
	if request.Method == "" {
		request.Method = http.MethodGet
	}
	if call.Body != nil {
		if request.ContentType = call.ContentType; request.ContentType == "" {
			request.ContentType = "application/json"
		}
	}
	return r.client.Raw(ctx, request)
}

// A PatchOperation is an operation of a JSON Patch (RFC 6902).
type PatchOperation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	From  string          `json:"from,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}
