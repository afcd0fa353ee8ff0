package access_test

import (
	"testing"

	"github.com/roget-health/roget/access"
)

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
