package cliadapter

import (
	"strings"
	"testing"
)

func TestCaret(t *testing.T) {
	long := strings.Repeat("<< 404684003 OR ", 20)
	for _, tt := range []struct {
		expression string
		offset     int
		want       string
	}{
		{"<< 1 AND", 8, "  << 1 AND\n          ^\n"},
		{"", 0, "  \n  ^\n"},
		{"ä\t^", 3, "  ä ^\n    ^\n"},
		{long, 160, "  …" + long[110:160] + long[160:210] + "…\n" + strings.Repeat(" ", 53) + "^\n"},
	} {
		if got := caret(tt.expression, tt.offset); got != tt.want {
			t.Errorf("%q at %d:\n%s", tt.expression, tt.offset, got)
		}
	}
}
