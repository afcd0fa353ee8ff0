package httpadapter

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/roget-health/roget/engine/operation"
)

// methods are those that the router hands to a place, which knows what it has for them.
var methods = [...]string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// routes registers every path. A wildcard and a fixed segment cannot share a place in
// the tree of httprouter, so a type has the two shapes /T and /T/*rest, and targetOf
// reads the rest. Types are registered one by one: what is none falls to unknownPath.
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

	for _, prefix := range prefixes {
		h.systemRoutes(router, prefix)
		for _, typ := range h.types {
			at := h.handle(prefix, label{"unknown", typ}, func(c *call) {
				rest := ""
				if len(c.params) > 0 {
					rest = c.params[0].Value
				}
				c.target = targetOf(rest)
				c.serve()
			})
			for _, method := range methods {
				router.Handle(method, prefix+"/"+typ, at)
				router.Handle(method, prefix+"/"+typ+"/*rest", at)
			}
		}
	}
	get(router, "/healthz", h.handle("", label{action: "health"}, (*call).healthy))
	get(router, "/readyz", h.handle("", label{action: "ready"}, (*call).ready))
	if h.metrics != nil {
		router.Handler(http.MethodGet, "/metrics", h.metrics.handler(h.Logger))
	}
	return router
}

func get(router *httprouter.Router, path string, handle httprouter.Handle) {
	router.GET(path, handle)
	router.HEAD(path, handle)
}

// systemRoutes registers the paths that belong to no type: the base itself, with and
// without a slash at its end, metadata, searches, histories and operations of the system.
func (h *Handler) systemRoutes(router *httprouter.Router, prefix string) {
	get(router, prefix+"/metadata", h.handle(prefix, label{action: "capabilities"}, (*call).capabilities))
	for path, at := range map[string]route{
		prefix: atBase, prefix + "/": atBase,
		prefix + "/_search": atSystemSearch, prefix + "/_history": atSystemHistory,
	} {
		if path == "" {
			continue
		}
		handle := h.handle(prefix, label{action: "unknown"}, func(c *call) {
			c.target = target{route: at}
			c.serve()
		})
		for _, method := range methods {
			router.Handle(method, path, handle)
		}
	}
	operation := h.handle(prefix, label{action: "operation"}, func(c *call) {
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
		handle := h.handle(prefix, label{op.Name, op.Type}, func(c *call) { c.operate(op, "") })
		router.POST(prefix+op.Path, handle)
		if !op.AffectsState {
			get(router, prefix+op.Path, handle)
		}
	}
}

// plain makes an http.Handler of a function, for what the router calls outside a route.
func (h *Handler) plain(what label, fn func(*call)) http.Handler {
	handle := h.handle("", what, fn)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, nil) })
}

// A place is a kind of path below the base: together with a method it is an interaction
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
	routes              // how many there are
)

// target is what a path names.
type target struct {
	route route
	id    string
	last  string // the name of an operation, the number of a version, the type in a compartment
}

// targetOf reads what is behind the type of a path: "", or from a slash on. A FHIR id
// begins with neither $ nor _, so nothing has two meanings.
func targetOf(rest string) target {
	if rest == "" {
		return target{route: atType}
	}
	first, rest, more := strings.Cut(rest[1:], "/")
	switch {
	case first == "":
		return target{}
	case first[0] == '$':
		return end(target{route: atTypeOperation, last: first[1:]}, more)
	case first[0] == '_':
		return end(target{route: special(first, atTypeSearch, atTypeHistory)}, more)
	case !more:
		return target{route: atInstance, id: first}
	}
	second, rest, more := strings.Cut(rest, "/")
	switch {
	case second == "":
		return target{}
	case second[0] == '$':
		return end(target{atInstanceOperation, first, second[1:]}, more)
	case second == "_history" && !more:
		return target{route: atInstanceHistory, id: first}
	case second == "_history":
		return end(target{atVersion, first, rest}, rest == "" || strings.Contains(rest, "/"))
	case second != "*" && (second[0] < 'A' || second[0] > 'Z'):
		return target{}
	case !more:
		return target{atCompartment, first, second}
	case rest == "_search":
		return target{atCompartmentSearch, first, second}
	}
	return target{}
}

