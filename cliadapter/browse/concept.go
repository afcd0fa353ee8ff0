package browse

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// Bounds of what is shown of a concept.
const (
	maxParents      = 50
	maxDesignations = 200
	maxProperties   = 200
)

// concept writes a concept in lines of a width.
func concept(x *codesystem.Index, o codesystem.Ord, width int) []Line {
	p := page{width: width}
	p.text(x.Code(o), Bold)
	p.text(x.Display(o), Plain)
	p.text(label(x), Dim)
	if marks := marks(x, o); marks != "" {
		p.text(marks, Plain)
	}
	if d := x.Definition(o); d != "" {
		p.heading("Definition")
		p.text(d, Plain)
	}
	p.parents(x, o)
	if n := len(x.Children(o)); n > 0 {
		p.heading("Below")
		below := int(x.Descendants(o).GetCardinality()) //nolint:gosec // an index has less than 2^31 concepts
		p.text(fmt.Sprintf("%s, %s", command.Counted(n, "child concept"), command.Counted(below, "descendant")), Plain)
	}
	p.designations(x, o)
	p.properties(x, o)
	return p.lines
}

// marks says what is special about a concept.
func marks(x *codesystem.Index, o codesystem.Ord) string {
	var list []string
	if x.Inactive(o) {
		list = append(list, "inactive")
	}
	if s := x.Status(o); s != "" && s != "active" && s != "inactive" {
		list = append(list, s)
	}
	if x.Abstract(o) {
		list = append(list, "abstract")
	}
	return strings.Join(list, ", ")
}

// A page collects lines of text.
type page struct {
	width int
	lines []Line
}

func (p *page) text(text string, style Style) {
	for _, line := range wrap(text, p.width, 0) {
		p.lines = append(p.lines, Line{{line, style}})
	}
}

// item adds a text whose further lines are indented.
func (p *page) item(text string) {
	for _, line := range wrap(text, p.width, 2) {
		p.lines = append(p.lines, Line{{line, Plain}})
	}
}

func (p *page) heading(text string) {
	p.lines = append(p.lines, nil, Line{span(text, Bold, p.width)})
}

// more says how many are left out.
func (p *page) more(n int) { p.text("… "+engine.Thousands(n)+" more", Dim) }

func (p *page) parents(x *codesystem.Index, o codesystem.Ord) {
	parents := x.Parents(o)
	if len(parents) == 0 {
		return
	}
	p.heading(fmt.Sprintf("Parents (%d)", len(parents)))
	for i, parent := range parents {
		if i == maxParents {
			p.more(len(parents) - i)
			return
		}
		p.item(x.Code(parent) + "  " + x.Display(parent))
	}
}

func (p *page) designations(x *codesystem.Index, o codesystem.Ord) {
	first, end := x.DesignationRange(o)
	if first == end {
		return
	}
	p.heading("Designations")
	n := 0
	for d := range x.Designations(o) {
		if n++; n > maxDesignations {
			p.more(int(end-first) - maxDesignations)
			return
		}
		kind := cmp.Or(d.Language, "-")
		if d.Use != nil {
			kind += " " + cmp.Or(d.Use.Display, d.Use.Code)
		}
		p.item(d.Value + "  [" + kind + "]")
	}
}

func (p *page) properties(x *codesystem.Index, o codesystem.Ord) {
	list := x.AppendProperties(o, nil)
	if len(list) == 0 {
		return
	}
	p.heading("Properties")
	for i, property := range list {
		if i == maxProperties {
			p.more(len(list) - i)
			return
		}
		p.item(property.Code + "  " + valueText(x, property.Value))
	}
}

// valueText writes the value of a property; that of a code comes with its display.
func valueText(x *codesystem.Index, v r4.Value) string {
	if v.Coding != nil {
		return strings.TrimSpace(v.Coding.Code + "  " + v.Coding.Display)
	}
	if target, ok := x.Find(v.Text); ok && strings.EqualFold(v.Type, "code") {
		return v.Text + "  " + x.Display(target)
	}
	return v.Text
}
