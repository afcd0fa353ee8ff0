package platformtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/mcpadapter/answer"
)

// OneRoute names a route.
type OneRoute struct {
	On
	Route string `json:"route" jsonschema:"uid or code"`
}

// RoutePayload is a route as the platform has it. Secrets of its upstream are part of it.
type RoutePayload struct {
	Payload Object `json:"payload" jsonschema:"code, name, url, authorities, auth, …"`
}

// Answered is the answer of another server through a route.
type Answered struct {
	Status    int    `json:"status"`
	Type      string `json:"content_type,omitempty"`
	Body      string `json:"body"`
	Truncated bool   `json:"truncated,omitempty"`
}

func addRoutes(r *registry) {
	add(r, reads, "route_list", "List routes", "Routes to other servers.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			Fields string `json:"fields,omitempty"`
		},
		) (List, error) {
			routes, err := c.Routes().List(ctx, platform.ListOptions{Fields: in.Fields})
			if err != nil {
				return List{}, err
			}
			return listOf(routes)
		})
	add(r, reads, "route_get", "Get a route", "One route, without its secrets.",
		func(ctx context.Context, c *platform.Client, in struct {
			OneRoute
			Fields []string `json:"fields,omitempty"`
		},
		) (Object, error) {
			route, err := c.Routes().Get(ctx, in.Route)
			if err != nil {
				return nil, err
			}
			shown, err := object(route)
			for name := range shown {
				if len(in.Fields) > 0 && !slices.Contains(in.Fields, name) {
					delete(shown, name)
				}
			}
			return shown, err
		})
	add(r, changes, "route_create", "Create a route", "Creates a route.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			RoutePayload
		},
		) (Done, error) {
			route, err := in.route()
			if err != nil {
				return Done{}, err
			}
			uid, err := c.Routes().Create(ctx, route)
			if err != nil {
				return Done{}, err
			}
			return Done{Done: "created the route " + route.Code, UID: uid}, nil
		})
	add(r, destroys, "route_update", "Replace a route", "Replaces a route by a whole one, secrets included.",
		func(ctx context.Context, c *platform.Client, in struct {
			OneRoute
			RoutePayload
		},
		) (Done, error) {
			next, err := in.route()
			if err != nil {
				return Done{}, err
			}
			route, err := c.Routes().Get(ctx, in.Route)
			if err != nil {
				return Done{}, err
			}
			if next.ID != "" && next.ID != route.ID {
				return Done{}, fmt.Errorf("payload is the route %s, not %s", next.ID, route.ID)
			}
			next.ID = route.ID
			return doneOr(c.Routes().Update(ctx, route.ID, next), "updated the route %s", route.ID)
		})
	add(r, destroys, "route_patch", "Patch a route", "Changes a route by JSON Patch.",
		func(ctx context.Context, c *platform.Client, in struct {
			OneRoute
			Patch []Object `json:"patch"`
		},
		) (Done, error) {
			patch, err := patchOf(in.Patch)
			if err != nil {
				return Done{}, err
			}
			route, err := c.Routes().Get(ctx, in.Route)
			if err != nil {
				return Done{}, err
			}
			return doneOr(c.Routes().Patch(ctx, route.ID, patch), "patched the route %s", route.ID)
		})
	add(r, destroys, "route_delete", "Delete a route", "Deletes a route.",
		func(ctx context.Context, c *platform.Client, in OneRoute) (Done, error) {
			route, err := c.Routes().Get(ctx, in.Route)
			if err != nil {
				return Done{}, err
			}
			return doneOr(c.Routes().Delete(ctx, route.ID), "deleted the route %s", route.ID)
		})
	add(r, destroys, "route_run", "Run a route", "Sends a request through a route. 502 means that the other server did not answer.", runRoute)
}

// route reads the payload.
func (p RoutePayload) route() (route platform.Route, err error) {
	doc, err := json.Marshal(p.Payload)
	if err == nil {
		err = json.Unmarshal(doc, &route)
	}
	if err == nil && (route.Code == "" || route.URL == "") {
		err = errors.New("payload lacks code or url")
	}
	return route, err
}

// patchOf reads a JSON Patch.
func patchOf(list []Object) (patch []platform.PatchOperation, err error) {
	if len(list) == 0 {
		return nil, errors.New("patch is empty: give operations such as {\"op\":\"replace\",\"path\":\"/name\",\"value\":\"New\"}")
	}
	doc, err := json.Marshal(list)
	if err == nil {
		err = json.Unmarshal(doc, &patch)
	}
	return patch, err
}

// RouteRun is a request through a route.
type RouteRun struct {
	OneRoute
	Method  string `json:"method,omitempty"`
	Body    any    `json:"body,omitempty"`
	SubPath string `json:"sub_path,omitempty" jsonschema:"path below a url that ends with **"`
}

// maxRouteAnswer bounds what is returned of the answer of another server.
const maxRouteAnswer = 16 << 10

func runRoute(ctx context.Context, c *platform.Client, in RouteRun) (Answered, error) {
	call := platform.RouteCall{Method: in.Method, Path: in.SubPath}
	if in.Body != nil {
		if in.Method == "" || in.Method == http.MethodGet || in.Method == http.MethodHead {
			return Answered{}, errors.New("a GET has no body: give method, such as POST")
		}
		doc, err := json.Marshal(in.Body)
		if err != nil {
			return Answered{}, err
		}
		call.Body = doc
	}
	route, err := c.Routes().Get(ctx, in.Route)
	if err != nil {
		return Answered{}, err
	}
	if route.Wildcard() && call.Path == "" {
		return Answered{}, fmt.Errorf("route %s leads to %s: give sub_path", in.Route, route.URL)
	}
	response, err := c.Routes().Send(ctx, *route, call)
	if err != nil {
		return Answered{}, err
	}
	out := Answered{Status: response.Status, Type: response.Header.Get("Content-Type"), Body: string(response.Body)}
	if !utf8.ValidString(out.Body) {
		out.Body, out.Truncated = fmt.Sprintf("(%d bytes that are not text)", len(response.Body)), true
	} else if len(out.Body) > maxRouteAnswer {
		out.Body, out.Truncated = answer.Cut(out.Body, maxRouteAnswer), true
	}
	return out, nil
}
