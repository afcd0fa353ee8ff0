package platform

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
)

// FuzzVersion: a version that is parsed and formatted is unchanged; other texts are not parsed.
func FuzzVersion(f *testing.F) {
	for _, seed := range []string{"2.42.4", "2.41.8.1", "2.43-SNAPSHOT", "2.42.4-rc.1", "2.", "3.42", "2.42.", "2.-1", "2.42-", "", "2.0099999", "2.42.1.2.3", "2.٤٢"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseVersion(text)
		if err != nil {
			return
		}
		numbers, suffix, _ := strings.Cut(text, "-")
		written := fmt.Sprintf("2.%d.%d.%d", v.Major, v.Patch, v.Hotfix)
		var want []string
		for _, part := range strings.Split(numbers, ".") {
			if part = strings.TrimLeft(part, "0"); part == "" {
				part = "0"
			}
			want = append(want, part)
		}
		for len(want) < 4 {
			want = append(want, "0")
		}
		if written != strings.Join(want, ".") || v.Suffix != suffix {
			t.Errorf("%q is %+v", text, v)
		}
	})
}

// FuzzWebMessage: no body causes a panic, and the text shown for a body is a short line.
func FuzzWebMessage(f *testing.F) {
	for _, seed := range []string{
		`{"status":"ERROR","message":"m","response":{"typeReports":[{"objectReports":[{"errorReports":[{"value":1}]}]}],"conflicts":[{"object":"o","indexes":[1]}],"importCount":{}}}`,
		`{"httpStatus":null,"response":null}`, `<title>a</title>`, `[]`, "\x1b[0m", `{"status":"OK","response":{"jobType":"J","id":7,"imported":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e := newAPIError(Request{Method: "GET", Path: "/api/x"}, 409, body)
		if text := e.Error(); strings.ContainsAny(text, "\n\r\x1b") || len([]rune(text)) > 500 {
			t.Errorf("%q", text)
		}
		if message := e.WebMessage(); message != nil {
			for i, c := range message.Conflicts {
				if i > 0 && message.Conflicts[i-1].Resource > c.Resource {
					t.Error("conflicts are not in order")
				}
			}
			if _, err := json.Marshal(message); err != nil {
				t.Error(err)
			}
		}
	})
}

// FuzzRecords: a record that is decoded and encoded again has the same content.
// Rows of docs/platform.md: 4.15.
func FuzzRecords(f *testing.F) {
	for _, doc := range []string{
		`{"id":"Usr00000001","disabled":false,"created":"2024-01-02","userRoles":["a",{"id":"b","x":1}],"more":{"a":[1]}}`,
		`{"lastLogin":1e3,"userGroups":null,"programs":7,"authorities":[]}`,
		`{"zeta":1,"alpha":null,"":"x"}`,
		`{"publicAccess":"rw------","externalAccess":false,"userAccesses":[{"id":"u","access":""}]}`,
		`{"version":"2.42.4","odd":{"a":[1,null]}}`, `{"version":null,"":0,"VERSION":"x"}`, `{"cpuCores":-0,"a":1e400}`,
		`{"versions":[{"created":1,"min_dhis_version":"2.40"}],"developer":["x"]}`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		for _, make := range []func() any{
			func() any { return new(User) }, func() any { return new(UserGroup) }, func() any { return new(App) },
			func() any { return new(Sharing) }, func() any { return new(Settings) }, func() any { return new(HubApp) },
			func() any { return new(SystemInfo) },
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
			_, flat := first.(*SystemInfo)
			if !hub && (flat || !bytes.Contains(doc, []byte("null"))) && canonicalJSON(t, written) != canonicalJSON(t, doc) {
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
