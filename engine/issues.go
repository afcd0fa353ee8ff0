package engine

import (
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// IssueTypeSystem is the code system of the details of issues that terminology
// operations report.
const IssueTypeSystem = "http://hl7.org/fhir/tools/CodeSystem/tx-issue-type"

// issue makes an issue: severity, code of issue-type, code of tx-issue-type, text, and
// the element it is about.
func issue(severity, code, detail, text, expression string) r4.Issue {
	i := r4.Issue{
		Severity: severity, Code: code,
		Details: &r4.CodeableConcept{Coding: []r4.Coding{{System: IssueTypeSystem, Code: detail}}, Text: text},
	}
	if expression != "" {
		i.Expression = []string{expression}
	}
	return i
}

// summary joins the texts of issues: of the errors, or, when there are none, of all.
func summary(issues []r4.Issue) string {
	var errors, all []string
	for i := range issues {
		text := issues[i].Details.Text
		all = append(all, text)
		if issues[i].Severity == "error" {
			errors = append(errors, text)
		}
	}
	if len(errors) > 0 {
		return strings.Join(errors, "; ")
	}
	return strings.Join(all, "; ")
}
