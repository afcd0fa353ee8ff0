package validation

import (
	"strconv"

	"github.com/roget-health/roget/engine/answer"
	"github.com/roget-health/roget/resources/r4"
)

// Result is the answer of ValidateCode and ValidateCodeInSystem.
type Result struct {
	Result  bool
	Display string // of the concept that was found
	// Code, System, Version are what was checked, as far as it is known. For a
	// CodeableConcept it is the first coding that is valid.
	Code, System, Version string
	// NormalizedCode is the form the code system has, when Code differs from it.
	NormalizedCode string
	Inactive       bool
	// Status of the concept, when it says more than Inactive: retired, deprecated …
	Status string
	// CodeableConcept is the one that was checked, if it was one.
	CodeableConcept *r4.CodeableConcept
	// UnknownSystems are code systems, url or url|version, that are not there and kept
	// the code from being found.
	UnknownSystems []string
	// Undecided says that because of them it is not known whether the code is in the value
	// set; otherwise it is known that it is not.
	Undecided bool
	// Message is the text of the errors among Issues, and hints. Neither is to be modified.
	Message string
	Issues  []r4.Issue

	outcome []byte // Issues as an OperationOutcome, where that is at hand
}

// AppendJSON appends the Parameters resource.
func (r *Result) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Boolean("result", r.Result)
	if r.Display != "" {
		w.String("display", r.Display)
	}
	if r.Code != "" {
		w.Code("code", r.Code)
	}
	if r.System != "" {
		w.URI("system", r.System)
	}
	if r.Version != "" {
		w.String("version", r.Version)
	}
	if r.Inactive {
		w.Boolean("inactive", true)
	}
	if r.Status != "" {
		w.Code("status", r.Status)
	}
	if r.NormalizedCode != "" {
		w.Code("normalized-code", r.NormalizedCode)
	}
	if r.CodeableConcept != nil {
		w.Value("codeableConcept", r4.Value{Type: "CodeableConcept", Concept: r.CodeableConcept})
	}
	for _, system := range r.UnknownSystems {
		w.Canonical(r.unknownName(), system)
	}
	if r.Message != "" {
		w.String("message", r.Message)
	}
	switch {
	case len(r.outcome) > 0:
		w.Resource("issues", func(dst []byte) []byte { return append(dst, r.outcome...) })
	case len(r.Issues) > 0:
		w.Resource("issues", func(dst []byte) []byte {
			oo := r4.OperationOutcome{Issue: r.Issues}
			return oo.AppendJSON(dst)
		})
	}
	return w.Finish()
}

// unknownName is the name of the parameter that names systems that are not there.
func (r *Result) unknownName() string {
	if r.Undecided {
		return "x-caused-by-unknown-system"
	}
	return "x-unknown-system"
}

// Yes is the result.
func (r *Result) Yes() bool { return r.Result }

// Table has one row for each fact.
func (r *Result) Table() *answer.Table {
	t := &answer.Table{Header: []string{"NAME", "VALUE"}, Rows: [][]string{{"result", strconv.FormatBool(r.Result)}}}
	row := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value})
		}
	}
	row("display", r.Display)
	row("code", r.Code)
	row("system", r.System)
	row("version", r.Version)
	row("inactive", map[bool]string{true: "true"}[r.Inactive])
	row("status", r.Status)
	row("normalized-code", r.NormalizedCode)
	for _, system := range r.UnknownSystems {
		row(r.unknownName(), system)
	}
	row("message", r.Message)
	return t
}
