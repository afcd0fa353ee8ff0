package command

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

const helpName = "help"

// helpTemplate is the help of the program, of a group and of a command. The function wrap is
// the library's.
const helpTemplate = `{{wrap .Title 0}}

Usage:
  {{.Command.HelpName}} {{if .Group}}COMMAND [flags] [arguments]{{else}}[flags]{{range .Details.Args}} {{placeholder .}}{{end}}{{end}}
{{with .Command.Description}}
{{wrap . 0}}
{{end}}{{range .Categories}}
{{.Title}}:
{{range .Commands}}  {{pad .Name $.Width}}  {{wrap .Usage $.Indent}}
{{end}}{{end}}{{if .Details.Args}}
Arguments:
{{range .Details.Args}}{{item .Name}}{{wrap (argument .) 28}}
{{end}}{{end}}
Flags{{.Where}}:
{{range .Command.Flags}}{{item (synopsis .)}}{{wrap (explanation .) 28}}
{{end}}{{with .Details.Examples}}
Examples:
{{range .}}  {{.}}
{{end}}{{end}}{{with .Footer}}
{{.}}
{{end}}`

// A helpPage is what helpTemplate is filled with.
type helpPage struct {
	Command       *cli.Command
	Details       *Details
	Title         string
	Group         bool
	Categories    []category // of subcommands
	Width, Indent int        // of the longest name of a subcommand, of its explanation
	Where         string     // flags of a group stand
	Footer        string
}

type category struct {
	Title    string
	Commands []*cli.Command
}

var helpFunctions = map[string]any{
	"wrapAt": func() int { return 88 },
	"pad":    func(text string, width int) string { return text + strings.Repeat(" ", width-len(text)) },
	"item": func(name string) string { // what follows begins in column 28
		if len(name) > 24 {
			name += "\n  "
			return "  " + name + strings.Repeat(" ", 26)
		}
		return fmt.Sprintf("  %-26s", name)
	},
	"placeholder": func(a Argument) string {
		name := a.Name
		if a.Many {
			name += "..."
		}
		if !a.Required {
			name = "[" + name + "]"
		}
		return name
	},
	"argument": func(a Argument) string { return cmp.Or(a.Usage, strings.Join(a.Choices, ", ")) },
	"synopsis": func(f cli.Flag) string { // "-o, --output FORM"
		t := features(f)
		text := strings.TrimSuffix(dashed(t.name)+" "+t.placeholder, " ")
		if t.short != "" {
			text = dashed(t.short) + ", " + text
		}
		return text
	},
	"explanation": func(f cli.Flag) string {
		t := features(f)
		if t.many {
			t.usage += " May be repeated."
		}
		if t.preset != "" && t.preset != "." { // which the usage mentions
			t.usage += " Default: " + t.preset + "."
		}
		if t.env != "" {
			t.usage += " Environment: " + t.env + "."
		}
		return t.usage
	},
}

// helpCommand is the hidden command that every --help becomes: its arguments are the names of
// the command to describe.
func (t *Tree) helpCommand() *cli.Command {
	return &cli.Command{Name: helpName, Hidden: true, SkipFlagParsing: true, Action: func(c *cli.Context) error {
		cmd := t.root
		for _, name := range c.Args().Slice() {
			cmd = cmd.Command(name)
		}
		return t.help(t.streams.Out, cmd, given(c))
	}}
}

// help prints the help of a command. Commands of a group that flag hides are left out.
func (t *Tree) help(w io.Writer, cmd *cli.Command, flag func(string) string) error {
	page := helpPage{Command: cmd, Details: t.Details(cmd), Title: cmd.HelpName + " - " + cmd.Usage, Group: t.isGroup(cmd)}
	switch {
	case t.Path(cmd) == "":
		page.Where, page.Footer = " before the command", t.program.Footer+"\nHelp on one command: "+cmd.HelpName+" COMMAND --help"
	case page.Group:
		page.Where, page.Footer = ", before or after the command", "Help on one command: "+cmd.HelpName+" COMMAND --help"
	}
	for _, sub := range t.shown(cmd, flag) {
		page.Width = max(page.Width, len(sub.Name))
		title := cmp.Or(sub.Category, "Commands")
		i := slices.IndexFunc(page.Categories, func(c category) bool { return c.Title == title })
		if i < 0 {
			i = len(page.Categories)
			page.Categories = append(page.Categories, category{Title: title})
		}
		page.Categories[i].Commands = append(page.Categories[i].Commands, sub)
	}
	page.Indent = page.Width + 4
	var out bytes.Buffer
	cli.HelpPrinterCustom(&out, helpTemplate, page, helpFunctions)
	return Write(w, out.Bytes())
}
