package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

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
