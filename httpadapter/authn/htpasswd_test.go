package authn

import (
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

// FuzzPasswords reads files in the form of htpasswd. Every user of a file that is accepted is on a
// line of the file, with a hash that bcrypt understands.
func FuzzPasswords(f *testing.F) {
	hash, err := bcrypt.GenerateFromPassword([]byte("x"), bcrypt.MinCost)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("ada:" + string(hash) + "\n# comment\n\nbob:" + string(hash))
	f.Add("ada:$apr1$abc$defghij")
	f.Add(":x")
	f.Add("ada")
	f.Fuzz(func(t *testing.T, content string) {
		for part := range strings.SplitSeq(content, "$") {
			if len(part) == 2 && part > "04" && part <= "15" {
				t.Skip("a hash of this cost takes long to make, and is read like the others")
			}
		}
		p, err := parsePasswords("f", []byte(content))
		if (p == nil) == (err == nil) {
			t.Fatalf("%v, %v", p, err)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f: ") {
				t.Error(err)
			}
			return
		}
		for user, hash := range p.byUser {
			if cost, err := bcrypt.Cost(hash); err != nil || cost > maxCost || user == "" || !strings.Contains(content, user+":"+string(hash)) {
				t.Errorf("%q: %q, %v", user, hash, err)
			}
		}
	})
}
