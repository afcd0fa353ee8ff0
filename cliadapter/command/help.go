package command

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

const (
	helpName   = "help"
	helpWidth  = 88
	helpIndent = 28
)

// helpTemplate is the help of the program, of a group and of a command.
const helpTemplate = `{{wrap .Title}}

Usage:
  {{.Command.HelpName}} {{if .Categories}}COMMAND [flags] [arguments]{{else}}[flags]{{range .Args}} {{placeholder .}}{{end}}{{end}}
{{paragraphs .Command.Description}}{{range .Categories}}
{{.Title}}:
{{range .Commands}}  {{pad .Name $.Width}}  {{.Usage}}
{{end}}{{end}}{{if .Args}}
Arguments:
{{range .Args}}{{item .Name (argument .)}}{{end}}{{end}}
Flags{{.Where}}:
{{range .Command.Flags}}{{item (synopsis .) (explanation .)}}{{end}}{{with .Details.Examples}}
Examples:
{{range .}}  {{.}}
{{end}}{{end}}{{with .Footer}}
{{.}}
{{end}}`

// A helpPage is what helpTemplate is filled with.
type helpPage struct {
	Command    *cli.Command
	Details    *Details
	Args       []Argument
	Title      string
	Categories []category // of a group: its commands
	Width      int        // of the longest name of a command
	Where      string     // flags of a group stand
	Footer     string
}

type category struct {
	Title    string
	Commands []*cli.Command
}

var helpFunctions = map[string]any{
	"wrap":       func(text string) string { return wrap(text, 0, helpWidth) },
	"paragraphs": paragraphs,
	"pad":        func(text string, width int) string { return text + strings.Repeat(" ", width-len(text)) },
	"item":       Item,
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
	"argument": func(a Argument) string {
		if len(a.Choices) > 0 {
			return strings.Join(a.Choices, ", ")
		}
		return a.Usage
	},
	"synopsis":    synopsis,
	"explanation": explanation,
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
	page := helpPage{Command: cmd, Details: t.Details(cmd), Args: t.Details(cmd).Args, Title: cmd.HelpName + " - " + cmd.Usage}
	if t.isGroup(cmd) {
		page.Where, page.Footer = ", before or after the command", "Help on one command: "+cmd.HelpName+" COMMAND --help"
		if t.Path(cmd) == "" {
			page.Where, page.Footer = " before the command", t.program.Footer+"\n"+page.Footer
		}
		for _, sub := range t.shown(cmd, flag) {
			page.Width = max(page.Width, len(sub.Name))
			title := sub.Category
			if t.Path(cmd) != "" {
				title = "Commands"
			}
			i := slices.IndexFunc(page.Categories, func(c category) bool { return c.Title == title })
			if i < 0 {
				i = len(page.Categories)
				page.Categories = append(page.Categories, category{Title: title})
			}
			page.Categories[i].Commands = append(page.Categories[i].Commands, sub)
		}
	}
	var out bytes.Buffer
	cli.HelpPrinterCustom(&out, helpTemplate, page, helpFunctions)
	return Write(w, out.Bytes())
}

// paragraphs writes paragraphs, each after an empty line; one that is indented is a list.
func paragraphs(text string) string {
	var b strings.Builder
	for _, paragraph := range strings.Split(text, "\n\n") {
		switch {
		case paragraph == "":
		case strings.HasPrefix(paragraph, " "):
			b.WriteString("\n" + paragraph + "\n")
		default:
			b.WriteString("\n" + wrap(paragraph, 0, helpWidth) + "\n")
		}
	}
	return b.String()
}

// synopsis is how a flag is written: "-o, --output FORM".
func synopsis(f cli.Flag) string {
	names := shownNames(f)
	text := dashed(names[0])
	if len(names) > 1 {
		text = dashed(names[1]) + ", " + text
	}
	value, _ := described(f)
	return strings.TrimSuffix(text+" "+value, " ")
}

// explanation is what a flag does, whether it repeats, its default and environment variable.
func explanation(f cli.Flag) string {
	_, text := described(f)
	if repeatable(f) {
		text += " May be repeated."
	}
	doc := f.(cli.DocGenerationFlag)
	preset := doc.GetValue()
	if on, ok := f.(*cli.BoolFlag); ok {
		preset = on.DefaultText
	}
	if preset != "" && preset != "." { // which the usage mentions
		text += " Default: " + preset + "."
	}
	if env := doc.GetEnvVars(); len(env) > 0 {
		text += " Environment: " + env[0] + "."
	}
	return text
}

// Item returns a name with its explanation indented beside or below it, as help shows flags.
func Item(name, usage string) string {
	line := "  " + name
	if len(line) > helpIndent-2 {
		line += "\n"
		usage = wrap(usage, helpIndent, helpWidth)
	} else {
		line += strings.Repeat(" ", helpIndent-len(line))
		usage = strings.TrimLeft(wrap(usage, helpIndent, helpWidth), " ")
	}
	return line + usage + "\n"
}

// wrap breaks text into lines of at most width characters, all indented.
func wrap(text string, indent, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(strings.Repeat(" ", indent))
			column = indent
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
