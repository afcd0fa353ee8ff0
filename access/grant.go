package access

import "context"

// A Grant is what one request may do: all that a scope of Allow covers, except what a scope of Deny
// covers. The zero Grant permits nothing. It is never modified once it is in a context.
type Grant struct {
	Allow, Deny []Scope
	// Patient is the id of the Patient that scopes of the level Patient cover. Without it they
	// cover nothing.
	Patient string
	// User is the resource of the user as a relative reference, "" if there is none.
	User string
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
