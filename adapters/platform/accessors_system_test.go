package platform_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// systemAccessors are about the system and the current user.
var systemAccessors = []accessorTest{
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
	{"settings", func(t *testing.T, c *platform.Client, major platform.Major) {
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
		if _, set, err := system.Setting(ctx, "keyStyle"); set || err != nil {
			t.Error("an unset setting:", set, err)
		}
		if _, set, err := system.Setting(ctx, "none"); set || errors.Is(err, platform.ErrUnknownSetting) != (major > 41) {
			t.Error("an unknown setting:", set, err)
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
}
