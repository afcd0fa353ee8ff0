package authtest

import (
	"crypto/rsa"
	"encoding/base64"
	"math/big"
	"net/http"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// keyID is the id of the key that signs tokens.
const keyID = "key-1"

// keys responds with the public key as a JSON Web Key Set.
func (s *Server) keys(w http.ResponseWriter, _ *http.Request) {
	public := s.key.PublicKey
	answer(w, http.StatusOK, map[string]any{"keys": []map[string]string{{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": keyID,
		"n": base64.RawURLEncoding.EncodeToString(public.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(public.E)).Bytes()),
	}}})
}

// keysOf returns the keys that verify the tokens of an issuer.
func (s *Server) keysOf(issuer string) platformtest.Keys {
	return platformtest.Keys{Issuer: issuer, Keys: map[string]*rsa.PublicKey{keyID: &s.key.PublicKey}}
}
