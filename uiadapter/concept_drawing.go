package uiadapter

import (
	"fmt"
	"math"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/uiadapter/diagram"
)

// A Drawing is a diagram as a template writes it in SVG.
type Drawing struct {
	// Name is the prefix of the ids in it.
	Name          string
	Width, Height int
	Boxes         []DrawnBox
	Paths         []DrawnPath
	// Sentences say the same for people who do not see it.
	Sentences []string
	// More counts the concepts that are left out.
	More int
}

// A DrawnBox is a box with lines of text. Kind is its class.
type DrawnBox struct {
	Kind                string
	X, Y, Width, Height int
	Link, Title         string
	Texts               []DrawnText
}

// A DrawnText is a line of text.
type DrawnText struct {
	X, Y int
	Text string
}

// A DrawnPath is a line. Kind is its class.
type DrawnPath struct{ Kind, D string }

const (
	// boxesAtMost bounds the concepts of a diagram.
	boxesAtMost = 36
	// lineLength is the number of letters in a line of a box, letterWidth and lineHeight their size.
	lineLength              = 24
	letterWidth, lineHeight = 6.9, 16
	boxPadding              = 8
)

// drawAncestors draws a concept with those above it: the nearest ones if there are many. It is nil if
// there is none.
func (s *System) drawAncestors(o codesystem.Ord) (*Drawing, error) {
	if s.x.Root(o) {
		return nil, nil
	}
	shown := []codesystem.Ord{o}
	number := map[codesystem.Ord]int{o: 0}
	for i := 0; i < len(shown); i++ { // level by level
		for _, parent := range s.x.Parents(shown[i]) {
			if _, there := number[parent]; !there && len(shown) < boxesAtMost {
				number[parent] = len(shown)
				shown = append(shown, parent)
			}
		}
	}
	d := &Drawing{Name: "ancestors", More: len(s.x.Ancestors(o)) + 1 - len(shown)}
	var g diagram.Graph
	var boxes []DrawnBox
	for i, o := range shown {
		kind := "concept"
		if i == 0 {
			kind = "focus"
		}
		box, err := s.box(o, kind)
		if err != nil {
			return nil, err
		}
		boxes = append(boxes, box)
		g.Boxes = append(g.Boxes, diagram.Box{Width: float64(box.Width), Height: float64(box.Height)})
	}
	more := -1
	var above []string
	for i, o := range shown {
		above = above[:0]
		toMore := false
		for _, parent := range s.x.Parents(o) {
			above = append(above, cut(s.term(parent).Text, maxTitle))
			if at, there := number[parent]; there {
				g.Lines = append(g.Lines, diagram.Line{From: at, To: i})
				continue
			}
			if more < 0 {
				more = len(g.Boxes)
				box := textBox(fmt.Sprintf("… +%d", d.More), "rest")
				boxes = append(boxes, box)
				g.Boxes = append(g.Boxes, diagram.Box{Width: float64(box.Width), Height: float64(box.Height)})
			}
			if !toMore {
				g.Lines = append(g.Lines, diagram.Line{From: more, To: i})
				toMore = true
			}
		}
		if len(above) > 0 {
			d.Sentences = append(d.Sentences, cut(s.term(o).Text, maxTitle)+" → "+strings.Join(above, ", "))
		}
	}
	d.layOut(g, boxes)
	return d, nil
}

// layOut places the boxes of a graph.
func (d *Drawing) layOut(g diagram.Graph, boxes []DrawnBox) {
	const margin = 6
	layout := diagram.Layered(g, diagram.Gaps{X: 14, Y: 34})
	d.Width, d.Height = int(math.Ceil(layout.Width))+2*margin, int(math.Ceil(layout.Height))+2*margin
	for i := range boxes {
		c := layout.Boxes[i]
		boxes[i].move(int(math.Round(c.X))-boxes[i].Width/2+margin, int(math.Round(c.Y))-boxes[i].Height/2+margin)
	}
	d.Boxes = boxes
	for _, line := range layout.Lines {
		if len(line) > 0 {
			d.Paths = append(d.Paths, DrawnPath{"line", curve(line, margin)})
		}
	}
}

