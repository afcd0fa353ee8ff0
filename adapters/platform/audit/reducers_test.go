package audit

import (
	"fmt"
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
	if numbers("") != nil || numbers("1..2") != nil || numbers("1.2.3.4.5.6.7.8.9.10") != nil || len(numbers("1.2.3.4.5.6.7.8.9")) != 9 {
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
		{probeInput{status: 200, json: true}, Flagged},
		{probeInput{status: 200}, Skipped},
		{probeInput{status: 401}, Pass},
		{probeInput{status: 403, json: true}, Skipped},
		{probeInput{status: 302}, Skipped},
		{probeInput{status: 429}, Skipped},
		{probeInput{status: 204}, Skipped},
		{probeInput{refused: "no"}, Skipped},
	} {
		r := reduceProbe(test.in)
		if o := outcome(t, r, "credential-probe-default"); o.Status != test.want || (test.want == Skipped && test.in.refused == "") != (len(r.Findings) == 1 && r.Findings[0].Control == "") {
			t.Errorf("%+v: %+v %+v", test.in, o, r.Findings)
		}
	}
}
