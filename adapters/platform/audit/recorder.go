package audit

import (
	"fmt"
	"slices"

	"github.com/roget-health/roget/auth"
)

// notEvaluated is the reason of a control that no reducer has touched.
const notEvaluated = "not evaluated this run"

// A recorder collects the result of a check. All controls begin as SKIPPED, so that one that a reducer
// leaves out never reads as passed. It panics for an id that its check does not have, which is an error
// of the program.
type recorder struct{ result Result }

func newRecorder(check Key) *recorder {
	r := &recorder{Result{Check: check, Label: check.Label(), Status: StatusOK, Findings: []Finding{}, Controls: []Outcome{}}}
	for _, c := range Controls() {
		if c.Check == check {
			r.result.Controls = append(r.result.Controls, Outcome{ID: c.ID, Label: c.Title, Status: Skipped, Note: notEvaluated, FindingTitles: []string{}})
		}
	}
	return r
}

func (r *recorder) control(id string) *Outcome {
	i := slices.IndexFunc(r.result.Controls, func(o Outcome) bool { return o.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("check %s has no control %q", r.result.Check, id))
	}
	return &r.result.Controls[i]
}

// evaluated records that controls were evaluated. They pass unless there are findings.
func (r *recorder) evaluated(ids ...string) {
	for _, id := range ids {
		if o := r.control(id); o.Status == Skipped {
			o.Status, o.Note = Pass, ""
		}
	}
}

// skip records why controls could not be evaluated. Controls with findings stay flagged.
func (r *recorder) skip(reason string, ids ...string) {
	for _, id := range ids {
		if o := r.control(id); o.Status != Flagged {
			o.Status, o.Note = Skipped, printable(reason)
		}
	}
}

// flag records a finding of a control.
func (r *recorder) flag(f Finding) {
	o := r.control(f.Control)
	o.Status, o.Note = Flagged, ""
	if o.Severity == "" || f.Severity.rank() < o.Severity.rank() {
		o.Severity = f.Severity
	}
	f = r.add(f)
	if !slices.Contains(o.FindingTitles, f.Title) {
		o.FindingTitles = append(o.FindingTitles, f.Title)
	}
}

// remark records a finding that belongs to no control.
func (r *recorder) remark(f Finding) {
	f.Control = ""
	r.add(f)
}

func (r *recorder) add(f Finding) Finding {
	f.Check = r.result.Check
	f.Title, f.Detail, f.Subject = printable(f.Title), printable(f.Detail), printable(f.Subject)
	for name, value := range f.Evidence {
		f.Evidence[name] = printable(value)
	}
	r.result.Findings = append(r.result.Findings, f)
	return f
}

// note adds a sentence to the note of the check.
func (r *recorder) note(format string, args ...any) {
	if r.result.Note != "" {
		r.result.Note += " "
	}
	r.result.Note += printable(fmt.Sprintf(format, args...))
}

// done returns the result with sorted findings.
func (r *recorder) done() Result {
	sortFindings(r.result.Findings)
	return r.result
}

// maxText limits the characters of a text in a finding.
const maxText = 1000

// printable returns text in one line, without control characters.
func printable(text string) string { return auth.Printable(text, maxText) }
