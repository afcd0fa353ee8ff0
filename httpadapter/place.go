package httpadapter

import (
	"net/http"
	"strings"
)

// A place is a kind of path below the base: together with a method it is an interaction
// (R4 http.html#summary).
type place uint8

const (
	atNothing place = iota
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
	places
)

// target is what a path names.
type target struct {
	place place
	id    string
	last  string // the name of an operation, the number of a version, the type in a compartment
}

// targetOf reads what is behind the type of a path: "", or from a slash on. A FHIR id
// begins with neither $ nor _, so nothing has two meanings.
func targetOf(rest string) target {
	if rest == "" {
		return target{place: atType}
	}
	first, rest, more := strings.Cut(rest[1:], "/")
	switch {
	case first == "":
		return target{}
	case first[0] == '$':
		return end(target{place: atTypeOperation, last: first[1:]}, more)
	case first[0] == '_':
		return end(target{place: special(first, atTypeSearch, atTypeHistory)}, more)
	case !more:
		return target{place: atInstance, id: first}
	}
	second, rest, more := strings.Cut(rest, "/")
	switch {
	case second == "":
		return target{}
	case second[0] == '$':
		return end(target{atInstanceOperation, first, second[1:]}, more)
	case second == "_history" && !more:
		return target{place: atInstanceHistory, id: first}
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
	return t.place == atSystemOperation || t.place == atTypeOperation || t.place == atInstanceOperation
}

// special tells the two names apart that begin with a low line.
func special(name string, search, history place) place {
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
func actions() (table [places][]action) {
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
	at := c.target.place
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

// allowed lists the methods of the place of the request, for Allow.
func (c *call) allowed() string {
	var b strings.Builder
	for i := range c.h.actions[c.target.place] {
		a := &c.h.actions[c.target.place][i]
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
