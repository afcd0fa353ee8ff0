package patch

import (
	"errors"
	"strings"
	"testing"
)

// TestLimits checks that patches that enlarge a document too much, or process too much, fail.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name, op     string
		growth, work int
		want         string
	}{
		{"doubled again and again", `{"op":"copy","from":"/a","path":"/a/-"}`, 10_000, 1 << 30, "grows too large"},
		{"too often", `{"op":"add","path":"/b","value":1}`, 10_000, 1000, "too many operations"},
		{"even without a change", `{"op":"test","path":"/a","value":[1]}`, 10_000, 1000, "too many operations"},
		{"as much as permitted", `{"op":"test","path":"/a","value":[1]}`, 10_000, 40 * 34, ""},
		{"a byte more", `{"op":"test","path":"/a","value":[1]}`, 10_000, 40*34 - 1, "too many operations"},
		{"enough", `{"op":"add","path":"/b","value":1}`, 10_000, 10_000, ""},
	} {
		p, err := JSONPatch([]byte("[" + strings.Repeat(test.op+",", 39) + test.op + "]"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.(operations).apply([]byte(`{"resourceType":"Patient","a":[1]}`), test.growth, test.work)
		if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, ErrPath) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
