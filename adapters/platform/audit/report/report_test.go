package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform/audit"
)

// hostile are names that a server may choose to harm whoever reads a report.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</details></style><b>`, `=cmd|' /C calc'!A0`, `+1+1`, `-2+3`, `@SUM(1)`, "\t=1+1", "\r=1", "|x|y|",
	"[click](https://evil.example)", "https://evil.example/x", "a@evil.example", "# heading", "`code`", "line\nbreak", "\x1b[2Jred", "\u202egnp.exe", "www.evil.example", "{{.}}", "＝1+1",
}

// sample returns a report with every severity, status and hostile name.
func sample() audit.Report {
	var results []audit.Result
	for i, key := range audit.Keys() {
		r := audit.Result{Check: key, Label: key.Label(), Status: []audit.CheckStatus{audit.StatusOK, audit.StatusDegraded, audit.StatusError, audit.StatusSkipped}[i%4], Note: hostile[i%len(hostile)]}
		for j, c := range audit.Controls() {
			if c.Check != key {
				continue
			}
			o := audit.Outcome{ID: c.ID, Label: c.Title, Status: []audit.OutcomeStatus{audit.Pass, audit.Flagged, audit.Skipped}[j%3], FindingTitles: []string{}}
			switch o.Status {
			case audit.Flagged:
				o.Severity = c.Severities[0]
				for k := range 3 {
					name := hostile[(j+k)%len(hostile)]
					r.Findings = append(r.Findings, audit.Finding{
						Check: key, Control: c.ID, Severity: c.Severities[0], Title: c.Title, Subject: name, Detail: "Detail of " + name, GroupKey: c.ID, Evidence: map[string]string{"id": name, "k": "v"},
					})
				}
			case audit.Skipped:
				o.Note = "reason " + hostile[j%len(hostile)]
			}
			r.Controls = append(r.Controls, o)
		}
		results = append(results, r)
	}
	results[13].Findings = nil
	return audit.NewReport(audit.Manifest{
		Target: "https://p.example/<b>", Profile: "<env>", StartedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Completed: true, CheckOrder: audit.Keys(),
	}, results)
}

