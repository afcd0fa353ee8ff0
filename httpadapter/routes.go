package httpadapter

import (
	"net/http"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// routes registers every path. A wildcard and a fixed segment cannot share a place in
// the tree of httprouter, so a type has the shapes /T, /T/:id, /T/:id/:sub and
// /T/:id/:sub/:version, and small functions tell ids, $operations and _specials apart:
// a FHIR id begins with neither sign.
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

	get := func(path string, prefix string, what label, fn func(*call)) {
		handle := h.handle(prefix, what, fn)
		router.GET(prefix+path, handle)
		router.HEAD(prefix+path, handle)
	}
	for _, prefix := range prefixes {
		get("/metadata", prefix, label{action: "capabilities"}, (*call).capabilities)
		get("/OperationDefinition", prefix, label{"search", "OperationDefinition"}, (*call).searchDefinitions)
		get("/OperationDefinition/:id", prefix, label{"read", "OperationDefinition"}, (*call).readDefinition)
		for _, typ := range h.types {
			h.typeRoutes(router, get, prefix, typ)
		}
		for _, op := range h.Operations {
			if op.Path == "" {
				continue
			}
			handle := h.handle(prefix, label{op.Name, op.Type}, func(c *call) { c.operate(op, "") })
			router.GET(prefix+op.Path, handle)
			router.HEAD(prefix+op.Path, handle)
			router.POST(prefix+op.Path, handle)
		}
		system := h.handle(prefix, label{action: "operation"}, func(c *call) {
			c.operateByName("", c.params[0].Value, "")
		})
		router.GET(prefix+"/$:op", system)
		router.HEAD(prefix+"/$:op", system)
		router.POST(prefix+"/$:op", system)
	}
	h.baseRoutes(router)
	get("/healthz", "", label{action: "health"}, (*call).healthy)
	get("/readyz", "", label{action: "ready"}, (*call).ready)
	if h.metrics != nil {
		router.Handler(http.MethodGet, "/metrics", promhttp.HandlerFor(h.metrics.registry, promhttp.HandlerOpts{}))
	}
	return router
}

// baseRoutes registers the base itself, with and without a slash at its end: it takes
// batches.
func (h *Handler) baseRoutes(router *httprouter.Router) {
	for _, prefix := range prefixes {
		nothing := h.handle(prefix, label{action: "unknown"}, (*call).unknownPath)
		batch := h.handle(prefix, label{action: "batch"}, (*call).batch)
		for _, path := range []string{prefix, prefix + "/"} {
			if path == "" {
				continue
			}
			router.GET(path, nothing)
			router.HEAD(path, nothing)
			router.POST(path, batch)
		}
	}
}

// typeRoutes registers the paths of one resource type.
func (h *Handler) typeRoutes(router *httprouter.Router, get func(path, prefix string, what label, fn func(*call)), prefix, typ string) {
	root := "/" + typ
	get(root, prefix, label{"search", typ}, (*call).search)
	router.POST(prefix+root, h.handle(prefix, label{"create", typ}, (*call).create))

	get(root+"/:id", prefix, label{"read", typ}, func(c *call) {
		if id := c.params[0].Value; id[0] == '$' {
			c.operateByName(typ, id[1:], "")
		} else {
			c.onInstance((*call).read)
		}
	})
	router.POST(prefix+root+"/:id", h.handle(prefix, label{"operation", typ}, func(c *call) {
		switch id := c.params[0].Value; {
		case id[0] == '$':
			c.operateByName(typ, id[1:], "")
		case id == "_search":
			c.label.action = "search"
			c.searchForm()
		default:
			c.onInstance((*call).notOnInstance)
		}
	}))
	router.PUT(prefix+root+"/:id", h.handle(prefix, label{"update", typ}, func(c *call) { c.onInstance((*call).update) }))
	router.DELETE(prefix+root+"/:id", h.handle(prefix, label{"delete", typ}, func(c *call) { c.onInstance((*call).remove) }))

	get(root+"/:id/:sub", prefix, label{"operation", typ}, func(c *call) {
		switch id, sub := c.params[0].Value, c.params[1].Value; {
		case sub[0] == '$':
			c.operateByName(typ, sub[1:], id)
		case sub == "_history":
			c.label.action = "history"
			c.history(id)
		default:
			c.unknownPath()
		}
	})
	router.POST(prefix+root+"/:id/:sub", h.handle(prefix, label{"operation", typ}, func(c *call) {
		id, sub := c.params[0].Value, c.params[1].Value
		if sub[0] != '$' {
			c.unknownPath()
			return
		}
		c.operateByName(typ, sub[1:], id)
	}))
	get(root+"/:id/:sub/:version", prefix, label{"vread", typ}, func(c *call) {
		if c.params[1].Value != "_history" {
			c.unknownPath()
			return
		}
		c.readVersion(c.params[0].Value, c.params[2].Value)
	})
}

// The methods of the kinds of paths below a type; loadedMethods for types that are not stored.
const (
	instanceMethods  = "GET, HEAD, PUT, DELETE, OPTIONS"
	loadedMethods    = "GET, HEAD, OPTIONS"
	operationMethods = "GET, HEAD, POST, OPTIONS"
	searchMethods    = "POST, OPTIONS"
)

// onInstance runs fn with the id of a path /T/id. The names of operations and what
// begins with _ are no ids.
func (c *call) onInstance(fn func(c *call, id string)) {
	switch id := c.params[0].Value; {
	case id[0] == '$':
		if known := c.h.table[c.label.typ].onType; known[id[1:]] == nil {
			c.unknownOperation(c.label.typ, id[1:], "", known)
			return
		}
		c.notAllowed(operationMethods)
	case id == "_search":
		c.notAllowed(searchMethods)
	case id[0] == '_':
		c.unknownPath()
	default:
		fn(c, id)
	}
}

// notOnInstance answers another method on the path of a resource.
func (c *call) notOnInstance(string) {
	if c.h.stored[c.label.typ] {
		c.notAllowed(instanceMethods)
	} else {
		c.notAllowed(loadedMethods)
	}
}

// plain makes an http.Handler of a function, for what the router calls outside a route.
func (h *Handler) plain(what label, fn func(*call)) http.Handler {
	handle := h.handle("", what, fn)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, nil) })
}
