package authn

import (
	"crypto/x509"
	"net/http"

	"github.com/roget-health/roget/access"
)

// Certificates accepts the client certificates that TLS has verified.
type Certificates struct{}

// Service returns the code of certificates in the code system restful-security-service.
func (Certificates) Service() (code, display string) { return "Certificates", "Certificates" }

// Authenticate returns the principal of a verified client certificate. The subject is its
// distinguished name, and the roles are its names: cn:, dns:, uri: and email:, each with a name.
func (Certificates) Authenticate(r *http.Request) (*access.Principal, error) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 || len(r.TLS.VerifiedChains[0]) == 0 {
		return nil, nil
	}
	leaf := r.TLS.VerifiedChains[0][0]
	return &access.Principal{
		Subject: leaf.Subject.String(), Issuer: leaf.Issuer.String(), Method: "certificate", Roles: names(leaf),
	}, nil
}

// names returns the names of a certificate.
func names(c *x509.Certificate) (list []string) {
	if c.Subject.CommonName != "" {
		list = append(list, "cn:"+c.Subject.CommonName)
	}
	for _, name := range c.DNSNames {
		list = append(list, "dns:"+name)
	}
	for _, name := range c.URIs {
		list = append(list, "uri:"+name.String())
	}
	for _, name := range c.EmailAddresses {
		list = append(list, "email:"+name)
	}
	return list
}
