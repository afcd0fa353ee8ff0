package main_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/sharedtest"
)

var versionRule = regexp.MustCompile(`(?m)^\| (V\d+) \| .+ \| (.+) \|$`)

// TestVersionRules: docs/platform.md has each rule of the page of rules by version, in order, with tests that are
// there.
func TestVersionRules(t *testing.T) {
	specified, err := os.ReadFile(sharedtest.Path(t, "spec/platform-versions.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range versionRule.FindAllStringSubmatch(string(specified), -1) {
		want = append(want, m[1])
	}
	for _, m := range versionRule.FindAllStringSubmatch(readText(t, rowsFile), -1) {
		got = append(got, m[1])
		for _, part := range strings.Split(m[2], "; ") {
			names := testsOfPackage.FindStringSubmatch(part)
			if names == nil {
				t.Errorf("%s: %q names no package with tests", m[1], part)
				continue
			}
			tests := testsIn(t, names[1])
			for _, name := range strings.Split(names[2], ", ") {
				if _, there := tests.rows[name]; !there {
					t.Errorf("%s: %s has no test %s", m[1], names[1], name)
				}
			}
		}
	}
	if len(want) < 10 || !slices.Equal(got, want) {
		t.Errorf("%s has the rules %v, the page of rules %v", rowsFile, got, want)
	}
}
