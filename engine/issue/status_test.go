package issue

import (
	"encoding/json"
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

func TestStatus(t *testing.T) {
	yes := true
	standards := func(s string) json.RawMessage {
		return json.RawMessage(`[{"url":"` + StandardsStatus + `","valueCode":"` + s + `"}]`)
	}
	for _, tt := range []struct {
		name    string
		h, user *r4.Header
		want    string
	}{
		{"active", &r4.Header{Status: "active"}, &r4.Header{}, ""},
		{"deprecated", &r4.Header{Status: "retired", Extension: standards("deprecated")}, &r4.Header{Extension: standards("deprecated")}, "deprecated"},
		{"withdrawn", &r4.Header{Extension: standards("withdrawn")}, nil, "withdrawn"},
		{"retired", &r4.Header{Status: "retired", Experimental: &yes}, &r4.Header{Status: "retired"}, "retired"},
		{"experimental", &r4.Header{Status: "draft", Experimental: &yes}, &r4.Header{}, "experimental"},
		{"experimental, used by such", &r4.Header{Experimental: &yes}, &r4.Header{Experimental: &yes}, ""},
		{"draft", &r4.Header{Status: "draft"}, &r4.Header{Status: "active"}, "draft"},
		{"draft standard", &r4.Header{Status: "active", Extension: standards("draft")}, nil, "draft"},
		{"draft, used by such", &r4.Header{Status: "draft"}, &r4.Header{Extension: standards("draft")}, ""},
		{"trial use", &r4.Header{Status: "active", Extension: standards("trial-use")}, &r4.Header{}, ""},
	} {
		if got := Status(tt.h, tt.user); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
