package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Key names a check.
type Key string

// The checks.
const (
	CheckVersion         Key = "version"
	CheckTransport       Key = "transport"
	CheckSettings        Key = "settings"
	CheckAuthorities     Key = "authorities"
	CheckRoles           Key = "roles"
	CheckHygiene         Key = "hygiene"
	CheckCredentialProbe Key = "credential-probe" //nolint:gosec // the key of a check
	CheckGuest           Key = "guest"
	CheckApps            Key = "apps"
	CheckSharing         Key = "sharing"
	CheckAuthMethods     Key = "auth-methods"
	CheckTokens          Key = "tokens"
	CheckRoutes          Key = "routes"
	CheckAuditConfig     Key = "audit-config"
)

// check is a check and the function that runs it. An error of run that is a readError degrades the
// check; any other is an error of the check.
type check struct {
	key   Key
	label string
	run   func(s *Scanner, ctx context.Context) (Result, error)
}

// checks are all checks in the order in which they run. Platform toolkit, sections 5.1 and 5.4.
func checks() []check {
	return []check{
		{CheckVersion, "Version", (*Scanner).version},
		{CheckTransport, "Transport", (*Scanner).transport},
		{CheckSettings, "Security settings", (*Scanner).settings},
		{CheckAuthorities, "Authorities of the audit account", (*Scanner).authorities},
		{CheckRoles, "User roles", (*Scanner).roles},
		{CheckHygiene, "Accounts", (*Scanner).hygiene},
		{CheckCredentialProbe, "Default credentials", (*Scanner).credentialProbe},
		{CheckGuest, "Access without login", (*Scanner).guest},
		{CheckApps, "Apps and injected code", (*Scanner).apps},
		{CheckSharing, "Sharing", (*Scanner).sharing},
		{CheckAuthMethods, "Ways to log in", (*Scanner).authMethods},
		{CheckTokens, "Personal access tokens", (*Scanner).tokens},
		{CheckRoutes, "Routes", (*Scanner).routes},
		{CheckAuditConfig, "Audit configuration", (*Scanner).auditConfig},
	}
}

// Keys returns the checks in the order in which they run.
func Keys() []Key {
	var keys []Key
	for _, c := range checks() {
		keys = append(keys, c.key)
	}
	return keys
}

// Label returns the name of the check for people.
func (k Key) Label() string {
	for _, c := range checks() {
		if c.key == k {
			return c.label
		}
	}
	return string(k)
}

// Select returns the checks to run: those of only, or all if it is empty, without those of skip, in the
// order in which they run. An unknown key and an empty selection are errors.
func Select(only, skip []string) ([]Key, error) {
	for _, name := range slices.Concat(only, skip) {
		if !slices.Contains(Keys(), Key(name)) {
			return nil, fmt.Errorf("%q is not a check; the checks are %s", name, names(Keys()))
		}
	}
	selected := slices.DeleteFunc(Keys(), func(k Key) bool {
		return len(only) > 0 && !slices.Contains(only, string(k)) || slices.Contains(skip, string(k))
	})
	if len(selected) == 0 {
		return nil, fmt.Errorf("no check is left to run; leave some out of the skipped: %s", strings.Join(skip, ", "))
	}
	return selected, nil
}

func names(keys []Key) string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = string(key)
	}
	return strings.Join(list, ", ")
}
