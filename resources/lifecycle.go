package resources

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/validate"
)

// Lifecycle tells what to do about a status that does not follow the status before, where
// one resource type has a lifecycle: QuestionnaireResponse.
type Lifecycle uint8

// The modes of WithLifecycle.
const (
	EnforceLifecycle Lifecycle = iota // refuse (ErrInvalid, business-rule)
	WarnLifecycle                     // store, and say so in Outcome.Issues
	IgnoreLifecycle
)

// lifecycleIssues returns the issues of a document that replaces another, with one more when
// its status may not follow; an error when that keeps it from being stored.
func (s *Service) lifecycleIssues(d *draft, was *document.Document) ([]validate.Issue, error) {
	if d.typ != "QuestionnaireResponse" || s.lifecycle == IgnoreLifecycle {
		return d.issues, nil
	}
	status := d.outline.top.Get("status")
	from, to := was.Root().Get("status").Text(), status.Text()
	allowed, ok := validate.Transition(from, to)
	if ok {
		return d.issues, nil
	}
	issue := validate.Issue{
		Severity: validate.Error, Code: "business-rule", Expression: d.typ + ".status",
		Text: fmt.Sprintf("%s cannot become %s; %s", from, to, next(allowed)),
	}
	issue.Line, issue.Column = d.doc.Position(status.Offset())
	if s.lifecycle == WarnLifecycle {
		issue.Severity = validate.Warning
	}
	issues := append(slices.Clone(d.issues), issue)
	return issues, validate.Check(issues)
}

// next words the states that may follow.
func next(allowed []string) string {
	if len(allowed) == 0 {
		return "nothing may follow it"
	}
	return "what may follow it is " + strings.Join(allowed, " or ")
}
