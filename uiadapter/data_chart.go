package uiadapter

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Chart is a line through values by time, as a template writes it in SVG.
type Chart struct {
	Width, Height int
	// Left, Right, Top and Bottom are the edges of the part with the line.
	Left, Right, Top, Bottom int
	Levels, Marks            []Mark
	Line                     string
	Points                   []ChartPoint
	// Radius is that of a point.
	Radius string
	// Normal is the reference range of the last value, nil if it has none within the chart.
	Normal *ChartBand
	// First, Last, Lowest and Highest describe the values.
	First, Last, Lowest, Highest string
}

// A ChartPoint is a value in a chart.
type ChartPoint struct {
	X, Y  int
	Title string
}

// A ChartBand is a range of values.
type ChartBand struct{ Y, Height int }

// mostPoints is the number of values that have a point each; more are a line only.
const mostPoints = 300

// drawChart draws values, which are ordered by time.
func drawChart(values []*Measured, width, height int) *Chart {
	c := &Chart{Width: width, Height: height, Left: 56, Right: width - 14, Top: 10, Bottom: height - 24}
	lowest, highest := values[0], values[0]
	for _, v := range values {
		if v.value < lowest.value {
			lowest = v
		}
		if v.value > highest.value {
			highest = v
		}
	}
	last := values[len(values)-1]
	c.First, c.Last, c.Lowest, c.Highest = day(values[0].When), day(last.When), lowest.Text, highest.Text
	low, high := lowest.value, highest.value
	if span := high - low; last.hasRange && last.low <= last.high && last.high-last.low < 4*max(span, math.Abs(high)/2) {
		low, high = min(low, last.low), max(high, last.high)
	}
	levels, step := ticks(low, high, max(height/45, 2))
	low, high = levels[0], levels[len(levels)-1]
	y := func(v float64) int {
		return c.Bottom - int(math.Round((v-low)/(high-low)*float64(c.Bottom-c.Top)))
	}
	for _, l := range levels {
		c.Levels = append(c.Levels, Mark{X: c.Left - 6, Y: y(l), Text: tickText(l, step)})
	}
	s := scale{from: values[0].at, to: last.at, width: float64(c.Right - c.Left)}
	for _, m := range s.marks(max(width/75, 2)) {
		c.Marks = append(c.Marks, Mark{X: c.Left + m.X, Y: height - 6, Text: m.Text})
	}
	if last.hasRange && last.high >= low && last.low <= high && last.low < last.high {
		top, bottom := y(min(last.high, high)), y(max(last.low, low))
		c.Normal = &ChartBand{Y: top, Height: max(bottom-top, 1)}
	}
	var line strings.Builder
	before := ChartPoint{X: -1}
	for i, v := range values {
		p := ChartPoint{X: c.Left + int(math.Round(s.x(v.at))), Y: y(v.value), Title: day(v.When) + ": " + plain(v.Text)}
		if p.X != before.X || p.Y != before.Y {
			letter := 'L'
			if i == 0 {
				letter = 'M'
			}
			fmt.Fprintf(&line, "%c%d %d", letter, p.X, p.Y)
		}
		before = p
		if len(values) <= mostPoints {
			c.Points = append(c.Points, p)
		}
	}
	c.Line, c.Radius = line.String(), "3.5"
	if len(values) > width/15 {
		c.Radius = "2"
	}
	return c
}

// ticks returns round numbers around a range, from below it to above it, and their distance. There are
// most of them or a few more, and two at least.
func ticks(low, high float64, most int) (list []float64, step float64) {
	if high <= low {
		pad := max(math.Abs(low)/10, 1)
		low, high = low-pad, high+pad
	}
	step = math.Pow(10, math.Floor(math.Log10((high-low)/float64(most))))
	for _, factor := range [...]float64{1, 2, 5, 10} {
		if (high-low)/(step*factor) <= float64(most) {
			step *= factor
			break
		}
	}
	first := math.Floor(low / step)
	for i := first; ; i++ {
		list = append(list, i*step)
		if i*step >= high && len(list) > 1 {
			return list, step
		}
	}
}

// tickText returns a number with the digits that its distance to the next one needs.
func tickText(v, step float64) string {
	if math.Abs(v) >= 1e6 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, int(-math.Floor(math.Log10(step)+1e-9))), 64)
}
