package diagram_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/uiadapter/diagram"
)

var gaps = diagram.Gaps{X: 10, Y: 20}

func box() diagram.Box { return diagram.Box{Width: 100, Height: 30} }

func TestLayeredDiamond(t *testing.T) {
	layout := diagram.Layered(diagram.Graph{
		Boxes: []diagram.Box{box(), box(), box(), box()},
		Lines: []diagram.Line{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3}},
	}, gaps)
	want := diagram.Layout{
		Width: 210, Height: 130,
		Boxes: []diagram.Point{{X: 105, Y: 15}, {X: 50, Y: 65}, {X: 160, Y: 65}, {X: 105, Y: 115}},
		Lines: [][]diagram.Point{
			{{X: 105, Y: 30}, {X: 50, Y: 50}},
			{{X: 105, Y: 30}, {X: 160, Y: 50}},
			{{X: 50, Y: 80}, {X: 105, Y: 100}},
			{{X: 160, Y: 80}, {X: 105, Y: 100}},
		},
	}
	for i, p := range layout.Boxes {
		layout.Boxes[i] = rounded(p)
	}
	for _, line := range layout.Lines {
		for i, p := range line {
			line[i] = rounded(p)
		}
	}
	if !reflect.DeepEqual(layout, want) {
		t.Errorf("got %+v\nwant %+v", layout, want)
	}
}

func rounded(p diagram.Point) diagram.Point {
	return diagram.Point{X: math.Round(p.X), Y: math.Round(p.Y)}
}

// Two lines that cross in the given order do not cross in the layout.
func TestLayeredUncrosses(t *testing.T) {
	layout := diagram.Layered(diagram.Graph{
		Boxes: []diagram.Box{box(), box(), box(), box()},
		Lines: []diagram.Line{{From: 0, To: 3}, {From: 1, To: 2}},
	}, gaps)
	if (layout.Boxes[0].X < layout.Boxes[1].X) != (layout.Boxes[3].X < layout.Boxes[2].X) {
		t.Errorf("the lines cross: %+v", layout.Boxes)
	}
}

func TestLayeredEdges(t *testing.T) {
	for name, g := range map[string]diagram.Graph{
		"empty": {},
		"one":   {Boxes: []diagram.Box{box()}},
		"self":  {Boxes: []diagram.Box{box()}, Lines: []diagram.Line{{From: 0, To: 0}}},
		"cycle": {Boxes: []diagram.Box{box(), box()}, Lines: []diagram.Line{{From: 0, To: 1}, {From: 1, To: 0}}},
	} {
		layout := diagram.Layered(g, gaps)
		if len(layout.Boxes) != len(g.Boxes) || len(layout.Lines) != len(g.Lines) || len(g.Boxes) > 0 && layout.Width < 100 {
			t.Errorf("%s: %+v", name, layout)
		}
	}
}

// Boxes do not overlap, are within the drawing, and lines lead down from box to box.
func TestLayeredLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 24).Draw(rt, "boxes")
		g := diagram.Graph{}
		for range n {
			g.Boxes = append(g.Boxes, diagram.Box{Width: float64(rapid.IntRange(10, 200).Draw(rt, "width")), Height: float64(rapid.IntRange(10, 60).Draw(rt, "height"))})
		}
		for range rapid.IntRange(0, 2*n).Draw(rt, "lines") {
			from, to := rapid.IntRange(0, n-1).Draw(rt, "from"), rapid.IntRange(0, n-1).Draw(rt, "to")
			if from < to {
				g.Lines = append(g.Lines, diagram.Line{From: from, To: to})
			}
		}
		layout := diagram.Layered(g, gaps)
		if !reflect.DeepEqual(layout, diagram.Layered(g, gaps)) {
			rt.Fatal("the layout is not deterministic")
		}
		const slack = 1e-6
		for i, a := range layout.Boxes {
			w, h := g.Boxes[i].Width/2, g.Boxes[i].Height/2
			if a.X-w < -slack || a.X+w > layout.Width+slack || a.Y-h < -slack || a.Y+h > layout.Height+slack {
				rt.Fatalf("box %d is outside", i)
			}
			for j, b := range layout.Boxes[:i] {
				apartX := max(a.X, b.X)-min(a.X, b.X)+slack >= w+g.Boxes[j].Width/2+gaps.X
				apartY := max(a.Y, b.Y)-min(a.Y, b.Y)+slack >= h+g.Boxes[j].Height/2
				if !apartX && !apartY {
					rt.Fatalf("boxes %d and %d overlap", i, j)
				}
			}
		}
		for i, line := range layout.Lines {
			from, to := g.Lines[i].From, g.Lines[i].To
			first, last := line[0], line[len(line)-1]
			if first.X != layout.Boxes[from].X || last.X != layout.Boxes[to].X {
				rt.Fatalf("line %d does not join its boxes", i)
			}
			for k := 1; k < len(line); k++ {
				if line[k].Y < line[k-1].Y {
					rt.Fatalf("line %d leads upwards", i)
				}
			}
		}
	})
}
