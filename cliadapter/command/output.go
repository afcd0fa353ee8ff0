package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/roget-health/roget/engine"
)

// WriteJSON writes one JSON document to Out, with a newline after it; indented when
// --pretty is given.
func (inv *Invocation) WriteJSON(doc []byte) error {
	if inv.Is("pretty") {
		var indented bytes.Buffer
		if err := json.Indent(&indented, doc, "", "  "); err == nil {
			doc = indented.Bytes()
		}
	}
	return Write(inv.Out, append(doc, '\n'))
}

// Show prints an answer: with --json as JSON, indented by two spaces, else as a table. A
// nil table is one without rows.
func (inv *Invocation) Show(v any, t *engine.Table) error {
	if !inv.JSON() {
		if t == nil {
			return nil
		}
		return inv.WriteTable(t)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	return Write(inv.Out, Escaped(out.Bytes()))
}

// Escaped writes the control characters that a text of JSON may have as they are, DEL and
// U+0080 to U+009F, as \u009b: a terminal would obey them.
func Escaped(doc []byte) []byte {
	var out []byte
	done := 0
	for i, b := range doc {
		from, control := i, b
		switch {
		case b >= 0x80 && b < 0xa0 && i > 0 && doc[i-1] == 0xc2:
			from--
		case b != 0x7f:
			continue
		}
		out = fmt.Appendf(append(out, doc[done:from]...), `\u%04x`, control)
		done = i + 1
	}
	if out == nil {
		return doc
	}
	return append(out, doc[done:]...)
}

// WriteTable writes a table to Out: title, header, rows, footer. Columns are aligned
// by spaces. Control characters in cells become spaces. On a terminal, cells are wrapped so that
// the table fits its width.
func (inv *Invocation) WriteTable(t *engine.Table) error {
	return inv.WriteTableTo(inv.Out, inv.OutTerminal, t)
}

// WriteTableTo writes a table as WriteTable does, to another stream.
func (inv *Invocation) WriteTableTo(w io.Writer, terminal bool, t *engine.Table) error {
	bold, plain := inv.bold(terminal)
	var out bytes.Buffer
	if t.Title != "" {
		out.WriteString(bold + Printable(t.Title) + plain + "\n")
	}
	var body bytes.Buffer
	columns := tabwriter.NewWriter(&body, 0, 4, 2, ' ', 0)
	var rows [][]string
	if len(t.Header) > 0 {
		rows = append(rows, t.Header)
	}
	rows = append(rows, t.Rows...)
	for i, row := range rows {
		rows[i] = make([]string, len(row))
		for column, cell := range row {
			rows[i][column] = Printable(cell)
		}
	}
	if terminal && inv.Width > 0 {
		rows = fit(rows, inv.Width)
	}
	for _, row := range rows {
		fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	for i, text := range strings.SplitAfter(body.String(), "\n") {
		text, end := strings.CutSuffix(text, "\n")
		text = strings.TrimRight(text, " ")
		if i == 0 && len(t.Header) > 0 {
			text = bold + text + plain
		}
		out.WriteString(text)
		if end {
			out.WriteByte('\n')
		}
	}
	if t.Footer != "" {
		out.WriteString(Printable(t.Footer) + "\n")
	}
	return Write(w, out.Bytes())
}

// WriteLines writes lines between a title and a footer to Out. Control characters become spaces. On a
// terminal, lines are cut to its width.
func (inv *Invocation) WriteLines(title string, lines []string, footer string) error {
	bold, plain := inv.bold(inv.OutTerminal)
	var out bytes.Buffer
	out.WriteString(bold + Printable(title) + plain + "\n")
	for _, line := range lines {
		line = Printable(line)
		if inv.OutTerminal && inv.Width > 0 {
			line = Clip(line, inv.Width)
		}
		out.WriteString(line + "\n")
	}
	if footer != "" {
		out.WriteString(Printable(footer) + "\n")
	}
	return Write(inv.Out, out.Bytes())
}

// bold returns what begins and ends bold text on a terminal that has it.
func (inv *Invocation) bold(terminal bool) (on, off string) {
	if terminal && inv.Getenv("NO_COLOR") == "" && inv.Getenv("TERM") != "dumb" {
		return "\x1b[1m", "\x1b[0m"
	}
	return "", ""
}

// JSON reports whether JSON is asked for, by --json of the command or of a group before it.
func (inv *Invocation) JSON() bool { return inv.Anywhere("json") }

// WriteValue writes a value as JSON, with control characters escaped.
func (inv *Invocation) WriteValue(v any) error {
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return inv.WriteJSON(Escaped(doc))
}

// Counted writes "1 file", "2 files".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return engine.Thousands(n) + " " + noun + "s"
}
