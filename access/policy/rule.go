package policy

import (
	"fmt"
	"slices"

	"github.com/roget-health/roget/access"
)

// Anonymous is the method of a request without credentials.
const Anonymous = "anonymous"

// A Rule is a rule of a policy.
type Rule struct {
	Name string
	Line int // in the file
	// The conditions: a principal meets one if it has one of the values. Those without values are
	// always met, except that a rule is for requests without credentials only if Method says so.
	Issuer, Client, Subject, Role, Method, Certificate []string
	Allow, Deny                                        []access.Scope
	// Replace ignores the scopes that the credentials carry. Otherwise they limit Allow.
	Replace bool
	// Patient and User stand in for those that the credentials do not carry.
	Patient, User string
}

// Unmet returns the condition that a principal does not meet, or "" if the rule applies to it. nil
// stands for a request without credentials.
func (r *Rule) Unmet(p *access.Principal) string {
	if p == nil {
		p = &access.Principal{Method: Anonymous}
	}
	if p.Method == Anonymous && !slices.Contains(r.Method, Anonymous) {
		return "there are no credentials"
	}
	certificate, roles := []string(nil), p.Roles
	if p.Method == "certificate" { // the names of a certificate are no roles
		certificate, roles = append([]string{p.Subject}, p.Roles...), nil
	}
	for _, c := range [...]struct {
		name      string
		want, has []string
	}{
		{"method", r.Method, []string{p.Method}},
		{"issuer", r.Issuer, []string{p.Issuer}},
		{"client", r.Client, []string{p.Client}},
		{"subject", r.Subject, []string{p.Subject}},
		{"role", r.Role, roles},
		{"certificate", r.Certificate, certificate},
	} {
		if len(c.want) > 0 && !slices.ContainsFunc(c.want, func(v string) bool { return slices.Contains(c.has, v) }) {
			return fmt.Sprintf("%s is not %s", c.name, either(c.want))
		}
	}
	return ""
}

// allowed returns what the rule allows a principal to which it applies. Credentials without scopes,
// such as a password, have nothing to limit it.
func (r *Rule) allowed(p *access.Principal) []access.Scope {
	if r.Replace || p == nil || p.Scopes == nil {
		return r.Allow
	}
	var list []access.Scope
	for _, own := range access.ScopesGrant(p).Allow {
		for _, s := range r.Allow {
			if met, some := own.Meet(s); some && !slices.Contains(list, met) {
				list = append(list, met)
			}
		}
	}
	return list
}
