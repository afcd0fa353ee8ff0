package command_test

import (
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

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

// TestManual: every command that is shown has a page, and what roff would obey is text in it.
func TestManual(t *testing.T) {
	program := &command.Program{
		Getenv: func(string) string { return "" },
		Root: func(tree *command.Tree) *cli.Command {
			leaf := tree.Add(&cli.Command{
				Name: "leaf", Usage: "Do it", Description: ".start of a line, it's -1 \\ ~x\n\n    verbatim  text\n\n'quoted' end",
				Flags: []cli.Flag{&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` Write it."}},
			}, command.Details{Args: []command.Argument{{Name: "NAME", Usage: "Its name."}, {Name: "MORE", Required: true, Many: true}}, Examples: []string{".example"}})
			hidden := tree.Add(&cli.Command{Name: "secret"}, command.Details{Hidden: func(func(string) string) bool { return true }})
			return &cli.Command{Name: "prog", Usage: "A program.", Subcommands: []*cli.Command{{Name: "group", Usage: "Many", Subcommands: []*cli.Command{leaf, hidden}}}}
		},
	}
	pages := program.Manual(command.Edition{Date: time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC), Version: "v1.2.3"})
	if len(pages) != 3 || pages["prog.1"] == nil || pages["prog-group.1"] == nil {
		t.Fatalf("%d pages", len(pages))
	}
	page := string(pages["prog-group-leaf.1"])
	for _, want := range []string{
		`.TH "PROG\-GROUP\-LEAF" 1 2026-01-02 "prog v1.2.3"`, "prog\\-group\\-leaf \\- Do it\n", `\fBprog group leaf\fP [flags] [NAME] MORE...`, "\n\\&.start of a line, it\\(aqs \\-1 \\e \\(tix\n",
		"\n    verbatim  text\n", "\n\\(aqquoted\\(aq end\n", `\fB\-o\fP, \fB\-\-out\fP \fIFILE\fP`, "\n\\&.example\n", `\fBprog\-group\fP(1)`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if !strings.Contains(string(pages["prog-group.1"]), `\fBprog\-group\-leaf\fP(1)`) || strings.Contains(string(pages["prog-group.1"]), "secret") {
		t.Errorf("the page of the group lists what is shown:\n%s", pages["prog-group.1"])
	}
}
