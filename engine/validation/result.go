package validation

import (
	"strconv"

	"github.com/roget-health/roget/engine/answer"
	"github.com/roget-health/roget/resources/r4"
)

// Result is the result of checking a code.
type Result struct {
	Result  bool
	Display string // of the concept
	// Code, System and Version are what was checked, as far as known. For a CodeableConcept they
	// are those of the first valid coding.
	Code, System, Version string
	// NormalizedCode is the code as its code system writes it, if Code is written differently.
	NormalizedCode string
	Inactive       bool
	// Status of the concept, if it says more than Inactive: retired or deprecated, for example.
	Status string
	// CodeableConcept is the CodeableConcept that was checked, if any.
	CodeableConcept *r4.CodeableConcept
	// UnknownSystems are unknown code systems, url or url|version, in which the code could not be
	// looked up.
	UnknownSystems []string
	// Undecided is true if the code might be in the value set, were those code systems known.
	// Otherwise it is not in the value set.
	Undecided bool
	// Message has the texts of the errors in Issues, and hints. Issues must not be modified.
	Message string
	Issues  []r4.Issue

	outcome []byte // Issues as an OperationOutcome in JSON, if cached
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

// unknownName returns the name of the parameter for unknown code systems.
func (r *Result) unknownName() string {
	if r.Undecided {
		return "x-caused-by-unknown-system"
	}
	return "x-unknown-system"
}

// Yes returns the result.
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
