package httpadapter

import (
	"net/http"

	"github.com/julienschmidt/httprouter"
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
	for path, at := range map[string]place{
		prefix: atBase, prefix + "/": atBase,
		prefix + "/_search": atSystemSearch, prefix + "/_history": atSystemHistory,
	} {
		if path == "" {
			continue
		}
		handle := h.handle(prefix, label{action: "unknown"}, func(c *call) {
			c.target = target{place: at}
			c.serve()
		})
		for _, method := range methods {
			router.Handle(method, path, handle)
		}
	}
	operation := h.handle(prefix, label{action: "operation"}, func(c *call) {
		c.target = target{place: atSystemOperation, last: c.params[0].Value}
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
