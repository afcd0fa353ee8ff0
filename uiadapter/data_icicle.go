package uiadapter

// An Icicle is a picture of a hierarchy with counts, as a template writes it in SVG: a column for each
// level, in which boxes are as high as their counts.
type Icicle struct {
	Width, Height int
	Boxes         []IcicleBox
	ByPatients    bool
}

// An IcicleBox is a concept in the picture.
type IcicleBox struct {
	Level, X, Y, Width, Height int
	Title, Link                string
	Lines                      []DrawnText
	Count                      int
	CountX, CountY             int
	// Rest is true for the box of the concepts that have too little for a box each.
	Rest bool
}

const (
	icicleHeight = 600
	// leastBox is the height of the lowest box, which has room for a line of text.
	leastBox = 17
	// firstColumn and otherColumn are the widths of columns.
	firstColumn, otherColumn = 150, 275
)

func newIcicle(byPatients bool) *Icicle {
	return &Icicle{Width: firstColumn + levels*otherColumn, Height: icicleHeight, ByPatients: byPatients}
}

// fit returns how many of several boxes have room in a height, and the height of one count. Sizes are
// in descending order. All of them together may be more than total, to which the height belongs. Those
// that would be lower than least have no room; a box for them all does.
func fit(sizes []int, total int, height, least float64) (drawn int, unit float64) {
	sum := 0
	for i, size := range sizes {
		sum += size
		room := height
		if i < len(sizes)-1 {
			room -= leastBox
		}
		next := min(height/float64(max(total, 1)), room/float64(max(sum, 1)))
		if float64(size)*next < least { // those before have left room for the box of the rest
			return i, unit
		}
		unit = next
	}
	return len(sizes), unit
}

// column returns where the boxes of a level are.
func column(level int) (x, width int) {
	if level == 0 {
		return 0, firstColumn
	}
	return firstColumn + (level-1)*otherColumn, otherColumn
}

// box adds a concept.
func (c *Icicle) box(level int, y, height float64, text string, count int, address string) {
	x, width := column(level)
	b := IcicleBox{Level: level, X: x, Y: int(y), Width: width - 2, Height: max(int(y+height)-int(y)-1, 1), Title: plain(text), Link: address, Count: count}
	const letter = 6.6
	room := float64(width-16)/letter - float64(len(number(count))) - 2
	if level == 0 {
		room = float64(width-16) / (1.15 * letter) // in bold
	}
	lines := wrap(b.Title, room, min(max((b.Height-4)/15, 1), 4))
	for i, line := range lines {
		b.Lines = append(b.Lines, DrawnText{X: x + 7, Y: b.Y + 14 + 15*i, Text: line})
	}
	b.CountX, b.CountY = x+width-9, b.Y+14
	if level == 0 {
		b.CountY = b.Y + 13 + 15*len(lines) + 4
	}
	c.Boxes = append(c.Boxes, b)
}

// rest adds a box for several concepts with little.
func (c *Icicle) rest(level int, y, height float64, concepts int) {
	x, width := column(level)
	b := IcicleBox{Level: level, X: x, Y: int(y), Width: width - 2, Height: max(int(y+height)-int(y)-1, 1), Rest: true, Count: concepts, CountX: x + 7, CountY: int(y) + 13}
	if b.Height >= 2 {
		c.Boxes = append(c.Boxes, b)
	}
}
