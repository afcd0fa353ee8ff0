package cliadapter

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const helpWidth = 88

// writeOverview prints the list of commands.
func (c *CLI) writeOverview(w io.Writer) error {
	var b strings.Builder
	b.WriteString("roget - FHIR R4 server: terminology and clinical resources, over HTTP, from the\n" +
		"terminal, or as a Go library.\n\n" +
		"Usage:\n  roget COMMAND [flags] [arguments]\n")
	width := 0
	for _, cmd := range c.commands {
		width = max(width, len(cmd.name))
	}
	for _, group := range []string{groupRun, groupData, groupResources, groupQuery, groupOther} {
		fmt.Fprintf(&b, "\n%s:\n", group)
		for _, cmd := range c.commands {
			if cmd.group == group && !cmd.hidden {
				fmt.Fprintf(&b, "  %-*s  %s\n", width, cmd.name, cmd.summary)
			}
		}
	}
	b.WriteString("\nExit codes: 0 yes; 1 a clean no, such as not a member or an unknown code; 2 wrong usage; 3 failure.\n" +
		"Help on one command: roget COMMAND --help\n")
	return write(w, []byte(b.String()))
}

// writeHelp prints the help of one command.
func (c *CLI) writeHelp(w io.Writer, cmd *command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "roget %s - %s\n\nUsage:\n  roget %s [flags]", cmd.name, cmd.summary, cmd.name)
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
	for _, paragraph := range strings.Split(cmd.doc, "\n\n") {
		switch {
		case paragraph == "":
		case strings.HasPrefix(paragraph, " "): // a list
			b.WriteString("\n" + paragraph + "\n")
		default:
			b.WriteString("\n" + wrap(paragraph, 0, helpWidth) + "\n")
		}
	}
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
	b.WriteString("\nFlags:\n")
	for _, opt := range cmd.options {
		writeItem(&b, opt.synopsis(), opt.explanation())
	}
	if len(cmd.examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, e := range cmd.examples {
			b.WriteString("  " + e + "\n")
		}
	}
	return write(w, []byte(b.String()))
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
	if opt.preset != "" {
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
