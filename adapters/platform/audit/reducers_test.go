package audit

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform/audit/serverconfig"
)

// outcome returns a control of a result.
func outcome(t testing.TB, r Result, id string) Outcome {
	t.Helper()
	i := slices.IndexFunc(r.Controls, func(o Outcome) bool { return o.ID == id })
	if i < 0 {
		t.Fatalf("no %s in %+v", id, r)
	}
	return r.Controls[i]
}

// TestRecorder: controls begin as skipped, unknown ids are errors of the program, the worst severity
// counts, findings are sorted.
// Rows of docs/platform.md: 2.6.1, T5.1.
func TestRecorder(t *testing.T) {
	for _, check := range Keys() {
		r := newRecorder(check).done()
		if len(r.Controls) == 0 {
			t.Errorf("%s has no controls", check)
		}
		for _, o := range r.Controls {
			if o.Status != Skipped || o.Note != "not evaluated this run" {
				t.Errorf("%+v", o)
			}
		}
	}
	r := newRecorder(CheckTransport)
	r.evaluated("transport-weak-hsts")
	for _, f := range []Finding{
		{Control: "transport-weak-hsts", Severity: Warn, Title: "b", Subject: "2"},
		{Control: "transport-weak-hsts", Severity: Medium, Title: "c"},
		{Control: "transport-weak-hsts", Severity: Warn, Title: "b", Subject: "1"},
		{Control: "transport-weak-hsts", Severity: Warn, Title: "a\n\x1b[2J"},
	} {
		r.flag(f)
	}
	r.skip("too late", "transport-weak-hsts")
	o := outcome(t, r.done(), "transport-weak-hsts")
	if o.Status != Flagged || o.Severity != Medium || len(o.FindingTitles) != 3 || o.Note != "" {
		t.Errorf("%+v", o)
	}
	var order []string
	for _, f := range r.result.Findings {
		order = append(order, f.Title+f.Subject)
	}
	if strings.Join(order, ",") != "c,a [2J,b1,b2" {
		t.Error(order)
	}
	for _, do := range []func(*recorder){
		func(r *recorder) { r.evaluated("routes-inventory") }, func(r *recorder) { r.skip("x", "unknown") }, func(r *recorder) { r.flag(Finding{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("an unknown control is accepted")
				}
			}()
			do(newRecorder(CheckTransport))
		}()
	}
}

// TestSelect: which checks run.
// Rows of docs/platform.md: T5.1.
func TestSelect(t *testing.T) {
	for _, test := range []struct{ only, skip, want string }{
		{"", "", "version transport settings authorities roles hygiene credential-probe guest apps sharing auth-methods tokens routes audit-config"},
		{"routes version", "", "version routes"},
		{"routes version", "version", "routes"},
		{"rutes", "", ""},
		{"", "rutes", ""},
		{"routes", "routes", ""},
	} {
		got, err := Select(strings.Fields(test.only), strings.Fields(test.skip))
		if strings.ReplaceAll(names(got), ",", "") != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%+v: %v %v", test, got, err)
		}
	}
}

// TestSeverities: their order, and what they are read from.
// Rows of docs/platform.md: 2.6.1, T5.1.
func TestSeverities(t *testing.T) {
	if got := fmt.Sprint(Severities()); got != "[CRITICAL HIGH MEDIUM WARN INFO]" {
		t.Error(got)
	}
	if s, err := ParseSeverity("warn"); err != nil || s != Warn || !s.AtLeast(Info) || !s.AtLeast(Warn) || s.AtLeast(Medium) || Severity("").AtLeast(Info) {
		t.Error(s, err)
	}
	if _, err := ParseSeverity("bad"); err == nil {
		t.Error("bad is a severity")
	}
	s := Summarize([]Result{
		{Status: StatusOK, Findings: []Finding{{Severity: Info}, {Severity: High}}}, {Status: StatusDegraded}, {Status: StatusError}, {Status: StatusSkipped, Findings: []Finding{{Severity: Info}}},
	})
	if s.Worst != High || s.Findings != 3 || s.Totals[Info] != 2 || s.Checks != 4 || s.OK != 1 || s.Degraded != 1 || s.Error != 1 || s.Skipped != 1 || Summarize(nil).Worst != "" {
		t.Errorf("%+v", s)
	}
}

// TestAges: thresholds in whole days, strictly greater; offsets; times that cannot be read.
// Rows of docs/platform.md: 2.6.4, T5.8.
func TestAges(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		text  string
		never bool
		days  int
	}{
		{"", true, 0},
		{"2026-06-01T12:00:00.000", false, 0},
		{"2026-05-31T12:00:00.001", false, 0},
		{"2026-05-31T12:00:00", false, 1},
		{"2026-05-31T14:00:00+0200", false, 1},
		{"2026-05-31T14:00:01+02:00", false, 0},
		{"2027-01-01", false, 0},
		{"long ago", false, 0},
		{"2025-06-01T12:00:00Z", false, 365},
	} {
		if got := ageOf(test.text, now); got.never != test.never || got.days != test.days {
			t.Errorf("%q: %+v", test.text, got)
		}
	}
	if (age{days: 365}).over(365) || !(age{days: 366}).over(365) || (age{never: true}).over(0) {
		t.Error("the threshold is wrong")
	}
}

