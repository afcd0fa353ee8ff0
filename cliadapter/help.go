package cliadapter

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const helpWidth = 88

// writeGroup prints the commands of a group.
func (c *CLI) writeGroup(w io.Writer, cmd *command, global globals) error {
	if cmd.path == "" {
		return c.writeOverview(w, global)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s - %s\n\nUsage:\n  %s COMMAND [flags] [arguments]\n", cmd.line(), cmd.summary, cmd.line())
	writeDoc(&b, cmd.doc)
	b.WriteString("\nCommands:\n")
	commands := c.shown(cmd, global)
	writeCommands(&b, commands, longestName(commands))
	writeOptions(&b, "Flags, before or after the command", cmd.options)
	writeExamples(&b, cmd.examples)
	b.WriteString("\nHelp on one command: " + cmd.line() + " COMMAND --help\n")
	return write(w, []byte(b.String()))
}

func longestName(commands []*command) int {
	width := 0
	for _, cmd := range commands {
		width = max(width, len(cmd.name))
	}
	return width
}

func writeCommands(b *strings.Builder, commands []*command, width int) {
	for _, cmd := range commands {
		fmt.Fprintf(b, "  %-*s  %s\n", width, cmd.name, cmd.summary)
	}
}

// writeOverview prints the list of commands.
func (c *CLI) writeOverview(w io.Writer, global globals) error {
	var b strings.Builder
	b.WriteString("roget - FHIR R4 server: terminology and clinical resources, over HTTP, from the\n" +
		"terminal, or as a Go library.\n\n" +
		"Usage:\n  roget COMMAND [flags] [arguments]\n")
	commands := c.shown(c.root(), global)
	for _, group := range []string{groupRun, groupData, groupResources, groupQuery, groupPlatform, groupOther} {
		fmt.Fprintf(&b, "\n%s:\n", group)
		writeCommands(&b, slices.DeleteFunc(slices.Clone(commands), func(cmd *command) bool { return cmd.group != group }), longestName(commands))
	}
	writeOptions(&b, "Flags before the command", globalOptions())
	b.WriteString("\nExit codes: 0 yes; 1 a clean no, such as not a member or an unknown code; 2 wrong usage; 3 failure.\n" +
		"Commands of the platform: 0 done; 1 it failed; 2 wrong usage.\n" +
		"Help on one command: roget COMMAND --help\n")
	return write(w, []byte(b.String()))
}

// writeHelp prints the help of one command.
func (c *CLI) writeHelp(w io.Writer, cmd *command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s - %s\n\nUsage:\n  %s [flags]", cmd.line(), cmd.summary, cmd.line())
	for _, a := range cmd.args {
		name := a.name
		if a.many {
			name += "..."
		}
		if !a.required {
			name = "[" + name + "]"
		}
		b.WriteString(" " + name)
	}
	b.WriteString("\n")
	writeDoc(&b, cmd.doc)
	if len(cmd.args) > 0 {
		b.WriteString("\nArguments:\n")
		for _, a := range cmd.args {
			usage := a.usage
			if len(a.choices) > 0 {
				usage = strings.Join(a.choices, ", ")
			}
			writeItem(&b, a.name, usage)
		}
	}
	writeOptions(&b, "Flags", cmd.options)
	writeExamples(&b, cmd.examples)
	return write(w, []byte(b.String()))
}

// writeDoc writes paragraphs; one that is indented is a list.
func writeDoc(b *strings.Builder, doc string) {
	for _, paragraph := range strings.Split(doc, "\n\n") {
		switch {
		case paragraph == "":
		case strings.HasPrefix(paragraph, " "):
			b.WriteString("\n" + paragraph + "\n")
		default:
			b.WriteString("\n" + wrap(paragraph, 0, helpWidth) + "\n")
		}
	}
}

func writeOptions(b *strings.Builder, title string, list options) {
	b.WriteString("\n" + title + ":\n")
	for _, opt := range list {
		writeItem(b, opt.synopsis(), opt.explanation())
	}
}

func writeExamples(b *strings.Builder, examples []string) {
	if len(examples) == 0 {
		return
	}
	b.WriteString("\nExamples:\n")
	for _, e := range examples {
		b.WriteString("  " + e + "\n")
	}
}

// synopsis is how the flag is written: "-o, --output FORM".
func (opt *option) synopsis() string {
	var b strings.Builder
	for _, n := range opt.names[1:] {
		b.WriteString(shown(n) + ", ")
	}
	b.WriteString(shown(opt.names[0]))
	if opt.value {
		hint := opt.hint
		if len(opt.choices) > 0 {
			hint = strings.Join(opt.choices, "|")
		}
		if hint == "" {
			hint = "value"
		}
		b.WriteString(" " + hint)
	}
	return b.String()
}

// explanation is what the flag does, whether it repeats, its default and environment variable.
func (opt *option) explanation() string {
	parts := []string{opt.usage}
	if opt.many {
		parts = append(parts, "May be repeated.")
	}
	if opt.preset != "" && opt.preset != "." { // which the usage tells of
		parts = append(parts, "Default: "+opt.preset+".")
	}
	if opt.env != "" {
		parts = append(parts, "Environment: "+opt.env+".")
	}
	return strings.Join(parts, " ")
}

// writeItem prints a name with its explanation indented below it.
func writeItem(b *strings.Builder, name, usage string) {
	const indent = 28
	line := "  " + name
	if len(line) > indent-2 {
		b.WriteString(line + "\n")
		line = ""
	}
	text := wrap(usage, indent, helpWidth)
	b.WriteString(line + strings.Repeat(" ", indent-len(line)) + strings.TrimLeft(text, " ") + "\n")
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
