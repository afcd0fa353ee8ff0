package httpadapter

import (
	"strings"
	"testing"
)

// TestWorkOn checks the estimates for documents of few large elements and of many small ones.
func TestWorkOn(t *testing.T) {
	for _, test := range []struct {
		name        string
		body        string
		least, most float64 // times the size
	}{
		{"a Binary", `{"resourceType":"Binary","contentType":"x/y","data":"` + strings.Repeat("A", 1<<20) + `"}`, 3, 3.1},
		{"identifiers", `{"resourceType":"Patient","identifier":[` + strings.Repeat(`{"value":"7-1f3a0"},`, 50_000) + `{}]}`, 12, 12},
		{"concepts", `{"concept":[` + strings.Repeat(`{"code":"c12345","display":"concept number 12345"},`, 20_000) + `{}]}`, 9, 12},
		{"concepts in XML", strings.Repeat(`<concept><code value="c12345"/><display value="concept number 12345"/></concept>`, 20_000), 9, 12},
		{"only commas", strings.Repeat(",", 1<<20), 12, 12},
	} {
		if got := float64(workOn([]byte(test.body))) / float64(len(test.body)); got < test.least || got > test.most {
			t.Errorf("%s: %.1f times its size, want %v to %v", test.name, got, test.least, test.most)
		}
	}
}
