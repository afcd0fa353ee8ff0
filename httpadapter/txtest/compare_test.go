package txtest

import (
	"strings"
	"testing"
)

// tree parses JSON.
func tree(tb testing.TB, text string) any {
	tb.Helper()
	value, err := parse([]byte(text))
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return value
}

// Each row has an expected value, an actual one, and a part of the difference, or "" for none.
func TestDiff(t *testing.T) {
	for _, test := range []struct{ name, expected, actual, want string }{
		{"equal", `{"a":[1,true,"x",null]}`, `{"a":[1,true,"x",null]}`, ""},
		{"numbers by value", `{"a":1}`, `{"a":1.0}`, ""},
		{"number", `{"a":1}`, `{"a":2}`, "a: expected 1, got 2"},
		{"a number is no boolean", `{"a":1}`, `{"a":true}`, "a: expected 1, got true"},
		{"a text is no number", `{"a":"1"}`, `{"a":1}`, `a: expected "1", got 1`},
		{"a text is no boolean", `{"a":true}`, `{"a":"true"}`, `expected true, got "true"`},
		{"boolean", `{"a":true}`, `{"a":false}`, "expected true, got false"},
		{"object for list", `{"a":[]}`, `{"a":{}}`, "a: expected [], got {}"},
		{"text", `{"a":{"b":"x"}}`, `{"a":{"b":"y"}}`, `a.b: expected "x", got "y"`},
		{"missing", `{"a":{"b":"x"}}`, `{"a":{}}`, `a.b: missing property, expected "x"`},
		{"unexpected", `{"a":{}}`, `{"a":{"b":"x"}}`, `a.b: unexpected property "x"`},
		{"comments", `{"fhir_comments":["a"]}`, `{}`, ""},
		{"comments of an answer", `{}`, `{"fhir_comments":["a"]}`, ""},
		{"list of texts may be absent", `{"a":["x"]}`, `{}`, ""},
		{"list of objects may not", `{"a":[{"b":1}]}`, `{}`, "a: missing property"},

		{"optional property is there", `{"$optional-properties$":["a"],"a":"x"}`, `{"a":"x"}`, ""},
		{"optional property is absent", `{"$optional-properties$":["a"],"a":"x"}`, `{}`, ""},
		{"optional property is wrong", `{"$optional-properties$":["a"],"a":"x"}`, `{"a":"y"}`, `a: expected "x"`},
		{"optional property without a value", `{"$optional-properties$":["a"]}`, `{"a":"y"}`, ""},
		{"another one", `{"$optional-properties$":["a"]}`, `{"b":"y"}`, "b: unexpected property"},
		{"all optional", `{"$optional-properties$":["*"],"c":1}`, `{"b":"y"}`, ""},
		{"counted", `{"$count-arrays$":["a"],"a":[1,2]}`, `{"a":[3,4]}`, ""},
		{"counted wrong", `{"$count-arrays$":["a"],"a":[1,2]}`, `{"a":[3]}`, "a: expected 2 entries, got 1"},
		{"counted, not a list", `{"$count-arrays$":["a"],"a":[]}`, `{"a":"x"}`, "a: expected 0 entries"},

		{"order counts", `{"a":[1,2]}`, `{"a":[2,1]}`, "a[0]: expected 1, got 2"},
		{"too many", `{"a":[{"name":"x"}]}`, `{"a":[{"name":"x"},{"name":"y"}]}`, "a: expected 1 entries, got 2; extra (y)"},
		{"too few", `{"a":[{"name":"x"},{"name":"y"}]}`, `{"a":[{"name":"x"}]}`, "a: expected 2 entries, got 1; missing (y)"},
		{"optional entry is absent", `{"a":[{"$optional$":true,"name":"x"},{"name":"y"}]}`, `{"a":[{"name":"y"}]}`, ""},
		{"optional entry is there", `{"a":[{"$optional$":true,"name":"x"},{"name":"y"}]}`, `{"a":[{"name":"x"},{"name":"y"}]}`, ""},
		{"optional entry is wrong", `{"a":[{"$optional$":true,"name":"x"},{"name":"y"}]}`, `{"a":[{"name":"z"},{"name":"y"}]}`, `a[0](z).name: expected "y", got "z"`},
		{"optional entries only", `{"a":[{"$optional$":"warning:odd","name":"x"}]}`, `{}`, ""},
		{"surplus after optional ones", `{"a":[{"name":"x"},{"$optional$":true,"name":"y"}]}`, `{"a":[{"name":"x"},{"name":"z"}]}`, "a[1]: unexpected entry"},
		{"required at the end", `{"a":[{"$optional$":true,"name":"x"},{"name":"y"}]}`, `{"a":[{"name":"x"}]}`, "a[1]: missing entry"},
		{"condition is false", `{"a":[{"$optional$":false,"name":"x"}]}`, `{}`, "a: missing property"},
		{"optional in another mode", `{"a":[{"$optional$":"private","name":"x"}]}`, `{"a":[]}`, "expected 1 entries, got 0"},
		{"optional in this mode", `{"a":[{"$optional$":"general","name":"x"}]}`, `{"a":[]}`, ""},
		{"optional outside of a mode", `{"a":[{"$optional$":"!private","name":"x"}]}`, `{"a":[]}`, ""},
		{"required in this mode", `{"a":[{"$optional$":"!general","name":"x"}]}`, `{"a":[]}`, "expected 1 entries, got 0"},
		{"optional in R4", `{"a":[{"$optional$":"version:4","name":"x"}]}`, `{"a":[]}`, ""},
		{"optional in R5", `{"a":[{"$optional$":"version:5","name":"x"}]}`, `{"a":[]}`, "expected 1 entries, got 0"},
		{"only in R5", `{"a":[{"$only$":"version:5","name":"x"}]}`, `{}`, ""},
		{"only in R5, but there", `{"a":[{"$only$":"version:5","name":"x"}]}`, `{"a":[{"name":"x"}]}`, "expected 0 entries, got 1"},
		{"property only in R5", `{"a":{"$only$":"version:5"}}`, `{"a":{}}`, "a: unexpected property"},
		{"property only in R4", `{"a":{"$only$":"version:4"}}`, `{}`, "a: missing property"},
		{"unknown template", `{"a":"$moon$"}`, `{"a":"x"}`, "a: unknown template $moon$"},
	} {
		c := comparison{version: R4, modes: []string{"general"}}
		got := c.diff(tree(t, test.expected), tree(t, test.actual), "")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestDiffUnordered(t *testing.T) {
	for _, test := range []struct {
		name, expected, actual string
		partial                bool
		want                   string
	}{
		{"another order", `{"a":[1,2]}`, `{"a":[2,1]}`, false, ""},
		{"each entry once", `{"a":[1,1]}`, `{"a":[1,2]}`, false, "a: entry not found: 1"},
		{"surplus", `{"a":[1]}`, `{"a":[2,1]}`, false, "a[0]: unexpected entry 2"},
		{"required ones first", `{"a":[{"$optional$":true,"b":"$$"},{"b":"x"}]}`, `{"a":[{"b":"x"}]}`, false, ""},
		{"the nearest", `{"a":[{"name":"x","b":1}]}`, `{"a":[{"name":"y","b":1},{"name":"x","b":2}]}`, false, "a[1](x).b: expected 1, got 2"},
		{"partial", `{"a":[1]}`, `{"a":[2,1],"b":{}}`, true, ""},
		{"partial, missing", `{"a":[1,3]}`, `{"a":[2,1],"b":{}}`, true, "a: entry not found: 3"},
		{"partial, missing property", `{"c":true}`, `{"b":{}}`, true, "c: missing property"},
	} {
		c := comparison{version: R4, partial: test.partial, anyOrder: !test.partial}
		got := c.diff(tree(t, test.expected), tree(t, test.actual), "")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// At level Strict, a list of texts is as required as any other.
func TestDiffStrict(t *testing.T) {
	c := comparison{version: R4, level: Strict}
	for _, expected := range []string{`{"a":["x"]}`, `{"a":[]}`} {
		if c.diff(tree(t, expected), tree(t, `{}`), "") == "" {
			t.Errorf("%s may be absent", expected)
		}
	}
	if got := c.diff(tree(t, `{"a":[{"$optional$":true}]}`), tree(t, `{}`), ""); got != "" {
		t.Error(got)
	}
}
