package command

import (
	"cmp"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// An Edition is what every page of the manual states beside its text.
type Edition struct {
	Date    time.Time
	Version string // of the program
}

// manualSection is the section of the manual for commands.
const manualSection = "1"

// Manual returns the pages of the manual: one for the program and one for each command, by the name
// of their file, such as "roget-serve.1". They are made from the tree that help is made from. Hidden
// commands have none.
func (p *Program) Manual(e Edition) map[string][]byte {
	t := p.Tree(Streams{})
	pages := map[string][]byte{}
	t.manual(t.newLine(), e, pages)
	return pages
}

// manual adds the page of the command of a line, and those of the commands below it.
func (t *Tree) manual(l *Line, e Edition, pages map[string][]byte) {
	pages[pageName(l.Command)+"."+manualSection] = []byte(t.page(l, e))
	for _, sub := range t.shown(l) {
		below := *l
		below.enter(sub)
		t.manual(&below, e, pages)
	}
}

// pageName returns the name of the page of a command: "roget-metadata-list".
func pageName(cmd *cli.Command) string { return strings.ReplaceAll(cmd.HelpName, " ", "-") }

// page writes the page of the command of a line in the macros of man(7).
func (t *Tree) page(l *Line, e Edition) string {
	cmd, details := l.Command, t.Details(l.Command)
	var r roff
	date := e.Date.UTC().Format(time.DateOnly) // whose hyphens are not escaped
	r.line(`.TH "` + escape(strings.ToUpper(pageName(cmd))) + `" ` + manualSection + ` ` + date + ` "` + escape(t.root.Name+" "+e.Version) + `"`)
	r.macro("SH", "NAME")
	r.line(escape(pageName(cmd)) + ` \- ` + escape(strings.TrimSuffix(cmd.Usage, ".")))
	r.macro("SH", "SYNOPSIS")
	usage := []string{"[flags]"}
	if t.isGroup(cmd) {
		usage = []string{"COMMAND", "[flags]", "[arguments]"}
	}
	for _, a := range details.Args {
		usage = append(usage, a.placeholder())
	}
	r.line(`\fB` + escape(cmd.HelpName) + `\fP ` + escape(strings.Join(usage, " ")))
	if cmd.Description != "" {
		r.macro("SH", "DESCRIPTION")
		r.text(cmd.Description)
	}
	for _, a := range details.Args {
		r.entry("ARGUMENTS", `\fI`+escape(a.Name)+`\fP`, cmp.Or(a.Usage, strings.Join(a.Choices, ", ")))
	}
	for _, sub := range t.shown(l) {
		r.entry(strings.ToUpper(cmp.Or(sub.Category, "Commands")), `\fB`+escape(pageName(sub))+`\fP(`+manualSection+`)`, sub.Usage)
	}
	for _, f := range cmd.Flags {
		d := describe(f)
		r.entry(strings.ToUpper(cmp.Or(d.Category, "Flags")), d.boldSynopsis(), d.explanation(details.Settings))
	}
	if len(details.Examples) > 0 {
		r.macro("SH", "EXAMPLES")
		r.verbatim(strings.Join(details.Examples, "\n"))
	}
	if cmd == t.root {
		r.macro("SH", "EXIT STATUS")
		r.text(t.program.Footer)
	} else {
		group := strings.TrimSuffix(pageName(cmd), "-"+cmd.Name)
		r.macro("SH", "SEE ALSO")
		r.line(`\fB` + escape(group) + `\fP(` + manualSection + `)`)
	}
	return r.String()
}

// boldSynopsis writes how the flag is given, its value in italics.
func (d description) boldSynopsis() string {
	text := `\fB` + escape(dashed(d.Name)) + `\fP`
	if d.placeholder != "" {
		text += ` \fI` + escape(d.placeholder) + `\fP`
	}
	if d.short != "" {
		text = `\fB` + escape(dashed(d.short)) + `\fP, ` + text
	}
	return text
}
