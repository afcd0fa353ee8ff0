package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/roget-health/roget/adapters/platform/audit"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// A page is the data of the template of the HTML page.
type page struct {
	Report     audit.Report
	Facts      []pair
	Limits     []string
	Conclusion string
	Checks     string
	Policy     string
	Style      template.CSS
	Script     template.JS
	Scores     []score
	Sections   []section
}

// A score is the number of findings of a severity.
type score struct {
	Severity audit.Severity
	Count    int
}

// A section is a check with its findings folded.
type section struct {
	audit.Result
	Groups []group
	Worst  audit.Severity
	Tally  string
}

// writeHTML renders a report as one page without references to anything else. Its Content-Security-Policy
// allows the style and the script of the page and nothing else.
func writeHTML(w io.Writer, r audit.Report) error {
	parsed, err := template.New("page").Funcs(template.FuncMap{
		"line": func(text any) string { return line(toText(text)) }, "lower": func(text any) string { return strings.ToLower(line(toText(text))) },
		"pairs": pairs, "reason": reason,
	}).Parse(pageText)
	if err != nil {
		return err
	}
	p := page{
		Report: r, Facts: facts(r.Manifest), Limits: audit.Limits(), Conclusion: conclusion(r.Summary), Checks: checksLine(r.Summary),
		Policy: "default-src 'none'; style-src '" + digest(pageStyle) + "'; script-src '" + digest(pageScript) + "'; base-uri 'none'; form-action 'none'",
		Style:  template.CSS(pageStyle), Script: template.JS(pageScript), //nolint:gosec // both are embedded
	}
	for _, severity := range audit.Severities() {
		p.Scores = append(p.Scores, score{severity, r.Summary.Totals[severity]})
	}
	for _, result := range r.Results {
		p.Sections = append(p.Sections, section{result, groups(result.Findings), audit.Summarize([]audit.Result{result}).Worst, tally(result)})
	}
	var b bytes.Buffer
	if err := parsed.Execute(&b, p); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// reason returns why a control was skipped, or what to do about its findings.
func reason(o audit.Outcome) string {
	switch o.Status {
	case audit.Pass:
		return "Nothing found."
	case audit.Flagged:
		return audit.Remedy(o.ID)
	}
	return capital(line(o.Note))
}

// capital returns a text that begins with a capital letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

func toText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case audit.Key:
		return string(v)
	case audit.Severity:
		return string(v)
	case audit.CheckStatus:
		return string(v)
	case audit.OutcomeStatus:
		return string(v)
	}
	return ""
}

// digest returns the source of a Content-Security-Policy that allows an inline text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
