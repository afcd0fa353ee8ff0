package valueset_test

import (
	"context"
	"errors"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/ecl"
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