// TestStalePasswords: one finding about all active accounts, with the count and at most ten names.
// Rows of docs/platform.md: 2.6.4, 8.4, T5.8.
func TestStalePasswords(t *testing.T) {
	in := hygieneInput{stale: 90, password: 365, byUser: true}
	for i := range 12 {
		in.users = append(in.users, user{username: fmt.Sprintf("u%02d", i), password: age{never: i%2 == 0, days: 366}, privileged: i == 3, super: i == 3, securedKnown: true, secured: true, email: "x"})
	}
	in.users = append(in.users, user{username: "gone", disabled: true, password: age{never: true}}, user{username: "fresh", password: age{days: 365}})
	var found []Finding
	for _, f := range reduceHygiene(in).Findings {
		if f.GroupKey == "stale-password" {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		t.Fatal(found)
	}
	f := found[0]
	if f.Severity != Warn || f.Control != "hygiene-agg-stale-password" || f.Evidence["count"] != "12" || f.Evidence["sample"] != "u00, u01, u02, u03, u04, u05, u06, u07, u08, u09" ||
		!strings.HasSuffix(f.Detail, "u08, u09 and 2 more") {
		t.Errorf("%+v", f)
	}
}

// TestHygiene: a disabled privileged account gives one finding, others by group; who cannot be judged.
// Rows of docs/platform.md: 2.6.4, T5.8.
func TestHygiene(t *testing.T) {
	groups := func(in hygieneInput) string {
		var keys []string
		for _, f := range reduceHygiene(in).Findings {
			if f.GroupKey != "" {
				keys = append(keys, f.GroupKey)
			}
		}
		slices.Sort(keys)
		return strings.Join(keys, " ")
	}
	for _, test := range []struct {
		user user
		want string
	}{
		{user{privileged: true, disabled: true, lastLogin: age{never: true}, password: age{never: true}}, "disabled-privileged"},
		{user{privileged: true, lastLogin: age{never: true}}, "never-logged-in no-email"},
		{user{privileged: true, lastLogin: age{days: 91}, email: "x"}, "stale"},
		{user{privileged: true, lastLogin: age{days: 90}, email: "x"}, ""},
		{user{lastLogin: age{never: true}}, "active-never-logged-in"},
		{user{lastLogin: age{days: 91}}, "active-stale"},
		{user{disabled: true, lastLogin: age{never: true}}, ""},
		{user{super: true, privileged: true, email: "x", securedKnown: true}, "superuser-no-2fa"},
		{user{super: true, privileged: true, disabled: true, securedKnown: true}, "disabled-privileged"},
	} {
		if got := groups(hygieneInput{users: []user{test.user}, stale: 90, password: 365, byUser: true}); got != test.want {
			t.Errorf("%+v: %s", test.user, got)
		}
	}
	o := outcome(t, reduceHygiene(hygieneInput{users: []user{{super: true, privileged: true}}, byUser: true}), "hygiene-2fa-superuser")
	if o.Status != Skipped || !strings.Contains(o.Note, "do not show") {
		t.Errorf("%+v", o)
	}
	r := reduceHygiene(hygieneInput{missing: 3, unsecured: []string{"root"}})
	if o := outcome(t, r, "hygiene-2fa-superuser"); o.Status != Flagged || !strings.Contains(r.Note, "3 superusers") || r.Findings[0].Subject != "root" {
		t.Errorf("%+v", r)
	}
}

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

// TestTaxonomy: categories by exact names. Platform toolkit, section 5.3.
// Rows of docs/platform.md: 2.6.6, T5.3.
func TestTaxonomy(t *testing.T) {
	a := NewAccount([]string{"F_USER_ADD", "F_ROUTE_DELETE", "F_IMPERSONATE_USER", "F_SYSTEM_SETTING", "F_USER_ADD", "f_user_add", "F_OTHER"})
	var got []string
	for _, m := range a.Categories {
		got = append(got, m.Key+":"+strings.Join(m.Matched, "+"))
	}
	if strings.Join(got, " ") != "user_management:F_USER_ADD+F_IMPERSONATE_USER route_management:F_ROUTE_DELETE system_settings:F_SYSTEM_SETTING" || a.IsSuperuser || len(a.Authorities) != 6 {
		t.Errorf("%+v", a)
	}
	if a := NewAccount(nil); a.Authorities == nil || a.Categories == nil {
		t.Error("lists are null")
	}
	for authority, want := range map[string]Severity{"F_ROUTE_PUBLIC_ADD": High, "F_ROUTE_PRIVATE_ADD": High, "F_ROUTE_DELETE": High, "F_SYSTEM_SETTING": Medium, "F_IMPERSONATE_USER": High, "F_OTHER": ""} {
		r := reduceRoles([]role{{Name: "x", Authorities: []string{authority}}})
		if o := outcome(t, r, "roles-dangerous-authorities"); o.Severity != want {
			t.Errorf("%s: %+v", authority, o)
		}
	}
}

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

// TestNumbers: versions of apps are compared as numbers.
func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		a, b  string
		older bool
	}{{"1.9.0", "1.10", true}, {"v2.0", "2.0.0", false}, {"2.0.0-rc1", "2.0.0", false}, {"2.0.0", "v2.0.1-beta", true}, {"beta", "1.0", false}, {"10", "9.9", false}} {
		if got := older(test.a, numbers(test.b)); got != test.older {
			t.Errorf("%+v: %t", test, got)
		}
	}
	if numbers("") != nil || numbers("1..2") != nil || numbers("1.2.3.4.5.6.7.8.9.10") != nil {
		t.Error("no version is one")
	}
}

