package ecl

import (
	"context"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// componentField is the name of the concept that a row is about.
const componentField = "referencedComponentId"

// memberNode is the concepts that the rows of reference sets are about, or that one of their
// fields names.
type memberNode struct {
	x       *codesystem.Index
	refsets codeTest
	field   string // "" for the concepts that the rows are about
	tests   []rowTest
	lazy    lazySet // of fields, for tests of one concept
}

// rowTest binds a member filter to a reference set: it returns the test of a row, or nil if the
// reference set does not have the field.
type rowTest struct {
	active bool // depends on whether the row is active
	plain  bool // accepts exactly the active rows
	bind   func(r *codesystem.Refset) rowPredicate
}

type rowPredicate func(ctx context.Context, row int) (bool, error)

// member binds member-of with its filters.
func (b *binder) member(s *sub) (node, error) {
	n := &memberNode{x: b.x}
	var err error
	if n.refsets, err = b.refsets(s); err != nil {
		return nil, err
	}
	if n.field, err = b.memberField(s.member, n.refsets); err != nil {
		return nil, err
	}
	spoken := false
	for _, all := range s.memberFilters {
		for i := range all {
			t, err := b.rowTest(&all[i])
			if err != nil {
				return nil, err
			}
			n.tests = append(n.tests, t)
			spoken = spoken || t.active
		}
	}
	if !spoken {
		n.tests = append(n.tests, activeRows(activityTest{true, true, false}))
	}
	return n, nil
}

// refsets binds the reference sets of a member-of. A named reference set must exist, at least as a
// concept.
func (b *binder) refsets(s *sub) (codeTest, error) {
	switch {
	case s.wildcard():
		return anyCode{}, nil
	case s.concept == nil:
		return b.codes(s.nested)
	}
	list := codeList{}
	if !b.listed(&sub{concept: s.concept}, list) {
		return nil, unknown(s.concept)
	}
	for code := range list {
		if _, ok := b.x.Find(code); !ok && !b.hasRefset(code) {
			return nil, unknown(s.concept)
		}
	}
	return list, nil
}

func (b *binder) hasRefset(code string) bool {
	_, ok := b.x.Refset(code)
	return ok
}

// memberField returns the field of a member-of, spelled as in the reference sets. All fields are
// the same where the reference sets have no other field than the component.
func (b *binder) memberField(m *memberOf, refsets codeTest) (string, error) {
	switch {
	case m.all:
		for _, code := range b.x.Refsets() {
			r, _ := b.x.Refset(code)
			if len(r.Columns()) == 0 {
				continue
			}
			// Each concept is looked up separately, which is fast.
			if in, err := refsets.accepts(context.Background(), code); err != nil {
				return "", err
			} else if in {
				return "", &EvaluationError{m.offset(), "*", ErrFields}
			}
		}
		return "", nil
	case len(m.fields) > 1:
		return "", &EvaluationError{m.offset(), strings.Join(m.fields, ", "), ErrFields}
	case len(m.fields) == 0 || strings.EqualFold(m.fields[0], componentField):
		return "", nil
	}
	typed, ok := b.fieldType(m.fields[0])
	if !ok {
		return "", &EvaluationError{m.offset(), m.fields[0], ErrUnknownField}
	}
	if typed != codesystem.RefsetConcept {
		return "", &EvaluationError{m.offset(), m.fields[0], ErrFields}
	}
	return m.fields[0], nil
}

// fieldType returns the type of a field in any reference set; if it differs, concepts win.
func (b *binder) fieldType(name string) (typed codesystem.RefsetColumnType, ok bool) {
	for _, code := range b.x.Refsets() {
		r, _ := b.x.Refset(code)
		if at := columnOf(r, name); at >= 0 {
			if ok = true; typed != codesystem.RefsetConcept {
				typed = r.Columns()[at].Type
			}
		}
	}
	return typed, ok
}

// columnOf returns the index of a column, or -1.
func columnOf(r *codesystem.Refset, name string) int {
	return slices.IndexFunc(r.Columns(), func(c codesystem.RefsetColumn) bool { return strings.EqualFold(c.Name, name) })
}

// rowTest binds a member filter.
func (b *binder) rowTest(f *memberFilter) (t rowTest, err error) {
	switch f.subject {
	case subjectActive:
		return activeRows(activityOf(&f.test)), nil
	case subjectTime:
		return rowTest{bind: func(r *codesystem.Refset) rowPredicate {
			return func(_ context.Context, row int) (bool, error) {
				return acceptsTime(f.op, f.times, r.EffectiveTime(row)), nil
			}
		}}, nil
	case subjectModule:
		accepts, err := b.codeComparison(&f.test)
		return rowTest{bind: func(r *codesystem.Refset) rowPredicate {
			return func(ctx context.Context, row int) (bool, error) { return accepts(ctx, r.Module(row)) }
		}}, err
	}
	component := strings.EqualFold(f.field, componentField)
	if _, ok := b.fieldType(f.field); !ok && !component {
		return t, &EvaluationError{f.offset(), f.field, ErrUnknownField}
	}
	accepts, err := b.fieldTest(f)
	return rowTest{bind: func(r *codesystem.Refset) rowPredicate {
		if component {
			return func(ctx context.Context, row int) (bool, error) { return accepts(ctx, b.x.Code(r.Component(row))) }
		}
		column := columnOf(r, f.field)
		if column < 0 {
			return nil
		}
		return func(ctx context.Context, row int) (bool, error) { return accepts(ctx, r.Value(row, column)) }
	}}, err
}

func activeRows(a activityTest) rowTest {
	return rowTest{active: true, plain: a.active && !a.inactive, bind: func(r *codesystem.Refset) rowPredicate {
		return func(_ context.Context, row int) (bool, error) { return a.accepts(!r.Active(row)), nil }
	}}
}

// fieldTest binds the comparison of a field.
func (b *binder) fieldTest(f *memberFilter) (func(context.Context, string) (bool, error), error) {
	switch f.value.kind {
	case valueConcepts:
		return b.codeComparison(&test{op: f.op, set: f.value.set})
	case valueTimes:
		return func(_ context.Context, text string) (bool, error) { return acceptsTime(f.op, f.value.times, text), nil }, nil
	}
	typ := map[valueKind]string{valueNumber: "Decimal", valueBoolean: "Boolean", valueTerms: "String"}[f.value.kind]
	accepts := accepting(f.op, &f.value)
	return func(_ context.Context, text string) (bool, error) {
		if typ == "Boolean" && (text == "0" || text == "1") {
			text = map[string]string{"0": "false", "1": "true"}[text]
		}
		return accepts(&r4.Value{Type: typ, Text: text}), nil
	}, nil
}

func (n *memberNode) set(ctx context.Context) (*roaring.Bitmap, error) {
	var sets []*roaring.Bitmap
	for _, code := range n.x.Refsets() {
		in, err := n.refsets.accepts(ctx, code)
		if err != nil {
			return nil, err
		}
		if !in {
			continue
		}
		r, _ := n.x.Refset(code)
		set, err := n.members(ctx, r)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	if len(sets) == 1 {
		return sets[0], nil
	}
	return roaring.FastOr(sets...), nil
}

// plain reports whether the members are those of the active rows.
func (n *memberNode) plain() bool {
	return n.field == "" && len(n.tests) == 1 && n.tests[0].plain
}

// members returns the concepts that one reference set contributes.
func (n *memberNode) members(ctx context.Context, r *codesystem.Refset) (*roaring.Bitmap, error) {
	if n.plain() {
		return r.Members(), nil
	}
	column := -1
	if n.field != "" {
		if column = columnOf(r, n.field); column < 0 || r.Columns()[column].Type != codesystem.RefsetConcept {
			return roaring.New(), nil
		}
	}
	tests := n.bind(r)
	if tests == nil {
		return roaring.New(), nil
	}
	var found []uint32
	for row := range r.Len() {
		if row%pollEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		in, err := satisfies(ctx, tests, row)
		if err != nil {
			return nil, err
		}
		if !in {
			continue
		}
		if column < 0 {
			found = append(found, r.Component(row))
		} else if o, ok := r.Target(row, column); ok {
			found = append(found, o)
		}
	}
	return roaring.BitmapOf(found...), nil
}

// bind returns the tests of the rows of a reference set, or nil if it lacks a field.
func (n *memberNode) bind(r *codesystem.Refset) []rowPredicate {
	tests := make([]rowPredicate, len(n.tests))
	for i := range n.tests {
		if tests[i] = n.tests[i].bind(r); tests[i] == nil {
			return nil
		}
	}
	return tests
}

// satisfies tests one row.
func satisfies(ctx context.Context, tests []rowPredicate, row int) (bool, error) {
	for _, t := range tests {
		if in, err := t(ctx, row); err != nil || !in {
			return false, err
		}
	}
	return true, nil
}

func (n *memberNode) has(ctx context.Context, o codesystem.Ord) (bool, error) {
	if n.field != "" {
		set, err := n.lazy.get(ctx, n.set)
		if err != nil {
			return false, err
		}
		return set.Contains(o), nil
	}
	for _, code := range n.x.Refsets() {
		in, err := n.refsets.accepts(ctx, code)
		if err != nil {
			return false, err
		}
		if !in {
			continue
		}
		r, _ := n.x.Refset(code)
		tests := n.bind(r)
		first, end := r.RowsOf(o)
		for row := first; row < end && tests != nil; row++ {
			if in, err := satisfies(ctx, tests, row); err != nil || in {
				return in, err
			}
		}
	}
	return false, nil
}
