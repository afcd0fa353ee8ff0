package valueset_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/ecl"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/codesystem/expression/expressiontest"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// constrained builds a code system with an attribute.
func constrained(t *testing.T, header *r4.CodeSystem) *codesystem.Index {
	t.Helper()
	b := codesystem.NewBuilder(header)
	property := func(code, value string) codesystem.Property {
		return codesystem.Property{Code: code, Value: r4.Code(value)}
	}
	for _, c := range []codesystem.Concept{
		{Code: "100001", Display: "Finding"},
		{Code: "100002", Display: "Finding of heart", Properties: []codesystem.Property{property("parent", "100001"), property("100005", "100004")}},
		{Code: "100003", Display: "Finding of leg", Properties: []codesystem.Property{property("parent", "100001")}},
		{Code: "100004", Display: "Heart"},
		{Code: "100005", Display: "Site"},
	} {
		c.Parent = -1
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestConstraint evaluates filters whose value is an expression.
func TestConstraint(t *testing.T) {
	x := constrained(t, &r4.CodeSystem{Header: r4.Header{URL: "http://example.org/findings"}})
	filter := func(op, value string) r4.Filter { return r4.Filter{Property: "constraint", Op: op, Value: value} }
	f, err := valueset.CompileFilter(x, filter("=", "< 100001 : 100005 = 100004"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := f.Set(t.Context())
	if err != nil || set.GetCardinality() != 1 || x.Code(set.Minimum()) != "100002" {
		t.Errorf("got %v, %v", set, err)
	}
	for o := range uint32(x.Len()) {
		if in, err := f.Contains(t.Context(), o); err != nil || in != set.Contains(o) {
			t.Errorf("%s: %v, %v", x.Code(o), in, err)
		}
	}
	for _, c := range []struct {
		filter   r4.Filter
		sentinel error
		offset   int
	}{
		{filter("in", "*"), codesystem.ErrUnknownOperator, -1},
		{filter("=", ""), codesystem.ErrBadFilterValue, -1},
		{filter("=", "< 100001 :"), codesystem.ErrBadFilterValue, 10},
		{filter("=", "< 999999"), codesystem.ErrUnknownCode, 2},
		{filter("=", "* {{ dialect = xx }}"), codesystem.ErrBadFilterValue, 15},
	} {
		_, err := valueset.CompileFilter(x, c.filter)
		if !errors.Is(err, c.sentinel) {
			t.Errorf("%v: %v", c.filter, err)
		}
		at := -1
		var syntax *ecl.SyntaxError
		var evaluation *ecl.EvaluationError
		if errors.As(err, &syntax) {
			at = syntax.Offset
		} else if errors.As(err, &evaluation) {
			at = evaluation.Offset
		}
		if at != c.offset {
			t.Errorf("%v: at %d, want %d", c.filter, at, c.offset)
		}
	}
}

// TestExpressionFilters judges expressions that no concept lists: one with a meaning of its own, and one
// that means a listed concept.
func TestExpressionFilters(t *testing.T) {
	m, err := expression.NewModel(t.Context(), expressiontest.Edition(t))
	if err != nil {
		t.Fatal(err)
	}
	code := expressiontest.Write("fractureOfFemur : laterality = left")
	own, err := m.Index(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := m.Index(t.Context(), expressiontest.Write("lungDisorder : {site = lung, morphology = inflammation}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter      string // property, operator and value
		own, listed bool   // "listed" is pneumonitis
	}{
		{"concept is-a disorder", true, true},
		{"code is-a pneumonitis", false, true},
		{"concept descendent-of fractureOfFemur", true, false},
		{"concept descendent-of pneumonitis", false, false},
		{"concept is-not-a disorder", false, false},
		{"concept is-not-a lung", true, true},
		{"concept generalizes fractureOfNeck", false, false},
		{"concept generalizes infectivePneumonia", false, true},
		{"concept child-of fractureOfFemur", true, false},
		{"concept child-of disorder", false, false},
		{"concept child-of lungDisorder", false, true},
		{"concept descendent-leaf disorder", true, false},
		{"concept in pneumonitis", false, true},
		{"concept not-in pneumonitis", true, false},
		{"concept exists true", true, true},
		{"concept exists false", false, false},
		{"parent = fractureOfFemur", true, false},
		{"parent = disorder", false, false},
		{"parent in lungDisorder, fractureOfFemur", true, true},
		{"parent not-in fractureOfFemur", false, true},
		{"parent not-in disorder,fractureOfNeck", true, true},
		{"parent exists true", true, true},
		{"parent exists false", false, false},
		{"ancestor = disorder", true, true},
		{"ancestor in lung,lungDisorder", false, true},
		{"ancestor not-in lung,lungDisorder", true, false},
		{"site = femur", true, false},
		{"laterality = left", true, false},
		{"laterality in left,right", true, false},
		{"laterality not-in left", false, true},
		{"laterality not-in right", true, true},
		{"laterality exists true", true, false},
		{"laterality exists false", false, true},
		{"expressions = true", true, true},
		{"expressions = false", false, false},
		{"constraint = < disorder : laterality = *", true, false},
		{"constraint = pneumonitis", false, true},
		{"display = pneumonitis", false, false},
	} {
		p := strings.SplitN(c.filter, " ", 3)
		for x, want := range map[*codesystem.Index]bool{own: c.own, listed: c.listed} {
			f, err := valueset.CompileFilter(x, r4.Filter{Property: expressiontest.Write(p[0]), Op: p[1], Value: expressiontest.Write(p[2])})
			if err != nil {
				t.Errorf("%s: %v", c.filter, err)
				continue
			}
			set, err := f.Set(t.Context())
			if err != nil || set.IsEmpty() == want || set.GetCardinality() > 1 {
				t.Errorf("%s: %v, %v", c.filter, set, err)
				continue
			}
			for o := range uint32(x.Len()) {
				in, err := f.Contains(t.Context(), o)
				if err != nil || in != set.Contains(o) || in && !strings.Contains(x.Code(o), ":") {
					t.Errorf("%s: %s: %v, %v", c.filter, x.Code(o), in, err)
				}
			}
		}
	}
	for _, f := range []r4.Filter{{Property: "nothing", Op: "=", Value: "x"}, {Property: "constraint", Op: "=", Value: "<"}} {
		if _, err := valueset.CompileFilter(own, f); err == nil {
			t.Errorf("%v: no error", f)
		}
	}
}

// TestConstraintProperty uses a code system with a property named constraint.
func TestConstraintProperty(t *testing.T) {
	x := constrained(t, &r4.CodeSystem{
		Header:   r4.Header{URL: "http://example.org/findings"},
		Property: []r4.CodeSystemProperty{{Code: "constraint", Type: "string"}},
	})
	f, err := valueset.CompileFilter(x, r4.Filter{Property: "constraint", Op: "=", Value: "*"})
	if err != nil {
		t.Fatal(err)
	}
	if set, err := f.Set(t.Context()); err != nil || !set.IsEmpty() {
		t.Errorf("no concept has the property: %v, %v", set, err)
	}
}
