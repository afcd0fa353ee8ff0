package platformtest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"time"
)

// Keys are the keys that sign the tokens of an issuer.
type Keys struct {
	Issuer string
	Keys   map[string]*rsa.PublicKey // by their kid
}

// ReadKeys reads a JSON Web Key Set. It ignores keys other than RSA.
func ReadKeys(issuer string, set []byte) (Keys, error) {
	var read struct {
		Keys []struct{ Kty, Kid, N, E string }
	}
	if err := json.Unmarshal(set, &read); err != nil {
		return Keys{}, err
	}
	keys := Keys{Issuer: issuer, Keys: map[string]*rsa.PublicKey{}}
	for _, key := range read.Keys {
		n, failed := base64.RawURLEncoding.DecodeString(key.N)
		e, err := base64.RawURLEncoding.DecodeString(key.E)
		if err = errors.Join(failed, err); err != nil {
			return Keys{}, err
		}
		if key.Kty == "RSA" {
			keys.Keys[key.Kid] = &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
		}
	}
	return keys, nil
}

// Verify returns the subject of a JSON Web Token that Claims accepts. Verify can be Options.Bearer.
func (k Keys) Verify(token string) (subject string, err error) {
	claims, err := k.Claims(token)
	if err != nil {
		return "", err
	}
	return claims.text("sub"), nil
}

// Claims returns the claims of a JSON Web Token. The token must be signed by one of the keys with RS256,
// come from the issuer, have a subject, and not have expired. Claims can be Options.Claims.
func (k Keys) Claims(token string) (Claims, error) {
	var header struct{ Alg, Kid string }
	var claims Claims
	parts := strings.Split(token, ".")
	if len(parts) != 3 || decodePart(parts[0], &header) != nil || decodePart(parts[1], &claims) != nil {
		return nil, errors.New("invalid token")
	}
	expires, _ := claims["exp"].(float64)
	subject, _ := claims["sub"].(string)
	key, sum := k.Keys[header.Kid], sha256.Sum256([]byte(parts[0]+"."+parts[1]))
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	switch {
	case err != nil || header.Alg != "RS256" || key == nil || rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) != nil:
		return nil, errors.New("invalid signature")
	case claims["iss"] != k.Issuer:
		return nil, errors.New("invalid issuer")
	case float64(time.Now().Unix()) >= expires:
		return nil, errors.New("token has expired")
	case subject == "":
		return nil, errors.New("token has no subject")
	}
	return claims, nil
}

func decodePart(part string, into any) error {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}
