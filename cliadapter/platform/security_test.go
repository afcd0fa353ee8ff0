package platform_test

import (
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestSecuritySettings: Platform client, section 4, security settings, and section 2.4,
// security settings slice.
// Rows of docs/platform.md: 2.4.3, 4.26, T3.1.
func TestSecuritySettings(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		out := squeezed(p.must(t, "security", "settings"))
		has(t, out, "SETTING VALUE\nminPasswordLength 8\nmaxPasswordLength 72\ncredentialsExpires never\ncredentialsExpiresReminderInDays 28\n",
			"keyLockMultipleFailedLogins false\n", "keyEmailHostName smtp.platform.example\n")
		verified := "enforceVerifiedEmail false\n"
		if p.major == 41 {
			verified = "enforceVerifiedEmail -\n"
		}
		has(t, out, verified)
		slice := parsed[map[string]any](t, p.must(t, "security", "settings", "--json"))
		_, there := slice["enforceVerifiedEmail"]
		if slice["credentialsExpires"] != 0.0 || slice["keyAccountRecovery"] != true || there != (p.major > 41) || slice["applicationTitle"] != nil {
			t.Error(slice)
		}
		if changed := written(p); len(changed) != 0 {
			t.Error(changed)
		}
	})
	p := newOnPlatform(t, 42, func(o *platformtest.Options) {
		o.Settings = map[string]any{"credentialsExpires": 6, "minPasswordLength": nil}
	})
	has(t, squeezed(p.must(t, "security", "settings")), "credentialsExpires 6 months\n", "minPasswordLength -\n")
}
