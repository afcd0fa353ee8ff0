package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// msgRelation returns the text of a relation. this and other are the names of the value sets.
func msgRelation(r valueset.Relation, this, other string) string {
	switch r {
	case valueset.Same:
		return fmt.Sprintf("The value sets %s and %s contain the same codes", this, other)
	case valueset.Subset:
		return fmt.Sprintf("The valueSet %s is a sub-set of the valueSet %s", this, other)
	case valueset.Superset:
		return fmt.Sprintf("The valueSet %s is a super-set of the valueSet %s", this, other)
	case valueset.Overlapping:
		return fmt.Sprintf("Both value sets %s and %s contain the codes the other doesn't, but there is some overlap", this, other)
	case valueset.Disjoint:
		return fmt.Sprintf("No shared codes between the value sets %s and %s", this, other)
	case valueset.Empty:
		return fmt.Sprintf("Both the value sets %s and %s are empty", this, other)
	}
	return fmt.Sprintf("Unable to compare %s and %s", this, other)
}

func msgNoCompose(which string) string { return fmt.Sprintf("The ValueSet %s has no compose", which) }

func msgCannotCompare(this, other, why string) string {
	return fmt.Sprintf("Unable to compare %s and %s: %s", this, other, why)
}

// msgExpansionsFailed returns the text for value sets that cannot be evaluated. this and other are
// the reasons, "" for a value set that can be evaluated.
func msgExpansionsFailed(this, other string) string {
	switch {
	case other == "":
		return "This expansion failed: " + this
	case this == "":
		return "Other expansion failed: " + other
	}
	return "Both expansions failed with different errors: " + this + "; " + other
}

// msgUnclosed returns the text for value sets with codes that cannot be listed, "" if neither has
// such codes.
func msgUnclosed(this, other bool) string {
	switch {
	case this && other:
		return "Both expansions are unclosed."
	case this:
		return "This expansion is unclosed."
	case other:
		return "Other expansion is unclosed."
	}
	return ""
}

// codeLists returns the lists of codes with their parameter names.
func (r *CompareResult) codeLists() [3]struct {
	name  string
	codes []string
} {
	return [3]struct {
		name  string
		codes []string
	}{
		{"common-codes", r.Common},
		{"missing-codes", r.Missing},
		{"extra-codes", r.Extra},
	}
}

// AppendJSON appends the Parameters resource.
func (r *CompareResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Code("result", string(r.Relation))
	w.String("message", r.Message)
	if r.Diagnostics {
		w.Boolean("performed-expansion", r.PerformedExpansion)
		for _, list := range r.codeLists() {
			if len(list.codes) > 0 {
				w.String(list.name, strings.Join(list.codes, ","))
			}
		}
	}
	return w.Finish()
}

// Yes reports whether both value sets have the same codes. It sets the exit code for scripts.
func (r *CompareResult) Yes() bool {
	return r.Relation == valueset.Same || r.Relation == valueset.Empty
}

// Table has one row for each fact.
func (r *CompareResult) Table() *Table {
	t := &Table{Title: r.Message, Header: []string{"NAME", "VALUE"}, Rows: [][]string{{"result", string(r.Relation)}}}
	if !r.Diagnostics {
		return t
	}
	t.Rows = append(t.Rows, []string{"performed-expansion", strconv.FormatBool(r.PerformedExpansion)})
	for _, list := range r.codeLists() {
		if len(list.codes) > 0 {
			t.Rows = append(t.Rows, []string{list.name, strings.Join(list.codes, ", ")})
		}
	}
	return t
}
