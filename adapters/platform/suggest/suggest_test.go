package suggest

import (
	"slices"
	"strings"
	"testing"
)

// TestNames: platform toolkit, section 4.6.
func TestNames(t *testing.T) {
	names := []string{"indicators", "dataSets", "dataElements", "dataElementGroups", "DataElement", "users", "dataSets"}
	for query, want := range map[string]string{
		"dataelement":  "DataElement dataElementGroups dataElements dataSets",
		"dataElemnts":  "dataElements DataElement dataElementGroups dataSets",
		"datasets":     "dataSets dataElements DataElement",
		"usr":          "users",
		"qqqqq":        "",
		"":             "",
		"INDICATORS":   "indicators",
		"dataElementz": "DataElement dataElements dataElementGroups dataSets",
	} {
		if got := strings.Join(Names(query, names), " "); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	var many []string
	for r := range 26 {
		many = append(many, "type"+string(rune('a'+r)))
	}
	if got := Names("TYPE", many); !slices.Equal(got, many[:8]) {
		t.Error(got)
	}
	if Names(strings.Repeat("x", 1001), many) != nil || Names("x", []string{strings.Repeat("y", 1001)}) != nil {
		t.Error("a name without end is like another")
	}
}

func TestRatio(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want float64
	}{{"abcd", "abcd", 1}, {"abcd", "bcde", 0.75}, {"ab", "cd", 0}, {"abc", "", 0}} {
		if got := ratio(test.a, test.b); got != test.want || got != ratio(test.b, test.a) {
			t.Errorf("%s and %s: %v", test.a, test.b, got)
		}
	}
}
