package resources

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/validate"
)

// Lifecycle is what a service does about a status that must not follow the previous one. It applies
// to QuestionnaireResponse, the one resource type with a checked lifecycle.
type Lifecycle uint8

// The modes of WithLifecycle.
const (
	EnforceLifecycle Lifecycle = iota // refuse the change (ErrInvalid, business-rule)
	WarnLifecycle                     // store it with a warning in Outcome.Issues
	IgnoreLifecycle
)

// lifecycleIssues returns the issues of a document that replaces another, including one about a
// status that must not follow the previous one. It returns an error if that prevents storing it.
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
	issues := append([]validate.Issue{issue}, d.issues...)
	return issues, validate.Check(issues)
}

// next lists the states that may follow.
func next(allowed []string) string {
	if len(allowed) == 0 {
		return "it is final"
	}
	return "it can become " + strings.Join(allowed, " or ")
}
