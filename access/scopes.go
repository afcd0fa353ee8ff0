package access

// ScopesGrant returns what the scopes of a principal permit, and nothing else. Scopes that are not
// about resources, such as openid, permit nothing, and so do scopes that cannot be parsed.
func ScopesGrant(p *Principal) *Grant {
	g := &Grant{Patient: p.Patient, User: p.User}
	for _, text := range p.Scopes {
		if s, err := ParseScope(text); err == nil {
			g.Allow = append(g.Allow, s)
		}
	}
	return g
}
