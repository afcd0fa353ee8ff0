package access

import "context"

// A Principal is who makes a request. It holds no secrets, so it may be logged.
type Principal struct {
	// Subject identifies the user, or the client that acts for itself. It is unique within Issuer.
	Subject string
	// Issuer is who vouches for the subject: the issuer of a token, or the name of a local file.
	Issuer string
	// Client is the OAuth client, "" if there is none.
	Client string
	// Method is how the principal was authenticated: jwt, introspection, token, basic or certificate.
	Method string
	// Scopes are the scopes that the credentials carry, one each, as they were written.
	Scopes []string
	// Patient is the id of the Patient in the launch context, "" if there is none.
	Patient string
	// User is the resource of the user (fhirUser) as a relative reference, "" if there is none:
	// Practitioner/1.
	User string
	// Roles are the groups or roles that the issuer states, which policies may ask for.
	Roles []string
}

type principalKey struct{}

// WithPrincipal returns a context that carries who makes the request.
func WithPrincipal(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns who makes the request, or nil if nobody was authenticated.
func PrincipalOf(ctx context.Context) *Principal {
	p, _ := ctx.Value(principalKey{}).(*Principal)
	return p
}
