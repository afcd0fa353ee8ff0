package policy

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/access"
)

// A Request is one interaction with a type.
type Request struct {
	Type   string
	Action access.Actions
	Name   string // of the interaction: read, search, create, update, delete
	// Also is what the request needs besides: a patch has to see what it changes, a conditional
	// interaction to search, and a search in a compartment to read the resource that has it.
	Also []Need
}

// A Need is one of some actions for a type.
type Need struct {
	Type    string
	Actions access.Actions
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
	path, _, conditional := strings.Cut(strings.TrimSpace(target), "?")
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
		r.Type, r.Also = segments[2], []Need{{segments[0], access.Read}}
	}
	for action, name := range names {
		if strings.EqualFold(verb, name) {
			r.Action, r.Name = action, name
		}
	}
	instance := len(segments) > 1 && last != "_search" && last[0] != '$'
	switch strings.ToUpper(verb) {
	case strings.ToUpper(r.Name): // named
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
	case "PUT":
		r.Action = access.Update
	case "PATCH":
		r.Action = access.Update
		r.Also = append(r.Also, Need{r.Type, access.Read | access.Search})
	default:
		return Request{}, fmt.Errorf("%q is neither a method of HTTP nor one of read, search, create, update, delete", verb)
	}
	if strings.HasPrefix(last, "$") {
		return Request{}, fmt.Errorf("%q is an operation, which is several requests: one for each type that it reads or writes", text)
	}
	if conditional && len(segments) == 1 && r.Action&(access.Update|access.Delete) != 0 {
		r.Also = append(r.Also, Need{r.Type, access.Search})
	}
	r.Name = names[r.Action]
	return r, nil
}

// isType reports whether a segment has the form of a resource type.
func isType(segment string) bool { return segment[0] >= 'A' && segment[0] <= 'Z' }
