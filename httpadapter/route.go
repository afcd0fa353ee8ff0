package httpadapter

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/roget-health/roget/engine/operation"
)

// methods are registered for every path; the table of actions decides which of them it supports.
var methods = [...]string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// routes returns the router with every path. In httprouter a wildcard and a fixed segment cannot
// be siblings, so a type has the two patterns /T and /T/*rest, and targetOf parses the rest. Each
// type is registered by name; anything else is answered by unknownPath.
func (h *Handler) routes() *httprouter.Router {
	router := httprouter.New()
	router.RedirectTrailingSlash = false // FHIR paths are exact and case-sensitive
	router.RedirectFixedPath = false
	router.HandleMethodNotAllowed = true
	router.HandleOPTIONS = true
	router.NotFound = h.plain(label{action: "unknown"}, (*call).unknownPath)
	router.MethodNotAllowed = h.plain(label{action: "unknown"}, (*call).methodNotAllowed)
	router.GlobalOPTIONS = h.plain(label{action: "options"}, func(c *call) { c.empty(http.StatusNoContent) })
	router.PanicHandler = h.recovered

	for i := range bases {
		at := &bases[i]
		h.systemRoutes(router, at)
		for _, typ := range h.types {
			if !at.serves(typ) {
				continue
			}
			handle := h.handle(at, label{"unknown", typ}, func(c *call) {
				rest := ""
				if len(c.params) > 0 {
					rest = c.params[0].Value
				}
				c.target = targetOf(rest)
				c.serve()
			})
			for _, method := range methods {
				router.Handle(method, at.path+"/"+typ, handle)
				router.Handle(method, at.path+"/"+typ+"/*rest", handle)
			}
		}
	}
	get(router, "/healthz", h.handle(root(), label{action: "health"}, (*call).healthy))
	get(router, "/readyz", h.handle(root(), label{action: "ready"}, (*call).ready))
	if h.pages != nil {
		handle := h.handle(root(), label{action: "page"}, (*call).page)
		for _, path := range []string{pagePath, pagePath + "/*page"} {
			get(router, path, handle)
			router.POST(path, handle)
		}
	}
	if h.metrics != nil && !h.MetricsApart {
		router.Handler(http.MethodGet, "/metrics", h.forAll(h.metrics.handler()))
	}
	return router
}

func get(router *httprouter.Router, path string, handle httprouter.Handle) {
	router.GET(path, handle)
	router.HEAD(path, handle)
}

// systemRoutes registers the paths that belong to no type: the base with and without a trailing
// slash, metadata, and the searches, histories and operations of the system.
func (h *Handler) systemRoutes(router *httprouter.Router, at *base) {
	prefix := at.path
	get(router, prefix+"/metadata", h.handle(at, label{action: "capabilities"}, (*call).capabilities))
	get(router, prefix+openapiPath, h.handle(at, label{action: "openapi"}, (*call).openAPI))
	if h.SMART != nil {
		get(router, prefix+smartPath, h.handle(at, label{action: "smart-configuration"}, (*call).smartConfiguration))
	}
	for path, where := range map[string]route{
		prefix: atBase, prefix + "/": atBase,
		prefix + "/_search": atSystemSearch, prefix + "/_history": atSystemHistory,
	} {
		if path == "" || at.isR5() && (where == atSystemSearch || where == atSystemHistory) {
			continue
		}
		handle := h.handle(at, label{action: "unknown"}, func(c *call) {
			c.target = target{route: where}
			c.serve()
		})
		for _, method := range methods {
			router.Handle(method, path, handle)
		}
	}
	if !at.isR5() {
		for _, k := range h.jobKinds() {
			k.routes(h, router, at)
		}
	}
	operation := h.handle(at, label{action: "operation"}, func(c *call) {
		c.target = target{route: atSystemOperation, last: c.params[0].Value}
		c.serve()
	})
	for _, method := range methods {
		router.Handle(method, prefix+"/$:op", operation)
	}
	for _, op := range h.Operations {
		if op.Path == "" {
			continue
		}
		handle := h.handle(at, label{op.Name, op.Type}, func(c *call) { c.operate(op, "") })
		router.POST(prefix+op.Path, handle)
		if !op.AffectsState || op.AllowsGet {
			get(router, prefix+op.Path, handle)
		}
	}
}

// plain returns an http.Handler that runs fn, for requests that match no route.
func (h *Handler) plain(what label, fn func(*call)) http.Handler {
	handle := h.handle(root(), what, fn)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, nil) })
}