func rendered(t *testing.T, f Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, sample()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLimitsAreStated: every report says what audits do not do, but CSV, which has rows only.
// Rows of docs/platform.md: T5.2.
func TestLimitsAreStated(t *testing.T) {
	for _, f := range []Format{Markdown, Text, HTML} {
		out := rendered(t, f)
		for _, limit := range audit.Limits() {
			if !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(out, `\`, ""), "&#39;", "'"), limit) {
				t.Errorf("%s does not say %q", f, limit)
			}
		}
	}
}

// TestControlsAreListed: every control with its outcome and the severity or reason is in each report, in
// HTML collapsed.
// Rows of docs/platform.md: 2.6.2.
func TestControlsAreListed(t *testing.T) {
	for _, f := range []Format{Markdown, Text, HTML} {
		out := rendered(t, f)
		for _, c := range audit.Controls() {
			if !strings.Contains(strings.ReplaceAll(out, `\`, ""), c.ID) {
				t.Errorf("%s has no %s", f, c.ID)
			}
		}
	}
	page := rendered(t, HTML)
	if n := strings.Count(page, `<tr class="control"`); n != 72 {
		t.Errorf("%d rows", n)
	}
	if n := strings.Count(page, "<td>Nothing found.</td>"); n != strings.Count(page, `data-status="PASS"`) {
		t.Errorf("%d controls that pass say so", n)
	}
	if strings.Contains(page, "<details open") || strings.Count(page, `<details class="controls">`) != 14 {
		t.Error("controls are not collapsed")
	}
}

// TestCSV: columns, a row for each finding and for a check without findings, no formulas.
// Rows of docs/platform.md: T5.12.
func TestCSV(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(rendered(t, CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(rows[0], ",") != "check,severity,title,detail,subject,evidence,status" {
		t.Error(rows[0])
	}
	want := 1
	for _, r := range sample().Results {
		want += max(1, len(r.Findings))
	}
	if last := rows[len(rows)-1]; len(rows) != want || last[0] != "audit-config" || last[1] != "" || last[6] == "" {
		t.Errorf("%d rows, want %d: %v", len(rows), want, last)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r|%") || strings.HasPrefix(cell, "＝") {
				t.Errorf("a formula: %q", cell)
			}
		}
	}
}

// TestText: no control characters and nothing that changes the direction of text, in any format.
// Rows of docs/platform.md: T5.12.
func TestText(t *testing.T) {
	for _, f := range Formats() {
		if i := strings.IndexFunc(rendered(t, f), func(r rune) bool {
			return r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e
		}); i >= 0 {
			t.Errorf("%s: %q", f, rendered(t, f)[max(0, i-20):i+20])
		}
	}
}

// TestMarkdown: names from the server make no markup.
// Rows of docs/platform.md: T5.12.
func TestMarkdown(t *testing.T) {
	out := rendered(t, Markdown)
	for _, bad := range []string{"<script", "<img", "](http", "https://evil", "a@evil", " www.evil", "\nbreak", "**`"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q is in the report", bad)
		}
	}
	for line := range strings.SplitSeq(out, "\n") {
		if strings.HasPrefix(line, "|") && !regexp.MustCompile(`^\|( ([^|\\]|\\.)* \|){4}$|^\|( ([^|\\]|\\.)* \|){2}$|^\|(---\|)+$|^\| \| \|$`).MatchString(line) {
			t.Errorf("a broken row: %s", line)
		}
	}
}

// TestPage: the page refers to nothing else, its policy allows its own style and script only, and names
// from the server make no elements.
// Rows of docs/platform.md: T5.12.
func TestPage(t *testing.T) {
	page := rendered(t, HTML)
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("no policy")
	}
	unescaped := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy[1])
	for _, tag := range []string{"style", "script"} {
		inline := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(inline) != 1 || !strings.Contains(unescaped, tag+"-src '"+digest(inline[0][1])+"'") {
			t.Errorf("%d inline %ss; the policy is %s", len(inline), tag, unescaped)
		}
	}
	if !strings.HasPrefix(unescaped, "default-src 'none'; ") {
		t.Error(unescaped)
	}
	for _, bad := range []string{"src=", "<link", "<img", "@import", "url(", "<script>alert", "javascript:", `onerror=alert(1)>`} {
		if strings.Contains(strings.ReplaceAll(page, "img src=x onerror=alert(1)&gt;", ""), bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	if n := strings.Count(page, "<details"); n != strings.Count(page, "</details>") {
		t.Error("details are not balanced")
	}
}

// TestGroups: findings of one key and severity are folded.
// Rows of docs/platform.md: T5.12.
func TestGroups(t *testing.T) {
	list := groups([]audit.Finding{
		{GroupKey: "a", Severity: audit.High, Title: "1"}, {GroupKey: "", Severity: audit.High, Title: "2"}, {GroupKey: "a", Severity: audit.High}, {GroupKey: "a", Severity: audit.Warn}, {GroupKey: "", Severity: audit.High, Title: "2"},
	})
	if len(list) != 4 || len(list[0].Findings) != 2 || list[1].Title != "2" {
		t.Errorf("%+v", list)
	}
}

// TestFormats: lists of formats.
func TestFormats(t *testing.T) {
	for list, want := range map[string]int{"": 4, "md": 1, "html,html,csv": 2, "pdf": 0, "md,pdf": 0} {
		got, err := ParseFormats(strings.FieldsFunc(list, func(r rune) bool { return r == ',' }))
		if len(got) != want || (err != nil) != (want == 0) {
			t.Errorf("%s: %v %v", list, got, err)
		}
	}
	if err := Format("pdf").Write(&bytes.Buffer{}, audit.Report{}); err == nil {
		t.Error("pdf is written")
	}
	if got := Conclusion(audit.NewReport(audit.Manifest{}, nil)); got != "0 finding(s); worst severity: none" {
		t.Error(got)
	}
}

// small returns a report of one check, with two findings of one kind or none.
func small(findings bool) audit.Report {
	r := audit.Result{Check: "version", Label: "Version", Status: audit.StatusOK, Controls: []audit.Outcome{{ID: "x", Label: "X", Status: audit.Skipped, Note: "Why."}}}
	if findings {
		f := audit.Finding{Severity: audit.High, Title: "Old", Detail: "Here.", GroupKey: "x"}
		r.Findings, f.Subject, f.Evidence = []audit.Finding{f}, "There", map[string]string{"id": "1"}
		other := audit.Finding{Severity: audit.Warn, Title: "Near", Detail: "Soon."}
		r.Note, r.Findings = "Half.", append(r.Findings, f, other)
	}
	return audit.NewReport(audit.Manifest{Target: "https://p.example", Profile: "prod", Completed: findings, CheckOrder: []audit.Key{"version"}}, []audit.Result{r})
}

// TestLayout: the whole of small reports, but what every report says. testdata/layout.txt has one after another.
func TestLayout(t *testing.T) {
	want, err := os.ReadFile("testdata/layout.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, f := range []Format{Markdown, Text} {
		for _, findings := range []bool{true, false} {
			if err := f.Write(&got, small(findings)); err != nil {
				t.Fatal(err)
			}
		}
	}
	limits := regexp.MustCompile(`(?s)(Limits of this audit).*?(\n(## )?Version)`)
	if got := limits.ReplaceAllString(got.String(), "$1$2"); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// full is a writer that fails after some bytes.
type full struct{ left int }

func (w *full) Write(text []byte) (int, error) {
	if w.left -= len(text); w.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(text), nil
}

// TestWriteFails: no format loses an error of the writer.
func TestWriteFails(t *testing.T) {
	for _, f := range Formats() {
		for _, length := range []int{0, len(rendered(t, f)) / 2, len(rendered(t, f)) - 1} {
			if err := f.Write(&full{length}, sample()); !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("%s after %d bytes: %v", f, length, err)
			}
		}
	}
}
