package cliadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/roget-health/roget/engine"
)

// writeJSON writes one JSON document to Out, with a newline after it; indented when
// --pretty is given.
func (inv *invocation) writeJSON(doc []byte) error {
	if inv.is("pretty") {
		var indented bytes.Buffer
		if err := json.Indent(&indented, doc, "", "  "); err == nil {
			doc = indented.Bytes()
		}
	}
	return write(inv.streams.Out, append(doc, '\n'))
}

// show prints an answer: with --json as JSON, indented by two spaces, else as a table. A
// nil table is one without rows.
func (inv *invocation) show(v any, t *engine.Table) error {
	if !inv.json() {
		if t == nil {
			return nil
		}
		return inv.writeTable(t)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	return write(inv.streams.Out, escaped(out.Bytes()))
}

// escaped writes the control characters that a text of JSON may have as they are, DEL and
// U+0080 to U+009F, as \u009b: a terminal would obey them.
func escaped(doc []byte) []byte {
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

// writeTable writes a table to Out: title, header, rows, footer. Columns are aligned
// by spaces. Control characters in cells become spaces.
func (inv *invocation) writeTable(t *engine.Table) error {
	return inv.writeTableTo(inv.streams.Out, inv.streams.OutTerminal, t)
}

func (inv *invocation) writeTableTo(w io.Writer, terminal bool, t *engine.Table) error {
	bold, plain := "", ""
	if getenv := inv.cli.config.Getenv; terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" {
		bold, plain = "\x1b[1m", "\x1b[0m"
	}
	var out bytes.Buffer
	if t.Title != "" {
		out.WriteString(bold + printable(t.Title) + plain + "\n")
	}
	var body bytes.Buffer
	columns := tabwriter.NewWriter(&body, 0, 4, 2, ' ', 0)
	line := func(cells []string) {
		for i, cell := range cells {
			if i > 0 {
				fmt.Fprint(columns, "\t")
			}
			fmt.Fprint(columns, printable(cell))
		}
		fmt.Fprint(columns, "\n")
	}
	if len(t.Header) > 0 {
		line(t.Header)
	}
	for _, row := range t.Rows {
		line(row)
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
		out.WriteString(printable(t.Footer) + "\n")
	}
	return write(w, out.Bytes())
}
