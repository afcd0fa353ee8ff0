package uiadapter

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem"
)

// The diagram of a definition follows the guideline of SNOMED CT: the concept, a sign that says
// whether what follows defines it (≡) or only describes it (⊑), its parents, and its attributes with
// their values, in groups.

const (
	meaningRows   = 28 // rows at most
	meaningIndent = 44
	meaningGap    = 10
)

// drawMeaning draws the definition of a concept. It is nil for a concept without attributes that name
// concepts.
func (s *System) drawMeaning(o codesystem.Ord, groups []AttributeGroup) (*Drawing, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	d := &Drawing{Name: "meaning"}
	focus, err := s.box(o, "focus")
	if err != nil {
		return nil, err
	}
	focus.move(6, 6)
	d.add(focus)
	sign, relation := "⊑", "⊑"
	if s.x.HasProperty(o, "sufficientlyDefined", "true") {
		sign, relation = "≡", "≡"
	}
	y := focus.Y + focus.Height + meaningGap
	spine := 6 + meaningIndent/2
	symbol := DrawnBox{Kind: "sign", X: spine - 11, Y: y, Width: 22, Height: 22, Texts: []DrawnText{{X: spine, Y: y + 16, Text: sign}}}
	d.Boxes = append(d.Boxes, symbol)
	d.Paths = append(d.Paths, DrawnPath{"line", fmt.Sprintf("M%d %dV%d", spine, focus.Y+focus.Height, y)})
	top, last := y+22, y+22
	y += 22 + meaningGap
	rows := 0
	left := 6 + meaningIndent
	row := func(from int, boxes ...DrawnBox) {
		height := 0
		for i := range boxes {
			height = max(height, boxes[i].Height)
		}
		x := from
		middle := y + height/2
		for i := range boxes {
			boxes[i].move(x, middle-boxes[i].Height/2)
			if i > 0 {
				d.Paths = append(d.Paths, DrawnPath{"line", fmt.Sprintf("M%d %dH%d", x-16, middle, x)})
			}
			d.add(boxes[i])
			x += boxes[i].Width + 16
		}
		y += height + meaningGap
		rows++
	}
	var parents []string
	for _, parent := range s.x.Parents(o) {
		if rows == meaningRows/2 {
			d.More++
			continue
		}
		box, err := s.box(parent, "concept")
		if err != nil {
			return nil, err
		}
		last = y + box.Height/2
		d.Paths = append(d.Paths, DrawnPath{"line", fmt.Sprintf("M%d %dH%d", spine, last, left)})
		row(left, box)
		parents = append(parents, box.Title)
	}
	d.Sentences = append(d.Sentences, focus.Title+" "+relation+" "+strings.Join(parents, " + "))
	for _, g := range groups {
		in, start := left, y
		if g.Number > 0 {
			in = left + meaningIndent/2 + 6
		}
		var said []string
		groupSpine, groupLast := left+8, y
		for i := range g.Attributes {
			a := &g.Attributes[i]
			if rows >= meaningRows {
				d.More++
				continue
			}
			name := textBox(a.Name.Text, "attribute")
			name.Link, name.Title = a.NameLink, plain(a.Name.Text)
			value := textBox(a.Value, "value")
			value.Title = plain(a.Value)
			if a.Target != nil {
				value = textBox(a.Target.Text, "concept")
				value.Title = plain(a.Target.Text) + " · " + plain(a.Target.Code)
				if value.Link, err = a.Target.Link(); err != nil {
					return nil, err
				}
			}
			middle := y + max(name.Height, value.Height)/2
			if g.Number > 0 {
				groupLast = middle
				d.Paths = append(d.Paths, DrawnPath{"line", fmt.Sprintf("M%d %dH%d", groupSpine, middle, in)})
			} else {
				last = middle
				d.Paths = append(d.Paths, DrawnPath{"line", fmt.Sprintf("M%d %dH%d", spine, middle, in)})
			}
			row(in, name, value)
			said = append(said, name.Title+" = "+value.Title)
		}
		if g.Number > 0 && len(said) > 0 {
			first := start + 14
			d.Paths = append(d.Paths,
				DrawnPath{"line", fmt.Sprintf("M%d %dH%d", spine, first, groupSpine-7)}, DrawnPath{"line", fmt.Sprintf("M%d %dV%d", groupSpine, first, groupLast)})
			d.Boxes = append(d.Boxes, DrawnBox{Kind: "knot", X: groupSpine - 7, Y: first - 7, Width: 14, Height: 14})
			last = first
		}
		if len(said) > 0 {
			d.Sentences = append(d.Sentences, strings.Join(said, " + "))
		}
	}
	d.Paths = append(d.Paths, DrawnPath{"line", fmt.Sprintf("M%d %dV%d", spine, top, last)})
	d.Height = y + 6 - meaningGap + 4
	return d, nil
}

// add adds a box, and room for it.
func (d *Drawing) add(b DrawnBox) {
	d.Boxes = append(d.Boxes, b)
	d.Width = max(d.Width, b.X+b.Width+6)
	d.Height = max(d.Height, b.Y+b.Height+6)
}
