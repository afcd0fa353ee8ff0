package platformtest

import (
	"net/http"
	"slices"
)

// memberPaths are the paths that add users to groups and roles, and remove them.
var memberPaths = map[string]handler{
	"POST /api/userGroups/{id}/users/{user}":   func(p *Platform, r *request) answer { return p.member(r, "userGroups", true) },
	"DELETE /api/userGroups/{id}/users/{user}": func(p *Platform, r *request) answer { return p.member(r, "userGroups", false) },
	"POST /api/userRoles/{id}/users/{user}":    func(p *Platform, r *request) answer { return p.member(r, "userRoles", true) },
	"DELETE /api/userRoles/{id}/users/{user}":  func(p *Platform, r *request) answer { return p.member(r, "userRoles", false) },
}

// member adds a user to a group or role, or removes it. Both objects change.
func (p *Platform) member(r *request, plural string, in bool) answer {
	group, refused := p.one(r, plural)
	uid := r.PathValue("user")
	user := p.collections["users"].get(uid)
	switch {
	case group == nil:
		return refused
	case user == nil:
		return missing("User", uid)
	}
	set(group, "users", uid, in)
	set(user, plural, text(group, "id"), in)
	return written(http.StatusOK, plural, text(group, "id"))
}

// set adds a uid to a list of references, or removes it.
func set(o Object, list, uid string, in bool) {
	held := slices.DeleteFunc(references(o[list]), func(each string) bool { return each == uid })
	if in {
		held = append(held, uid)
	}
	o[list] = refs(held...)
}
