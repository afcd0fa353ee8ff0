package access_test

import (
	"testing"

	"github.com/roget-health/roget/access"
)

// grantOf makes a grant of scopes, and of denials that begin with an exclamation mark.
func grantOf(t *testing.T, patient string, texts ...string) *access.Grant {
	t.Helper()
	g := &access.Grant{Patient: patient}
	for _, text := range texts {
		list := &g.Allow
		if text[0] == '!' {
			list, text = &g.Deny, text[1:]
		}
		s, err := access.ParseScope(text)
		if err != nil {
			t.Fatal(err)
		}
		*list = append(*list, s)
	}
	return g
}

// TestCovers compares what grants cover, for some resources and for all resources of a type.
func TestCovers(t *testing.T) {
	for _, c := range []struct {
		patient   string
		scopes    []string
		typ       string
		actions   access.Actions
		some, all bool
	}{
		{"", nil, "Patient", access.Read, false, false},
		{"", []string{"user/Patient.r"}, "Patient", access.Read, true, true},
		{"", []string{"user/Patient.r"}, "Patient", access.Search, false, false},
		{"", []string{"user/Patient.r"}, "Patient", access.Search | access.Read, true, true},
		{"", []string{"user/Patient.r"}, "Observation", access.Read, false, false},
		{"", []string{"user/Patient.r"}, "*", access.Read, false, false},
		{"", []string{"system/*.r"}, "Observation", access.Read, true, true},
		{"", []string{"system/*.r"}, "*", access.Read, true, true},
		{"", []string{"user/Patient.r?active=true"}, "Patient", access.Read, true, false},
		{"", []string{"user/Patient.r?active=true", "user/Patient.r"}, "Patient", access.Read, true, true},
		// The level patient needs a patient, and then covers all only of what patients share.
		{"", []string{"patient/*.rs"}, "Observation", access.Read, false, false},
		{"", []string{"patient/*.rs"}, "CodeSystem", access.Read, false, false},
		{"1", []string{"patient/*.rs"}, "Observation", access.Read, true, false},
		{"1", []string{"patient/*.rs"}, "CodeSystem", access.Read, true, true},
		{"1", []string{"patient/*.cruds"}, "CodeSystem", access.Update, true, false}, // which it permits for none
		{"1", []string{"patient/*.cruds"}, "CodeSystem", access.Update | access.Search, true, true},
		{"1", []string{"patient/*.rs?x=y"}, "CodeSystem", access.Read, true, false},
		{"1", []string{"user/*.rs"}, "Observation", access.Read, true, true},
		// A denial of all resources takes its actions; one of some resources takes only all.
		{"", []string{"user/*.rs", "!user/Patient.r"}, "Patient", access.Read, false, false},
		{"", []string{"user/*.rs", "!user/Patient.r"}, "Patient", access.Search, true, true},
		{"", []string{"user/*.rs", "!user/Patient.r"}, "Patient", access.Read | access.Search, true, false},
		{"", []string{"user/*.rs", "!user/Patient.r"}, "Observation", access.Read, true, true},
		{"", []string{"user/*.rs", "!user/Patient.r"}, "*", access.Read, true, false},
		{"", []string{"user/*.rs", "!user/Patient.r"}, "*", access.Search, true, true},
		{"", []string{"user/*.rs", "!user/Patient.r?active=true"}, "Patient", access.Read, true, false},
		{"", []string{"user/*.rs", "!user/*.r"}, "Patient", access.Read, false, false},
		{"1", []string{"user/*.rs", "!patient/Observation.r"}, "Observation", access.Read, true, false},
		{"1", []string{"user/*.cruds", "!patient/*.cruds"}, "Practitioner", access.Read, false, false},
		{"1", []string{"user/*.cruds", "!patient/*.cruds"}, "Practitioner", access.Update, true, false},
	} {
		g := grantOf(t, c.patient, c.scopes...)
		if some, all := g.Covers(c.typ, c.actions), g.CoversAll(c.typ, c.actions); some != c.some || all != c.all {
			t.Errorf("patient %q, %v, %s.%s: some %v, all %v, want %v, %v", c.patient, c.scopes, c.typ, c.actions, some, all, c.some, c.all)
		}
	}
}

