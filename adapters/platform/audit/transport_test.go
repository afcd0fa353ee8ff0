package audit

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestHSTS: the grades of Strict-Transport-Security.
// Rows of docs/platform.md: 2.6.5.
func TestHSTS(t *testing.T) {
	for value, want := range map[string]Severity{
		"max-age=0": Medium, "": "", "includeSubDomains": Medium, "max-age=": Medium, "max-age=1e9": Medium, "max-age=-5": Medium, "max-age=86399": Warn,
		"max-age=86400": Warn, "max-age=31535999": Warn, "max-age=31536000": "", `MAX-AGE = "63072000" ; preload`: "", "max-age=99999999999999999999999": "",
		"includeSubDomains; max-age=31536000": "", "max-age=00": Medium,
	} {
		header := http.Header{}
		if value != "" {
			header.Set("Strict-Transport-Security", value)
		}
		r := reduceTransport(transportInput{https: true, header: header})
		o := outcome(t, r, "transport-weak-hsts")
		if o.Severity != want || value == "" && (o.Status != Skipped || outcome(t, r, "transport-no-hsts").Status != Flagged) {
			t.Errorf("%q: %+v", value, o)
		}
	}
}

// TestCSP: what is wrong with policies.
// Rows of docs/platform.md: T5.7.
func TestCSP(t *testing.T) {
	const strict = "script-src 'self'; object-src 'none'; base-uri 'self'"
	for _, test := range []struct {
		policies string // separated by |
		report   bool
		want     string // failures, separated by |
	}{
		{"frame-ancestors 'self';", false, ""},
		{"frame-ancestors *", false, "frame-ancestors allows any site"},
		{"frame-ancestors https:", false, "frame-ancestors allows any site"},
		{"frame-ancestors 'self'", true, "the policy is report-only"},
		{strict, false, ""},
		{strings.ToUpper(strict), false, ""},
		{strict + "; script-src *", false, "script-src allows *"},
		{"default-src 'self'; base-uri 'none'", false, ""},
		{"default-src 'self'", false, "base-uri is not set"},
		{"default-src 'unsafe-inline' data:; base-uri *", false, "default-src allows 'unsafe-inline', data:|object-src is not set, and default-src allows 'unsafe-inline', data:|base-uri allows any address"},
		{"base-uri 'self'", false, "neither script-src nor default-src is set|object-src is not set"},
		{"script-src 'self' 'unsafe-eval'; object-src; base-uri 'self'", false, "script-src allows 'unsafe-eval'"},
		{"script-src 'self'; object-src https:; base-uri 'self'", false, "object-src allows https:"},
		{"default-src *|" + strict, false, ""},
		{"default-src *, " + strict, false, ""},
		{"frame-ancestors *|frame-ancestors 'none'", false, ""},
		{"upgrade-insecure-requests", false, ""},
	} {
		failures, _ := gradePolicies(parsePolicies(strings.Split(test.policies, "|")), test.report)
		if got := strings.Join(failures, "|"); got != test.want && (!test.report || !strings.HasPrefix(got, test.want)) {
			t.Errorf("%q: %q", test.policies, got)
		}
	}
	if _, mention := gradePolicies(parsePolicies([]string{"script-src 'strict-dynamic'; object-src 'none'; base-uri 'none'"}), false); mention == "" {
		t.Error("'strict-dynamic' is not mentioned")
	}
}

// TestFraming: only an enforced policy satisfies the control.
// Rows of docs/platform.md: 2.6.5, T5.7.
func TestFraming(t *testing.T) {
	for _, test := range []struct {
		name, value string
		want        OutcomeStatus
	}{
		{"X-Frame-Options", "DENY", Pass},
		{"Content-Security-Policy", "frame-ancestors 'none'", Pass},
		{"Content-Security-Policy-Report-Only", "frame-ancestors 'none'", Flagged},
		{"Content-Security-Policy", "default-src 'self'", Flagged},
	} {
		r := reduceTransport(transportInput{header: http.Header{test.name: {test.value}}})
		if o := outcome(t, r, "transport-no-anti-framing"); o.Status != test.want {
			t.Errorf("%s: %s: %+v", test.name, test.value, o)
		}
	}
}

// FuzzCSP: no policy panics, and the grade does not depend on letter case.
// Rows of docs/platform.md: T5.7.
func FuzzCSP(f *testing.F) {
	for _, seed := range []string{"frame-ancestors 'self';", "default-src *, script-src", ";;,", "base-uri\x00"} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, reportOnly bool) {
		policies := parsePolicies([]string{text})
		failures, _ := gradePolicies(policies, reportOnly)
		if reportOnly != slices.ContainsFunc(failures, func(f string) bool { return strings.Contains(f, "report-only") }) {
			t.Error(failures)
		}
		for _, p := range policies {
			if sources, has := p["script-src"]; has && slices.Contains(sources, "*") && len(policies) == 1 && len(failures) == 0 {
				t.Errorf("%q passes", text)
			}
		}
	})
}
