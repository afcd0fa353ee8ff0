package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/roget-health/roget/adapters/platform/audit"
)

// escaper makes text safe within a line of Markdown: no markup, no HTML, no links.
var escaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "{", `\{`, "}", `\}`, "[", `\[`, "]", `\]`, "(", `\(`, ")", `\)`, "#", `\#`, "|", `\|`,
	"~", `\~`, "!", `\!`, "$", `\$`, "&", "&amp;", "<", "&lt;", ">", "&gt;", "://", `\://`, "@", `\@`, "www.", `www\.`,
)

func md(text string) string { return escaper.Replace(line(text)) }

// writeMarkdown renders a report as Markdown.
func writeMarkdown(w io.Writer, r audit.Report) error {
	if err := MarkdownHead(w, r.Manifest); err != nil {
		return err
	}
	for _, result := range r.Results {
		if err := MarkdownCheck(w, result); err != nil {
			return err
		}
	}
	if !r.Manifest.Completed {
		return nil
	}
	return MarkdownEnd(w, r)
}

// MarkdownHead writes the beginning of a report: what was audited, and the limits of audits. It is the
// same for a run that has begun and for one that is completed, so that a report can be streamed.
func MarkdownHead(w io.Writer, m audit.Manifest) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Security audit\n\n| | |\n|---|---|\n")
	for _, fact := range facts(m) {
		if fact.Name != "Completed" {
			fmt.Fprintf(&b, "| %s | %s |\n", md(fact.Name), md(fact.Value))
		}
	}
	b.WriteString("\n## Limits of this audit\n\n")
	for _, text := range audit.Limits() {
		fmt.Fprintf(&b, "- %s\n", md(text))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// MarkdownCheck writes the section of a check.
func MarkdownCheck(w io.Writer, r audit.Result) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n## %s\n\nCheck `%s`, status **%s**.", md(r.Label), strings.ReplaceAll(line(string(r.Check)), "`", "'"), md(string(r.Status)))
	if r.Note != "" {
		fmt.Fprintf(&b, " %s", md(r.Note))
	}
	b.WriteString("\n\n")
	for _, g := range groups(r.Findings) {
		fmt.Fprintf(&b, "### %s: %s", md(string(g.Severity)), md(g.Title))
		if len(g.Findings) > 1 {
			fmt.Fprintf(&b, " × %d", len(g.Findings))
		}
		b.WriteString("\n\n")
		for _, f := range g.Findings {
			b.WriteString("- ")
			if f.Subject != "" {
				fmt.Fprintf(&b, "**%s**: ", md(f.Subject))
			}
			b.WriteString(md(f.Detail))
			if text := evidence(f); text != "" {
				fmt.Fprintf(&b, " (%s)", md(text))
			}
			b.WriteString("\n")
		}
		if g.Remedy != "" {
			fmt.Fprintf(&b, "\nRemedy: %s\n", md(g.Remedy))
		}
		b.WriteString("\n")
	}
	if len(r.Findings) == 0 {
		b.WriteString("No findings.\n\n")
	}
	fmt.Fprintf(&b, "Controls: %s.\n\n| Control | Title | Outcome | Severity or reason |\n|---|---|---|---|\n", tally(r))
	for _, c := range r.Controls {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", md(c.ID), md(c.Label), md(string(c.Status)), md(cmp.Or(string(c.Severity), c.Note)))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// MarkdownEnd writes the summary at the end of a report.
func MarkdownEnd(w io.Writer, r audit.Report) error {
	var b bytes.Buffer
	b.WriteString("\n## Summary\n\n| Severity | Findings |\n|---|---|\n")
	for _, severity := range audit.Severities() {
		fmt.Fprintf(&b, "| %s | %d |\n", severity, r.Summary.Totals[severity])
	}
	fmt.Fprintf(&b, "\n%s\n", checksLine(r.Summary))
	fmt.Fprintf(&b, "\n%s\n", md(conclusion(r.Summary)))
	_, err := w.Write(b.Bytes())
	return err
}

func checksLine(s audit.Summary) string {
	return fmt.Sprintf("Checks: %d run, %d ok, %d degraded, %d with an error, %d skipped.", s.Checks, s.OK, s.Degraded, s.Error, s.Skipped)
}