// TestGuards checks that no client changes a value set that its own limits refer to.
func TestGuards(t *testing.T) {
	for _, c := range []struct {
		scopes  []string
		typ     string
		actions access.Actions
		want    bool
	}{
		{[]string{"user/*.cruds", "!user/Condition.rs?code:in=http://x.example/V"}, "ValueSet", access.Update, true},
		{[]string{"user/*.cruds", "!user/Condition.rs?code:in=http://x.example/V"}, "CodeSystem", access.Create | access.Delete, true},
		{[]string{"user/*.cruds", "!user/Condition.rs?code:in=http://x.example/V"}, "ValueSet", access.Read, false},
		{[]string{"user/*.cruds", "!user/Condition.rs?code:in=http://x.example/V"}, "ValueSet", access.Read | access.Update, false},
		{[]string{"user/*.cruds", "!user/Condition.rs?code:in=http://x.example/V"}, "Condition", access.Update, false},
		{[]string{"user/*.cruds", "user/Condition.rs?code:not-in=http://x.example/V"}, "ValueSet", access.Update, true},
		{[]string{"user/*.cruds?a=b&code%3Abelow=1"}, "ValueSet", access.Update, true},
		{[]string{"user/*.cruds?a=b&code%zz=1"}, "ValueSet", access.Update, true},
		{[]string{"user/*.cruds?code:text=in"}, "ValueSet", access.Update, false},
		{[]string{"user/*.cruds"}, "ValueSet", access.Update, false},
	} {
		if got := grantOf(t, "", c.scopes...).Guards(c.typ, c.actions); got != c.want {
			t.Errorf("%v, %s.%s: %v, want %v", c.scopes, c.typ, c.actions, got, c.want)
		}
	}
}

// TestMeet checks that two scopes meet in what both cover, in both orders.
func TestMeet(t *testing.T) {
	for _, c := range [][3]string{
		{"user/*.cruds", "patient/Observation.rs", "patient/Observation.rs"},
		{"system/*.rs", "user/Patient.cr", "user/Patient.r"},
		{"system/*.rs", "patient/*.s", "patient/*.s"},
		{"system/*.rs", "system/*.s", "system/*.s"},
		{"user/Patient.rs", "user/Patient.rs?active=true", "user/Patient.rs?active=true"},
		{"user/Patient.rs?a=b", "user/*.r?a=b", "user/Patient.r?a=b"},
		{"user/Patient.rs", "user/Observation.rs", ""},
		{"user/Patient.rs", "user/Patient.cud", ""},
	} {
		for range 2 {
			g := grantOf(t, "", c[0], c[1])
			met, ok := g.Allow[0].Meet(g.Allow[1])
			if ok != (c[2] != "") || ok && met.String() != c[2] {
				t.Errorf("%s and %s meet in %+v, %v, want %s", c[0], c[1], met, ok, c[2])
			}
			c[0], c[1] = c[1], c[0]
		}
	}
	g := grantOf(t, "", "user/*.rs?a=b", "user/*.rs?c=d")
	if met, ok := g.Allow[0].Meet(g.Allow[1]); !ok || met.Query != "a=b&c=d" {
		t.Errorf("%+v, %v: a resource has to meet both queries", met, ok)
	}
}

func TestParseScope(t *testing.T) {
	for text, want := range map[string]access.Scope{
		"patient/Observation.rs": {Level: access.Patient, Type: "Observation", Actions: access.Read | access.Search},
		"system/*.cruds":         {Level: access.System, Type: "*", Actions: access.All},
		"user/Condition.cud":     {Level: access.User, Type: "Condition", Actions: access.Create | access.Update | access.Delete},
		"patient/*.read":         {Level: access.Patient, Type: "*", Actions: access.Read | access.Search},
		"user/*.*":               {Level: access.User, Type: "*", Actions: access.All},
		"patient/Observation.rs?category=http://x|vital&a=b": {Level: access.Patient, Type: "Observation", Actions: access.Read | access.Search, Query: "category=http://x|vital&a=b"},
	} {
		if got, err := access.ParseScope(text); err != nil || got != want {
			t.Errorf("ParseScope(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "openid", "launch/patient", "patient/", "patient/Observation", "patient/Observation.", "patient/.rs",
		"patient/Observation.sr", "patient/Observation.rr", "Patient/Observation.rs", "patient/Observation.x",
	} {
		if got, err := access.ParseScope(text); err == nil {
			t.Errorf("ParseScope(%q) = %+v, want an error", text, got)
		}
	}
}

// FuzzParseScope: a scope that is read is the same after it was written and read again, and covers
// no more than itself when it meets itself.
func FuzzParseScope(f *testing.F) {
	for _, seed := range []string{"patient/Observation.rs", "system/*.cruds", "user/*.*", "user/A.read?b=c&d", "openid", "patient/.rs", "user/A.sr", "user/A.rs?"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := access.ParseScope(text)
		if err != nil {
			return
		}
		if again, err := access.ParseScope(s.String()); err != nil || again != s {
			t.Errorf("%q is %+v, but %q is %+v, %v", text, s, s.String(), again, err)
		}
		if met, ok := s.Meet(s); !ok || met != s {
			t.Errorf("%q meets itself in %+v, %v", text, met, ok)
		}
	})
}
