package audit

import (
	"fmt"
	"strings"
	"testing"
)

// TestSharingPrecedence: one finding of public access for each object, and external access apart.
// Platform toolkit, section 5.9.
// Rows of docs/platform.md: T5.9.
func TestSharingPrecedence(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		kind, public string
		data         bool
		external     *bool
		want         string
	}{
		{"dataSet", "rwrw----", true, &no, "sharing-public-write-data"},
		{"dataSet", "r--w----", true, &no, "sharing-public-write-data"},
		{"dataSet", "r-r-----", true, &no, "sharing-public-read-data"},
		{"dataSet", "r-r-----", true, &yes, "sharing-external"},
		{"dataSet", "r-------", true, &no, ""},
		{"map", "rw------", false, &no, "sharing-public-write-metadata"},
		{"map", "r-rw----", false, &no, ""},
		{"map", "rw------", false, &yes, "sharing-external sharing-public-write-metadata"},
		{"sqlView", "r-------", false, &no, "sharing-public-sql-view"},
		{"sqlView", "rw------", false, &no, "sharing-public-write-metadata"},
		{"sqlView", "r-------", false, &yes, "sharing-external"},
	} {
		r := reduceSharing(sharingInput{objects: []shared{{kind: test.kind, dataBearing: test.data, block: sharingBlock{Public: &test.public, External: test.external}}}})
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Control)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	r := reduceSharing(sharingInput{objects: []shared{{unreadable: true}}, exhausted: true, budget: 1})
	if o := outcome(t, r, "sharing-public-read-data"); o.Status != Skipped || !strings.Contains(r.Note, "lower bound") || !strings.Contains(r.Note, "do not show their sharing") {
		t.Errorf("%+v", r)
	}
	for text, want := range map[string]bool{"rwrw----": true, "r---": true, "": false, "rw": false, "wr------": false, "RW------": false} {
		if isAccess(text) != want {
			t.Errorf("%q", text)
		}
	}
}

// TestGraph: who may do what.
// Rows of docs/platform.md: T5.9.
func TestGraph(t *testing.T) {
	public := "r-------"
	g := Graph{}
	g.add(shared{kind: "map", id: "m", name: "M", block: sharingBlock{
		Public: &public, Users: map[string]access{"a": {"rw------"}}, Groups: map[string]access{"g": {"r-r-----"}},
	}}, map[string][]string{"g": {"a", "b"}})
	want := "[{m  r-------} {m a rwr-----} {m b r-r-----}]"
	if got := fmt.Sprint(g.Access); got != want || len(g.Edges) != 2 || g.Edges[1] != (Edge{"g", "m", "shares", "r-r-----"}) {
		t.Error(got, g.Edges)
	}
}

// TestHosts: where routes lead to. Platform toolkit, section 5.10.
// Rows of docs/platform.md: T5.10.
func TestHosts(t *testing.T) {
	for address, want := range map[string]hostKind{
		"https://lab.example/api/**": hostOther, "http://169.254.169.254/latest": hostMetadata, "http://[fd00:ec2::254]/": hostMetadata,
		"http://metadata.google.internal./x": hostMetadata, "http://METADATA.google.INTERNAL": hostMetadata, "http://2852039166/": hostMetadata,
		"http://[::ffff:169.254.169.254]/": hostMetadata, "http://[::ffff:a9fe:a9fe]/": hostMetadata, "http://0xa9.0xfe.0xa9.0xfe/": hostMetadata,
		"http://0251.0376.0251.0376/": hostMetadata, "http://[64:ff9b::a9fe:a9fe]": hostMetadata,
		"http://127.0.0.1:8080": hostInternal, "http://2130706433": hostInternal, "http://0x7f000001": hostInternal, "http://0177.0.0.1": hostInternal, "http://0": hostInternal,
		"http://127.1": hostInternal, "http://10.1": hostInternal, "http://192.168.257": hostInternal, "http://[::1]": hostInternal, "http://[::]": hostInternal, "http://[fe80::1%25eth0]": hostInternal,
		"http://[fc00::1]": hostInternal, "http://172.16.0.1": hostInternal, "http://172.32.0.1": hostOther, "http://100.64.1.1": hostInternal, "http://localhost": hostInternal,
		"http://a.localhost": hostInternal, "http://db.internal": hostInternal, "http://printer.local.": hostInternal, "http://x.localdomain": hostInternal, "http://internal": hostOther,
		"http://8.8.8.8": hostOther, "http://0x8.8.8.8": hostOther, "http://999.1.1.1": hostOther, "http://4294967296": hostOther, "http://08.8.8.8": hostOther, "http://1.2.3.4.5": hostOther,
		"http://u:p@127.0.0.1/": hostInternal, "http://lab.example@127.0.0.1/": hostInternal, `http://127.0.0.1\@lab.example/`: hostInternal, "http://127.0.0.1/{x y}": hostInternal,
		"": hostOther, "no address": hostOther, "http://": hostOther, "http:///127.0.0.1": hostInternal,
	} {
		if host, got := classifyHost(address); got != want {
			t.Errorf("%s (%s): %d, want %d", address, host, got, want)
		}
	}
}

