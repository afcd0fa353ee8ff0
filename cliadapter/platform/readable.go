package platform

import (
	"os"
	"runtime"
	"slices"

	"github.com/roget-health/roget/auth/profile"
)

// warnReadable warns if others than its owner can read the file with the credentials of a profile.
func (inv *invocation) warnReadable(chosen profile.Resolved) {
	secret := slices.ContainsFunc(chosen.Profile.Fields(), func(f profile.Field) bool { return !f.Secret.IsZero() })
	if inv.warned || chosen.Path == "" || !secret || runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(chosen.Path); err == nil && info.Mode().Perm()&0o077 != 0 {
		inv.warned = true
		inv.Notice("warning: others can read %s, which has credentials; run chmod 600 %s", chosen.Path, chosen.Path)
	}
}
