package auth_test

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/auth"
)

func TestRedact(t *testing.T) {
	secret := `a<b/c"d e`
	for _, text := range []string{secret, `a&lt;b/c&#34;d e`, `a%3Cb%2Fc%22d+e`, `a%3Cb%2Fc%22d%20e`, `a\u003cb/c\"d e`, `a\u003cb\/c\"d e`} {
		if got := auth.Redact("it says "+text+".", "", secret); got != "it says **********." {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		" one\n\ttwo\x1b[0m ":   "one two[0m",
		"1234567890":            "1234567890",
		"12345678901":           "1234567890...",
		"123456789 1":           "123456789...",
		"12345678 1":            "12345678 1",
		"\x01 \x02 a":           "a",
		"123456789 " + "12 345": "123456789...",
	} {
		if got := auth.Printable(text, 10); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := auth.Printable(strings.Repeat("a ", 1000), 10); len(got) > 14 {
		t.Errorf("%q", got)
	}
}