// TestLoose: redirect addresses that anybody may listen at, and what a report shows of an address.
func TestLoose(t *testing.T) {
	for address, loose := range map[string]bool{
		"https://a.example/": false, "http://a.example/": true, "HTTP://10.0.0.1/": true, "https://*.example/": true, "http://LOCALHOST.:1/": false,
		"http://127.1.2.3/": false, "http://[::1]:1/": false, "http://[::ffff:127.0.0.1]/": false, "http://[fe80::1]/": true, "http://%zz": false, "app:/back": false,
	} {
		if got := isLoose(address); got != loose {
			t.Errorf("%s: %t", address, got)
		}
	}
	for address, want := range map[string]string{
		" https://a/b ": "https://a/b", "https://a/b?c=d": "https://a/b (shortened)", "https://u:p@a/b": "https://a/b (shortened)", "http://%zz": "an address that cannot be read",
	} {
		if got := redacted(address); got != want {
			t.Errorf("%q: %s", address, got)
		}
	}
}

// TestParseRoute: of the authentication only type and user name are kept.
func TestParseRoute(t *testing.T) {
	for text, want := range map[string]string{
		`{"url":"https://x","auth":{"type":"http-basic","username":"u","password":"planted"}}`: "http-basic u",
		`{"url":"https://x","auth":{"type":"api-token","username":"planted"}}`:                 "api-token ",
		`{"url":"https://x","auth":{"type":"planted"}}`:                                        "unknown ",
		`{"url":"https://x","auth":"planted"}`:                                                 "unknown ",
		`{"url":"https://x","auth":null}`:                                                      " ",
		`{"url":"https://x"}`:                                                                  " ",
	} {
		if r, ok := parseRoute([]byte(text)); !ok || r.authKind+" "+r.authUser != want || r.Auth != nil {
			t.Errorf("%s: %+v", text, r)
		}
	}
	for _, bad := range []string{`{}`, `7`, `null`, `{"url":7}`, `{"url":""}`} {
		if r, ok := parseRoute([]byte(bad)); ok {
			t.Errorf("%s: %+v", bad, r)
		}
	}
}

// FuzzHosts: no address panics.
// Rows of docs/platform.md: T5.10.
func FuzzHosts(f *testing.F) {
	for _, seed := range []string{"http://0x7f.1/", "https://[::1", "a://b@c:d\\e", "http://[fe80::1%25x]"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, address string) {
		classifyHost(address)
		redacted(address)
		isLoose(address)
	})
}

// TestReleases: the feed of releases, and the latest line.
// Rows of docs/platform.md: T5.6.
func TestReleases(t *testing.T) {
	list, err := ParseReleases([]byte(`{"versions":[{"name":"2.41","version":41,"supported":true,"latestPatchVersion":8,"latestHotfixVersion":2},{"version":"43","latest":false},{"name":"2.42"},{"name":"x"},7,{"version":-1}]}`))
	if err != nil || len(list) != 3 || list.latest() != 43 || *list.line(41) != (Release{41, true, false, 8, 2}) || list.line(40) != nil {
		t.Error(list, err)
	}
	list[0].Latest = true
	if list.latest() != 41 {
		t.Error("the flag is ignored")
	}
	for _, bad := range []string{"", "[]", "{}", `{"versions":[]}`, `{"versions":[{"name":"x"}]}`, `{"versions":7}`} {
		if _, err := ParseReleases([]byte(bad)); err == nil {
			t.Errorf("%q is a feed", bad)
		}
	}
}

// TestVersionPosture: what a version alone says. Platform toolkit, section 5.6.
// Rows of docs/platform.md: T5.6.
func TestVersionPosture(t *testing.T) {
	for _, test := range []struct {
		version string
		want    string // severities
		patch   int
	}{
		{"2.42.5.1", "", 5},
		{"2.42.5", "HIGH", 5},
		{"2.42.6-SNAPSHOT", "", 6},
		{"2.41.8.2", "", 8},
		{"2.41.8.1", "HIGH", 8},
		{"2.43.0.1", "", 0},
		{"2.43.0", "HIGH", 0},
		{"2.40.3", "HIGH", 3},
		{"2.44.0", "", 0},
		{"3.0", "", 0},
		{"2", "INFO", 0},
		{"", "INFO", 0},
		{"2.x", "INFO", 0},
		{"2.42.1.1.1", "INFO", 0},
	} {
		p := ClassifyVersion(test.version)
		var got []string
		for _, f := range p.Findings {
			got = append(got, string(f.Severity))
		}
		if strings.Join(got, " ") != test.want || (p.Parsed == nil) != (test.want == "INFO") || p.Parsed != nil && (p.Parsed.Patch != test.patch || p.Parsed.Raw != test.version || p.Parsed.IsSnapshot != strings.Contains(test.version, "SNAP")) {
			t.Errorf("%q: %+v", test.version, p)
		}
	}
	if r := reduceVersion(versionInput{version: "2.44.0", releases: Releases{{Line: 42}}}); outcome(t, r, "version-below-advisory-floor").Status != Skipped || outcome(t, r, "version-eol-feed-unsupported").Status != Skipped {
		t.Errorf("%+v", r.Controls)
	}
}

// FuzzReleases: no feed panics; lines are in range.
// Rows of docs/platform.md: T5.6.
func FuzzReleases(f *testing.F) {
	for _, seed := range []string{`{"versions":[{"version":42,"latestHotfixVersion":null}]}`, `{"versions":[{"name":"2.41","latestPatchVersion":-1}]}`, "[]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := ParseReleases(text)
		if (err == nil) != (len(list) > 0) {
			t.Error(list, err)
		}
		for _, e := range list {
			if e.Line <= 0 || e.Patch < 0 || e.Hotfix < 0 {
				t.Error(e)
			}
		}
		reduceVersion(versionInput{version: "2.42.1", releases: list})
	})
}
