package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
)

// A route is a route of the platform, without the secrets of its authentication.
type route struct {
	ID          string          `json:"id"`
	Code        string          `json:"code"`
	Name        string          `json:"name"`
	URL         string          `json:"url"`
	Disabled    bool            `json:"disabled"`
	Authorities []string        `json:"authorities"`
	Auth        json.RawMessage `json:"auth"`

	authKind, authUser string
}

// routesInput is the input of the check of routes.
type routesInput struct {
	routes     []route
	unreadable int
}

func (s *Scanner) routes(ctx context.Context) (Result, error) {
	raw, err := readList[json.RawMessage](ctx, s, "/api/routes", "routes", fields("id,code,name,url,disabled,authorities,auth,headers,responseTimeoutSeconds"))
	if err != nil {
		return Result{}, err
	}
	var in routesInput
	for _, text := range raw {
		if r, ok := parseRoute(text); ok {
			in.routes = append(in.routes, r)
		} else {
			in.unreadable++
		}
	}
	return reduceRoutes(in), nil
}

// parseRoute reads a route. Of its authentication only the type and the user name are kept.
func parseRoute(text json.RawMessage) (r route, ok bool) {
	if json.Unmarshal(text, &r) != nil || r.URL == "" {
		return r, false
	}
	if len(r.Auth) > 0 && string(r.Auth) != "null" {
		var auth struct{ Type, Username string }
		r.authKind = "unknown"
		if json.Unmarshal(r.Auth, &auth) == nil && slices.Contains(platform.Major(43).Features().RouteAuthTypes, auth.Type) {
			r.authKind = auth.Type
			if auth.Type == platform.RouteAuthBasic {
				r.authUser = auth.Username
			}
		}
	}
	r.Auth = nil
	return r, true
}

func reduceRoutes(in routesInput) Result {
	const metadata, private, subpaths = "routes-metadata-endpoint", "routes-private-address", "routes-allows-subpaths"
	const carries, ungated, inventory = "routes-carries-auth", "routes-no-required-authorities", "routes-inventory"
	all := []string{metadata, private, subpaths, carries, ungated, inventory}
	r := newRecorder(CheckRoutes)
	r.evaluated(all...)
	disabled := 0
	for _, route := range in.routes {
		if route.Disabled {
			disabled++
		}
		host, kind := classifyHost(route.URL)
		flag := func(id, group string, severity Severity, title, detail string, more ...string) {
			evidence := map[string]string{"id": route.ID, "url": redacted(route.URL), "disabled": strconv.FormatBool(route.Disabled)}
			for i := 0; i+1 < len(more); i += 2 {
				evidence[more[i]] = more[i+1]
			}
			r.flag(Finding{Control: id, GroupKey: group, Severity: severity, Title: title, Detail: detail, Evidence: evidence, Subject: cmp.Or(route.Code, route.Name, route.ID)})
		}
		switch kind {
		case hostMetadata:
			flag(metadata, "route-metadata", High, "A route leads to the metadata service of a cloud", "Whoever may run it can read the credentials of the server.", "host", host)
		case hostInternal:
			flag(private, "route-internal", High, "A route leads into the internal network", "Whoever may run it reaches servers that are not open to them otherwise.", "host", host)
		}
		if strings.HasSuffix(route.URL, "/**") {
			flag(subpaths, "route-subpaths", Medium, "A route allows any path", "Whoever may run it reaches all paths below its address.")
		}
		if route.authKind != "" {
			who := []string{"auth", route.authKind}
			if route.authUser != "" {
				who = append(who, "username", route.authUser)
			}
			flag(carries, "route-auth", Info, "A route logs in to another server", "The platform stores credentials of that server, and uses them for everybody who may run the route.", who...)
		}
		if !route.Disabled && len(route.Authorities) == 0 {
			flag(ungated, "route-ungated", Medium, "A route needs no authority", "Everybody who can read the route can run it.")
		}
	}
	if len(in.routes) > 0 {
		r.flag(Finding{
			Control: inventory, Severity: Info, Title: "Routes", Detail: fmt.Sprintf("Routes: %d, of which disabled: %d.", len(in.routes), disabled),
			Evidence: map[string]string{"total": strconv.Itoa(len(in.routes)), "disabled": strconv.Itoa(disabled)},
		})
	}
	if in.unreadable > 0 {
		r.note("Routes that could not be read and were not judged: %d.", in.unreadable)
		r.skip(fmt.Sprintf("some routes could not be read: %d", in.unreadable), all...)
	}
	return r.done()
}
