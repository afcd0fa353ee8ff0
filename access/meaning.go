package access

import (
	"net/url"
	"slices"
	"strings"
)

// changes are the actions that change a resource.
const changes = Create | Update | Delete

// setModifiers are the modifiers of search parameters that select by sets of codes.
var setModifiers = [...]string{"in", "not-in", "below", "above", "ecl"}

// Guards reports whether the grant permits none of the actions for a type because they would change
// what its scopes and denials mean. If one of them selects by a set of codes, such as
// code:in=http://example.org/ValueSet/sensitive, the grant permits no change of a CodeSystem or
// ValueSet: with a version of its own of that value set, a client would lift its denial.
func (g *Grant) Guards(typ string, actions Actions) bool {
	return actions&^changes == 0 && (typ == "CodeSystem" || typ == "ValueSet") &&
		(slices.ContainsFunc(g.Deny, selectsBySet) || slices.ContainsFunc(g.Allow, selectsBySet))
}

func selectsBySet(s Scope) bool {
	for part := range strings.SplitSeq(s.Query, "&") {
		name, _, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || slices.Contains(setModifiers[:], name[strings.LastIndexByte(name, ':')+1:]) {
			return true
		}
	}
	return false
}