// isOperation reports that a target is an operation.
func (t target) isOperation() bool {
	return t.route == atSystemOperation || t.route == atTypeOperation || t.route == atInstanceOperation
}

// special tells the two names apart that begin with a low line.
func special(name string, search, history route) route {
	switch name {
	case "_search":
		return search
	case "_history":
		return history
	}
	return atNothing
}

// end is for a path that ends here, unless there is more of it.
func end(t target, more bool) target {
	if more {
		return target{}
	}
	return t
}

// action is what a method does at a place.
type action struct {
	method string
	name   string // of the interaction, for log and metrics
	writes bool   // is for types that are stored here only
	run    func(*call)
}

// actions is the table of all that can be done, by place. A GET is a HEAD as well.
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
		{http.MethodGet, "operation", false, (*call).operateHere},
		{http.MethodPost, "operation", false, (*call).operateHere},
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

// serve does what the method of the request does at its target.
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
		if a := &c.h.actions[at][i]; a.method == method && c.has(a) {
			c.label.action = a.name
			a.run(c)
			return
		}
	}
	switch {
	case method == http.MethodOptions:
		c.w.Header().Set("Allow", c.allowed())
		c.empty(http.StatusNoContent)
	case c.target.isOperation() && !c.knowsOperation():
		c.operateHere() // says so
	default:
		c.notAllowed(c.allowed())
	}
}

// has reports that an action is for the type of the request, or for the operation it names.
func (c *call) has(a *action) bool {
	if c.target.isOperation() && a.method == http.MethodGet {
		op := c.operation()
		return op == nil || !op.AffectsState
	}
	return !a.writes || c.h.stored[c.label.typ]
}

// typeOperations are the operations of one resource type, or of the system, by name.
type typeOperations struct {
	onType, onInstance map[string]*operation.Operation
}

func (t typeOperations) named(instance bool) map[string]*operation.Operation {
	if instance {
		return t.onInstance
	}
	return t.onType
}

// operation returns the row of the table that the target names, nil when there is none.
func (c *call) operation() *operation.Operation {
	return c.h.table[c.label.typ].named(c.target.id != "")[c.target.last]
}

// allowed lists the methods of the place of the request, for Allow.
func (c *call) allowed() string {
	var b strings.Builder
	for i := range c.h.actions[c.target.route] {
		a := &c.h.actions[c.target.route][i]
		if !c.has(a) {
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

// unprefixed returns the path behind the prefix, which it notes, without a slash in front.
func (c *call) unprefixed() string {
	path := c.r.URL.Path
	for _, prefix := range prefixes {
		if rest, found := strings.CutPrefix(path, prefix+"/"); found && prefix != "" {
			path, c.prefix = "/"+rest, prefix
		}
	}
	return strings.TrimPrefix(path, "/")
}

// unknownPath answers a path that is no route. A first segment with a capital letter is
// taken for a resource type.
func (c *call) unknownPath() {
	first, _, _ := strings.Cut(c.unprefixed(), "/")
	switch {
	case first != "" && first[0] >= 'A' && first[0] <= 'Z' && !c.h.served(first):
		c.refuse(http.StatusNotFound, "not-supported", "resource type %q is not supported; see %s/metadata", cut(first), c.prefix)
	default:
		c.refuse(http.StatusNotFound, "not-found", "nothing is at %q; see %s/metadata", cut(c.r.URL.Path), c.prefix)
	}
}

// methodNotAllowed answers a known path with a method that no path has, or that this one
// has not. The router has set Allow for what it knows; paths below a type know better.
func (c *call) methodNotAllowed() {
	typ, rest, below := strings.Cut(c.unprefixed(), "/")
	if !c.h.served(typ) {
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