// TestTokens: an expired token is WARN; one that lives for ever and is not bound is named the worst case.
// Rows of docs/platform.md: 2.6.5, T5.5.
func TestTokens(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for expire, want := range map[string]string{
		"": "tokens-non-expiring", "null": "tokens-non-expiring", "0": "tokens-non-expiring", "1700000000000": "tokens-expired-not-deleted", `"2026-05-31T00:00:00.000"`: "tokens-expired-not-deleted",
		"1.7e12": "tokens-expired-not-deleted", fmt.Sprint(now.UnixMilli()): "", "1900000000000": "", `"soon"`: "", "{}": "",
	} {
		r := reduceTokens(tokensInput{tokens: []token{{ID: "t", Expire: []byte(expire)}}, super: true, now: now})
		got, worst := "", false
		for _, f := range r.Findings {
			if f.GroupKey == "token-non-expiring" || f.GroupKey == "token-expired" {
				got = f.Control
			}
			worst = worst || strings.Contains(f.Detail, "worst case")
		}
		if got != want || worst != (want == "tokens-non-expiring") {
			t.Errorf("%s: %s", expire, got)
		}
	}
	if o := outcome(t, reduceTokens(tokensInput{tokens: []token{{Expire: []byte("1700000000000")}}, now: now}), "tokens-expired-not-deleted"); o.Severity != Warn {
		t.Errorf("%+v", o)
	}
	r := reduceTokens(tokensInput{now: now})
	if len(r.Findings) != 1 || r.Findings[0].Control != "" || r.Findings[0].Severity != Info {
		t.Errorf("%+v", r.Findings)
	}
}

// TestRemarks: the findings without a control.
// Rows of docs/platform.md: T5.5.
func TestRemarks(t *testing.T) {
	for check, r := range map[string]Result{
		"settings": reduceSettings(settingsInput{}), "credential-probe": reduceProbe(probeInput{status: 302}), "audit-config": reduceAuditConfig(nil),
	} {
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Control == "" })
		if i < 0 || r.Findings[i].Severity != Info || check == "audit-config" && strings.Contains(r.Findings[i].Detail, "off") {
			t.Errorf("%s: %+v", check, r.Findings)
		}
	}
}

// TestAuditConfig: what of the configuration is flagged.
// Rows of docs/platform.md: T5.11.
func TestAuditConfig(t *testing.T) {
	config, err := serverconfig.Parse(strings.NewReader("audit.logger = maybe\naudit.api = DISABLED\nencryption.password = planted"))
	if err != nil {
		t.Fatal(err)
	}
	r := reduceAuditConfig(config)
	if len(r.Findings) != 1 || r.Findings[0].Subject != "audit.api" || !strings.Contains(r.Note, "audit.logger") || !strings.Contains(r.Note, "are set: encryption.password") {
		t.Errorf("%+v", r)
	}
}

// TestProbe: only an answer that is certain decides about the default login.
func TestProbe(t *testing.T) {
	for _, test := range []struct {
		in   probeInput
		want OutcomeStatus
	}{
		{probeInput{status: 200, json: true}, Flagged}, {probeInput{status: 200}, Skipped}, {probeInput{status: 401}, Pass}, {probeInput{status: 403, json: true}, Skipped},
		{probeInput{status: 302}, Skipped}, {probeInput{status: 429}, Skipped}, {probeInput{status: 204}, Skipped}, {probeInput{refused: "no"}, Skipped},
	} {
		r := reduceProbe(test.in)
		if o := outcome(t, r, "credential-probe-default"); o.Status != test.want || (test.want == Skipped && test.in.refused == "") != (len(r.Findings) == 1 && r.Findings[0].Control == "") {
			t.Errorf("%+v: %+v %+v", test.in, o, r.Findings)
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
