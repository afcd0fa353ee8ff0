package platformtest

import "slices"

// A World replaces initial objects of a platform, for tests of its security. The zero World is a platform
// without apps, app hub, login providers and self-registration.
type World struct {
	Empty         []string          // plurals of collections without their initial objects
	PATs          map[string]string // names of users by personal access token
	Apps, Hub     []Object
	Providers     []Object // other servers that users can sign in with
	Role          Object   // for self-registration; nil for none
	Schemas       []Object // additional entries of /api/schemas
	DataShareable []string // names of types whose data can be shared
}

// settle applies the world of the options before their users and objects are added.
func (p *Platform) settle() {
	w := p.options.World
	if w == nil {
		return
	}
	for _, plural := range w.Empty {
		if c := p.collections[plural]; c != nil {
			c.order, c.objects = nil, map[string]Object{}
		}
	}
	for token, username := range w.PATs {
		p.tokens[token] = "user:" + username
	}
	p.apps, p.hub = append([]Object{}, w.Apps...), append([]Object{}, w.Hub...)
	p.schemas = append(p.schemas, w.Schemas...)
	for _, schema := range p.schemas {
		if slices.Contains(w.DataShareable, text(schema, "name")) {
			schema["dataShareable"] = true
		}
	}
}

// providers returns the login providers.
func (p *Platform) providers() []any {
	if p.options.World == nil {
		return list(Object{"id": "idp", "loginText": "Sign in with IdP", "url": "/oauth2/authorization/idp", "icon": "idp.svg"})
	}
	all := list()
	for _, provider := range p.options.World.Providers {
		all = append(all, provider)
	}
	return all
}

// registrationRole responds with the role for self-registration, or with nothing.
func (p *Platform) registrationRole(*request) answer {
	switch {
	case p.options.World == nil:
		return found(Object{"id": "Rol00000009", "name": "Guest"})
	case p.options.World.Role == nil:
		return answer{status: 200}
	}
	return found(p.options.World.Role)
}
