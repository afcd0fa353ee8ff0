package engine

import (
	"cmp"
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// SubsumesRequest is the request of Subsumes (CodeSystem/$subsumes).
type SubsumesRequest struct {
	ID               string // CodeSystem/{id}/$subsumes
	System, Version  string // System may be url|version
	CodeA, CodeB     string
	CodingA, CodingB *r4.Coding // instead of System and the codes
}

// Subsumption is an outcome of $subsumes, a code of http://hl7.org/fhir/concept-subsumption-outcome.
type Subsumption string

// The outcomes of $subsumes.
const (
	Equivalent  Subsumption = "equivalent"   // the codes are the same
	Subsuming   Subsumption = "subsumes"     // A is an ancestor of B
	SubsumedBy  Subsumption = "subsumed-by"  // A is a descendant of B
	NotSubsumed Subsumption = "not-subsumed" // neither
)

// SubsumesResult is the result of Subsumes.
type SubsumesResult struct {
	Outcome Subsumption
	Index   *codesystem.Index
	A, B    codesystem.Ord
	IndexB  *codesystem.Index // of B if it is not that of A: of expressions, each has its own
}

// Subsumes returns the relation of code A to code B. It does not allocate unless it fails. Errors:
// ErrUnknownCode for an unknown code (even if both codes are the same), ErrSystemsDiffer for
// Codings of two code systems, and those of finding the code system.
func (e *Engine) Subsumes(ctx context.Context, req *SubsumesRequest) (SubsumesResult, error) {
	ctx, span := e.observe(ctx, "subsumes", req.System)
	r, err := e.subsumes(ctx, req)
	span.finish(ctx, err)
	return r, err
}

func (e *Engine) subsumes(ctx context.Context, req *SubsumesRequest) (SubsumesResult, error) {
	system, version := req.System, req.Version
	a, err := side("codeA", "codingA", req.CodeA, req.CodingA, &system, &version)
	if err != nil {
		return SubsumesResult{}, err
	}
	b, err := side("codeB", "codingB", req.CodeB, req.CodingB, &system, &version)
	if err != nil {
		return SubsumesResult{}, err
	}
	src := e.source()
	x, err := src.State.CodeSystem(req.ID, "system", system, version)
	if err != nil {
		return SubsumesResult{}, err
	}
	if x.URL() == catalog.SNOMED && (expression.Composed(a) || expression.Composed(b)) {
		return e.subsumesComposed(ctx, src, x, a, b)
	}
	if x, err = src.Covering(ctx, x, a, b); err != nil {
		return SubsumesResult{}, err
	}
	r := SubsumesResult{Index: x}
	var ok bool
	if r.A, ok = x.Find(a); !ok {
		return SubsumesResult{}, e.unknownSide("codeA", x, a)
	}
	if r.B, ok = x.Find(b); !ok {
		return SubsumesResult{}, e.unknownSide("codeB", x, b)
	}
	r.Outcome = Relate(x, r.A, r.B)
	return r, nil
}

// unknownSide returns the error of a code that the code system does not have. The ecosystem expects
// the issue that $validate-code reports.
func (e *Engine) unknownSide(name string, x *codesystem.Index, code string) error {
	err := unknownCode(x, code)
	switch {
	case e.Rules() != Ecosystem:
		return err
	case x.Version() == "":
		return issue.UnknownCode.Failure(issue.ClassNotFound, err, name, code, x.URL())
	}
	return issue.UnknownCodeVersion.Failure(issue.ClassNotFound, err, name, code, x.URL(), x.Version())
}

// Relate returns the relation of concept a to concept b of an index. If the hierarchy does not
// express meaning (part-of, grouped-by), the concepts are equivalent or not-subsumed.
func Relate(x *codesystem.Index, a, b codesystem.Ord) Subsumption {
	switch {
	case a == b:
		return Equivalent
	case !x.Subsumptive():
		return NotSubsumed
	case x.IsAncestor(a, b):
		return Subsuming
	case x.IsAncestor(b, a):
		return SubsumedBy
	}
	return NotSubsumed
}

// side returns one of the two codes, and sets the system and version of its Coding.
func side(codeName, codingName, code string, coding *r4.Coding, system, version *string) (string, error) {
	if coding == nil {
		if code == "" {
			return "", issue.Missing(codeName, "a code, or "+codingName)
		}
		return code, nil
	}
	switch {
	case coding.Code == "":
		return "", issue.Missing(codingName, "it has no code")
	case code != "" && code != coding.Code:
		return "", issue.Invalid(codeName, codeName+" and "+codingName+" contradict each other")
	}
	if coding.System != "" {
		if *system != "" && catalog.CanonicalURL(*system) != coding.System {
			return "", &issue.ParameterError{Name: codingName, Problem: issue.ErrSystemsDiffer, Detail: coding.System + " is not " + *system}
		}
		if *system == "" {
			*system = coding.System
		}
	}
	if coding.Version != "" {
		if *version != "" && *version != coding.Version {
			return "", &issue.ParameterError{Name: codingName, Problem: issue.ErrSystemsDiffer, Detail: "version " + coding.Version + " is not " + *version}
		}
		*version = coding.Version
	}
	return coding.Code, nil
}

// AppendJSON appends the Parameters resource.
func (r *SubsumesResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Code("outcome", string(r.Outcome))
	return w.Finish()
}

// Yes reports whether one of the codes subsumes the other.
func (r *SubsumesResult) Yes() bool { return r.Outcome != NotSubsumed }

// Displays returns the displays of A and B.
func (r *SubsumesResult) Displays() (a, b string) {
	return r.Index.Display(r.A), cmp.Or(r.IndexB, r.Index).Display(r.B)
}

// Table has the outcome and the two concepts.
func (r *SubsumesResult) Table() *Table {
	a, b := r.Displays()
	return &Table{
		Title:  string(r.Outcome),
		Header: []string{"", "CODE", "DISPLAY"},
		Rows: [][]string{
			{"A", r.Index.Code(r.A), a},
			{"B", cmp.Or(r.IndexB, r.Index).Code(r.B), b},
		},
	}
}