// A route is a kind of path below the base. A route and a method make an interaction
// (R4 http.html#summary).
type route uint8

const (
	atNothing route = iota
	atBase
	atSystemSearch      // /_search
	atSystemHistory     // /_history
	atSystemOperation   // /$op
	atType              // /T
	atTypeSearch        // /T/_search
	atTypeHistory       // /T/_history
	atTypeOperation     // /T/$op
	atInstance          // /T/id
	atInstanceHistory   // /T/id/_history
	atVersion           // /T/id/_history/n
	atInstanceOperation // /T/id/$op
	atCompartment       // /C/id/T, and /C/id/* for all types
	atCompartmentSearch // /C/id/T/_search
	routes              // the number of routes
)

// target is the parsed path of a request.
type target struct {
	route route
	id    string
	last  string // the last segment: name of an operation, number of a version, type in a compartment
}

// targetOf parses the path after the type: "", or a slash and more. A FHIR id begins with
// neither $ nor _, so no path is ambiguous.
func targetOf(rest string) target {
	if rest == "" {
		return target{route: atType}
	}
	first, rest, more := strings.Cut(rest[1:], "/")
	switch {
	case first == "":
		return target{}
	case first[0] == '$':
		return unlessMore(target{route: atTypeOperation, last: first[1:]}, more)
	case first[0] == '_':
		return unlessMore(target{route: searchOrHistory(first, atTypeSearch, atTypeHistory)}, more)
	case !more:
		return target{route: atInstance, id: first}
	}
	second, rest, more := strings.Cut(rest, "/")
	switch {
	case second == "":
		return target{}
	case second[0] == '$':
		return unlessMore(target{atInstanceOperation, first, second[1:]}, more)
	case second == "_history" && !more:
		return target{route: atInstanceHistory, id: first}
	case second == "_history":
		return unlessMore(target{atVersion, first, rest}, rest == "" || strings.Contains(rest, "/"))
	case second != "*" && (second[0] < 'A' || second[0] > 'Z'):
		return target{}
	case !more:
		return target{atCompartment, first, second}
	case rest == "_search":
		return target{atCompartmentSearch, first, second}
	}
	return target{}
}

// isOperation reports whether the target is an operation.
func (t target) isOperation() bool {
	return t.route == atSystemOperation || t.route == atTypeOperation || t.route == atInstanceOperation
}

// searchOrHistory returns the route of a name that begins with an underscore.
func searchOrHistory(name string, search, history route) route {
	switch name {
	case "_search":
		return search
	case "_history":
		return history
	}
	return atNothing
}

// unlessMore returns t, or the zero target if the path has more segments.
func unlessMore(t target, more bool) target {
	if more {
		return target{}
	}
	return t
}

// action is what a method does on a route.
type action struct {
	method string
	name   string // of the interaction, for logs and metrics
	writes bool   // only for types that are stored
	run    func(*call)
}

// actions returns the table of actions by route. A GET entry covers HEAD too.
func actions() (table [routes][]action) {
	table[atBase] = []action{
		{http.MethodGet, "search", false, (*call).searchSystem},
		{http.MethodPost, "batch", false, (*call).bundled},
	}
	table[atSystemSearch] = []action{{http.MethodPost, "search", false, (*call).searchForm}}
	table[atSystemHistory] = []action{{http.MethodGet, "history", false, (*call).history}}
	table[atType] = []action{
		{http.MethodGet, "search", false, (*call).search},
		{http.MethodPost, "create", true, (*call).create},
		{http.MethodPut, "update", true, (*call).updateWhere},
		{http.MethodPatch, "patch", true, (*call).patchWhere},
		{http.MethodDelete, "delete", true, (*call).deleteWhere},
	}
	table[atTypeSearch] = []action{{http.MethodPost, "search", false, (*call).searchForm}}
	table[atTypeHistory] = []action{{http.MethodGet, "history", true, (*call).history}}
	operate := []action{
		{http.MethodGet, "operation", false, (*call).operateTarget},
		{http.MethodPost, "operation", false, (*call).operateTarget},
	}
	table[atSystemOperation], table[atTypeOperation], table[atInstanceOperation] = operate, operate, operate
	table[atInstance] = []action{
		{http.MethodGet, "read", false, (*call).read},
		{http.MethodPut, "update", true, (*call).update},
		{http.MethodPatch, "patch", true, (*call).patch},
		{http.MethodDelete, "delete", true, (*call).remove},
	}
	table[atInstanceHistory] = []action{{http.MethodGet, "history", false, (*call).history}}
	table[atVersion] = []action{{http.MethodGet, "vread", false, (*call).readVersion}}
	table[atCompartment] = []action{{http.MethodGet, "search", false, (*call).search}}
	table[atCompartmentSearch] = []action{{http.MethodPost, "search", false, (*call).searchForm}}
	return table
}

