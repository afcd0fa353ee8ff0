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
