package terminology

import (
	"context"
	"strings"
)

// A Source answers terminology operations.
type Source interface {
	// Operate runs an operation of a resource type with a Parameters resource, and returns the
	// FHIR resource that answers it. An operation that fails returns a *Refusal.
	Operate(ctx context.Context, typ, name string, parameters []byte) ([]byte, error)
	// Resources lists the resources of a type: CodeSystem, ValueSet or ConceptMap.
	Resources(ctx context.Context, typ string) ([]Resource, error)
}

// A Resource describes a resource without its content.
type Resource struct {
	Type, URL, Version, ID, Name, Title, Status string
	Publisher, Description, Date                string
	Content                                     string // of a code system: complete, fragment, supplement, …
	Supplements                                 string // canonical of the supplemented code system
	Codes                                       int    // of a code system; 0 if not known
}

// label returns what people call the resource.
func (r *Resource) label() string {
	switch {
	case r.Title != "":
		return r.Title
	case r.Name != "":
		return r.Name
	}
	return r.ID
}

// basic reports whether the resource is part of FHIR itself, or of the terminology of HL7.
// Every server has about two thousand of these, so tools that search prefer the others.
func (r *Resource) basic() bool {
	switch r.URL {
	case "http://hl7.org/fhir/sid/ex-icd-10-procedures", "urn:oid:2.16.840.1.113883.3.1937.98.5.8", "https://roget.health/fhir/CodeSystem/designation-use":
		return true
	}
	if strings.HasPrefix(r.URL, "http://hl7.org/fhir/sid/") {
		return false // classifications of others, such as ICD-10-CM
	}
	for _, prefix := range []string{
		"http://hl7.org/", "http://terminology.hl7.org/", "http://cds-hooks.hl7.org/", "http://healthit.gov/",
		"http://www.hl7.org/", "urn:ietf:", "http://unitsofmeasure.org",
	} {
		if strings.HasPrefix(r.URL, prefix) {
			return true
		}
	}
	return r.Content == "not-present"
}

// A Refusal is the answer of an operation that failed: the first error of its
// OperationOutcome.
type Refusal struct {
	// Code is of http://hl7.org/fhir/issue-type, Detail of the tx-issue-type of the ecosystem.
	Code, Detail string
	Text         string
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }
