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
  {{.Usage}}
{{with .Description}}
{{wrap . 0}}
{{end}}{{range $section := .Sections}}
{{.Title}}:
{{range .Entries}}{{word .Word $section.Indent}}{{wrap .Note $section.Indent}}
{{end}}{{end}}{{with .Examples}}
Examples:
{{range .}}  {{.}}
{{end}}{{end}}{{with .Footer}}
{{.}}
{{end}}`

// A helpPage is what helpTemplate is filled with.
type helpPage struct {
	Title, Usage, Description, Footer string
	Sections                          []section
	Examples                          []string
}

// A section lists commands, arguments or flags.
type section struct {
	Title   string
	Indent  int // column of the notes
	Entries []entry
}

// An entry is a word that may be written, and what it means.
type entry struct{ Word, Note string }

// add adds an entry to the section with a title.
func (p *helpPage) add(title string, indent int, word, note string) {
	i := slices.IndexFunc(p.Sections, func(s section) bool { return s.Title == title })
	if i < 0 {
		i = len(p.Sections)
		p.Sections = append(p.Sections, section{Title: title, Indent: indent})
	}
	p.Sections[i].Entries = append(p.Sections[i].Entries, entry{word, note})
}

// help prints the help of the command or group of a line.
func (t *Tree) help(w io.Writer, l *Line) error {
	cmd, details := l.Command, t.Details(l.Command)
	page := helpPage{Title: cmd.HelpName + " - " + cmd.Usage, Usage: cmd.HelpName + " [flags]", Description: cmd.Description, Examples: details.Examples}
	flags, column := "Flags", 28
	if t.isGroup(cmd) {
		flags, page.Usage = "Flags, before or after the command", cmd.HelpName+" COMMAND [flags] [arguments]"
		page.Footer = "Help on one command: " + cmd.HelpName + " COMMAND --help"
	}
	if cmd == t.root {
		flags, page.Footer = "Flags before the command", t.program.Footer+"\n"+page.Footer
	}
	longest := 0
	for _, sub := range t.shown(l) {
		longest = max(longest, len(sub.Name))
	}
	for _, sub := range t.shown(l) {
		page.add(cmp.Or(sub.Category, "Commands"), longest+4, sub.Name, sub.Usage)
	}
	for _, a := range details.Args {
		page.Usage += " " + a.placeholder()
		page.add("Arguments", column, a.Name, cmp.Or(a.Usage, strings.Join(a.Choices, ", ")))
	}
	for _, f := range cmd.Flags {
		d := describe(f)
		page.add(cmp.Or(d.Category, flags), column, d.synopsis(), d.explanation(details.Settings))
	}
	var out bytes.Buffer
	cli.HelpPrinterCustom(&out, helpTemplate, page, map[string]any{"wrapAt": func() int { return 88 }, "word": indented})
	return Write(w, out.Bytes())
}

// indented writes a word and what is between it and the column where its note begins.
func indented(word string, column int) string {
	if len(word) > column-4 {
		return "  " + word + "\n" + strings.Repeat(" ", column)
	}
	return fmt.Sprintf("  %-*s", column-2, word)
}

// placeholder writes the argument as the usage line shows it: "[PATH...]".
func (a Argument) placeholder() string {
	name := a.Name
	if a.Many {
		name += "..."
	}
	if !a.Required {
		name = "[" + name + "]"
	}
	return name
}

// synopsis writes how the flag is given: "-o, --output FORM".
func (d description) synopsis() string {
	text := strings.TrimSuffix(dashed(d.Name)+" "+d.placeholder, " ")
	if d.short != "" {
		text = dashed(d.short) + ", " + text
	}
	return text
}

// explanation says what the flag does, and what stands in for it.
// The variables of settings follow one rule, which the description of the command states.
func (d description) explanation(s *Settings) string {
	text := d.Usage
	if d.many {
		text += " May be repeated."
	}
	if d.Value != "" && d.Value != "." { // which the usage mentions
		text += " Default: " + d.Value + "."
	}
	if d.Env != "" && (s == nil || d.Name == s.File) {
		text += " Environment: " + d.Env + "."
	}
	return text
}
