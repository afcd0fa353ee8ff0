package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Severity is the weight of a finding.
type Severity string

// The severities, worst first.
const (
	Critical Severity = "CRITICAL"
	High     Severity = "HIGH"
	Medium   Severity = "MEDIUM"
	Warn     Severity = "WARN"
	Info     Severity = "INFO"
)

// Severities returns all severities, worst first.
func Severities() []Severity { return []Severity{Critical, High, Medium, Warn, Info} }

// ParseSeverity reads a severity in any letter case.
func ParseSeverity(text string) (Severity, error) {
	if s := Severity(strings.ToUpper(text)); s.rank() < len(Severities()) {
		return s, nil
	}
	return "", fmt.Errorf("%q is not a severity; write CRITICAL, HIGH, MEDIUM, WARN or INFO", text)
}

// rank returns the position of the severity, 0 for the worst. An unknown severity is after all others.
func (s Severity) rank() int {
	if i := slices.Index(Severities(), s); i >= 0 {
		return i
	}
	return len(Severities())
}

// AtLeast reports whether the severity is as bad as another, or worse.
func (s Severity) AtLeast(other Severity) bool { return s.rank() <= other.rank() && s != "" }

// A Finding is something about a platform that deserves attention. Its texts may contain text of the
// platform, in one line and without control characters.
type Finding struct {
	Check    Key               `json:"check"`
	Severity Severity          `json:"severity"`
	Title    string            `json:"title"`
	Detail   string            `json:"detail"`
	Subject  string            `json:"subject,omitempty"` // the account, role, object ... that it is about
	Evidence map[string]string `json:"evidence,omitempty"`
	GroupKey string            `json:"group_key,omitempty"` // findings with the same key belong together
	Control  string            `json:"control,omitempty"`   // id; empty for a remark
}

// An OutcomeStatus is the result of a control.
type OutcomeStatus string

// The results of a control.
const (
	Pass    OutcomeStatus = "PASS"    // evaluated, nothing found
	Flagged OutcomeStatus = "FLAGGED" // evaluated, with findings
	Skipped OutcomeStatus = "SKIPPED" // not evaluated, with the reason
)

// An Outcome is the result of a control in a run.
type Outcome struct {
	ID            string        `json:"id"`
	Label         string        `json:"label"`
	Status        OutcomeStatus `json:"status"`
	Severity      Severity      `json:"severity,omitempty"` // worst of its findings
	FindingTitles []string      `json:"finding_titles"`
	Note          string        `json:"note,omitempty"` // why it was skipped
}

// A CheckStatus says how far a check got.
type CheckStatus string

// The statuses of a check.
const (
	StatusOK       CheckStatus = "ok"
	StatusDegraded CheckStatus = "degraded" // a read failed
	StatusError    CheckStatus = "error"    // the check itself failed
	StatusSkipped  CheckStatus = "skipped"  // it was not to run, or had nothing to read
)

// A Result is the result of a check.
type Result struct {
	Check    Key         `json:"check"`
	Label    string      `json:"label"`
	Status   CheckStatus `json:"status"`
	Findings []Finding   `json:"findings"`
	Controls []Outcome   `json:"controls"`
	Note     string      `json:"note,omitempty"`
}

// A Manifest describes a run.
type Manifest struct {
	Target          string    `json:"target"`
	Profile         string    `json:"profile"`
	ScannerVersion  string    `json:"scanner_version"`
	StartedAt       time.Time `json:"started_at"`
	PlatformVersion string    `json:"platform_version,omitempty"`
	CheckOrder      []Key     `json:"check_order"`
	Completed       bool      `json:"completed"`
}

// A Summary counts the findings of a run by severity, and its checks by status.
type Summary struct {
	Totals   map[Severity]int `json:"totals"`
	Findings int              `json:"findings"`
	Checks   int              `json:"checks_run"`
	OK       int              `json:"checks_ok"`
	Degraded int              `json:"checks_degraded"`
	Error    int              `json:"checks_error"`
	Skipped  int              `json:"checks_skipped"`
	Worst    Severity         `json:"worst,omitempty"` // empty without findings
}

// A Report is a run with its results.
type Report struct {
	Manifest Manifest `json:"manifest"`
	Results  []Result `json:"results"`
	Summary  Summary  `json:"summary"`
}

// NewReport returns the report of results.
func NewReport(manifest Manifest, results []Result) Report {
	return Report{Manifest: manifest, Results: results, Summary: Summarize(results)}
}

// Summarize counts findings and checks.
func Summarize(results []Result) Summary {
	s := Summary{Totals: map[Severity]int{}}
	for _, severity := range Severities() {
		s.Totals[severity] = 0
	}
	for _, r := range results {
		s.Checks++
		switch r.Status {
		case StatusOK:
			s.OK++
		case StatusDegraded:
			s.Degraded++
		case StatusError:
			s.Error++
		case StatusSkipped:
			s.Skipped++
		}
		for _, f := range r.Findings {
			s.Findings++
			s.Totals[f.Severity]++
			if s.Worst == "" || f.Severity.rank() < s.Worst.rank() {
				s.Worst = f.Severity
			}
		}
	}
	return s
}

// sortFindings sorts findings by severity, then title, then subject.
func sortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.Title, b.Title), cmp.Compare(a.Subject, b.Subject))
	})
}
