package platform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// An accessorTest runs after those before it against one platform of each major: what the
// first ones write the last ones see.
type accessorTest struct {
	name string
	test func(t *testing.T, c *platform.Client, major platform.Major)
}

// TestAccessors runs every accessor of system, users and apps as each major. Platform
// client, sections 2.4, 4, 5 and 7; platform toolkit, sections 2.8 and 7.3.
// Rows of docs/platform.md: 2.4.2, 2.4.3, 2.4.4, 2.4.5, 4.7, 4.8, 4.9, 4.10, 4.11, 4.15, 7.8,
// 7.12.
func TestAccessors(t *testing.T) {
	for _, major := range platform.Majors() {
		t.Run(major.String(), func(t *testing.T) {
			p := platformtest.New(t, platformtest.Options{Major: int(major)})
			client := connect(t, p)
			for _, test := range slices.Concat(systemAccessors, userAccessors, appAccessors) {
				t.Run(test.name, func(t *testing.T) { test.test(t, client, major) })
			}
			// Platform client, section 4: all API calls carry the headers of section 5.
			for _, r := range p.Requests() {
				if strings.HasPrefix(r.Path, "/api/") && r.Header.Get("Authorization") != "ApiToken "+platformtest.PAT {
					t.Errorf("%s %s has no credentials", r.Method, r.Path)
				}
			}
		})
	}
}
