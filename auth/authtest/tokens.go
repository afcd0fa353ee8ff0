package authtest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"time"
)

// keyID names the key that signs tokens.
const keyID = "key-1"

// keys gives the key that signs tokens, as a JSON Web Key Set.
func (s *Server) keys(w http.ResponseWriter, _ *http.Request) {
	public := s.key.PublicKey
	answer(w, http.StatusOK, map[string]any{"keys": []map[string]string{{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": keyID,
		"n": base64.RawURLEncoding.EncodeToString(public.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(public.E)).Bytes()),
	}}})
}

// claims are those of a token that are looked at.
type claims struct {
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`
	Expires int64  `json:"exp"`
}

// verify checks the signature and expiry of a token, and tells what is wrong.
func (s *Server) verify(token string) (found claims, wrong string) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return found, "no token"
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || rsa.VerifyPKCS1v15(&s.key.PublicKey, crypto.SHA256, sum[:], signature) != nil {
		return found, "invalid signature"
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(body, &found) != nil {
		return found, "invalid claims"
	}
	if time.Now().Unix() >= found.Expires {
		return found, "expired"
	}
	return found, ""
}
