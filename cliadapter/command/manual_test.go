package command_test

import (
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// TestManual: every command that is shown has a page, and what roff would obey is text in it.
func TestManual(t *testing.T) {
	program := &command.Program{
		Getenv: func(string) string { return "" },
		Root: func(tree *command.Tree) *cli.Command {
			leaf := tree.Add(&cli.Command{
				Name: "leaf", Usage: "Do it", Description: ".start of a line, it's -1 \\ ~x\n\n    verbatim  text\n\n'quoted' end",
				Flags: []cli.Flag{&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` Write it."}},
			}, command.Details{Args: []command.Argument{{Name: "NAME", Usage: "Its name."}}, Examples: []string{".example"}})
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
		`.TH "PROG\-GROUP\-LEAF" 1 2026-01-02 "prog v1.2.3"`, "prog\\-group\\-leaf \\- Do it\n", "\n\\&.start of a line, it\\(aqs \\-1 \\e \\(tix\n",
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
