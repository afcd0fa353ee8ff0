package command

import "strings"

// A roff writes a page of the manual. Its text is escaped, except for what line is given.
type roff struct {
	strings.Builder
	section string // that entry wrote last
}

// line writes a line as it is.
func (r *roff) line(text string) { r.WriteString(text + "\n") }

// macro writes a request of man(7) with its arguments.
func (r *roff) macro(name string, args ...string) {
	r.WriteString("." + name)
	for _, arg := range args {
		r.WriteString(` "` + strings.ReplaceAll(escape(arg), `"`, `\(dq`) + `"`)
	}
	r.WriteString("\n")
}

// text writes paragraphs. Those that are indented are shown as they are.
func (r *roff) text(text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			r.macro("PP")
		}
		if strings.HasPrefix(paragraph, "  ") {
			r.verbatim(paragraph)
			continue
		}
		for j, line := range strings.Split(paragraph, "\n") {
			if j > 0 {
				r.macro("br")
			}
			r.line(escape(strings.TrimSpace(line)))
		}
	}
}

// verbatim writes lines that are not filled.
func (r *roff) verbatim(text string) {
	r.macro("nf")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		r.line(escape(line))
	}
	r.macro("fi")
}

// entry writes an item of a list, under the title of its section where that begins.
func (r *roff) entry(section, head, note string) {
	if section != r.section {
		r.macro("SH", section)
		r.section = section
	}
	r.macro("TP")
	r.line(head)
	r.line(escape(strings.ReplaceAll(note, "\n", " ")))
}

// escape returns text without the characters that roff would change or obey.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}
