package access

import (
	"fmt"
	"strings"
)

// A Level is whose data a scope covers.
type Level uint8

// The levels of scopes.
const (
	// Patient covers the compartment of one patient, the one in the launch context.
	Patient Level = iota + 1
	// User covers what the user may see.
	User
	// System covers everything, for clients that act for themselves.
	System
)

// Actions is a set of the five kinds of interactions that a scope may permit.
type Actions uint8

// The kinds of interactions.
const (
	Create Actions = 1 << iota // create
	Read                       // read, vread and the history of one resource
	Update                     // update and patch
	Delete                     // delete
	Search                     // search, and the history of a type or of the system
	// All is every kind.
	All = Create | Read | Update | Delete | Search
)

// A Scope is a permission for one type of resource, or for all types.
type Scope struct {
	Level   Level
	Type    string // a resource type, or * for all
	Actions Actions
	// Query limits the scope to the resources that a search would find: "category=vital-signs". It
	// is "" if there is no limit.
	Query string
}

// Covers reports whether the scope is about a type and some of the actions.
func (s *Scope) Covers(typ string, actions Actions) bool {
	return s.Actions&actions != 0 && (s.Type == "*" || s.Type == typ)
}

// Meet returns the scope that covers what both scopes cover. It returns false if there is nothing.
// A policy uses it to limit the scopes of a token: a resource has to meet both queries, and is in the
// compartment of the patient if either scope is of the level Patient.
func (s Scope) Meet(o Scope) (Scope, bool) {
	met := Scope{Level: s.Level, Type: s.Type, Actions: s.Actions & o.Actions, Query: s.Query}
	if o.Level == Patient || s.Level == System {
		met.Level = o.Level
	}
	switch {
	case s.Type == "*":
		met.Type = o.Type
	case o.Type != "*" && o.Type != s.Type:
		return Scope{}, false
	}
	switch {
	case s.Query == "":
		met.Query = o.Query
	case o.Query != "" && o.Query != s.Query:
		met.Query += "&" + o.Query
	}
	return met, met.Actions != 0
}

// String returns the scope in the form that ParseScope reads.
func (s Scope) String() string {
	levels := [...]string{"", "patient", "user", "system"}
	text := levels[s.Level] + "/" + s.Type + "." + s.Actions.String()
	if s.Query != "" {
		text += "?" + s.Query
	}
	return text
}

// String returns the letters of the actions.
func (a Actions) String() string {
	var letters []byte
	for i := range len(actionLetters) {
		if a&(1<<i) != 0 {
			letters = append(letters, actionLetters[i])
		}
	}
	return string(letters)
}

// actionLetters are the letters of Actions, in the order in which they must be written.
const actionLetters = "cruds"

// ParseScope parses a scope of SMART App Launch 2: a level, a slash, a type or *, a full stop, some
// of the letters cruds in that order, and optionally a question mark and the parameters of a search. The
// forms of version 1 (.read, .write and .*) are read as .rs, .cud and .cruds. It does not check the
// type and the parameters.
func ParseScope(text string) (Scope, error) {
	level, rest, found := strings.Cut(text, "/")
	levels := map[string]Level{"patient": Patient, "user": User, "system": System}
	s := Scope{Level: levels[level]}
	if !found || s.Level == 0 {
		return Scope{}, fmt.Errorf("scope %q does not begin with patient/, user/ or system/", text)
	}
	rest, s.Query, _ = strings.Cut(rest, "?")
	typ, letters, found := strings.Cut(rest, ".")
	if !found || typ == "" {
		return Scope{}, fmt.Errorf("scope %q is not of the form %s/Type.cruds", text, level)
	}
	s.Type = typ
	switch letters {
	case "read":
		s.Actions = Read | Search
	case "write":
		s.Actions = Create | Update | Delete
	case "*":
		s.Actions = All
	default:
		at := 0
		for _, letter := range letters {
			i := strings.IndexRune(actionLetters[at:], letter)
			if i < 0 {
				return Scope{}, fmt.Errorf("scope %q: %q is not some of the letters cruds in that order", text, letters)
			}
			at += i + 1
			s.Actions |= 1 << (at - 1)
		}
	}
	if s.Actions == 0 {
		return Scope{}, fmt.Errorf("scope %q permits nothing: add some of the letters cruds after the full stop", text)
	}
	return s, nil
}
