package browse

import (
	"slices"

	"github.com/roget-health/roget/cliadapter/outline"
	"github.com/roget-health/roget/codesystem"
)

// A tree has the concepts of a code system that are open, as rows. A concept below several parents
// has a row below each of them that is open.
type tree struct {
	x      *codesystem.Index
	rows   []row
	cursor int // position in rows
	top    int // the first row that is shown
}

// A row is a concept at a level below the roots.
type row struct {
	ord   codesystem.Ord
	level int32
	open  bool
}

func newTree(x *codesystem.Index) *tree {
	t := &tree{x: x}
	for _, o := range x.Roots().ToArray() {
		t.rows = append(t.rows, row{ord: o})
	}
	if len(t.rows) == 1 {
		t.open(0)
	}
	return t
}

// current returns the row of the cursor; ok is false if there are no concepts.
func (t *tree) current() (r row, ok bool) {
	if len(t.rows) == 0 {
		return row{}, false
	}
	return t.rows[t.cursor], true
}

// move is Press in the tree; page is the number of rows that are shown.
func (t *tree) move(k Key, page int) {
	if len(t.rows) == 0 {
		return
	}
	switch r := t.rows[t.cursor]; k {
	case Up, "k":
		t.cursor--
	case Down, "j":
		t.cursor++
	case PageUp:
		t.cursor -= page
	case PageDown:
		t.cursor += page
	case Home, "g":
		t.cursor = 0
	case End, "G":
		t.cursor = len(t.rows) - 1
	case Right, "l":
		if !r.open {
			t.open(t.cursor)
		} else {
			t.cursor++
		}
	case Left, "h":
		if r.open {
			t.close(t.cursor)
		} else if above := t.above(t.cursor); above >= 0 {
			t.cursor = above
		}
	case Enter, " ":
		if r.open {
			t.close(t.cursor)
		} else {
			t.open(t.cursor)
		}
	}
	t.cursor = min(max(t.cursor, 0), len(t.rows)-1)
}

// open adds rows for the children of a row.
func (t *tree) open(i int) {
	r := &t.rows[i]
	children := t.x.Children(r.ord)
	if r.open || len(children) == 0 {
		return
	}
	r.open = true
	rows := make([]row, len(children))
	for n, o := range children {
		rows[n] = row{ord: o, level: r.level + 1}
	}
	t.rows = slices.Insert(t.rows, i+1, rows...)
}

// close removes the rows below a row.
func (t *tree) close(i int) {
	end := i + 1
	for end < len(t.rows) && t.rows[end].level > t.rows[i].level {
		end++
	}
	t.rows[i].open = false
	t.rows = slices.Delete(t.rows, i+1, end)
}

// above returns the row under which a row is, -1 for a root.
func (t *tree) above(i int) int {
	level := t.rows[i].level
	for i--; i >= 0 && t.rows[i].level >= level; i-- {
	}
	return i
}

// reveal opens the rows of a path from a root, and moves to the last one.
func (t *tree) reveal(path []codesystem.Ord) {
	at, level := 0, int32(0)
	for n, o := range path {
		for at < len(t.rows) && (t.rows[at].level != level || t.rows[at].ord != o) {
			if at++; at == len(t.rows) || t.rows[at].level < level {
				return // no such path
			}
		}
		if at == len(t.rows) {
			return
		}
		if n == len(path)-1 {
			t.cursor = at
			return
		}
		t.open(at)
		at++
		level++
	}
}

// show moves top so that the cursor is among height rows.
func (t *tree) show(height int) {
	t.top = min(t.top, t.cursor)
	t.top = max(t.top, t.cursor-height+1)
	t.top = max(min(t.top, len(t.rows)-height), 0)
}

// pathTo returns the path from a root to a concept that is opened to show it.
func pathTo(x *codesystem.Index, o codesystem.Ord) []codesystem.Ord { return outline.Path(x, o) }
