package platform

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

// FuzzRecords: what is read and written again says the same.
// Rows of docs/platform.md: 4.15.
func FuzzRecords(f *testing.F) {
	for _, doc := range []string{
		`{"id":"Usr00000001","disabled":false,"created":"2024-01-02","userRoles":["a",{"id":"b","x":1}],"more":{"a":[1]}}`,
		`{"lastLogin":1e3,"userGroups":null,"programs":7,"authorities":[]}`,
		`{"zeta":1,"alpha":null,"":"x"}`,
		`{"publicAccess":"rw------","externalAccess":false,"userAccesses":[{"id":"u","access":""}]}`,
		`{"versions":[{"created":1,"min_dhis_version":"2.40"}],"developer":["x"]}`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		for _, make := range []func() any{
			func() any { return new(User) }, func() any { return new(UserGroup) }, func() any { return new(App) },
			func() any { return new(Sharing) }, func() any { return new(Settings) }, func() any { return new(HubApp) },
		} {
			first, second := make(), make()
			if json.Unmarshal(doc, first) != nil {
				continue
			}
			written, err := json.Marshal(first)
			if err != nil {
				t.Fatalf("%T: %v", first, err)
			}
			_, hub := first.(*HubApp) // whose spellings change; null in a list of records becomes {}
			if !hub && !bytes.Contains(doc, []byte("null")) && canonicalJSON(t, written) != canonicalJSON(t, doc) {
				t.Fatalf("%T: %s became %s", first, doc, written)
			}
			if err := json.Unmarshal(written, second); err != nil {
				t.Fatalf("%T: %v: %s", first, err, written)
			}
			again, err := json.Marshal(second)
			if err != nil || canonicalJSON(t, again) != canonicalJSON(t, written) {
				t.Fatalf("%T: %s became %s (%v)", first, written, again, err)
			}
		}
	})
}

// FuzzCompareDotted: as a comparison part by part with big numbers.
func FuzzCompareDotted(f *testing.F) {
	f.Add("1.2.3", "1.10")
	f.Add("v1", "0.0")
	f.Add("99999999999999999999", "0100000000000000000000")
	f.Fuzz(func(t *testing.T, x, y string) {
		number := func(version string, i int) *big.Int {
			parts := strings.Split(version, ".")
			if i >= len(parts) || strings.Trim(parts[i], "0123456789") != "" {
				return new(big.Int)
			}
			n, ok := new(big.Int).SetString("0"+parts[i], 10)
			if !ok {
				t.Fatal(parts[i])
			}
			return n
		}
		want := 0
		for i := 0; want == 0 && i <= strings.Count(x, ".")+strings.Count(y, "."); i++ {
			want = number(x, i).Cmp(number(y, i))
		}
		if got := compareDotted(x, y); cmp.Compare(got, 0) != want || compareDotted(y, x) != -got {
			t.Errorf("%q and %q: %d, want %d", x, y, got, want)
		}
	})
}
