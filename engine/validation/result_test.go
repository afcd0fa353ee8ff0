package validation

import (
	"reflect"
	"testing"
)

// TestTable has a row for each thing that an answer says, and none for what it does not say.
func TestTable(t *testing.T) {
	for _, tt := range []struct {
		r    Result
		want [][]string
	}{
		{Result{}, [][]string{{"result", "false"}}},
		{Result{Result: true, Display: "d", Code: "c", System: "s", Version: "v", Inactive: true, Status: "i", NormalizedCode: "n", Message: "m", UnknownSystems: []string{"t", "u"}}, [][]string{
			{"result", "true"},
			{"display", "d"},
			{"code", "c"},
			{"system", "s"},
			{"version", "v"},
			{"inactive", "true"},
			{"status", "i"},
			{"normalized-code", "n"},
			{"x-unknown-system", "t"},
			{"x-unknown-system", "u"},
			{"message", "m"},
		}},
		{Result{Undecided: true, UnknownSystems: []string{"t"}}, [][]string{{"result", "false"}, {"x-caused-by-unknown-system", "t"}}},
	} {
		if got := tt.r.Table().Rows; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestIsAbsolute: an absolute address needs a scheme, and what url.Parse refuses is none.
func TestIsAbsolute(t *testing.T) {
	for system, want := range map[string]bool{
		"http://azAZ09/.-_": true, "http://a b/": false, "urn:oid:1.2": true, "https://s": true, "s": false, "": false, "/s": false, "http://%zz": false, "http://[": false,
		"http://s/~`@{": true, "http://s/%zz": false,
	} {
		if isAbsolute(system) != want {
			t.Errorf("%s: %v", system, !want)
		}
	}
	// The usual characters of a path are those that no escape and no host can make invalid.
	for c := range rune(128) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '/' || c == '.' || c == '-' || c == '_'
		if unusualInPath(c) == letter {
			t.Errorf("%q", c)
		}
	}
}
