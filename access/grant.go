package access

import "context"

// A Grant is what one request may do: all that a scope of Allow covers, except what a scope of Deny
// covers. The zero Grant permits nothing. It is never modified once it is in a context.
//
// A scope that cannot be decided, because its parameters are unknown or its value set is not
// loaded, is no reason to permit anything: whatever depends on it is refused.
type Grant struct {
	Allow, Deny []Scope
	// Patient is the id of the Patient that scopes of the level Patient cover. Without it they
	// cover nothing.
	Patient string
	// User is the resource of the user as a relative reference, "" if there is none.
	User string
}

// Covers reports whether a scope of Allow covers some of the actions for a type. A grant that does
// not cover them permits none of them for any resource of the type. One that does may still deny
// them for every resource there is.
func (g *Grant) Covers(typ string, actions Actions) bool {
	for i := range g.Deny {
		if s := &g.Deny[i]; s.Covers(typ, actions) {
			actions &^= g.whole(s, typ)
		}
	}
	for i := range g.Allow {
		if s := &g.Allow[i]; s.Covers(typ, actions) && (s.Level != Patient || g.Patient != "") {
			return true
		}
	}
	return false
}

// CoversAll reports whether the grant covers one of the actions for all resources of a type, or of
// all types if it is *, as far as that follows from the grant alone.
func (g *Grant) CoversAll(typ string, actions Actions) bool {
	for i := range g.Deny {
		if d := &g.Deny[i]; d.Actions&actions != 0 && (typ == "*" || d.Covers(typ, actions)) {
			return false
		}
	}
	for i := range g.Allow {
		if s := &g.Allow[i]; s.Covers(typ, actions) && g.whole(s, typ)&actions != 0 {
			return true
		}
	}
	return false
}

// whole returns the actions that a scope about a type covers for all its resources.
func (g *Grant) whole(s *Scope, typ string) Actions {
	switch {
	case s.Query != "":
		return 0
	case s.Level != Patient:
		return s.Actions
	case g.Patient != "" && Shared(typ):
		return s.Actions & (Read | Search)
	}
	return 0
}

type grantKey struct{}

// WithGrant returns a context whose bearer may do no more than the grant permits.
func WithGrant(ctx context.Context, g *Grant) context.Context {
	return context.WithValue(ctx, grantKey{}, g)
}

// GrantOf returns the grant of a context, or nil if nothing restricts it: a program that embeds the
// service, or a server without authentication.
func GrantOf(ctx context.Context) *Grant {
	g, _ := ctx.Value(grantKey{}).(*Grant)
	return g
}