// serve runs the action of the request's method on its target.
func (c *call) serve() {
	at := c.target.route
	if at == atNothing {
		c.unknownPath()
		return
	}
	method := c.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for i := range c.h.actions[at] {
		if a := &c.h.actions[at][i]; a.method == method && c.allows(a) {
			c.label.action = a.name
			a.run(c)
			return
		}
	}
	switch {
	case method == http.MethodOptions:
		c.w.Header().Set("Allow", c.allowed())
		c.empty(http.StatusNoContent)
	case c.target.isOperation() && !c.hasOperation():
		c.operateTarget() // answers that the operation is unknown
	default:
		c.notAllowed(c.allowed())
	}
}

// allows reports whether an action is available for the type or the operation of the request.
func (c *call) allows(a *action) bool {
	if c.target.isOperation() && a.method == http.MethodGet {
		op := c.operation()
		if stored := c.h.resourceOperation(c.label.typ, c.target.last, c.target.id != ""); stored != nil {
			op = &stored.Operation
		}
		return op == nil || !op.AffectsState || op.AllowsGet
	}
	switch a.name {
	case "update", "patch", "delete":
		return c.h.stored[c.label.typ] && !c.h.Resources.AppendOnly(c.label.typ)
	}
	return !a.writes || c.h.stored[c.label.typ]
}

// typeOperations holds the operations of one resource type or of the system, by name.
type typeOperations struct {
	onType, onInstance map[string]*operation.Operation
}

func (t typeOperations) named(instance bool) map[string]*operation.Operation {
	if instance {
		return t.onInstance
	}
	return t.onType
}

// operation returns the operation of the table that the target names, or nil.
func (c *call) operation() *operation.Operation {
	return c.h.operationsByType[c.label.typ].named(c.target.id != "")[c.target.last]
}

// allowed returns the methods of the request's route, for the Allow header.
func (c *call) allowed() string {
	var b strings.Builder
	for i := range c.h.actions[c.target.route] {
		a := &c.h.actions[c.target.route][i]
		if !c.allows(a) {
			continue
		}
		b.WriteString(a.method + ", ")
		if a.method == http.MethodGet {
			b.WriteString("HEAD, ")
		}
	}
	b.WriteString(http.MethodOptions)
	return b.String()
}

// unprefixed returns the path below the base without the leading slash, and sets c.at.
func (c *call) unprefixed() string {
	at, path, ok := baseOf(c.r.URL.Path)
	if ok {
		c.at = at
	}
	return strings.TrimPrefix(path, "/")
}

// unknownPath answers a path that matches no route. A first segment with a capital letter is
// reported as a resource type.
func (c *call) unknownPath() {
	first, _, _ := strings.Cut(c.unprefixed(), "/")
	switch {
	case c.at.isR5() && c.h.served(first):
		c.notOnR5(first)
	case c.at.isR5() && (first == "_search" || first == "_history"):
		c.notOnR5("a search or history of all types")
	case first != "" && first[0] >= 'A' && first[0] <= 'Z' && !c.h.served(first):
		c.refuse(http.StatusNotFound, "not-supported", "resource type %q is not supported; see %s/metadata", cut(first), c.at.path)
	default:
		c.refuse(http.StatusNotFound, "not-found", "there is nothing at %q; see %s/metadata", cut(c.r.URL.Path), c.at.path)
	}
}

// methodNotAllowed answers a known path with a method that it does not support. The router has
// set Allow to the registered methods; for paths below a type, serve sets the supported ones.
func (c *call) methodNotAllowed() {
	typ, rest, below := strings.Cut(c.unprefixed(), "/")
	if !c.served(typ) {
		c.notAllowed(c.w.Header().Get("Allow"))
		return
	}
	if below {
		rest = "/" + rest
	}
	c.label.typ, c.target = typ, targetOf(rest)
	c.serve()
}

func (c *call) notAllowed(allow string) {
	c.w.Header().Set("Allow", allow)
	c.refuse(http.StatusMethodNotAllowed, "not-supported", "%s is not supported here; use %s", cut(c.r.Method), allow)
}