// curve returns the path of a line that leaves and reaches each layer vertically.
func curve(points []diagram.Point, margin float64) string {
	var b strings.Builder
	for i, p := range points {
		x, y := math.Round(p.X+margin), math.Round(p.Y+margin)
		if i == 0 {
			fmt.Fprintf(&b, "M%g %g", x, y)
			continue
		}
		before := points[i-1]
		middle := math.Round((before.Y + p.Y + 2*margin) / 2)
		fmt.Fprintf(&b, "C%g %g %g %g %g %g", math.Round(before.X+margin), middle, x, middle, x, y)
	}
	return b.String()
}

// box returns the box of a concept.
func (s *System) box(o codesystem.Ord, kind string) (DrawnBox, error) {
	ref := s.ref(o)
	box := textBox(ref.Text, kind)
	if ref.Inactive {
		box.Kind += " inactive"
	}
	box.Title = plain(ref.Text)
	if ref.Text != ref.Code {
		box.Title += " · " + plain(ref.Code)
	}
	var err error
	box.Link, err = ref.Link()
	return box, err
}

// textBox returns a box around a text.
func textBox(text, kind string) DrawnBox {
	lines := wrap(plain(text), lineLength, 3)
	box := DrawnBox{Kind: kind, Height: len(lines)*lineHeight + 2*boxPadding - 2}
	widest := 0.0
	for _, line := range lines {
		widest = max(widest, widthOf(line))
	}
	if kind == "focus" {
		widest *= 1.08 // in bold
	}
	box.Width = max(int(math.Ceil(widest*letterWidth))+2*boxPadding+2, 40)
	for i, line := range lines {
		box.Texts = append(box.Texts, DrawnText{X: box.Width / 2, Y: boxPadding + i*lineHeight + 11, Text: line})
	}
	return box
}

// move puts a box somewhere.
func (b *DrawnBox) move(x, y int) {
	b.X, b.Y = x, y
	for i := range b.Texts {
		b.Texts[i].X += x
		b.Texts[i].Y += y
	}
}

// wrap breaks a text into lines of a width in letters. The last one ends with an ellipsis if there is
// more.
func wrap(text string, width float64, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for widthOf(word) > width { // a word that no line has room for
			head := beginningOf(word, width-1)
			if line != "" {
				lines, line = append(lines, line), ""
			}
			lines = append(lines, head+"-")
			word = word[len(head):]
			if len(lines) > most {
				break
			}
		}
		switch {
		case line == "":
			line = word
		case widthOf(line)+1+widthOf(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
		if len(lines) > most {
			break
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = strings.TrimRight(beginningOf(lines[most-1], width-1), " ") + "…"
	}
	return lines
}

// widthOf returns the width of a text in letters: those of East Asian scripts and emoji are wide.
func widthOf(text string) float64 {
	w := 0.0
	for _, c := range text {
		switch {
		case c >= 0x1100 && c <= 0x115f, c >= 0x2e80 && c <= 0xa4cf, c >= 0xac00 && c <= 0xd7a3, c >= 0xf900 && c <= 0xfaff, c >= 0xff00 && c <= 0xff60, c >= 0x1f300 && c <= 0x1faff, c >= 0x20000:
			w += 2
		case c == 'i' || c == 'l' || c == 'j' || c == '.' || c == ',':
			w += 0.6
		case c == 'm' || c == 'w' || c == 'M' || c == 'W':
			w += 1.35
		default:
			w++
		}
	}
	return w
}

// beginningOf returns the longest beginning of a text within a width, at least one letter.
func beginningOf(text string, width float64) string {
	fits := 0
	for i := range text {
		if i > 0 && fits > 0 && widthOf(text[:i]) > width {
			return text[:fits]
		}
		if i > 0 {
			fits = i
		}
	}
	if fits > 0 && widthOf(text) > width {
		return text[:fits]
	}
	return text
}
