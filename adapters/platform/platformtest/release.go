package platformtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Releases returns versions between which the rules of the platform change, oldest first. Each is a
// Version for Options.
func Releases() []string { return []string{"2.41.9", "2.42.4", "2.42.5", "2.42.7", "2.43.2"} }

// Rules are what a release of the platform does, where releases differ. They come from the page of rules
// by version (V1 to V10), which was written from the product's source and manual.
type Rules struct {
	OAuth2        bool     // it has an authorization server: from 42
	OwnProvider   bool     // V1, V4: it is its own OIDC provider, and needs no other keys: from 2.42.5 and 2.43.0
	MappingClaims []string // V1: claims that name the user, any if nil: from 2.42.5 and 2.43.0
	UsernameScope bool     // V2: tokens have the claim username with the scope username: from 2.42.5 and 2.43.0
	Scopes        []string // V3: scopes that a client may register, any if nil: from 2.42.7 and 2.43.2
	ProofKey      bool     // V3: clients must be registered with a proof key: from 2.42.7 and 2.43.2
	TwoFactor     bool     // V8: it has /api/users/twoFactor: from 2.43.1, and after 2.42.5.2
	EmptySettings bool     // V9: an unset setting is an empty text, not a 404: from 42
}

// RulesOf returns the rules of a version. A version that cannot be read has the rules of major 41.
func RulesOf(version string) Rules {
	var major, patch, hotfix int
	number, _, _ := strings.Cut(version, "-")
	if read, _ := fmt.Sscanf(number, "2.%d.%d.%d", &major, &patch, &hotfix); read == 0 {
		return Rules{}
	}
	since := func(of42, of43 int) bool {
		return major > 43 || major == 43 && patch >= of43 || major == 42 && patch >= of42
	}
	rules := Rules{OAuth2: major >= 42, EmptySettings: major >= 42}
	rules.OwnProvider, rules.UsernameScope = since(5, 0), since(5, 0)
	if since(5, 0) {
		rules.MappingClaims = []string{"username", "email"}
	}
	if since(7, 2) {
		rules.Scopes, rules.ProofKey = []string{"openid", "profile", "username", "email"}, true
	}
	rules.TwoFactor = since(6, 1) || major == 42 && patch == 5 && hotfix > 2
	return rules
}

// Rules returns the rules of the platform's version.
func (p *Platform) Rules() Rules { return RulesOf(p.options.Version) }

// A Provider is an oidc.provider.* in the configuration of the server whose issuer is the platform itself.
type Provider struct {
	MappingClaim string // the claim of a token that names its user
	ClientID     string // which tokens must have as their audience; any if empty
}

// Claims are the claims of a token.
type Claims map[string]any

// text returns a claim, or null as the platform writes it if the token lacks the claim.
func (c Claims) text(name string) string {
	if value, is := c[name].(string); is {
		return value
	}
	return "null"
}

// has reports whether an audience, a text or a list of texts, contains a client.
func (c Claims) has(client string) bool {
	switch audience := c["aud"].(type) {
	case string:
		return audience == client
	case []any:
		return slices.Contains(audience, any(client))
	}
	return false
}

// Configure replaces the provider in the configuration of the server. Without one, releases that are their
// own provider map the claim username, and earlier releases have one for the claim sub.
func (p *Platform) Configure(provider *Provider) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.options.Provider = provider
}

// mapped returns the name of the user of a token, or the reason why there is none. The configured provider
// comes first (V1).
func (p *Platform) mapped(claims Claims) (name, wrong string) {
	rules, provider := p.Rules(), Provider{MappingClaim: "sub"}
	if rules.OwnProvider {
		provider.MappingClaim = "username"
	}
	if p.options.Provider != nil {
		provider = *p.options.Provider
	}
	claim := provider.MappingClaim
	switch {
	case provider.ClientID != "" && !claims.has(provider.ClientID):
		return "", "Invalid audience"
	case rules.MappingClaims != nil && !slices.Contains(rules.MappingClaims, claim):
		return "", "Invalid mapping claim"
	}
	value := claims.text(claim)
	for _, user := range p.collections["users"].all() {
		switch {
		case claim == "username" && user["username"] == value,
			claim == "email" && user["email"] == value,
			claim == "sub" && (user["openId"] == value || !p.options.RequireOpenID && user["username"] == value):
			return text(user, "username"), ""
		}
	}
	return "", "Found no matching user for the mapping claim: '" + claim + "' with the value: '" + value + "'"
}

// registrable refuses a client that the release does not let anybody register (V3).
func (p *Platform) registrable(client Object) (refused answer) {
	rules := p.Rules()
	for _, scope := range several(client["scopes"]) {
		if rules.Scopes != nil && !slices.Contains(rules.Scopes, scope) {
			return refuse(http.StatusConflict, "Scope is not supported: "+scope)
		}
	}
	var settings map[string]any
	if json.Unmarshal([]byte(text(client, "clientSettings")), &settings) == nil && rules.ProofKey && settings["settings.client.require-proof-key"] == false {
		return refuse(http.StatusConflict, "PKCE cannot be disabled")
	}
	return answer{}
}

// unsetSettings are keys of settings that a new platform knows but has no values of.
var unsetSettings = []string{
	"keyApplicationIntro", "keyApplicationFooter", "keyCustomJs", "keyCustomCss", "keyStyle", "keyFlag",
	"keyUseCustomLogoFront", "keyUseCustomLogoBanner", "keyEmailPassword", "helpPageLink", "keyAppHubUrl",
}

// know notes which settings exist.
func (p *Platform) know() {
	p.known = map[string]bool{}
	for _, key := range slices.Concat(unsetSettings, slices.Collect(maps.Keys(p.settings))) {
		p.known[key] = true
	}
}

// unsetSetting responds to a request for a setting without a value (V9).
func (p *Platform) unsetSetting(key string) answer {
	if p.Rules().EmptySettings && p.known[key] {
		return found(Object{key: ""})
	}
	return refuse(http.StatusNotFound, "Setting does not exist: "+key)
}

// anonymous responds to a request without a login: with the login page, unless it comes from a script (V5).
func (p *Platform) anonymous(r *http.Request, wrong string) answer {
	if r.Header.Get("X-Requested-With") == "XMLHttpRequest" {
		return unauthorized(wrong, `Basic realm="platform"`)
	}
	return answer{status: http.StatusFound, header: http.Header{"Location": {p.options.ContextPath + p.loginPage()}}}
}
