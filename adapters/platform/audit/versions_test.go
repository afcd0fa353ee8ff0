package audit

import (
	"strings"
	"testing"
)

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
