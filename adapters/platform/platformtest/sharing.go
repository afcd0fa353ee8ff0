package platformtest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// sharingPaths are the paths that read and change the sharing of an object.
var sharingPaths = map[string]handler{
	"GET /api/sharing":  (*Platform).sharing,
	"POST /api/sharing": (*Platform).share,
	"PUT /api/sharing":  (*Platform).share,
}

// shared returns the object that the parameters type and id name, or a refusal.
func (p *Platform) shared(r *request) (Object, answer) {
	kind, uid := r.URL.Query().Get("type"), r.URL.Query().Get("id")
	for _, t := range types {
		if o := p.collections[t.plural].get(uid); t.singular == kind && o != nil {
			return o, answer{}
		}
	}
	return nil, refuse(http.StatusNotFound, "Object of type "+kind+" with identifier "+uid+" was not found.")
}

func (p *Platform) sharing(r *request) answer {
	o, refused := p.shared(r)
	if o == nil {
		return refused
	}
	block, _ := o["sharing"].(Object)
	owner := p.collections["users"].get(text(block, "owner"))
	object := Object{
		"id": o["id"], "name": o["name"], "displayName": o["name"], "publicAccess": either(text(block, "public"), "--------"),
		"user":         Object{"id": owner["id"], "name": text(owner, "username")},
		"userAccesses": p.accesses(block["users"], "users"), "userGroupAccesses": p.accesses(block["userGroups"], "userGroups"),
	}
	if p.options.Major < 43 {
		object["externalAccess"] = block["external"] == true
	}
	return found(Object{"meta": Object{"allowPublicAccess": true, "allowExternalAccess": false}, "object": object})
}

// accesses returns the accesses of users or groups, sorted by uid.
func (p *Platform) accesses(v any, plural string) []any {
	granted, _ := v.(Object)
	all := []any{}
	for _, uid := range slices.Sorted(maps.Keys(granted)) {
		holder := p.shape(plural, p.collections[plural].get(uid))
		access, _ := granted[uid].(Object)
		all = append(all, Object{"id": uid, "name": holder["name"], "displayName": holder["displayName"], "access": access["access"]})
	}
	return all
}

func (p *Platform) share(r *request) answer {
	o, refused := p.shared(r)
	body, ok := decode(r.body)
	wanted, _ := body["object"].(Object)
	switch {
	case o == nil:
		return refused
	case !ok || wanted == nil:
		return malformed()
	}
	block, _ := o["sharing"].(Object)
	if block == nil {
		block = Object{"owner": r.user["id"]}
	}
	public := either(text(wanted, "publicAccess"), "--------")
	if strings.Trim(public, "rw-") != "" || len(public) != 8 {
		return refuse(http.StatusConflict, "Invalid public access string: "+public)
	}
	block["public"], block["external"] = public, wanted["externalAccess"] == true
	for list, plural := range map[string]string{"userAccesses": "users", "userGroupAccesses": "userGroups"} {
		granted := Object{}
		given, _ := wanted[list].([]any)
		for _, each := range given {
			access, _ := each.(Object)
			uid := text(access, "id")
			if p.collections[plural].get(uid) == nil {
				return missing(plural, uid)
			}
			granted[uid] = Object{"id": uid, "access": either(text(access, "access"), "--------")}
		}
		block[plural] = granted
	}
	o["sharing"] = block
	return answer{status: http.StatusOK, body: envelope(http.StatusOK, "Access control set")}
}
