package authtest

import (
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"math/big"
	"net/http"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// signer returns the key that signs tokens, and its id.
func (s *Server) signer() (*rsa.PrivateKey, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key, fmt.Sprintf("key-%d", s.starts)
}

// keys responds with the public key as a JSON Web Key Set.
func (s *Server) keys(w http.ResponseWriter, _ *http.Request) {
	key, id := s.signer()
	public := key.PublicKey
	answer(w, http.StatusOK, map[string]any{"keys": []map[string]string{{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": id,
		"n": base64.RawURLEncoding.EncodeToString(public.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(public.E)).Bytes()),
	}}})
}

// keysOf returns the keys that verify the tokens of an issuer.
func (s *Server) keysOf(issuer string) platformtest.Keys {
	key, id := s.signer()
	return platformtest.Keys{Issuer: issuer, Keys: map[string]*rsa.PublicKey{id: &key.PublicKey}}
}
