package bearer

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// FuzzKeys reads any bytes as a JSON Web Key Set. A key that is kept is public, strong, and makes no
// signature of an algorithm with a shared secret.
func FuzzKeys(f *testing.F) {
	for _, seed := range []string{
		`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`,
		`{"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc"}]}`,
		`{"keys":[{"kty":"oct","k":"AAAA","alg":"HS256"},{"kty":"RSA","n":"AQAB","e":"AQAB"},null,7,{"keys":[]}]}`,
		`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}]}`,
		`{"keys":[{"kty":"RSA","n":"","e":"AQ","x5c":["AAAA"],"x5t":"x","x5u":"http://x"}]}`, `{"keys":{}}`, `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		set, err := parseKeys("f", content)
		if err != nil {
			return
		}
		if len(set.list) == 0 || len(set.list) > maxKeys || !set.equal(set) {
			t.Fatalf("%d keys", len(set.list))
		}
		for i := range set.list {
			key := &set.list[i]
			switch k := key.Key.(type) {
			case *rsa.PublicKey:
				if k.N.BitLen() < minRSA {
					t.Errorf("RSA of %d bits", k.N.BitLen())
				}
			case *ecdsa.PublicKey:
				if _, err := k.Bytes(); err != nil {
					t.Errorf("a point that is not on its curve: %v", err)
				}
			case ed25519.PublicKey:
				if len(k) != ed25519.PublicKeySize {
					t.Errorf("Ed25519 of %d bytes", len(k))
				}
			default:
				t.Errorf("a key of type %T", k)
			}
			if !key.IsPublic() || key.Use != "" && key.Use != "sig" {
				t.Errorf("a private key or one for %q", key.Use)
			}
			for _, algorithm := range []jose.SignatureAlgorithm{"", "none", jose.HS256, jose.HS384, jose.HS512} {
				if makes(key, string(algorithm)) {
					t.Errorf("%T makes signatures of %q", key.Key, algorithm)
				}
			}
		}
	})
}
