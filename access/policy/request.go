package policy

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/access"
)

// A Request is one interaction with a type, for which a grant can be explained.
type Request struct {
	Type   string
	Action access.Actions
	Name   string // of the interaction: read, search, create, update, delete
}

// names are the interactions by action.
var names = map[access.Actions]string{
	access.Create: "create", access.Read: "read", access.Update: "update", access.Delete: "delete", access.Search: "search",
}

// ParseRequest reads a request as HTTP has it, GET /Patient/1, or by the name of its interaction, search
// Condition?code=x. Bases before the type are ignored. It does not read operations and bundles, which are
// several interactions.
func ParseRequest(text string) (Request, error) {
	verb, target, found := strings.Cut(strings.TrimSpace(text), " ")
	if !found {
		return Request{}, fmt.Errorf("%q is not a request such as GET /Patient/1 or search Condition?code=x", text)
	}
	path, _, _ := strings.Cut(strings.TrimSpace(target), "?")
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	for len(segments) > 0 && !isType(segments[0]) && segments[0] != "*" {
		if segments[0][0] == '$' {
			break
		}
		segments = segments[1:]
	}
	if len(segments) == 0 || !isType(segments[0]) {
		return Request{}, fmt.Errorf("%q names no resource type; operations and bundles are several requests, one for each type that they read or write", text)
	}
	r := Request{Type: segments[0]}
	last := segments[len(segments)-1]
	if len(segments) > 2 && segments[2] == "*" {
		return Request{}, fmt.Errorf("%q searches all types of a compartment, which is several requests, one for each type", text)
	}
	if len(segments) > 2 && isType(segments[2]) { // a compartment
		r.Type = segments[2]
	}
	for action, name := range names {
		if strings.EqualFold(verb, name) {
			r.Action, r.Name = action, name
			return r, nil
		}
	}
	instance := len(segments) > 1 && last != "_search" && last[0] != '$'
	switch strings.ToUpper(verb) {
	case "GET", "HEAD":
		r.Action = access.Search
		if instance && (len(segments) == 2 || segments[2] == "_history") && last != segments[0] && segments[1] != "_history" {
			r.Action = access.Read
		}
	case "POST":
		r.Action = access.Create
		if last == "_search" {
			r.Action = access.Search
		}
	case "PUT", "PATCH":
		r.Action = access.Update
	case "DELETE":
		r.Action = access.Delete
	default:
		return Request{}, fmt.Errorf("%q is neither a method of HTTP nor one of read, search, create, update, delete", verb)
	}
	if strings.HasPrefix(last, "$") {
		return Request{}, fmt.Errorf("%q is an operation, which is several requests: one for each type that it reads or writes", text)
	}
	r.Name = names[r.Action]
	return r, nil
}

// isType reports whether a segment has the form of a resource type.
func isType(segment string) bool { return segment[0] >= 'A' && segment[0] <= 'Z' }

// A Verdict is what a grant says about a request.
type Verdict struct {
	// Allowed holds the scopes that allow it, and Denied those that deny it, at least for some
	// resources.
	Allowed, Denied []access.Scope
	// Always reports whether every resource is allowed, and Never whether none is.
	Always, Never bool
	// Reason is why it is never allowed.
	Reason string
}

// Judge says what a grant permits of a request. A nil grant permits nothing.
func Judge(g *access.Grant, r Request) Verdict {
	v := Verdict{Never: true, Reason: "no rule applies"}
	if g == nil {
		return v
	}
	if g.Guards(r.Type, r.Action) {
		v.Reason = "value sets decide what this principal may do, so it cannot change a " + r.Type
		return v
	}
	v.Reason = fmt.Sprintf("no scope covers %s of %s", r.Name, r.Type)
	for _, s := range g.Allow {
		switch {
		case !s.Covers(r.Type, r.Action):
		case s.Level == access.Patient && g.Patient == "":
			v.Reason = s.String() + " covers the record of one patient, and there is none"
		default:
			v.Allowed = append(v.Allowed, s)
			v.Never = false
			v.Always = v.Always || s.Query == "" && s.Level != access.Patient
		}
	}
	for _, s := range g.Deny {
		if !s.Covers(r.Type, r.Action) || s.Level == access.Patient && g.Patient == "" {
			continue
		}
		v.Denied = append(v.Denied, s)
		v.Always = false
		if s.Query == "" && s.Level != access.Patient {
			v.Never, v.Reason = true, s.String()+" is denied"
		}
	}
	return v
}
