package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Graph shows who may do what with shared objects, as far as sharing says it.
type Graph struct {
	Nodes   []Node            `json:"nodes"`
	Edges   []Edge            `json:"edges"`
	Access  []EffectiveAccess `json:"effective_access"`
	Caveats []string          `json:"caveats"`
}

// A Node is an object, user, group or role.
type Node struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // user, userGroup, userRole, or the type of an object
	Name string `json:"name"`
}

// An Edge leads from a user or group to what it has: an object that is shared with it, a group that it is
// a member of or manages, a role that it holds.
type Edge struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Kind   string `json:"kind"` // shares, member, role, manages
	Access string `json:"access,omitempty"`
}

// EffectiveAccess is the access to an object of one user: the union of the public access, their own and
// that of their groups. The user is empty for the public access.
type EffectiveAccess struct {
	Object string `json:"object"`
	User   string `json:"user,omitempty"`
	Access string `json:"access"`
}

// maxAccess limits the entries of effective access in a graph.
const maxAccess = 500_000

// graph reads users, groups and roles, and joins them with objects.
func (s *Scanner) graph(ctx context.Context, objects []shared) (g Graph, err error) {
	type record struct {
		ID       string                `json:"id"`
		Name     string                `json:"name"`
		Username string                `json:"username"`
		Roles    []struct{ ID string } `json:"userRoles"`
		Groups   []struct{ ID string } `json:"userGroups"`
		Managed  []struct{ ID string } `json:"managedGroups"`
	}
	g = Graph{Nodes: []Node{}, Edges: []Edge{}, Access: []EffectiveAccess{}, Caveats: []string{
		"Organisation units narrow the access that sharing grants.", "Superusers bypass sharing.", "The sharing of parts of objects is not modelled.",
	}}
	users, err := readList[record](ctx, s, usersPath, "users", fields("id,username,userRoles[id],userGroups[id]"))
	if err != nil {
		return g, err
	}
	groups, err := readList[record](ctx, s, "/api/userGroups", "userGroups", fields("id,name,managedGroups[id]"))
	if err != nil {
		return g, err
	}
	roles, err := readList[record](ctx, s, rolesPath, "userRoles", fields("id,name"))
	if err != nil {
		return g, err
	}
	members := map[string][]string{}
	for _, u := range users {
		g.Nodes = append(g.Nodes, Node{u.ID, "user", printable(u.Username)})
		for _, role := range u.Roles {
			g.Edges = append(g.Edges, Edge{u.ID, role.ID, "role", ""})
		}
		for _, group := range u.Groups {
			g.Edges = append(g.Edges, Edge{u.ID, group.ID, "member", ""})
			members[group.ID] = append(members[group.ID], u.ID)
		}
	}
	for _, group := range groups {
		g.Nodes = append(g.Nodes, Node{group.ID, "userGroup", printable(group.Name)})
		for _, managed := range group.Managed {
			g.Edges = append(g.Edges, Edge{group.ID, managed.ID, "manages", ""})
		}
	}
	for _, role := range roles {
		g.Nodes = append(g.Nodes, Node{role.ID, "userRole", printable(role.Name)})
	}
	for _, o := range objects {
		if !o.unreadable {
			g.add(o, members)
		}
	}
	return g, nil
}

// add adds an object with who may do what with it.
func (g *Graph) add(o shared, members map[string][]string) {
	g.Nodes = append(g.Nodes, Node{o.id, o.kind, printable(o.name)})
	public := "--------"
	if o.block.Public != nil {
		public = *o.block.Public
	}
	effective := map[string]string{}
	grant := func(user, granted string) {
		effective[user] = union(cmp.Or(effective[user], public), granted)
	}
	for _, user := range sortedKeys(o.block.Users) {
		granted := o.block.Users[user].Access
		g.Edges = append(g.Edges, Edge{user, o.id, "shares", printable(granted)})
		grant(user, granted)
	}
	for _, group := range sortedKeys(o.block.Groups) {
		granted := o.block.Groups[group].Access
		g.Edges = append(g.Edges, Edge{group, o.id, "shares", printable(granted)})
		for _, user := range members[group] {
			grant(user, granted)
		}
	}
	g.Access = append(g.Access, EffectiveAccess{Object: o.id, Access: printable(public)})
	for _, user := range sortedKeys(effective) {
		if len(g.Access) >= maxAccess {
			if text := fmt.Sprintf("Only the first %d entries of effective access are here.", maxAccess); !slices.Contains(g.Caveats, text) {
				g.Caveats = append(g.Caveats, text)
			}
			return
		}
		g.Access = append(g.Access, EffectiveAccess{o.id, user, effective[user]})
	}
}

// union returns the access string with the rights of both.
func union(a, b string) string {
	out := []byte("--------")
	for i := range 4 {
		for _, text := range []string{a, b} {
			if i < len(text) && text[i] == "rwrw"[i] {
				out[i] = text[i]
			}
		}
	}
	return string(out)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}
