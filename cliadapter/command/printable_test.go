package command_test

import (
	"testing"

	"github.com/roget-health/roget/cliadapter/command"
)

// TestPrintable checks that a terminal obeys nothing in a text from outside, and that nothing is
// hidden in it, while what scripts and emoji need stays.
func TestPrintable(t *testing.T) {
	for _, c := range [][2]string{
		{"plain text", "plain text"},
		{"a\x1b[31mb\x07\x7f", "a [31mb  "},
		{"line\nbreaks\r\u2028\u2029\u0085", "line breaks    "},
		{"\u202egpj.exe\u2066x\u2069\u200f\u061c", " gpj.exe x   "},
		{"a\u200bb\u2060c\ufeffd", "a b c d"},
		{"tags\U000e0041\U000e007f", "tags  "},
		{"naïve 中文 שלום 👩\u200d⚕\ufe0f नि", "naïve 中文 שלום 👩\u200d⚕\ufe0f नि"},
	} {
		if got := command.Printable(c[0]); got != c[1] {
			t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
		}
	}
}

// TestClip checks that a text is cut to columns, not to characters, and says that it was cut.
func TestClip(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"tree", 4, "tree"},
		{"trees", 4, "tre…"},
		{"trees", 1, "…"},
		{"trees", 0, ""},
		{"", 0, ""},
		{"中文字", 6, "中文字"},
		{"中文字", 5, "中文…"},
		{"中文字", 4, "中…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"👩\u200d⚕\ufe0f👩\u200d⚕\ufe0f", 3, "👩\u200d⚕\ufe0f…"},
	} {
		if got := command.Clip(c.text, c.columns); got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}
