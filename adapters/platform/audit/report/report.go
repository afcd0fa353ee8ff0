// Package report renders the results of a security audit as Markdown, text, CSV and a page of HTML.
// Platform toolkit, section 5.12.
//
// Findings contain names that a hostile server may have chosen, so every writer escapes all text for its
// format.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/auth"
)

// A Format is a form of a report.
type Format string

// The formats.
const (
	Markdown Format = "md"
	Text     Format = "txt"
	CSV      Format = "csv"
	HTML     Format = "html"
)

// Formats returns all formats.
func Formats() []Format { return []Format{Markdown, Text, CSV, HTML} }

// ParseFormats reads a list such as md,html. An empty list means all formats.
func ParseFormats(list []string) ([]Format, error) {
	var formats []Format
	for _, name := range list {
		if !slices.Contains(Formats(), Format(name)) {
			return nil, fmt.Errorf("%q is not a format of reports; write md, txt, csv or html", name)
		}
		if !slices.Contains(formats, Format(name)) {
			formats = append(formats, Format(name))
		}
	}
	if formats == nil {
		return Formats(), nil
	}
	return formats, nil
}

// Write renders a whole report.
func (f Format) Write(w io.Writer, r audit.Report) error {
	switch f {
	case Markdown:
		return writeMarkdown(w, r)
	case Text:
		return writeText(w, r)
	case CSV:
		return writeCSV(w, r)
	case HTML:
		return writeHTML(w, r)
	}
	return fmt.Errorf("%q is not a format of reports", f)
}

// maxText limits the characters of a text in a report.
const maxText = 2000

// line returns text in one line without control characters.
func line(text string) string { return auth.Printable(text, maxText) }

// evidence returns k=v; k=v, sorted by key.
func evidence(f audit.Finding) string {
	var parts []string
	for _, pair := range pairs(f) {
		parts = append(parts, pair.Name+"="+pair.Value)
	}
	return strings.Join(parts, "; ")
}

// A pair is a piece of evidence.
type pair struct{ Name, Value string }

func pairs(f audit.Finding) (list []pair) {
	for name, value := range f.Evidence {
		list = append(list, pair{line(name), line(value)})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Compare(a.Name, b.Name) < 0
	})
	return list
}

// A group is the findings of a check with the same group key and severity.
type group struct {
	Severity audit.Severity
	Title    string
	Remedy   string
	Findings []audit.Finding
}

// groups folds findings, in their order. A finding without a group key forms a separate group.
func groups(findings []audit.Finding) (list []group) {
	for _, f := range findings {
		i := slices.IndexFunc(list, func(g group) bool {
			first := g.Findings[0]
			return f.GroupKey != "" && first.GroupKey == f.GroupKey && first.Severity == f.Severity
		})
		if i >= 0 {
			list[i].Findings = append(list[i].Findings, f)
			continue
		}
		list = append(list, group{Severity: f.Severity, Title: line(f.Title), Remedy: audit.Remedy(f.Control), Findings: []audit.Finding{f}})
	}
	return list
}

// conclusion returns the sentence about a run.
func conclusion(s audit.Summary) string {
	return fmt.Sprintf("%d finding(s); worst severity: %s", s.Findings, cmp.Or(string(s.Worst), "none"))
}

// Conclusion returns the last line of an audit: N finding(s); worst severity: X.
func Conclusion(r audit.Report) string { return conclusion(r.Summary) }

// facts are the lines about a run.
func facts(m audit.Manifest) []pair {
	completed := "yes"
	if !m.Completed {
		completed = "no: the run was interrupted, or is still going on"
	}
	return []pair{
		{"Target", line(m.Target)},
		{"Profile", line(m.Profile)},
		{"Platform version", line(cmp.Or(m.PlatformVersion, "unknown"))},
		{"Scanner", "roget " + line(cmp.Or(m.ScannerVersion, "devel"))},
		{"Started", m.StartedAt.UTC().Format(time.RFC3339)},
		{"Completed", completed},
	}
}

// tally counts controls by their outcome: 2 flagged, 5 passed, 1 skipped.
func tally(r audit.Result) string {
	n := map[audit.OutcomeStatus]int{}
	for _, c := range r.Controls {
		n[c.Status]++
	}
	return fmt.Sprintf("%d flagged, %d passed, %d skipped", n[audit.Flagged], n[audit.Pass], n[audit.Skipped])
}
