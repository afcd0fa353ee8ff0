package profile

import (
	"fmt"

	"github.com/roget-health/roget/auth"
)

// BuildAuthProvider returns the provider of a profile that needs neither a store nor a browser: pat,
// basic or session. For oauth2 it returns auth.ErrNotImplemented; BuildAuth of package auth/login
// supports all kinds. A missing or wrong member is an auth.FieldError. Platform toolkit, section
// 1.5.2.
func BuildAuthProvider(p Profile) (auth.Provider, error) {
	if p.Auth == OAuth2 {
		return nil, fmt.Errorf("auth = %q is %w: use BuildAuth of package auth/login", p.Auth, auth.ErrNotImplemented)
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	switch p.Auth {
	case PAT:
		return auth.NewPAT(p.Token), nil
	case Basic:
		return auth.NewBasic(p.Username, p.Password), nil
	default:
		return auth.NewSessionCookie(p.Cookie, p.XSRFToken)
	}
}
