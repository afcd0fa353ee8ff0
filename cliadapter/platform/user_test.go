package platform_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// Rows of docs/platform.md: T3.4.
func TestUsers(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		has(t, squeezed(p.must(t, "user", "list", "--order", "username:asc")), "UID USERNAME NAME EMAIL DISABLED LAST LOGIN\n",
			"Usr00000001 admin Ada Admin ada@platform.example no 2026-01-01T00:00:00Z\n", "Usr00000002 nurse Nora Nurse - no -\n")
		users := parsed[[]map[string]any](t, p.must(t, "user", "ls", "--json", "--filter", "username:eq:nurse"))
		if len(users) != 1 || users[0]["id"] != platformtest.PlainUserID {
			t.Error(users)
		}
		either := parsed[[]any](t, p.must(t, "user", "list", "-j", "--filter", "username:eq:nurse", "--filter", "username:eq:admin", "--root-junction", "OR"))
		page := parsed[[]any](t, p.must(t, "user", "list", "-j", "--page", "2", "--page-size", "1"))
		none := strings.TrimSpace(p.must(t, "user", "list", "-j", "--filter", "username:eq:nobody"))
		if len(either) != 2 || len(page) != 1 || none != "[]" {
			t.Error(either, page, none)
		}
		if out := squeezed(p.must(t, "user", "list", "--fields", "username,userRoles[id]", "--filter", "username:eq:nurse")); out != "username userRoles\nnurse Rol00000002\n" {
			t.Error(out)
		}
		p.fails(t, 2, "user", "list", "--page", "0")
		p.fails(t, 2, "user", "list", "--filter", "username")

		for _, name := range []string{"nurse", platformtest.PlainUserID} {
			has(t, squeezed(p.must(t, "user", "get", name)), "username nurse\n", "roles Clerk (Rol00000002)\n", "groups Laboratory (Grp00000001)\n")
		}
		if user := parsed[map[string]any](t, p.must(t, "user", "get", "nurse", "--fields", "id,username", "--json")); len(user) != 2 {
			t.Error(user)
		}
		has(t, p.fails(t, 1, "user", "get", "nobody"), `no such user: "nobody"`)
	})
}

// Rows of docs/platform.md: T3.4.
func TestUserInvitations(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		out := p.must(t, "user", "invite", "eve@platform.example", "--first-name", "Eve", "--surname", "Example", "--username", "eve", "--role", platformtest.PlainRoleID, "--org-unit", platformtest.OrgUnitID)
		has(t, out, "invited eve@platform.example (")
		has(t, squeezed(p.must(t, "user", "get", "eve")), "email eve@platform.example\n", "roles Clerk (Rol00000002)\n", "organisation units Country (Org00000001)\n")
		uid := parsed[map[string]string](t, p.must(t, "user", "reinvite", "eve", "--json"))["uid"]
		if out := p.must(t, "user", "reset-password", "eve", "--yes"); out != "reset the password of eve\n" {
			t.Error(out)
		}
		before := written(p)
		if want := []string{"POST /api/users/invite", "POST /api/users/" + uid + "/invite", "POST /api/users/" + uid + "/reset"}; !slices.Equal(before, want) {
			t.Error(before)
		}
		p.fails(t, 1, "user", "reset-password", "eve")
		for _, args := range [][]string{{"no-address", "--first-name", "A", "--surname", "B"}, {"a@b.example", "--surname", "B"}, {"a@b.example", "--first-name", "A"}} {
			p.fails(t, 2, append([]string{"user", "invite"}, args...)...)
		}
		has(t, p.fails(t, 1, "user", "reinvite", "nobody"), "no such user")
		if now := written(p); len(now) != len(before) {
			t.Error(now)
		}
		// The platform's own reasons.
		has(t, p.fails(t, 1, "user", "invite", "other@platform.example", "--first-name", "A", "--surname", "B", "--username", "eve"), "API error (409): Conflict: Username already taken: eve")
		has(t, p.fails(t, 1, "user", "invite", "other@platform.example", "--first-name", "A", "--surname", "B", "--role", "Rol00009999"), "Rol00009999", "API error (409)")
		has(t, p.fails(t, 1, "user", "reset-password", "nurse", "-y"), "the user has no email")
	})
}

