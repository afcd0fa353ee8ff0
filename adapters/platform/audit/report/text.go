package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/roget-health/roget/adapters/platform/audit"
)

// writeText renders a report for a terminal or a printer.
func writeText(w io.Writer, r audit.Report) error {
	var b bytes.Buffer
	b.WriteString("SECURITY AUDIT\n\n")
	for _, fact := range facts(r.Manifest) {
		fmt.Fprintf(&b, "%-17s %s\n", fact.Name+":", fact.Value)
	}
	b.WriteString("\n")
	for _, severity := range audit.Severities() {
		fmt.Fprintf(&b, "%-9s %d\n", severity, r.Summary.Totals[severity])
	}
	fmt.Fprintf(&b, "\n%s\n%s\n\nLimits of this audit:\n", checksLine(r.Summary), conclusion(r.Summary))
	for _, text := range audit.Limits() {
		fmt.Fprintf(&b, "  - %s\n", text)
	}
	for _, result := range r.Results {
		textCheck(&b, result)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func textCheck(b *bytes.Buffer, r audit.Result) {
	title := fmt.Sprintf("%s (%s): %s", line(r.Label), line(string(r.Check)), line(string(r.Status)))
	fmt.Fprintf(b, "\n%s\n%s\n", title, strings.Repeat("=", len([]rune(title))))
	if r.Note != "" {
		fmt.Fprintf(b, "Note: %s\n", line(r.Note))
	}
	for _, g := range groups(r.Findings) {
		fmt.Fprintf(b, "\n[%s] %s\n", line(string(g.Severity)), g.Title)
		for _, f := range g.Findings {
			fmt.Fprintf(b, "  - %s", strings.TrimPrefix(line(f.Subject)+": ", ": "))
			fmt.Fprintln(b, line(f.Detail))
			if text := evidence(f); text != "" {
				fmt.Fprintf(b, "    %s\n", text)
			}
		}
		if g.Remedy != "" {
			fmt.Fprintf(b, "  Remedy: %s\n", g.Remedy)
		}
	}
	fmt.Fprintf(b, "\nControls: %s\n", tally(r))
	for _, c := range r.Controls {
		fmt.Fprintf(b, "  %-8s %-45s %s\n", line(string(c.Status)), line(c.ID), line(cmp.Or(string(c.Severity), c.Note)))
	}
}

// writeCSV renders the findings of a report. A check without findings has a row too.
func writeCSV(w io.Writer, r audit.Report) error {
	rows := csv.NewWriter(w)
	if err := rows.Write([]string{"check", "severity", "title", "detail", "subject", "evidence", "status"}); err != nil {
		return err
	}
	for _, result := range r.Results {
		findings := result.Findings
		if len(findings) == 0 {
			findings = []audit.Finding{{Detail: result.Note}}
		}
		for _, f := range findings {
			row := []string{string(result.Check), string(f.Severity), f.Title, f.Detail, f.Subject, evidence(f), string(result.Status)}
			for i, text := range row {
				row[i] = cell(text)
			}
			if err := rows.Write(row); err != nil {
				return err
			}
		}
	}
	rows.Flush()
	return rows.Error()
}

// cell returns a text that no spreadsheet takes for a formula: one that begins like a formula gets an
// apostrophe in front.
func cell(text string) string {
	text = line(text)
	if text != "" && strings.ContainsAny(text[:1], "=+-@|%") || strings.HasPrefix(text, "＝") || strings.HasPrefix(text, "＋") || strings.HasPrefix(text, "－") || strings.HasPrefix(text, "＠") {
		return "'" + text
	}
	return text
}
