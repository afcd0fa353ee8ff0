package platform_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// connect connects to the double as its administrator.
func connect(t *testing.T, p *platformtest.Platform) *platform.Client {
	t.Helper()
	client, err := platform.Connect(t.Context(), p.URL, auth.NewPAT(auth.NewSecret(platformtest.PAT)), platform.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// refused checks that an error is an APIError of a status.
func refused(t *testing.T, err error, status int) {
	t.Helper()
	if api, ok := errors.AsType[*platform.APIError](err); !ok || api.Status != status {
		t.Errorf("not an APIError of status %d: %v", status, err)
	}
}

// accessorTests run one after the other against one platform of each major: what the
// first ones write the last ones see.
var accessorTests = []struct {
	name string
	test func(t *testing.T, c *platform.Client, major platform.Major)
}{
	// Platform client, section 4, GET /api/system/info.
	{"info", func(t *testing.T, c *platform.Client, major platform.Major) {
		info, err := c.System().Info(t.Context())
		if err != nil || !strings.HasPrefix(info.Version, fmt.Sprintf("2.%d.", major)) || info.SystemName != "Test" {
			t.Error(info, err)
		}
		posture, err := c.System().VersionPosture(t.Context())
		if err != nil || posture.Major != major || posture.Posture != platform.PostureSupported {
			t.Error(posture, err)
		}
	}},
	// Platform client, section 4, GET /api/me.
	{"me", func(t *testing.T, c *platform.Client, _ platform.Major) {
		me, err := c.System().Me(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if me.ID != platformtest.UserID || me.Username != platformtest.Username || !slices.Contains(me.Authorities, "ALL") {
			t.Errorf("%+v", me)
		}
		if len(me.Programs) != 1 || me.Programs[0].ID != "Prg00000001" {
			t.Error(me.Programs)
		}
	}},
	// Platform client, section 2.4: what the record of the current user has.
	{"current user record", func(t *testing.T, c *platform.Client, major platform.Major) {
		me, err := c.System().Me(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(me.UserRoles) != 1 || me.UserRoles[0].ID != platformtest.RoleID || me.Disabled || me.ExternalAuth {
			t.Errorf("%+v", me)
		}
		if at := me.PasswordLastUpdated.String(); at != "2024-01-01T00:00:00Z" { // nested on 41
			t.Error(at)
		}
		doc, err := json.Marshal(me)
		if err != nil {
			t.Fatal(err)
		}
		members := []string{"userRoles", "teiSearchOrganisationUnits", "disabled", "externalAuth", "passwordLastUpdated"}
		if major > 41 { // 41 has the flag twoFactorEnabled
			members = append(members, "twoFactorType")
		}
		for _, member := range members {
			if !strings.Contains(string(doc), `"`+member+`":`) {
				t.Errorf("no %s in %s", member, doc)
			}
		}
	}},
	// Platform client, section 4, GET /api/me/authorization.
	{"authorization", func(t *testing.T, c *platform.Client, _ platform.Major) {
		list, err := c.System().Authorization(t.Context())
		if err != nil || !slices.Equal(list, []string{"ALL", "F_USER_ADD"}) {
			t.Error(list, err)
		}
	}},
	// Platform client, section 4, GET /api/users/{id}.
	{"who am I", func(t *testing.T, c *platform.Client, _ platform.Major) {
		user, err := c.System().WhoAmI(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(user.Authorities, []string{"ALL", "F_USER_ADD"}) || len(user.UserRoles) != 1 || user.UserRoles[0].Label() != "Superuser ("+platformtest.RoleID+")" {
			t.Errorf("%+v", user)
		}
	}},
	// Platform client, section 4, GET /api/systemSettings.
	{"settings", func(t *testing.T, c *platform.Client, _ platform.Major) {
		ctx, system := t.Context(), c.System()
		all, err := system.Settings(ctx)
		if err != nil || len(all) < 10 {
			t.Fatal(all, err)
		}
		some, err := system.Settings(ctx, "applicationTitle", "minPasswordLength", "none")
		if err != nil || len(some) != 2 {
			t.Error(some, err)
		}
		value, set, err := system.Setting(ctx, "applicationTitle")
		if err != nil || !set || string(value) != `"Test"` {
			t.Error(string(value), set, err)
		}
		if _, set, err := system.Setting(ctx, "none"); set || err != nil {
			t.Error("an unset setting:", set, err)
		}
		if err := system.SetSetting(ctx, "applicationTitle", "Bürö"); err != nil {
			t.Fatal(err)
		}
		if value, _, err = system.Setting(ctx, "applicationTitle"); err != nil || string(value) != `"Bürö"` { // not that of the cache
			t.Error(string(value), err)
		}
		if err := system.DeleteSetting(ctx, "applicationTitle"); err != nil {
			t.Fatal(err)
		}
		if value, set, err = system.Setting(ctx, "applicationTitle"); err != nil || set {
			t.Error(string(value), set, err)
		}
	}},
	// Platform client, section 2.4: the security settings are a projection, and
	// keyAnalysisDisplayProperty is lower case.
	{"security settings", func(t *testing.T, c *platform.Client, major platform.Major) {
		s, err := c.System().SecuritySettings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.MinPasswordLength == nil || *s.MinPasswordLength != 8 || s.CredentialsExpires == nil || *s.CredentialsExpires != 0 || s.KeyEmailUsername == nil {
			t.Errorf("%+v", s)
		}
		if (s.EnforceVerifiedEmail != nil) != (major > 41) {
			t.Error("enforceVerifiedEmail:", s.EnforceVerifiedEmail)
		}
		value, _, err := c.System().Setting(t.Context(), "keyAnalysisDisplayProperty")
		if err != nil || string(value) != `"name"` {
			t.Error(string(value), err)
		}
	}},
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
	{"apps", func(t *testing.T, c *platform.Client, _ platform.Major) {
		ctx, apps := t.Context(), c.Apps()
		list, err := apps.List(ctx)
		if err != nil || len(list) != 2 || !list[0].CoreApp || list[1].Bundled || list[0].AppHubID == "" {
			t.Fatal(list, err)
		}
		app, err := apps.Upload(ctx, "some/widget.zip", strings.NewReader(archive(t)))
		if err != nil || app == nil || app.Key != "uploaded" || app.Version != "1.2.3" {
			t.Error(app, err)
		}
		if list, err = apps.List(ctx); err != nil || len(list) != 3 {
			t.Error(list, err)
		}
		if err := errors.Join(apps.Delete(ctx, "uploaded"), apps.Reload(ctx)); err != nil {
			t.Error(err)
		}
		refused(t, apps.Delete(ctx, "uploaded"), http.StatusNotFound)
		refused(t, apps.Delete(ctx, "dashboard"), http.StatusConflict)
		if _, err := apps.Upload(ctx, "widget.txt", strings.NewReader("no archive")); err == nil || !strings.Contains(err.Error(), "widget.txt: it is not a zip archive") {
			t.Error(err)
		}
		_, err = apps.Upload(ctx, "cut.zip", strings.NewReader("PK\x03\x04 and then nothing"))
		refused(t, err, http.StatusConflict)
	}},
	// Platform client, section 4, GET /api/appHub: version id first, else app id, of which
	// the latest version; section 2.4, app hub version entry.
	{"app hub", func(t *testing.T, c *platform.Client, _ platform.Major) {
		ctx, hub := t.Context(), c.AppHub()
		app, err := hub.App(ctx, "app-1")
		if err != nil {
			t.Fatal(err)
		}
		var versions []string
		for _, v := range app.NewestFirst() {
			versions = append(versions, v.Version)
		}
		if !slices.Equal(versions, []string{"10.1.0", "2.0.0", "1.9.5", "beta"}) {
			t.Error(versions)
		}
		if v := app.NewestFirst()[2]; v.ID != "ver-1" || v.Channel != "stable" || v.MinPlatformVersion != "2.38" || v.MaxPlatformVersion != "2.41" {
			t.Errorf("%+v", v)
		}
		for id, want := range map[string]string{"ver-1": "1.9.5", "app-1": "10.1.0", "app-2": "0.3.0"} {
			target, err := hub.Resolve(ctx, id)
			if err != nil || target.Version.Version != want || target.ByApp != strings.HasPrefix(id, "app") {
				t.Error(id, target, err)
			}
		}
		if err := hub.Install(ctx, "ver-5"); err != nil {
			t.Fatal(err)
		}
		apps, err := c.Apps().List(ctx)
		if err != nil || !slices.ContainsFunc(apps, func(a platform.App) bool { return a.Name == "Gadget" && a.Version == "0.3.0" && a.AppHubID == "app-2" }) {
			t.Error(apps, err)
		}
		refused(t, hub.Install(ctx, "ver-9"), http.StatusNotFound)
	}},
	// Platform client, section 7: catalog id matches neither version nor app.
	{"unknown id of the catalogue", func(t *testing.T, c *platform.Client, _ platform.Major) {
		for name, ask := range map[string]func(context.Context) error{
			"resolve": func(ctx context.Context) error { _, err := c.AppHub().Resolve(ctx, "none"); return err },
			"app":     func(ctx context.Context) error { _, err := c.AppHub().App(ctx, "none"); return err },
		} {
			err := ask(t.Context())
			if !errors.Is(err, platform.ErrInstallTarget) || !errors.Is(err, platform.ErrLookup) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), `"none"`) {
				t.Error(name, err)
			}
		}
	}},
}

// TestAccessors runs every accessor of system, users and apps as each major. Platform
// client, sections 2.4, 4, 5 and 7; platform toolkit, sections 2.8 and 7.3.
// Rows of docs/platform.md: 2.4.2, 2.4.3, 2.4.4, 2.4.5, 4.7, 4.8, 4.9, 4.10, 4.11, 4.15, 7.8,
// 7.12.
func TestAccessors(t *testing.T) {
	for _, major := range platform.Majors() {
		t.Run(major.String(), func(t *testing.T) {
			p := platformtest.New(t, platformtest.Options{Major: int(major)})
			client := connect(t, p)
			for _, test := range accessorTests {
				t.Run(test.name, func(t *testing.T) { test.test(t, client, major) })
			}
			// Platform client, section 4: all API calls carry the headers of section 5.
			for _, r := range p.Requests() {
				if strings.HasPrefix(r.Path, "/api/") && r.Header.Get("Authorization") != "ApiToken "+platformtest.PAT {
					t.Errorf("%s %s has no credentials", r.Method, r.Path)
				}
			}
		})
	}
}
