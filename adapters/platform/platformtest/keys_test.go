package platformtest_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/big"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestBearer: tokens are verified against the keys and the issuer, and identify a user.
func TestBearer(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	keys, err := platformtest.ReadKeys("https://issuer.example", fmt.Appendf(nil,
		`{"keys":[{"kty":"EC","kid":"other"},{"kty":"RSA","kid":"k","n":%q,"e":%q}]}`, encode(key.N.Bytes()), encode(big.NewInt(int64(key.E)).Bytes())))
	if err != nil || len(keys.Keys) != 1 {
		t.Fatalf("%v, %v", keys, err)
	}
	sign := func(header, claims string) string {
		text := encode([]byte(header)) + "." + encode([]byte(claims))
		sum := sha256.Sum256([]byte(text))
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		return text + "." + encode(signature)
	}
	const header, claims = `{"alg":"RS256","kid":"k"}`, `{"iss":"https://issuer.example","sub":"admin","exp":9e9}`
	good := sign(header, claims)
	for _, strict := range []bool{false, true} {
		a := ask(t, platformtest.Options{Bearer: keys.Verify, RequireOpenID: strict})
		nurse := "401 mapping claim"
		if !strict {
			nurse = "200 nurse"
		}
		for token, want := range map[string]string{
			good:                           "200 admin",
			good[:len(good)-3] + "AAA":     "401 invalid signature",
			"a.b":                          "401 invalid token",
			sign(`{"alg":"none"}`, claims): "401 invalid signature",
			sign(header, `{"iss":"https://other.example","sub":"admin","exp":9e9}`):  "401 invalid issuer",
			sign(header, `{"iss":"https://issuer.example","sub":"admin","exp":1e9}`): "401 expired",
			sign(header, `{"iss":"https://issuer.example","exp":9e9}`):               "401 no subject",
			sign(header, `{"iss":"https://issuer.example","sub":"nurse","exp":9e9}`): nurse,
		} {
			a.wants("GET", "/api/me", "", want, "Authorization: Bearer "+token)
		}
	}
}