// TestUserGroups: Platform client, section 4, user group.
// Rows of docs/platform.md: 4.25, T3.1.
func TestUserGroups(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		has(t, squeezed(p.must(t, "user", "group", "list")), "UID NAME CODE MEMBERS\n", "Grp00000001 Laboratory LAB 1\n")
		if list := p.must(t, "user", "group", "ls"); !strings.Contains(list, platformtest.GroupID) {
			t.Error(list)
		}
		if out := p.must(t, "user", "group", "add-member", platformtest.GroupID, "admin"); out != "added admin to Grp00000001\n" {
			t.Error(out)
		}
		has(t, squeezed(p.must(t, "user", "group", "get", platformtest.GroupID)), "members 2\n", "Ada Admin (Usr00000001)")
		told := parsed[map[string]string](t, p.must(t, "user", "group", "remove-member", platformtest.GroupID, "admin", "--json"))
		if told["action"] != "removed" || told["uid"] != platformtest.UserID || told["of"] != platformtest.GroupID {
			t.Error(told)
		}
		has(t, squeezed(p.must(t, "user", "group", "get", platformtest.GroupID)), "members 1\n")

		sharing := squeezed(p.must(t, "user", "group", "sharing-get", platformtest.GroupID))
		has(t, sharing, "public - r-------\n")
		if strings.Contains(sharing, "external - no") != (p.major < 43) {
			t.Error(sharing)
		}
		has(t, p.must(t, "user", "group", "sharing-grant-user", platformtest.GroupID, "nurse", "--access", "rw------"), "granted rw------ to nurse on Grp00000001\n")
		has(t, squeezed(p.must(t, "user", "group", "sharing-get", platformtest.GroupID)), "user Nora Nurse (Usr00000002) rw------\n")
		p.must(t, "user", "group", "sharing-grant-user", platformtest.GroupID, platformtest.PlainUserID)
		grants := parsed[struct{ UserAccesses []map[string]any }](t, p.must(t, "user", "group", "sharing-get", platformtest.GroupID, "--json")).UserAccesses
		if len(grants) != 1 || grants[0]["access"] != "r-------" {
			t.Error(grants)
		}

		p.fails(t, 2, "user", "group", "sharing-grant-user", platformtest.GroupID, "nurse", "--access", "rwx")
		has(t, p.fails(t, 1, "user", "group", "get", "Grp00009999"), "API error (404)")
		has(t, p.fails(t, 1, "user", "group", "add-member", platformtest.GroupID, "nobody"), "no such user")
		has(t, p.fails(t, 1, "user", "group", "remove-member", "Grp00009999", "nurse"), "API error (404)")
	})
}

// TestUserRoles: Platform client, section 4, user role.
// Rows of docs/platform.md: 4.25, T3.1.
func TestUserRoles(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		has(t, squeezed(p.must(t, "user", "role", "list")), "Rol00000001 Superuser 2 (superuser: ALL stands for every authority) -\n", "Rol00000002 Clerk 1 Enters data\n")
		has(t, squeezed(p.must(t, "user", "role", "get", platformtest.PlainRoleID)), "name Clerk\n", "authorities 1\nF_DATAVALUE_ADD\n")
		if out := p.must(t, "user", "role", "authority-list", platformtest.RoleID); out != "ALL\nF_USER_ADD\n" {
			t.Error(out)
		}
		if out := p.must(t, "user", "role", "add-user", platformtest.PlainRoleID, "admin"); out != "added admin to Rol00000002\n" {
			t.Error(out)
		}
		has(t, p.must(t, "user", "get", "admin"), "Clerk (Rol00000002)")
		p.must(t, "user", "role", "remove-user", platformtest.PlainRoleID, "admin")
		if out := p.must(t, "user", "get", "admin"); strings.Contains(out, "Clerk") {
			t.Error(out)
		}
		has(t, p.fails(t, 1, "user", "role", "get", "Rol00009999"), "API error (404)")
		has(t, p.fails(t, 1, "user", "role", "authority-list", "Rol00009999"), "API error (404)")
	})
}

// TestAuthorityList: Platform client, section 7, listing authorities on the v41 tree.
// Rows of docs/platform.md: 7.12, T7.2.
func TestAuthorityList(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		if p.major == 41 {
			errs := p.fails(t, 1, "user", "role", "authority-list")
			has(t, errs, "API error (500)", "A platform of version v41 cannot list all authorities")
			return
		}
		has(t, squeezed(p.must(t, "user", "role", "authority-list")), "AUTHORITY NAME\n", "F_USER_ADD user add\n")
		if all := parsed[[]map[string]any](t, p.must(t, "user", "role", "authority-list", "--json")); len(all) < 3 || all[0]["id"] != "ALL" {
			t.Error(all)
		}
		p.Fault("/api/authorities", platformtest.Fault{Status: http.StatusInternalServerError})
		if errs := p.fails(t, 1, "user", "role", "authority-list"); strings.Contains(errs, fmt.Sprintf("v%d answers", p.major)) {
			t.Error(errs)
		}
	})
}
