package platform

import (
	"cmp"
	"slices"
	"strings"
)

// Rules are the differences between releases of one major. Features has the differences between majors.
// Both come from the product's public source and manual. V1 to V10 are rows of the page of rules by version.
type Rules struct {
	// OAuth2Server: the platform has an authorization server.
	OAuth2Server bool
	// Scope is the scope with which a login gets a token that the platform accepts.
	Scope string
	// RegisteredScopes are the scopes that a client may be registered with; nil means any.
	RegisteredScopes []string
	// MappingClaims are the claims of a token that may name its user; nil means any.
	MappingClaims []string
	// ServerKeys are the keys that OAuth2 needs in the configuration of the server.
	ServerKeys []string
	// ProofKey: a client must be registered as using PKCE.
	ProofKey bool
	// TwoFactorPath: the platform has /api/users/twoFactor.
	TwoFactorPath bool
	// KnownSettings: a setting that is unset is an empty text, and only an unknown one is not found.
	KnownSettings bool
}

// Keys of the configuration of a server. Platform toolkit, section 1.6.8.
const (
	keyServer   = "oauth2.server.enabled"
	keyBaseURL  = "server.base.url"
	keyJWT      = "oidc.jwt.token.authentication.enabled"
	keyLogin    = "oidc.oauth2.login.enabled"
	keyProvider = "oidc.provider.<name>"
)

// A change is a rule with the first versions of majors 42 and 43 that have it. Later majors have every
// change, earlier majors have none.
type change struct {
	in42, in43 Version
	apply      func(*Rules)
}

// changes is the table of releases.
func changes() []change {
	line := func(major Major, patch, hotfix int) Version {
		return Version{Major: major, Patch: patch, Hotfix: hotfix}
	}
	return []change{
		// Platform client, section 9, and toolkit, section 7.2: the authorization server comes with 42. The
		// keys are those of section 5.
		{line(42, 0, 0), line(43, 0, 0), func(r *Rules) {
			r.OAuth2Server, r.ServerKeys = true, []string{keyServer, keyBaseURL, keyJWT, keyLogin, keyProvider}
		}},
		// V9: settings that the platform knows have a value, if only an empty one.
		{line(42, 0, 0), line(43, 0, 0), func(r *Rules) { r.KnownSettings = true }},
		// V1: the claim that names the user is username or email.
		{line(42, 5, 0), line(43, 0, 0), func(r *Rules) { r.MappingClaims = []string{"username", "email"} }},
		// V2: a token has the claim username if the scope username was granted.
		{line(42, 5, 0), line(43, 0, 0), func(r *Rules) { r.Scope = ScopeUsername }},
		// V4: the server registers itself as its provider, so two keys suffice.
		{line(42, 5, 0), line(43, 0, 0), func(r *Rules) { r.ServerKeys = []string{keyServer, keyBaseURL} }},
		// V3: a client is registered with few scopes, and with a proof key.
		{line(42, 7, 0), line(43, 2, 0), func(r *Rules) {
			r.RegisteredScopes, r.ProofKey = []string{"openid", "profile", "username", "email"}, true
		}},
		// V8: the second factors of users, "from 2.43.1 and after 2.42.5.2".
		{line(42, 5, 3), line(43, 1, 0), func(r *Rules) { r.TwoFactorPath = true }},
	}
}

// Scopes of logins: before 2.42.5, and in releases whose tokens name the user by the claim username.
const (
	ScopeAll      = "ALL"
	ScopeUsername = "openid username"
)

// Rules returns the rules of a version.
func (v Version) Rules() Rules {
	rules := Rules{Scope: ScopeAll}
	for _, c := range changes() {
		if v.has(c) {
			c.apply(&rules)
		}
	}
	return rules
}

// has reports whether a change is in a version.
func (v Version) has(c change) bool {
	switch v.Major {
	case c.in42.Major:
		return v.compare(c.in42) >= 0
	case c.in43.Major:
		return v.compare(c.in43) >= 0
	}
	return v.Major > c.in43.Major
}

// compare compares versions, without their suffixes.
func (v Version) compare(other Version) int {
	return cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Patch, other.Patch), cmp.Compare(v.Hotfix, other.Hotfix))
}

// RulesOf returns the rules of a version as a server reports it, and false if it cannot be read.
func RulesOf(version string) (Rules, bool) {
	v, err := ParseVersion(version)
	if err != nil {
		return Rules{}, false
	}
	return v.Rules(), true
}

// Unregistered returns those of some scopes with which the release does not let a client be registered.
func (r Rules) Unregistered(scopes []string) (refused []string) {
	for _, scope := range scopes {
		if r.RegisteredScopes != nil && !slices.Contains(r.RegisteredScopes, scope) {
			refused = append(refused, scope)
		}
	}
	return refused
}

// ScopeFor returns the scope of a login to a server of a version. If the version cannot be read, ScopeFor
// returns ScopeAll if the supported scopes contain ALL and not username, else ScopeUsername, which current
// releases need.
func ScopeFor(version string, supported []string) string {
	if rules, known := RulesOf(version); known {
		return rules.Scope
	}
	if slices.Contains(supported, ScopeAll) && !slices.Contains(supported, "username") {
		return ScopeAll
	}
	return ScopeUsername
}

// NeedsKey reports whether OAuth2 needs a key in the configuration of the server.
func (r Rules) NeedsKey(key string) bool {
	return slices.ContainsFunc(r.ServerKeys, func(needed string) bool { return strings.HasPrefix(key, needed) })
}
