package operation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSettings checks what a POST may say more loosely than its types have it, and that
// strictness refuses just that.
func TestSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		entries string
		want    map[string][]string
	}{
		"as a string":  {`{"name":"activeOnly","valueString":"true"},{"name":"count","valueCode":"7"},{"name":"date","valueString":"2024"}`, map[string][]string{"activeOnly": {"true"}, "count": {"7"}, "date": {"2024"}}},
		"as a decimal": {`{"name":"count","valueDecimal":7}`, map[string][]string{"count": {"7"}}},
		"the last one": {`{"name":"count","valueInteger":7},{"name":"activeOnly","valueBoolean":true},{"name":"count","valueInteger":8}`, map[string][]string{"count": {"8"}, "activeOnly": {"true"}}},
		"a profile": {
			`{"name":"designation","valueString":"a"},{"name":"profile","resource":{"resourceType":"Parameters","parameter":[
				{"name":"count","valueInteger":9},{"name":"designation","valueString":"b"},{"name":"url","valueUri":"http://no"},
				{"name":"kount","valueInteger":9},{"name":"profile","resource":{"resourceType":"Parameters","parameter":[{"name":"count","valueInteger":1}]}}]}}`,
			map[string][]string{"count": {"9"}, "designation": {"a", "b"}, "url": nil},
		},
		"a profile of another type": {`{"name":"profile","resource":{"resourceType":"ExpansionProfile","parameter":3}}`, map[string][]string{"count": nil}},
		"a profile by its url":      {`{"name":"profile","valueUri":"http://p"},{"name":"count","valueInteger":2}`, map[string][]string{"count": {"2"}}},
	} {
		body := `{"resourceType":"Parameters","parameter":[` + tt.entries + `]}`
		in, err := decodeBody(t, body, false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for parameter, want := range tt.want {
			if d := cmp.Diff(want, in.Strings(parameter)); d != "" {
				t.Errorf("%s: %s: %s", name, parameter, d)
			}
		}
		if _, err := decodeBody(t, body, true); (err == nil) != strings.HasPrefix(name, "a profile") {
			t.Errorf("%s: strict: %v", name, err)
		}
	}
	for entry, says := range map[string]string{
		`{"name":"activeOnly","valueString":"yes"}`:                                                                                "true nor false",
		`{"name":"count","valueDecimal":1.5}`:                                                                                      "not an integer",
		`{"name":"url","valueBoolean":true}`:                                                                                       "where uri is expected",
		`{"name":"url","valueUri":"a"},{"name":"url","valueUri":"b"}`:                                                              "more than once",
		`{"name":"profile","resource":{"resourceType":"Parameters","parameter":3}}`:                                                "profile",
		`{"name":"profile","resource":{"resourceType":"Parameters","parameter":[{"name":"count","valueString":"x"}]}}`:             "count",
		`{"name":"profile","resource":{"resourceType":"Parameters","parameter":[{"name":"activeOnly","valueCoding":{"code":1}}]}}`: "profile",
	} {
		_, err := decodeBody(t, `{"resourceType":"Parameters","parameter":[`+entry+`]}`, false)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", entry, err, says)
		}
	}
}

// TestPassedOver checks that what clients send with every request is no mistake, even
// where a mistyped name is one.
func TestPassedOver(t *testing.T) {
	in, err := decodeQuery(t, "uuid=1&profile=http://x&_limit=10&limit=3&incomplete-ok=true&default-to-latest-version=true&count=2", true)
	if err != nil || in.String("count") != "2" {
		t.Error(err)
	}
	if _, err := decodeQuery(t, "limits=3", true); err == nil {
		t.Error("a mistyped name is taken")
	}
}
