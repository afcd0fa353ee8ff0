package platform_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// userAccessors are about users, groups, roles and authorities.
var userAccessors = []accessorTest{
	{"users", func(t *testing.T, c *platform.Client, _ platform.Major) {
		ctx, users := t.Context(), c.Users()
		list, err := users.List(ctx, platform.ListOptions{Fields: "id,username", Order: []string{"username:asc"}})
		if err != nil || len(list) < 2 || list[0].Username != platformtest.Username {
			t.Fatal(list, err)
		}
		if list, err = users.List(ctx, platform.ListOptions{Filters: []string{"username:eq:nurse"}, Fields: "*"}); err != nil || len(list) != 1 || list[0].PasswordLastUpdated.String() != "2025-06-01T00:00:00Z" {
			t.Error(list, err)
		}
		for _, name := range []string{platformtest.PlainUserID, platformtest.PlainUsername} {
			user, err := users.Find(ctx, name, "id,username,disabled")
			if err != nil || user.ID != platformtest.PlainUserID || user.Username != platformtest.PlainUsername {
				t.Error(name, user, err)
			}
		}
		for _, name := range []string{"nobody", "Usr00009999"} {
			_, err := users.Find(ctx, name, "")
			var lookup *platform.LookupError
			if !errors.Is(err, platform.ErrUserNotFound) || !errors.Is(err, platform.ErrLookup) || !errors.As(err, &lookup) || lookup.Name != name {
				t.Error(name, err)
			}
		}
		_, err = users.Get(ctx, "Usr00009999", "")
		refused(t, err, http.StatusNotFound)
		_, err = users.List(ctx, platform.ListOptions{Filters: []string{"name"}})
		if err == nil {
			t.Error("a filter without an operator was sent")
		}
	}},
	{"invitations", func(t *testing.T, c *platform.Client, _ platform.Major) {
		ctx, users := t.Context(), c.Users()
		who := platform.Invitation{
			Email: "eve@platform.example", FirstName: "Eve", Surname: "Example", Username: "eve",
			UserRoles: []platform.Reference{{ID: platformtest.PlainRoleID}}, OrganisationUnits: []platform.Reference{{ID: platformtest.OrgUnitID}},
		}
		uid, err := users.Invite(ctx, who)
		if err != nil || uid == "" {
			t.Fatal(uid, err)
		}
		user, err := users.ByUsername(ctx, "eve", "")
		if err != nil || user.ID != uid || user.Email != who.Email {
			t.Error(user, err)
		}
		if err := errors.Join(users.Reinvite(ctx, uid), users.ResetPassword(ctx, uid)); err != nil {
			t.Error(err)
		}
		_, err = users.Invite(ctx, who)
		refused(t, err, http.StatusConflict)
		if _, err = users.Invite(ctx, platform.Invitation{}); err == nil {
			t.Error("nobody was invited")
		}
		refused(t, users.Reinvite(ctx, "Usr00009999"), http.StatusNotFound)
		refused(t, users.ResetPassword(ctx, platformtest.PlainUserID), http.StatusConflict) // has no email
	}},
	{"groups", func(t *testing.T, c *platform.Client, _ platform.Major) {
		ctx, groups := t.Context(), c.UserGroups()
		list, err := groups.List(ctx, platform.ListOptions{Fields: "id,name,code"})
		if err != nil || len(list) != 1 || list[0].Name != "Laboratory" || list[0].Code != "LAB" {
			t.Fatal(list, err)
		}
		members := func() int {
			group, err := groups.Get(ctx, platformtest.GroupID, "id,users[id]")
			if err != nil {
				t.Fatal(err)
			}
			return len(group.Users)
		}
		if err := groups.AddMember(ctx, platformtest.GroupID, platformtest.UserID); err != nil || members() != 2 {
			t.Error(members(), err)
		}
		if err := groups.RemoveMember(ctx, platformtest.GroupID, platformtest.UserID); err != nil || members() != 1 {
			t.Error(members(), err)
		}
		refused(t, groups.AddMember(ctx, "Grp00009999", platformtest.UserID), http.StatusNotFound)
		refused(t, groups.RemoveMember(ctx, platformtest.GroupID, "Usr00009999"), http.StatusNotFound)
		_, err = groups.Get(ctx, "Grp00009999", "")
		refused(t, err, http.StatusNotFound)
		for _, uid := range []string{"", ".", ".."} {
			if err := groups.RemoveMember(ctx, platformtest.GroupID, uid); err == nil {
				t.Errorf("%q was taken for a uid", uid)
			}
		}
	}},
	{"sharing", func(t *testing.T, c *platform.Client, major platform.Major) {
		ctx, groups := t.Context(), c.UserGroups()
		sharing, err := groups.Sharing(ctx, platformtest.GroupID)
		if err != nil || sharing.PublicAccess != "r-------" || len(sharing.UserAccesses) != 0 {
			t.Fatal(sharing, err)
		}
		if (sharing.ExternalAccess != nil) != (major < 43) {
			t.Error("externalAccess:", sharing.ExternalAccess)
		}
		for _, access := range []platform.Access{"r-------", "rw------"} { // the second in place of the first
			if _, err := groups.GrantUser(ctx, platformtest.GroupID, platformtest.PlainUserID, access); err != nil {
				t.Fatal(err)
			}
			sharing, err = groups.Sharing(ctx, platformtest.GroupID)
			if err != nil || len(sharing.UserAccesses) != 1 || sharing.UserAccesses[0].ID != platformtest.PlainUserID || sharing.UserAccesses[0].Access != access || sharing.PublicAccess != "r-------" {
				t.Error(sharing, err)
			}
		}
		for _, wrong := range []platform.Access{"", "rw", "wr------", "rwx-----", "rwrwrwrw", "rw-------"} {
			if _, err := groups.GrantUser(ctx, platformtest.GroupID, platformtest.PlainUserID, wrong); err == nil {
				t.Errorf("%q was taken for an access", wrong)
			}
		}
		_, err = groups.Sharing(ctx, "Grp00009999")
		refused(t, err, http.StatusNotFound)
		_, err = groups.GrantUser(ctx, platformtest.GroupID, "Usr00009999", "r-------")
		refused(t, err, http.StatusNotFound)
		if _, err := groups.Sharing(ctx, ""); err == nil {
			t.Error("sharing of nothing")
		}
	}},
	{"roles", func(t *testing.T, c *platform.Client, _ platform.Major) {
		ctx, roles := t.Context(), c.UserRoles()
		list, err := roles.List(ctx, platform.ListOptions{Fields: "id,name", Filters: []string{"name:eq:Clerk"}})
		if err != nil || len(list) != 1 || list[0].ID != platformtest.PlainRoleID {
			t.Fatal(list, err)
		}
		authorities, err := roles.Authorities(ctx, platformtest.RoleID)
		if err != nil || !slices.Equal(authorities, []string{"ALL", "F_USER_ADD"}) {
			t.Error(authorities, err)
		}
		holds := func() bool {
			user, err := c.Users().Get(ctx, platformtest.UserID, "userRoles[id]")
			if err != nil {
				t.Fatal(err)
			}
			return slices.ContainsFunc(user.UserRoles, func(r platform.Reference) bool { return r.ID == platformtest.PlainRoleID })
		}
		if err := roles.AddUser(ctx, platformtest.PlainRoleID, platformtest.UserID); err != nil || !holds() {
			t.Error(holds(), err)
		}
		if err := roles.RemoveUser(ctx, platformtest.PlainRoleID, platformtest.UserID); err != nil || holds() {
			t.Error(holds(), err)
		}
		_, err = roles.Authorities(ctx, "Rol00009999")
		refused(t, err, http.StatusNotFound)
		refused(t, roles.AddUser(ctx, "Rol00009999", platformtest.UserID), http.StatusNotFound)
	}},
	// Platform client, section 7: listing authorities on the v41 tree.
	{"authorities", func(t *testing.T, c *platform.Client, major platform.Major) {
		list, err := c.Authorities().List(t.Context())
		if major == 41 {
			refused(t, err, http.StatusInternalServerError)
			return
		}
		if err != nil || len(list) == 0 || list[0].ID != "ALL" || list[0].Name == "" {
			t.Error(list, err)
		}
	}},
}
