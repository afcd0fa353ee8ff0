package expression

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Properties of expressions (R4 snomedct.html, "SNOMED CT Properties").
const (
	PropertyNormalForm      = "normalForm"
	PropertyNormalFormTerse = "normalFormTerse"
)

// A View is the origin of an index of expressions, from codesystem.Index.Origin.
type View struct {
	Model    *Model
	Meanings map[codesystem.Ord]*Meaning // of the expressions in the index
}

// ViewOf returns the view of an index of expressions, nil for any other index.
func ViewOf(x *codesystem.Index) *View {
	v, _ := x.Origin().(*View)
	return v
}

// Read parses and binds a code. Errors: *SyntaxError, *BindError, and that of ctx.
func (m *Model) Read(ctx context.Context, code string) (*Meaning, *Expression, error) {
	e, err := Parse(code)
	if err != nil {
		return nil, nil, err
	}
	n, err := m.Bind(ctx, e)
	return n, e, err
}

// Index returns an index of a code that is an expression: with its display, properties, and the
// concepts that these name. Errors: *SyntaxError, *BindError, and that of ctx.
func (m *Model) Index(ctx context.Context, code string) (*codesystem.Index, error) {
	n, e, err := m.Read(ctx, code)
	if err != nil {
		return nil, err
	}
	header := *m.x.Header()
	header.Property = slices.Clone(header.Property)
	for _, name := range [...]string{PropertyNormalForm, PropertyNormalFormTerse} {
		header.Property = append(header.Property, r4.CodeSystemProperty{Code: name, Type: "string"})
	}
	b := codesystem.NewBuilder(&header)
	term := func(code string) string {
		o, _ := m.x.Find(code)
		return m.x.Display(o)
	}
	c := codesystem.Concept{Code: code, Display: e.Display(false, term), Parent: -1}
	if own := e.Display(true, term); own != c.Display {
		c.Designations = []r4.Designation{{Value: own, Use: &r4.Coding{System: header.URL, Code: "900000000000013009"}}}
	}
	named := map[codesystem.Ord]bool{}
	add := func(name string, v r4.Value, group int) {
		c.Properties = append(c.Properties, codesystem.Property{Code: name, Value: v, Group: group})
	}
	for _, p := range n.parents {
		named[p] = true
		add("parent", r4.Code(m.x.Code(p)), 0)
	}
	add(propertyDefined, r4.Boolean(!n.primitive), 0)
	add(PropertyNormalForm, r4.String(n.NormalForm(true)), 0)
	add(PropertyNormalFormTerse, r4.String(n.text), 0)
	number := 0
	for _, g := range n.groups {
		group := 0
		if len(g) > 1 {
			number++
			group = number
		}
		for i := range g {
			v := r4.Code(m.value(&g[i].Value, false))
			switch {
			case g[i].Value.Literal != nil:
				v = *g[i].Value.Literal
			case g[i].Value.Nested == nil:
				named[g[i].Value.Concept] = true
			}
			add(m.x.Code(g[i].Name), v, group)
		}
	}
	if _, err := b.Add(&c); err != nil {
		return nil, err
	}
	for o := range named {
		if _, err := b.Add(&codesystem.Concept{Code: m.x.Code(o), Display: m.x.Display(o), Parent: -1}); err != nil {
			return nil, err
		}
	}
	x, err := b.Build(ctx)
	if err != nil {
		return nil, err
	}
	o, _ := x.Find(code)
	return x.WithOrigin(&View{m, map[codesystem.Ord]*Meaning{o: n}}), nil
}
