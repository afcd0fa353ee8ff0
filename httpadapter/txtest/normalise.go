package txtest

import (
	"fmt"
	"slices"
	"strings"
)

// normalise converts a response in a version of FHIR to the form of expected ones: R5, without anything that no case may
// depend on, with sorted lists.
func normalise(answer object, version string) (object, error) {
	if err := checkShape(answer); err != nil {
		return nil, err
	}
	if version != R5 {
		if err := convert(answer, toR5); err != nil {
			return nil, err
		}
	}
	answer = prune(answer).(object)
	scrub(answer)
	sortAnswer(answer)
	return prune(answer).(object), nil
}

// listed are the members that always hold lists of objects.
var listed = []string{"contained", "contains", "extension", "parameter", "part"}

// checkShape returns an error if such a member holds anything else, which the next steps would
// ignore.
func checkShape(tree any) error {
	switch v := tree.(type) {
	case list:
		for _, entry := range v {
			if err := checkShape(entry); err != nil {
				return err
			}
		}
	case object:
		for key, value := range v {
			entries, isList := value.(list)
			if slices.Contains(listed, key) && (!isList || len(objectsOf(entries)) < len(entries)) {
				return fmt.Errorf("%s is not a list of objects", key)
			}
			if err := checkShape(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// Extensions with an absolute URL that are compared. All others are removed from a response.
const (
	feature   = "http://hl7.org/fhir/uv/application-feature/StructureDefinition/feature"
	core      = "http://hl7.org/fhir/StructureDefinition/"
	testSpace = "http://hl7.org/fhir/test/"
)

var compared = []string{
	"alternate-code-status", "alternate-code-use", "codesystem-alternate", "codesystem-conceptOrder",
	"codesystem-label", "coding-sctdescid", "itemWeight", "operationoutcome-message-id",
	"rendering-style", "rendering-xhtml", "structuredefinition-standards-status", "translation",
	"valueset-concept-definition", "valueset-conceptOrder", "valueset-deprecated", "valueset-label",
	"valueset-supplement", "valueset-unclosed", "valueset-unclosed-reason",
}

func isCompared(extension any) bool {
	fields, _ := extension.(object)
	url := text(fields, "url")
	if !strings.Contains(url, "://") || url == feature || strings.HasPrefix(url, testSpace) {
		return true
	}
	name, ofCore := strings.CutPrefix(url, core)
	return ofCore && slices.Contains(compared, name)
}

// scrub removes everything that no case may depend on. In Parameters it scrubs the resources, and
// keeps the extensions of the parameters themselves.
func scrub(resource object) {
	delete(resource, "text")
	delete(resource, "meta")
	switch text(resource, "resourceType") {
	case "Parameters":
		parameters(resource, func(p object) {
			if inner := member(p, "resource"); inner != nil {
				scrub(inner)
			}
		})
		return
	case "OperationOutcome":
		scrubIssues(resource)
	}
	scrubExtensions(resource)
}

// scrubIssues removes the diagnostics, and issues that have nothing else.
func scrubIssues(outcome object) {
	var kept list
	for _, issue := range objects(outcome, "issue") {
		_, details := issue["details"]
		_, diagnostics := issue["diagnostics"]
		if details || !diagnostics {
			delete(issue, "diagnostics")
			kept = append(kept, issue)
		}
	}
	outcome["issue"] = kept
}

// scrubExtensions removes extensions from a tree, except in the definitions of value sets.
func scrubExtensions(tree any) {
	switch v := tree.(type) {
	case list:
		for _, entry := range v {
			scrubExtensions(entry)
		}
	case object:
		if extensions, ok := v["extension"].(list); ok {
			v["extension"] = slices.DeleteFunc(slices.Clone(extensions), func(e any) bool { return !isCompared(e) })
		}
		for key, value := range v {
			if key != "compose" || text(v, "resourceType") != "ValueSet" {
				scrubExtensions(value)
			}
		}
	}
}
